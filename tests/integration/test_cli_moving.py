"""The commands that move memory: backup and restore, copy, branch, export and import."""

from __future__ import annotations

import json
import sqlite3
import threading

import pytest

from tests.integration.command_line import run
from tests.moved import exported, store_at
from vigent import Memory
from vigent.errors import StoreBusy
from vigent.service import Service
from vigent.settings import UpkeepSettings
from vigent.wiring import copies_of, open_storage


@pytest.fixture
def db(tmp_path):
    path = tmp_path / "a.db"
    with Memory.open(path) as memory:
        memory.write(subject="mira", attribute="city", value="Rome")
        memory.write(subject="mira", attribute="allergy", value="nuts", person="p1")
        memory.write(subject="ivo", attribute="city", value="Oslo", person="p2")
    with Memory.open(path, tenant="acme") as memory:
        memory.write(text="the kitchen is closed", type="fact")
    return path


def answer(*words):
    done = run(*map(str, words), "--json")
    assert done.code == 0, done.err
    return done.json


def error(*words):
    done = run(*map(str, words), "--json")
    return done.code, done.error


def city(path, subject="mira", **more):
    with Memory.open(path) as memory:
        found = memory.current(subject, "city", **more)
        return None if found is None else found.value


# ---------------------------------------------------------------------- export, import


def test_export_and_import_by_file_and_by_pipe(db, tmp_path):
    told = answer("export", tmp_path / "x.jsonl", "--db", db)
    assert (told["tenant"], told["counts"]["statement"]) == ("default", 3)
    assert error("export", tmp_path / "x.jsonl", "--db", db)[1]["code"] == "resource_exists"
    assert answer("export", tmp_path / "x.jsonl", "--db", db, "--force") == told
    piped = run("export", "-", "--db", str(db)).out
    assert piped.splitlines()[1:] == (tmp_path / "x.jsonl").read_text().splitlines()[1:]

    done = answer("import", tmp_path / "x.jsonl", "--db", tmp_path / "b.db")
    assert (done["fresh"], done["digest"]) == (True, told["digest"])
    assert not answer("import", tmp_path / "x.jsonl", "--db", tmp_path / "b.db")["fresh"]
    other = run("import", "-", "--db", str(tmp_path / "b.db"), "--tenant", "new", stdin=piped)
    assert other.code == 0
    assert city(tmp_path / "b.db") == "Rome"
    with Memory.open(tmp_path / "b.db", tenant="new") as memory:
        assert memory.current("mira", "city").tenant_id == "new"
        assert memory.check().ok


def test_a_file_that_is_cut_makes_no_store(db, tmp_path):
    answer("export", tmp_path / "x.jsonl", "--db", db)
    cut = (tmp_path / "x.jsonl").read_bytes()[:-40]
    (tmp_path / "x.jsonl").write_bytes(cut)
    code, problem = error("import", tmp_path / "x.jsonl", "--db", tmp_path / "b.db")
    assert (code, problem["code"]) == (2, "bad_export")
    assert not (tmp_path / "b.db").exists()
    done = run("import", "-", "--db", str(tmp_path / "b.db"), "--json", stdin=cut)
    assert done.error["code"] == "bad_export"
    assert city(tmp_path / "b.db") is None


def test_a_person_or_tenant_that_is_not_there_is_told(db, tmp_path):
    for more in (("--person", "nobody"), ("--tenant", "nobody")):
        code, problem = error("export", tmp_path / "x.jsonl", "--db", db, *more)
        assert (code, problem["code"]) == (2, "not_found")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.db"]


# -------------------------------------------------------------------- backup, restore


def test_a_backup_of_a_store_in_use_is_whole(db, tmp_path):
    stop, written = threading.Event(), []

    def write() -> None:
        with Memory.open(db) as memory:
            while not stop.is_set():
                memory.write(subject="busy", attribute="n", value=len(written))
                written.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(5):
            told = answer("backup", tmp_path / f"{n}.bak", "--db", db)
            assert told["checked"] is True
    finally:
        stop.set()
        writer.join()
    assert written
    for n in range(5):
        with Memory.open(tmp_path / f"{n}.bak") as memory:
            assert memory.check().ok
    names = {p.name for p in tmp_path.iterdir()}
    assert not {n for n in names if "partial" in n}


def test_a_backup_that_does_not_add_up_is_not_reported(db, tmp_path):
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE belief SET valid_from = valid_from + 1")
    connection.close()
    code, problem = error("backup", tmp_path / "x.bak", "--db", db)
    assert (code, problem["code"]) == (5, "corrupt_store")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.db"]


def test_who_was_erased_since_the_backup_stays_erased(db, tmp_path):
    answer("backup", tmp_path / "x.bak", "--db", db)
    with Memory.open(db) as memory:
        memory.write(subject="mira", attribute="city", value="Bern")
        memory.erase_person("p1")
    code, problem = error("restore", tmp_path / "x.bak", "--db", db)
    assert (code, problem["code"]) == (3, "resource_exists")
    assert city(db) == "Bern"
    told = answer("restore", tmp_path / "x.bak", "--db", db, "--force")
    assert told["erased_again"] == 1
    assert city(db) == "Rome"
    assert city(db, "ivo", person="p2") == "Oslo"
    with Memory.open(db) as memory:
        assert memory.current("mira", "allergy", person="p1") is None
        assert memory.check().ok
    assert b"nuts" not in db.read_bytes()
    assert answer("restore", tmp_path / "x.bak", "--db", tmp_path / "new.db")["erased_again"] == 0
    assert answer("restore", tmp_path / "x.bak", "--db", db, "--force", "--without-ledger")


