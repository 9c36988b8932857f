"""Checks and repairs while others write, and erasures that are all or nothing."""

from __future__ import annotations

import sqlite3

from vigent import Memory
from vigent.domain.statements import Statement
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
