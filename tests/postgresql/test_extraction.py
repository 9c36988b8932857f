"""Workers on PostgreSQL: several read at once, one is killed, and each window counts once."""

from __future__ import annotations

from tests.simulation.rehearsing import rehearse


def test_each_window_counts_once(postgres_url):
    rehearse(postgres_url, 12, 1, seed=3)