def test_a_store_that_is_open_is_not_replaced(db, tmp_path):
    answer("backup", tmp_path / "x.bak", "--db", db)
    with Memory.open(db) as memory:
        memory.write(subject="mira", attribute="city", value="Bern")
        code, problem = error("restore", tmp_path / "x.bak", "--db", db, "--force")
        assert (code, problem["code"]) == (4, "store_busy")
        assert "open elsewhere" in problem["message"]
        assert memory.current("mira", "city").value == "Bern"


def test_while_a_store_is_replaced_nobody_opens_it(db):
    with copies_of(db).alone() as alone:
        assert alone.ledger() == []
        with pytest.raises(StoreBusy):
            open_storage(db, busy_timeout=0.2)
    assert city(db) == "Rome"


def test_what_is_no_backup_replaces_nothing(db, tmp_path):
    (tmp_path / "x.bak").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert error("restore", tmp_path / "x.bak", "--db", db, "--force")[0] in (2, 5)
    assert error("restore", tmp_path / "none.bak", "--db", db, "--force")[0] == 2
    assert city(db) == "Rome"
    assert not [p for p in tmp_path.iterdir() if "restoring" in p.name]


def test_postgresql_is_sent_to_its_own_tools(tmp_path):
    for words in (
        ("backup", tmp_path / "x"), ("restore", tmp_path / "x", "--force"),
    ):  # fmt: skip
        code, problem = error(*words, "--db", "postgresql://host/vigent")
        assert (code, problem["code"]) == (2, "not_supported")
        assert "pg_dump" in problem["message"]


# --------------------------------------------------------------------------------- copy


def test_a_copy_is_proved_and_begun_again_goes_on(db, tmp_path):
    target = tmp_path / "b.db"
    one = answer("copy", "--from", db, "--to", target, "--tenant", "acme")
    assert [(c["tenant"], c["fresh"]) for c in one] == [("acme", True)]
    every = answer("copy", "--from", db, "--to", target)
    assert [(c["tenant"], c["fresh"]) for c in every] == [("acme", False), ("default", True)]
    assert every[1]["counts"]["statement"] == 3
    assert every[1]["reads"] == {"current": 3, "history": 3, "as_of": 3, "known_at": 3}
    with store_at(db) as a, store_at(target) as b:
        for tenant in ("acme", "default"):
            assert exported(a, tenant)[1:] == exported(b, tenant)[1:]
    with Memory.open(db) as memory:
        memory.write(subject="mira", attribute="city", value="later")
    code, problem = error("copy", "--from", db, "--to", target)
    assert (code, problem["code"]) == (3, "resource_exists")
    assert error("copy", "--from", tmp_path / "no.db", "--to", target)[0] == 2


# ------------------------------------------------------------------------------- branch


def test_a_branch_is_apart_and_its_differences_are_told(db):
    made = answer("branch", "create", "try", "--db", db)
    assert answer("branch", "list", "--db", db) == [made]
    assert answer("branch", "diff", "try", "--db", db) == []
    answer("write", "mira", "city", "Bern", "--db", made["db"])
    answer("write", "mira", "desk", "3-114", "--db", made["db"])
    answer("write", "late", "city", "Kyiv", "--db", db)
    found = answer("branch", "diff", "try", "--db", db)
    told = [(d["change"], d["subject"], d["attribute"]) for d in found]
    assert told == [
        ("removed", "late", "city"), ("changed", "mira", "city"), ("added", "mira", "desk"),
    ]  # fmt: skip
    assert [f["value"] for side in ("here", "there") for f in found[1][side]] == ["Rome", "Bern"]
    shown = run("branch", "diff", "try", "--db", str(db)).out
    assert all(value in shown for value in ("Rome", "Bern"))
    assert city(db) == "Rome"
    assert error("branch", "create", "try", "--db", db)[1]["code"] == "resource_exists"
    assert error("branch", "create", "../x", "--db", db)[1]["code"] == "invalid_input"
    answer("branch", "drop", "try", "--db", db)
    assert answer("branch", "list", "--db", db) == []
    assert error("branch", "drop", "try", "--db", db)[1]["code"] == "not_found"
    assert error("branch", "diff", "try", "--db", db)[0] == 2


def test_nothing_works_by_itself_on_a_branch(db):
    made = answer("branch", "create", "try", "--db", db)
    for path, works in ((made["db"], False), (str(db), True)):
        service = Service.open(path, embedder="none")
        try:
            service.start(UpkeepSettings())
            assert (service.upkeep is not None) is works
            assert service.storage.is_branch is not works
        finally:
            service.close()


def test_a_backup_of_a_branch_is_a_store_of_its_own(db, tmp_path):
    made = answer("branch", "create", "try", "--db", db)
    answer("backup", tmp_path / "x.bak", "--db", made["db"])
    with store_at(tmp_path / "x.bak") as storage:
        assert not storage.is_branch
    assert json.loads(json.dumps(made)) == made
