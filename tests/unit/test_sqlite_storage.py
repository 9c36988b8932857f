"""The SQLite adapter on a real file: transactions, refusals, audit, erasure down to the bytes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.unit.statements import said
from vigent.domain.audit import digest_entry
from vigent.domain.changes import AuditEntry, ChangeSet
from vigent.domain.passages import passages_of_memory
from vigent.domain.statements import Belief, Key, KeyId
from vigent.domain.time import OPEN
from vigent.errors import CorruptStore, InvalidInput
from vigent.ports.removal import Erasure
from vigent.storage.sqlite.adapter import SqliteStorage

PERSON = Key(1, KeyId("t", "s", "zinnia-person", "mira", "city", ""), "mira", 5)
OTHER = Key(2, KeyId("t", "s", "other", "mira", "city", ""), "mira", 5)


def filled(path: Path) -> SqliteStorage:
    storage = SqliteStorage(str(path))
    changes = ChangeSet("t", salt=b"s" * 16, keys=[PERSON, OTHER])
    for number, key, value in ((1, PERSON, "quokkatown"), (2, OTHER, "harbourville")):
        statement = said("A@10")[0]._replace(
            no=number,
            id=f"mem_{number}",
            key=number,
            bears=number,
            clean=1,
            indexed=1,
            value=value,
            quote=f"in {value}",
        )
        changes.statements.append(statement)
        changes.opened.append(Belief(number, "t", number, b"", number, 10, OPEN, 5, None))
        changes.passages.extend(
            passages_of_memory(
                "t", f"scope{number}", statement=number, key=number, type="fact", name="mira",
                text=f"mira · city: {value}", at=5,
            )
        )  # fmt: skip
        salt, content = bytes([number]) * 16, f'{{"value":"{value}"}}'
        digest = digest_entry(salt, f"aud_{number}", 5, "write", "stored", None, content)
        changes.audit.append(
            AuditEntry(
                f"aud_{number}", "t", "s", key.id.person, number, 5, "write", "stored", None,
                content, salt, digest,
            )
        )  # fmt: skip
    with storage.transaction("t") as transaction:
        transaction.apply(changes)
    return storage


def erase(storage: SqliteStorage, erasure: Erasure, *, dry_run: bool) -> dict[str, int]:
    with storage.transaction("t") as transaction:
        return transaction.erase(erasure, dry_run=dry_run)


def test_what_was_committed_is_found_and_checks(tmp_path: Path):
    storage = filled(tmp_path / "m.db")
    with storage.snapshot() as snapshot:
        found = snapshot.at(PERSON, b"", 10, None)
        assert [f.statement.value for f in found] == ["quokkatown"]
        assert snapshot.at(PERSON, b"", 9, None) == []
        (passage,) = snapshot.passages("t", "scope1", 0)
        assert (passage.source, passage.home, passage.stop) == (1, 1, 23)
        assert snapshot.passages("t", "scope1", passage.no) == []
        assert snapshot.passages("other", "scope1", 0) == []
        assert snapshot.believed_after("t", [1, 2, 3], 5) == [1, 2]
    assert storage.check() == []
    storage.close()


def fail_half_way(storage: SqliteStorage, key: Key) -> None:
    with storage.transaction("t") as transaction:
        transaction.apply(ChangeSet("t", keys=[key]))
        transaction.flush()
        raise RuntimeError


def test_an_error_rolls_everything_back(tmp_path: Path):
    storage = filled(tmp_path / "m.db")
    key = PERSON._replace(no=3, id=PERSON.id._replace(attribute="plan"))
    with pytest.raises(RuntimeError):
        fail_half_way(storage, key)
    with storage.snapshot() as snapshot:
        assert snapshot.statements("t", ids=["mem_9"]) == []
    with storage.transaction("t") as transaction:
        assert transaction.numbers.key == 3
    storage.close()


def test_the_database_refuses_overlapping_beliefs(tmp_path: Path):
    storage = filled(tmp_path / "m.db")
    overlapping = Belief(9, "t", 1, b"", 1, 20, 30, 6, None)
    with pytest.raises(CorruptStore), storage.transaction("t") as transaction:
        transaction.apply(ChangeSet("t", opened=[overlapping]))
    assert storage.check() == []
    storage.close()


def test_the_audit_is_sealed_and_an_altered_entry_is_found(tmp_path: Path):
    storage = filled(tmp_path / "m.db")
    assert storage.audit("t")[:3] == (0, 2, ())
    assert storage.audit("t", seal_at=7)[:3] == (2, 0, ())
    connection = storage._connections.get()
    connection.execute("UPDATE audit SET outcome = 'confirmed' WHERE no = 1")
    assert storage.audit("t").broken == ("entry aud_1 was altered",)
    connection.execute("DELETE FROM audit WHERE no = 2")
    assert "seal 1 does not fit its entries" in storage.audit("t").broken
    storage.close()


def test_erasure_leaves_nothing_of_the_person_in_the_bytes(tmp_path: Path):
    path = tmp_path / "m.db"
    storage = filled(path)
    erasure = Erasure("t", "zinnia-person", b"digest", (), 9)
    dry = erase(storage, erasure, dry_run=True)
    assert dry["statement"] == dry["belief"] == dry["passage"] == dry["key"] == 1
    assert storage.check() == []
    assert erase(storage, erasure, dry_run=False) == dry
    assert storage.purge()
    content = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    for word in (b"zinnia", b"quokkatown", b"quokkatow"):
        assert word not in content
    assert b"harbourville" in content
    with storage.snapshot() as snapshot:
        assert snapshot.ledger("t", person=b"digest").erased_at == 9
        assert snapshot.at(OTHER, b"", 10, None)[0].statement.value == "harbourville"
    assert storage.audit("t").broken == ()
    storage.close()


def test_while_a_reader_holds_old_pages_nothing_is_called_purged(tmp_path: Path):
    path = tmp_path / "m.db"
    storage = filled(path)
    reader = SqliteStorage(str(path), busy_timeout=0.1)
    quick = SqliteStorage(str(path), busy_timeout=0.1)
    with reader.snapshot() as snapshot:
        assert snapshot.at(PERSON, b"", 10, None)
        erase(quick, Erasure("t", "zinnia-person", b"digest", (), 9), dry_run=False)
        assert not quick.purge()
    assert quick.purge()
    for opened in (storage, reader, quick):
        opened.close()


def test_another_programs_database_is_left_alone(tmp_path: Path):
    path = tmp_path / "notes.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE note (text TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="another program"):
        SqliteStorage(str(path))
    connection = sqlite3.connect(path)
    assert [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")] == ["note"]
    connection.close()
    assert path.read_bytes() == before
