"""Imports, copies and restores that are killed: nothing half, and the next run finishes."""

from __future__ import annotations

import pytest

from tests.moved import body, exported, store_at
from tests.simulation.killing import killed_after, tenants_of
from vigent import Memory
from vigent.moving import backup_store, copy_store, export_file, import_file

FACTS = 800
PARTS = (0.05, 0.3, 0.5, 0.7, 0.9)
"""After which part of the time that a whole run takes it is killed."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store of two tenants, its export, and its backup."""
    folder = tmp_path_factory.mktemp("made")
    for tenant in ("acme", "default"):
        with Memory.open(folder / "a.db", tenant=tenant) as memory:
            memory.write_many(
                {"subject": f"s{n % 500}", "attribute": "city", "value": f"city {n}"}
                for n in range(FACTS)
            )
    export_file(folder / "a.db", folder / "a.jsonl")
    backup_store(folder / "a.db", folder / "a.bak")
    return folder


def test_a_killed_import_leaves_nothing_or_all_and_is_run_again(made, tmp_path):
    lines = (made / "a.jsonl").read_bytes().splitlines(keepends=True)
    whole = killed_after(0, "import", made / "a.jsonl", tmp_path / "whole.db")
    seen = set()
    for part in PARTS:
        target = tmp_path / f"{part}.db"
        killed_after(part * whole, "import", made / "a.jsonl", target)
        with store_at(target) as storage:
            with storage.snapshot() as snapshot:
                there = snapshot.tenants() == ["default"]
            seen.add(there)
            assert not there or body(exported(storage)) == body(lines)
        import_file(target, made / "a.jsonl")
        with Memory.open(target) as memory:
            assert memory.check().ok
            assert memory.search("city 799").hits
        with store_at(target) as storage:
            # Checking seals; what it sealed is in no other part of the file.
            assert len(exported(storage)) >= len(lines)
    assert False in seen


def test_a_killed_copy_goes_on_with_what_is_missing(made, tmp_path):
    whole = killed_after(0, "copy", made / "a.db", tmp_path / "whole.db")
    for part in (0.1, 0.5, 0.8):
        target = tmp_path / f"{part}.db"
        killed_after(part * whole, "copy", made / "a.db", target)
        there = tenants_of(target) if target.exists() else []
        assert there in ([], ["acme"], ["acme", "default"])
        done = list(copy_store(made / "a.db", target))
        assert [(c.tenant, c.fresh) for c in done] == [
            (name, name not in there) for name in ("acme", "default")
        ]
        assert all(c.reads["current"] and c.reads["known_at"] for c in done)
        with store_at(made / "a.db") as one, store_at(target) as other:
            for tenant in ("acme", "default"):
                assert exported(one, tenant)[1:] == exported(other, tenant)[1:]


def test_a_killed_restore_leaves_the_old_store_or_the_new_one(made, tmp_path):
    whole = 0.0
    for part in (0, 0.2, 0.5, 0.9):
        target = tmp_path / f"{part}.db"
        with Memory.open(target) as memory:
            memory.write(subject="only", attribute="here", value="x")
        took = killed_after(part * whole, "restore", made / "a.bak", target)
        whole = whole or took
        with Memory.open(target) as memory:
            kept = memory.current("only", "here")
            assert (kept is None) is (memory.current("s1", "city") is not None)
            assert part or kept is None
            assert memory.check().ok
