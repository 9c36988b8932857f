"""An erased person is in no byte of the files, and everybody else is as before."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import apsw
import pytest

from tests.simulation.people import SCHEMA, answers_of, everyone, letters_in, tell_all
from tests.simulation.processes import Child
from vigent import Memory
from vigent.errors import ErasedPerson
from vigent.testing import FakeClock

NOW = "2026-06-03T10:00:00Z"


def opened(path: Path, clock: FakeClock) -> Memory:
    return Memory.open(path, schema=SCHEMA, clock=clock)


def test_nothing_of_erased_persons_is_left_in_the_files_and_nobody_else_is_touched(tmp_path):
    path = tmp_path / "memory.db"
    clock = FakeClock(NOW)
    people = everyone(64)
    with opened(path, clock) as memory:
        tell_all(memory, people)
        clock.advance(days=1)
        going, staying = people[::3], [p for p in people if p.number % 3]
        before = [answers_of(memory, who) for who in staying]
        # The search itself is sound: it does find what is there.
        there = letters_in(path)
        for who in going:
            # What was forgotten is not, nor what a page's end tears.
            assert len(who.traces() & there) > 0.85 * len(who.traces())
        dry = memory.erase_person(going[0].id, dry_run=True)
        assert dry.state == "dry_run"
        assert memory.current(going[0].name, "city", person=going[0].id) is not None
        receipts = [memory.erase_person(who.id) for who in going[:-1]]
        assert {r.state for r in receipts} == {"removed"}
        assert receipts[0].counts == dry.counts
        assert receipts[0].counts["statement"] > 20
        named = ("thread", "thread_item", "thread_state")
        assert [receipts[0].counts[name] for name in named] == [1, 9, 1]
        assert len(receipts[0].shared) >= 1
        for who in going[:-1]:
            assert memory.current(who.name, person=who.id) == {}
            assert [t.id for t in memory.threads.list(person=who.id)] == ["room"]
            assert memory.threads.items("room", person=who.id) == ()
            assert list(memory.list(person=who.id, include="history")) == [
                r for r in memory.list(include="history") if r.person_id is None
            ]
        last = memory.erase_person(going[-1].id, wait=True)
        assert last.state == "purged"
        there = letters_in(path)
        assert [who.traces() & there for who in going] == [set()] * len(going)
        assert [answers_of(memory, who) for who in staying] == before
        assert all(who.traces() & there for who in staying)
        assert memory.check().problems == ()
    # Closed, and opened again: still nothing, and the others still there.
    there = letters_in(path)
    assert [who.traces() & there for who in going] == [set()] * len(going)
    with opened(path, clock) as memory:
        assert [answers_of(memory, who) for who in staying] == before


def test_while_a_reader_holds_old_pages_it_is_removed_but_not_purged(tmp_path):
    path = tmp_path / "memory.db"
    clock = FakeClock(NOW)
    people = everyone(6)
    who = people[2]
    with opened(path, clock) as memory:
        tell_all(memory, people, rounds=2)
        with Child("tests.simulation.concurrent_worker", "snapshot", path) as reader:
            assert reader.line() == {"ready": True}
            reader.tell()
            assert reader.line() == {"holding": True}
            receipt = memory.erase_person(who.id, wait=True)
            assert receipt.state == "removed"
            assert memory.current(who.name, person=who.id) == {}
            assert state_of(path) == ["removed"]
            reader.tell("let go")
            assert reader.line() == {"released": True}
        assert memory.erase_person(who.id, wait=True).state == "purged"
        assert who.traces() & letters_in(path) == set()
        assert state_of(path) == ["purged"]


def state_of(path: Path) -> list[str]:
    # By the library that has the file open: another one would let go of its locks.
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute("SELECT state FROM erased").fetchall()
    connection.close()
    return [state for (state,) in rows]


def test_nothing_from_before_brings_an_erased_person_back(tmp_path):
    path = tmp_path / "memory.db"
    clock = FakeClock(NOW)
    (who,) = everyone(1)
    with opened(path, clock) as memory:
        tell_all(memory, [who], rounds=1)
        clock.advance(days=1)
        memory.erase_person(who.id, wait=True)
        clock.advance(days=1)
        with pytest.raises(ErasedPerson):
            memory.capture("Old news", person=who.id, occurred_at=NOW)
        assert memory.capture("New again", person=who.id).content == "New again"
        memory.write(person=who.id, subject=who.name, attribute="city", value="Vigo")
        assert memory.current(who.name, "city", person=who.id).value == "Vigo"


def test_the_audit_knows_that_somebody_was_erased_and_not_who(tmp_path):
    path = tmp_path / "memory.db"
    (who,) = everyone(1)
    with opened(path, FakeClock(NOW)) as memory:
        tell_all(memory, [who], rounds=1)
        receipt = memory.erase_person(who.id, wait=True)
        report = memory.check()
        assert report.ok
        assert report.audit["broken"] == 0
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT c.content FROM audit a JOIN audit_content c ON c.audit = a.no "
            "WHERE a.action = 'memory_erasure'"
        ).fetchall()
    connection.close()
    assert len(rows) == 1
    assert receipt.person_hash in rows[0][0]
