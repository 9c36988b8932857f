"""SQLite and the oracle in memory give the same answers to the same commands."""

from __future__ import annotations

from tests.simulation.steps import STEPS
from vigent.testing.agreement import run_agreement


def test_both_adapters_answer_alike():
    assert run_agreement(steps=STEPS) >= STEPS
