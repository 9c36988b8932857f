"""Many processes on one file: cases C52 and C56."""

from __future__ import annotations

import itertools
import sqlite3
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.processes import Child
from vigent import Memory
from vigent.errors import StoreBusy

MODULE = "tests.simulation.concurrent_worker"


def start(stack: ExitStack, path: Path, *arguments: object) -> Child:
    child = stack.enter_context(Child(MODULE, arguments[0], path, *arguments[1:]))
    assert child.line() == {"ready": True}
    return child


def count_of(path: Path, sql: str) -> int:
    with sqlite3.connect(path) as connection:
        found = connection.execute(sql).fetchone()[0]
    connection.close()
    return found


OVERLAPS = (
    "SELECT count(*) FROM (SELECT valid_from, lag(valid_to) OVER (PARTITION BY tenant, key, "
    "member ORDER BY valid_from) AS previous FROM belief WHERE recorded_to IS NULL) "
    "WHERE previous > valid_from"
)


def crowd(path: Path, *, writers: int, writes: int, readers: int, locked: float) -> dict[str, Any]:
    """Let processes write and read at once; give what they said, checked against the file."""
    Memory.open(path).close()
    with ExitStack() as stack:
        writing = [start(stack, path, "write", n, writes) for n in range(writers)]
        reading = [start(stack, path, "read") for _ in range(readers)]
        holder = start(stack, path, "hold", locked) if locked else None
        for child in (*writing, *reading, *([holder] if holder else [])):
            child.tell()
        said = [child.line() for child in writing]
        for child in reading:
            child.tell("stop")
        reads = [child.line()["reads"] for child in reading]
        if holder:
            assert [holder.line(), holder.line()] == [{"holding": True}, {"released": True}]
    assert [e for s in said for e in s["errors"]] == []
    ids = [id for s in said for id in s["ids"]]
    assert len(set(ids)) == writers * writes
    assert count_of(path, "SELECT count(*) FROM statement") == writers * writes
    assert count_of(path, OVERLAPS) == 0
    with Memory.open(path) as memory:
        assert memory.check().problems == ()
        # What all wrote is one line: each but the first ended exactly one.
        for n in range(3):
            shared = sum(1 for i in range(0, writes, 4) if i % 3 == n)
            assert_one_line(memory, f"shared {n}", writers * shared)
    waits = sorted(w for s in said for w in s["waits"])
    return {"longest": waits[-1], "p99": waits[int(len(waits) * 0.99)], "reads": reads}


def assert_one_line(memory: Memory, subject: str, length: int) -> None:
    rows = [r for r in memory.history(subject, "seat") if r.recorded_to is None]
    assert len(rows) == length
    replaced = [r.supersedes_memory_id for r in rows]
    assert replaced == [None, *(r.memory_id for r in rows[:-1])]
    assert [r.superseded_by for r in rows] == [*(r.memory_id for r in rows[1:]), None]
    assert all(a.valid_to == b.valid_from for a, b in itertools.pairwise(rows))
    assert len(rows) == len({r.memory_id for r in rows})


def test_four_processes_write_while_two_read_and_one_holds_the_lock(tmp_path):
    said = crowd(tmp_path / "memory.db", writers=4, writes=200, readers=2, locked=2.0)
    assert said["longest"] < 8
    assert all(reads > 5 for reads in said["reads"])


@pytest.mark.slow
def test_eight_processes_write_twenty_thousand(tmp_path):
    said = crowd(tmp_path / "memory.db", writers=8, writes=2_500, readers=0, locked=0)
    assert said["longest"] < 5


