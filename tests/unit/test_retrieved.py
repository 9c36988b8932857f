"""Counts of what was given to readers: written in small parts, and never in the way."""

from __future__ import annotations

import sqlite3

import pytest

from vigent import Memory


def counted(memory: Memory, ids: list[str]) -> int:
    return sum(memory.get(id).retrieved_count for id in ids)


@pytest.fixture(params=["m.db", ":memory:"])
def memory(request, tmp_path):
    name = request.param
    with Memory.open(name if name.startswith(":") else tmp_path / name) as memory:
        yield memory


def facts(memory: Memory, many: int) -> list[str]:
    items = [{"subject": f"s{n}", "attribute": "seat", "value": n} for n in range(many)]
    return [one.memory.memory_id for one in memory.write_many(items)]


def test_a_write_takes_two_hundred_counts_along_and_the_next_the_rest(memory):
    ids = facts(memory, 450)
    memory._pipeline.note_retrieved(ids)
    for written in (200, 400, 450):
        memory.write(text=f"then {written}")
        assert counted(memory, ids) == written
    assert memory.check().problems == ()
    assert memory.current("s7", "seat").retrieved_count == 1


def test_all_are_written_at_once_where_that_is_asked_for(memory):
    ids = facts(memory, 450)
    memory._pipeline.note_retrieved(ids)
    memory._pipeline.flush_retrieved()
    assert counted(memory, ids) == 450


def test_a_read_writes_one_part_alone_of_many(memory):
    ids = facts(memory, 600)
    memory._pipeline.note_retrieved(ids)
    assert counted(memory, ids) == 200
    memory._pipeline.note_retrieved(ids[:1])
    assert counted(memory, ids) == 200
    assert len(memory._pipeline.retrieved) == 401


def test_a_damaged_quick_answer_makes_no_write_fail(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        ids = facts(memory, 2)
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("UPDATE key SET head = '[' WHERE subject = 's0'")
        connection.close()
        memory._pipeline.note_retrieved(ids)
        memory.write(text="goes on")
        assert counted(memory, ids) == 2
