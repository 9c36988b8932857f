"""Checks and repairs while others write, and erasures that are all or nothing."""

from __future__ import annotations

import json
import sqlite3

import pytest

from vigent import Memory
from vigent.domain.statements import Statement
from vigent.errors import StoreBusy
from vigent.govern import keeping
from vigent.storage.sqlite import inspecting

KEY = {"subject": "mira", "attribute": "city"}


def once(act):
    """Give a call that acts the first time only."""
    todo = [act]

    def call() -> None:
        if todo:
            todo.pop()()

    return call


def test_a_check_sees_one_moment_while_others_write(tmp_path, monkeypatch):
    with Memory.open(tmp_path / "m.db") as memory, Memory.open(tmp_path / "m.db") as other:
        memory.write(**KEY, value="Porto")
        write = once(lambda: other.write(**KEY, value="Braga"))

        class Slow:
            """Reads statements, and lets the other write before the beliefs are read."""

            @staticmethod
            def _make(row):
                write()
                return Statement._make(row)

        monkeypatch.setattr(inspecting, "Statement", Slow)
        assert memory.check().problems == ()
        assert memory.current(**KEY).value == "Braga"


def test_a_repair_puts_no_older_answer_over_a_newer_one(tmp_path, monkeypatch):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory, Memory.open(path) as other:
        memory.write(**KEY, value="Porto")
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE key SET head = replace(head, 'Porto', 'Faro')")
        connection.close()
        assert memory.current(**KEY).value == "Faro"
        assert not memory.check().ok
        write = once(lambda: other.write(**KEY, value="Braga"))
        derive = keeping.head_of

        def slow(*args):
            found = derive(*args)
            write()
            return found

        monkeypatch.setattr(keeping, "head_of", slow)
        memory.check(repair=True)
        assert memory.current(**KEY).value == "Braga"
        assert memory.check().ok


def test_a_repair_derives_a_wrong_answer_again(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.write(**KEY, value="Porto")
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE key SET head = replace(head, 'Porto', 'Faro')")
        connection.close()
        assert memory.check(repair=True).ok
        assert memory.current(**KEY).value == "Porto"


def test_a_check_is_not_misled_by_what_others_wrote_since_the_last(tmp_path):
    with Memory.open(tmp_path / "m.db") as memory, Memory.open(tmp_path / "m.db") as other:
        memory.write(**KEY, value="Porto")
        assert memory.check().ok
        other.write(**KEY, value="Braga")
        assert memory.check().problems == ()


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_an_erasure_that_cannot_be_noted_is_none(tmp_path, monkeypatch, name):
    def fail(*_args):
        raise StoreBusy("nothing was written")

    path = name if name.startswith(":") else tmp_path / name
    with Memory.open(path) as memory:
        memory.persons.link("p1", subject="mira")
        memory.write(**KEY, value="Porto", person="p1")
        memory.write(**KEY, value="Braga")
        with monkeypatch.context() as patched:
            patched.setattr(keeping, "digest_entry", fail)
            with pytest.raises(StoreBusy):
                memory.erase_person("p1")
        assert memory.current(**KEY, person="p1").value == "Porto"
        assert memory.current(**KEY).value == "Braga"
        assert memory.check().ok
        receipt = memory.erase_person("p1")
        assert len(receipt.shared) == 1
        assert memory.current(**KEY, person="p1") is None


def test_the_entry_of_an_erasure_holds_a_hash_and_counts_alone(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.write(**KEY, value="Porto", person="p1")
        receipt = memory.erase_person("p1")
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT action, target, person, key, content FROM audit LEFT JOIN audit_content"
            " ON audit = no WHERE action = 'memory_erasure'"
        ).fetchall()
    connection.close()
    ((action, target, person, key, content),) = rows
    assert (action, target, person, key) == ("memory_erasure", None, "", None)
    assert json.loads(content) == {"person_hash": receipt.person_hash, "counts": receipt.counts}


def test_a_dry_run_leaves_everything_and_makes_no_tenant_known(tmp_path):
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.erase_person("p1", dry_run=True).state == "dry_run"
        memory.write(**KEY, value="Porto", person="p1")
        assert memory.erase_person("p1", dry_run=True).counts["statement"] == 1
        assert memory.current(**KEY, person="p1").value == "Porto"
        assert memory.check().ok