def test_a_lock_held_for_thirty_seconds_is_a_bounded_wait_and_nothing_is_stored(tmp_path):
    path = tmp_path / "memory.db"
    with ExitStack() as stack, Memory.open(path) as memory:
        memory.write(subject="ira", attribute="seat", value="1A")
        holder = start(stack, path, "hold", 30)
        holder.tell()
        assert holder.line() == {"holding": True}
        began = time.monotonic()
        with pytest.raises(StoreBusy) as caught:
            memory.write(subject="ira", attribute="seat", value="2B")
        waited = time.monotonic() - began
        assert 5 < waited < 20
        assert caught.value.code == "store_busy"
        assert caught.value.category == "unavailable"
        assert caught.value.retry_after
        with pytest.raises(StoreBusy):
            memory.capture("not kept either")
        # Reading goes on meanwhile.
        assert memory.current("ira", "seat").value == "1A"
        assert [r.value for r in memory.history("ira", "seat")] == ["1A"]
        holder.kill()
        assert memory.write(subject="ira", attribute="seat", value="3C").outcome == "superseded"
        assert [r.value for r in memory.list()] == ["3C"]
    assert count_of(path, "SELECT count(*) FROM statement") == 2
    assert count_of(path, "SELECT count(*) FROM episode") == 0
    assert count_of(path, "SELECT count(*) FROM audit") == 2


def gathered(path: Path, role: str, groups: list[list[str]], *before: str) -> list[Any]:
    with ExitStack() as stack:
        children = [start(stack, path, role, *before, *group) for group in groups]
        for child in children:
            child.tell()
        return [answer for child in children for answer in child.line()]


def test_parallel_writers_of_one_key_form_one_line(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        first = memory.write(subject="ira", attribute="seat", value="1A").memory
        values = [f"{n}A" for n in range(2, 22)]
        answers = gathered(path, "seats", [values[n::4] for n in range(4)])
        assert [outcome for outcome, _ in answers] == ["superseded"] * 20
        rows = [r for r in memory.history("ira", "seat") if r.recorded_to is None]
        assert {r.value for r in rows} == {"1A", *values}
        assert rows[0].memory_id == first.memory_id
        assert_one_line(memory, "ira", 21)
        now = memory.current("ira", "seat")
        assert now.memory_id == rows[-1].memory_id
        # No memory is superseded twice.
        links = [r.supersedes_memory_id for r in rows[1:]]
        assert len(set(links)) == 20
        # Where recording and beginning agree, so do both orders.
        assert [r.recorded_from for r in memory.list(subject="ira")] == [now.recorded_from]


def test_parallel_writers_of_one_value_make_one_fact(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        memory.write(subject="ira", attribute="seat", value="1A")
        answers = gathered(path, "seats", [["9C"] * 5 for _ in range(4)])
        assert sorted(outcome for outcome, _ in answers) == ["confirmed"] * 19 + ["superseded"]
        assert len({memory_id for _, memory_id in answers}) == 1
        rows = [r for r in memory.history("ira", "seat") if r.recorded_to is None]
        assert [r.value for r in rows] == ["1A", "9C"]


def test_of_parallel_writers_that_expect_the_same_memory_one_succeeds(tmp_path):
    path = tmp_path / "memory.db"
    with Memory.open(path) as memory:
        first = memory.write(subject="ira", attribute="seat", value="1A").memory
        values = [f"{n}A" for n in range(2, 22)]
        groups = [values[n::4] for n in range(4)]
        answers = gathered(path, "expecting", groups, first.memory_id)
        assert sorted(answers) == ["superseded"] + ["unexpected_memory"] * 19
        assert memory.current("ira", "seat").supersedes_memory_id == first.memory_id


def test_parallel_ingestion_of_one_message_gives_one_episode_and_one_fact(tmp_path):
    answers: list[tuple[str, str]] = []
    with Memory.open(tmp_path / "memory.db") as memory:

        def ingest() -> None:
            episode = memory.capture("My seat is 4D.", external_id="msg-1")
            result = memory.write(
                subject="ira", attribute="seat", value="4D", source_episode_id=episode.id
            )
            answers.append((episode.id, result.memory.memory_id))

        threads = [threading.Thread(target=ingest) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == 5
        assert len(set(answers)) == 1
        assert [r.value for r in memory.history("ira", "seat")] == ["4D"]


def test_where_wal_is_not_possible_the_store_is_refused_or_works(tmp_path):
    """A file in another journal mode is taken into WAL, or opening it says why not."""
    path = tmp_path / "memory.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    with Memory.open(path) as memory:
        memory.write(subject="ira", attribute="seat", value="1A")
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
