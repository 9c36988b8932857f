"""A store of each released schema is brought up to date, and answers what it did."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.integration.command_line import run
from tests.migration.older import PACKAGE, made_older
from tests.migration.released import FOLDER, answers
from tests.moved import body, exported, imported, store_at
from tests.simulation.processes import Child
from vigent import Memory
from vigent.errors import StoreNewer
from vigent.moving import restore_store
from vigent.storage.migrate import migrations_of

RELEASED = sorted(path.stem for path in FOLDER.glob("*.sql"))
WORKER = "tests.simulation.opening_worker"


def laid_out(number, path):
    """Make the store that a released version left."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript((FOLDER / f"{number}.sql").read_text(encoding="utf-8"))
    connection.close()


def read_back(number):
    return json.loads((FOLDER / f"{number}.json").read_text(encoding="utf-8"))


def schema_of(path) -> tuple[int, int]:
    with sqlite3.connect(path) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        noted = connection.execute("SELECT max(number) FROM migration").fetchone()[0]
    connection.close()
    return version, noted


@pytest.mark.parametrize("number", RELEASED)
def test_a_released_store_is_brought_up_to_date(number, tmp_path):
    path = tmp_path / "store.db"
    laid_out(number, path)
    assert answers(path) == read_back(number)
    newest = migrations_of(PACKAGE)[-1].number
    assert schema_of(path) == (newest, newest)
    with Memory.open(path) as memory:
        assert memory.check().ok
        assert {r.person_id for r in memory.list(person="p2")} == {None}  # p2 was erased


@pytest.mark.parametrize("number", RELEASED)
def test_a_released_store_is_moved_with_all_it_answers(number, tmp_path):
    laid_out(number, tmp_path / "a.db")
    with store_at(tmp_path / "a.db") as one, store_at(tmp_path / "b.db") as other:
        lines = exported(one)
        imported(other, lines)
        assert body(exported(other)) == body(lines)
    assert answers(tmp_path / "b.db") == read_back(number)


def test_a_newer_schema_is_refused_in_clear_words(tmp_path):
    path = tmp_path / "store.db"
    laid_out(RELEASED[-1], path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreNewer, match="newer version of Vigent"):
        Memory.open(path)
    done = run("current", "mira", "city", "--db", str(path), "--json")
    assert (done.code, done.error["code"]) == (4, "store_newer")
    assert path.read_bytes() == before


def old_store(path) -> None:
    with Memory.open(path) as memory:
        memory.write_many(
            {"subject": "mira" if n == 0 else f"s{n}", "attribute": "city", "value": f"v{n}"}
            for n in range(500)
        )
    made_older(path, 1)


def test_an_upgrade_that_is_killed_half_way_goes_on(tmp_path):
    path = tmp_path / "old.db"
    old_store(path)
    with Child(WORKER, path, "wait") as child:
        child.line()
        child.tell()
        assert child.line() == {"inside": True}
        child.kill()
    assert schema_of(path) == (1, 1)
    with Memory.open(path) as memory:
        assert memory.current("mira", "city").value == "v0"
        assert memory.search("v499").hits
        assert memory.check().ok
    newest = migrations_of(PACKAGE)[-1].number
    assert schema_of(path) == (newest, newest)


def test_of_two_that_open_at_once_one_upgrades_and_the_other_waits(tmp_path):
    path = tmp_path / "old.db"
    old_store(path)
    with Child(WORKER, path, "go") as one, Child(WORKER, path, "go") as other:
        for child in (one, other):
            child.line()
        for child in (one, other):
            child.tell()
        assert [child.line() for child in (one, other)] == [{"city": "v0"}, {"city": "v0"}]
    newest = migrations_of(PACKAGE)[-1].number
    assert schema_of(path) == (newest, newest)


def test_a_backup_of_an_older_schema_is_brought_up_to_date_on_its_way(tmp_path):
    with Memory.open(tmp_path / "live.db") as memory:
        memory.write(subject="mira", attribute="city", value="live")
    old_store(tmp_path / "old.bak")
    done = restore_store(tmp_path / "old.bak", tmp_path / "live.db", force=True)
    newest = migrations_of(PACKAGE)[-1].number
    assert schema_of(tmp_path / "live.db") == (newest, newest)
    assert schema_of(tmp_path / "old.bak") == (1, 1)
    assert done.counts["statement"] == 500
    with Memory.open(tmp_path / "live.db") as memory:
        assert memory.current("mira", "city").value == "v0"
        assert memory.search("v499").hits


def test_a_backup_of_a_newer_schema_replaces_nothing(tmp_path):
    with Memory.open(tmp_path / "live.db") as memory:
        memory.write(subject="mira", attribute="city", value="live")
    old_store(tmp_path / "new.bak")
    with sqlite3.connect(tmp_path / "new.bak") as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    with pytest.raises(StoreNewer):
        restore_store(tmp_path / "new.bak", tmp_path / "live.db", force=True)
    with Memory.open(tmp_path / "live.db") as memory:
        assert memory.current("mira", "city").value == "live"
    assert not [path for path in tmp_path.iterdir() if "restoring" in path.name]
