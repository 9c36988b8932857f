"""Every route takes what fits its schema and refuses what does not; no call is a fault."""

from __future__ import annotations

import os

import pytest

from tests.service.generated import World, run

# Of long examples Hypothesis says that they are long.
pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "s.db")
    yield made
    made.service.close()


def checked(failures):
    assert not failures, "\n".join([f"{len(failures)} failures", *failures])


def test_no_call_is_a_fault(world):
    checked(run(world, examples=1, chains=False))
    assert world.calls > 2_000


@pytest.mark.slow
def test_no_call_of_many_is_a_fault(world):
    checked(run(world, examples=int(os.environ.get("VIGENT_EXAMPLES", "100")), chains=True))
