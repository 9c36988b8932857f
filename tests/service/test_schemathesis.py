"""Every route takes what fits its schema and refuses what does not; no call is a fault."""

from __future__ import annotations

import os

import pytest

from tests.service.generated import World, run


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "s.db")
    yield made
    made.service.close()


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
def test_no_call_is_a_fault(world):
    failures = run(world, examples=int(os.environ.get("EX", "5")), steps=3)
    assert not failures, f"{len(failures)} failures\n" + "\n".join(failures)
