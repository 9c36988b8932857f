"""Checks and repairs while others write, and erasures that are all or nothing."""

from __future__ import annotations

import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from vigent import Memory
from vigent.errors import StoreBusy

KEY = {"subject": "mira", "attribute": "city"}


@pytest.mark.parametrize("repair", [False, True])
def test_a_check_is_right_while_others_write(tmp_path, repair):
    path, done = tmp_path / "m.db", threading.Event()

    def write() -> int:
        written = 0
        with Memory.open(path) as other:
            while not done.is_set():
                other.write(**KEY, value=f"v{written}")
                written += 1
        return written

    with Memory.open(path) as memory, ThreadPoolExecutor(1) as pool:
        memory.write(**KEY, value="Porto")
        writer = pool.submit(write)
        try:
            for _ in range(40):
                assert memory.check(repair=repair).problems == ()
        finally:
            done.set()
        last = writer.result() - 1
        assert memory.current(**KEY).value == f"v{last}"
        assert memory.check().problems == ()


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


class NoIds:
    """A source that has run dry."""

    def new(self, prefix: str) -> str:
        raise StoreBusy(f"no id for {prefix}; nothing was written")

    def salt(self) -> bytes:
        return bytes(16)


@pytest.mark.parametrize("name", ["m.db", ":memory:"])
def test_an_erasure_that_cannot_be_noted_is_none(tmp_path, name):
    path = name if name.startswith(":") else tmp_path / name
    with Memory.open(path) as memory:
        memory.persons.link("p1", subject="mira")
        memory.write(**KEY, value="Porto", person="p1")
        memory.write(**KEY, value="Braga")
        given, memory._keeper.ids = memory._keeper.ids, NoIds()
        with pytest.raises(StoreBusy):
            memory.erase_person("p1")
        memory._keeper.ids = given
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
