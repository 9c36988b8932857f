"""What a store from before keys noted what they bear holds of commitments and rules is found."""

from __future__ import annotations

import sqlite3

from tests.migration.older import made_older
from vigent import Memory
from vigent.testing import FakeClock


def test_commitments_and_rules_from_before_are_given(tmp_path):
    path, clock = tmp_path / "old.db", FakeClock("2026-01-01T00:00:00Z")
    with Memory.open(path, clock=clock, person="p1") as memory:
        for n in range(20):
            memory.write(subject=f"s{n}", attribute="a", value=n)
        memory.write(type="commitment", text="send it")
        memory.write(subject="p1", attribute="promise", value="call", type="commitment")
        memory.write(subject="p1", attribute="tone", value="brief", type="behaviour")
        memory.write(subject="p1", attribute="tone", value="long", type="commitment")
    made_older(path, 2)
    with Memory.open(path, clock=clock, person="p1") as memory:
        block = memory.context("no topic of these").block
        assert [block.count(f'"{text}"') for text in ("send it", "call", "brief", "long")] == [
            1, 1, 0, 1,
        ]  # fmt: skip
        assert memory.check().ok
    with sqlite3.connect(path) as connection:
        noted = connection.execute("SELECT bears, count(*) FROM key GROUP BY bears ORDER BY bears")
        assert noted.fetchall() == [(0, 20), (1, 2), (3, 1)]
    connection.close()
