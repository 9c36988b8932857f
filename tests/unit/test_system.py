"""Ids rise and fit; the test clock does as it is told."""

from __future__ import annotations

import re

from vigent.system import RandomIds, SystemClock
from vigent.testing.clock import FakeClock


def test_ids_rise_and_fit():
    ids = RandomIds()
    made = [ids.new("mem") for _ in range(2000)]
    assert made == sorted(set(made))
    assert all(re.fullmatch(r"mem_[0-9a-f]{32}", id) for id in made)


def test_the_system_clock_counts_microseconds_since_1970():
    assert SystemClock().now() > 1_700_000_000_000_000


def test_the_test_clock():
    clock = FakeClock("2026-06-01T00:00:00Z")
    clock.advance(seconds=1, days=1)
    assert clock.now() == FakeClock("2026-06-02T00:00:01+00:00").now()
    clock.set("2026-05-01T00:00:00Z")
    assert clock.now() == FakeClock("2026-05-01T02:00:00+02:00").now()
