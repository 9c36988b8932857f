"""A store made by the first schema alone comes through the one that brings threads."""

from __future__ import annotations

import sqlite3

import apsw
import pytest

from tests.migration.older import made_older
from vigent import Memory
from vigent.domain.time import parse_instant
from vigent.errors import CorruptStore, StoreNewer
from vigent.storage import migrate
from vigent.testing import FakeClock

START = "2026-01-01T00:00:00Z"
KEY = {"subject": "mira", "attribute": "city"}


@pytest.fixture
def clock():
    return FakeClock(START)


@pytest.fixture
def old(tmp_path, clock):
    """A store at the first schema, with facts, an audit trail, and episodes that name threads."""
    path = tmp_path / "old.db"
    with Memory.open(path, clock=clock) as memory:
        named = []
        for content, thread, person in [
            ("I live in Porto", "t", None), ("of p1", "t", "p1"), ("by itself", None, None),
            ("And now in Braga", "t", None), ("another", "u", None),
        ]:  # fmt: skip
            episode = memory.capture(content, person=person, external_id=content)
            named.append((thread, episode.id))
            clock.advance(days=1)
        memory.write(**KEY, value="Porto", source_episode_id=named[0][1], quote="in Porto")
        memory.write(**KEY, value="Braga", source_episode_id=named[3][1])
        memory.check()
    made_older(path, 1)
    with sqlite3.connect(path) as connection:
        connection.executemany("UPDATE episode SET thread = ? WHERE id = ?", named)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        assert "thread" not in {name for (name,) in tables}
    connection.close()
    return path


def rows_of(path) -> dict[str, list[tuple]]:
    tables = ("key", "statement", "belief", "episode", "audit", "audit_content", "seal", "tenant")
    # By the library that has the file open: another one would let go of its locks.
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = {
        table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
        for table in tables
    }
    connection.close()
    # A later migration adds a column that notes what a key has borne.
    found["key"] = [row[:16] for row in found["key"]]
    # And one that says what an entry's content came to.
    found["audit"] = [row[:9] for row in found["audit"]]
    return found


def test_what_was_there_is_as_it_was(old, clock):
    before = rows_of(old)
    with Memory.open(old, clock=clock) as memory:
        assert memory.current(**KEY).value == "Braga"
        (evidence,) = memory.provenance(memory.current(**KEY).memory_id).evidence
        assert evidence.episode.content == "And now in Braga"
        assert rows_of(old) == before
        assert memory.check().ok
        assert memory.capture("again", external_id="another").content == "another"
    with sqlite3.connect(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (10,)
        steps = connection.execute("SELECT number, name FROM migration").fetchall()
    connection.close()
    names = ["first", "threads", "index", "typed", "aliases", "resources", "governance", "lists",
             "quiet", "waiting"]  # fmt: skip
    assert steps == list(enumerate(names, 1))


def test_episodes_that_named_a_thread_are_its_items(old, clock):
    with Memory.open(old, clock=clock) as memory:
        assert [(t.id, t.person, t.last_position) for t in memory.threads.list()] == [
            ("t", None, 2), ("u", None, 1),
        ]  # fmt: skip
        items = memory.threads.items("t")
        assert [(i.position, i.content) for i in items] == [
            (1, "I live in Porto"), (2, "And now in Braga"),
        ]  # fmt: skip
        assert [i.content for i in memory.threads.items("t", person="p1")] == ["of p1"]
        thread = memory.threads.get("t")
        assert thread.created_at == items[0].recorded_at
        assert (thread.expires_at - items[1].recorded_at).days == 90
        assert memory.threads.append("t", "next", role="assistant").position == 3
        assert memory.erase_person("p1").counts["thread_item"] == 1


def test_opening_it_again_changes_nothing(old, clock):
    Memory.open(old, clock=clock).close()
    with sqlite3.connect(old) as connection:
        before = list(connection.iterdump())
    connection.close()
    Memory.open(old, clock=clock).close()
    with sqlite3.connect(old) as connection:
        assert list(connection.iterdump()) == before
    connection.close()


def test_the_schema_is_that_of_a_new_store(old, clock, tmp_path):
    Memory.open(old, clock=clock).close()
    Memory.open(tmp_path / "new.db").close()
    schemas = []
    for path in (old, tmp_path / "new.db"):
        with sqlite3.connect(path) as connection:
            found = connection.execute("SELECT type, name, sql FROM sqlite_schema")
            schemas.append(sorted(map(str, found)))
        connection.close()
    assert schemas[0] == schemas[1]


def test_an_older_vigent_leaves_the_new_store_alone(old, clock, monkeypatch):
    Memory.open(old, clock=clock).close()
    every = migrate.migrations_of
    monkeypatch.setattr(migrate, "migrations_of", lambda package: every(package)[:1])
    with pytest.raises(StoreNewer):
        Memory.open(old, clock=clock)


def test_a_store_of_another_first_schema_is_refused(old, clock):
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE migration SET checksum = 'other'")
    connection.close()
    with pytest.raises(CorruptStore):
        Memory.open(old, clock=clock)


def test_a_step_that_fails_leaves_the_store_as_it_was(old, clock):
    with sqlite3.connect(old) as connection:
        connection.execute("CREATE TABLE thread_state (x)")
    connection.close()
    before = rows_of(old)
    with pytest.raises(Exception, match="thread_state"):
        Memory.open(old, clock=clock)
    with sqlite3.connect(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM migration").fetchone() == (1,)
        connection.execute("DROP TABLE thread_state")
    connection.close()
    assert rows_of(old) == before
    with Memory.open(old, clock=clock) as memory:
        assert memory.threads.get("t").created_at.timestamp() * 1e6 == parse_instant(START, "at")
