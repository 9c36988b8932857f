"""Ids rise and fit; the test clock does as it is told."""

from __future__ import annotations

import os
import re

import pytest

from vigent.system import RandomIds, SystemClock
from vigent.testing.clock import FakeClock


def test_ids_rise_and_fit():
    ids = RandomIds()
    made = [ids.new("mem") for _ in range(2000)]
    assert made == sorted(set(made))
    assert all(re.fullmatch(r"mem_[0-9a-f]{32}", id) for id in made)


def test_salts_are_sixteen_bytes_and_never_the_same():
    ids = RandomIds()
    made = [ids.salt() for _ in range(2000)]
    assert {len(salt) for salt in made} == {16}
    assert len(set(made)) == len(made)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_gives_out_other_ids_and_salts_than_its_parent():
    ids = RandomIds()
    ids.salt(), ids.new("mem")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, ids.salt() + ids.new("mem")[-20:].encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reading, 100)
    os.close(reading)
    os.close(writing)
    assert theirs[:16] != ids.salt()
    assert theirs[16:] != ids.new("mem")[-20:].encode()


def test_the_system_clock_counts_microseconds_since_1970():
    assert SystemClock().now() > 1_700_000_000_000_000


def test_the_test_clock():
    clock = FakeClock("2026-06-01T00:00:00Z")
    clock.advance(seconds=1, days=1)
    assert clock.now() == FakeClock("2026-06-02T00:00:01+00:00").now()
    clock.set("2026-05-01T00:00:00Z")
    assert clock.now() == FakeClock("2026-05-01T02:00:00+02:00").now()
