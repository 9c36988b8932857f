"""SQLite and the oracle in memory give the same answers to the same commands."""

from __future__ import annotations

import os

from vigent.testing.agreement import run_agreement


def test_both_adapters_answer_alike():
    asked = int(os.environ.get("VIGENT_AGREEMENT_STEPS", "400"))
    assert run_agreement() >= asked
