"""Two workers read many threads and are killed at random: each window counts once in effect."""

from __future__ import annotations

import os
import random

import pytest

from tests.simulation.rehearsing import rehearse


def test_a_few_threads_are_each_read_once(tmp_path):
    rehearse(tmp_path / "s.db", 24, 2, seed=7)


@pytest.mark.slow
def test_a_thousand_threads_are_each_read_once(tmp_path):
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    many = int(os.environ.get("VIGENT_THREADS", "1000"))
    rehearse(tmp_path / "s.db", many, max(4, many // 40), seed)
