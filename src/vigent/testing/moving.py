"""What every adapter has to do so that memory can be moved out of it and into it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from vigent.domain.changes import ChangeSet
from vigent.domain.moving import TABLES, Row
from vigent.domain.statements import Statement
from vigent.domain.time import OPEN
from vigent.errors import CorruptStore
from vigent.ports.storage import Storage

__all__ = ["MovingClaims", "sample_rows"]

_NO_HEAD = (0, 0, 0, 0, None, None, None)
_JSON = '{"b": 1,  "a":"\\u00e9 é"}'
"""Text that is JSON and comes back as it is, to the byte."""
_TEXT = "東京都 👩‍👩‍👧"
_NUMBERED = tuple(table.name for table in TABLES if table.numbered)


def _statement(no: int, id: str, key: int, **more: object) -> Row:
    columns = dict.fromkeys(Statement._fields) | {
        "no": no, "tenant": "", "id": id, "key": key, "member": b"", "role": "asserted",
        "kind": "value", "token": b"\x01", "valid_from": 10, "valid_to": OPEN, "stated_end": 0,
        "basis": "stated", "recorded_from": 20, "withdrawn_at": OPEN, "forgotten_at": OPEN,
        "gap": 0, "place": 0, "turn": 20, "bears": no, "bears_from": 20, "clean": 1, "indexed": 1,
        "keep": "", "type": "fact", "value_kind": "text", "value": _TEXT, "status": "active",
        "contested": 0, "trust": "application", "confidence": 0.1 + 0.2, "importance": 5,
        "metadata": _JSON, "expires_at": OPEN, "created_at": 20, "last_changed_at": 20,
        "evidence_count": 1, "retrieved_count": 0, "schema_version": 0, "fields": "{}",
        "flagged": 0, "fingerprint": None, "outcome": "", "ended": "",
    } | more  # fmt: skip
    return (columns["no"], *list(columns.values())[2:])


def sample_rows(base: Mapping[str, int], mark: str = "") -> dict[str, list[Row]]:
    """Give rows of every table, in their order; numbers follow those in use."""
    e, t, k, s, b, a = (base[name] for name in _NUMBERED)
    kept = (None, None, "{}", OPEN, 0, 0)
    entry = (7, "memory_write", "stored", None, b"d" * 32, b"s" * 32)
    return {
        "tenant": [(b"s" * 16, 5)],
        "resource": [
            ("agent", "agt_1", "bot", "", 3, _JSON, 5, 6),
            ("person", "p1", None, "p1", 1, "{}", 5, 5),
        ],
        "episode": [
            (e + 1, f"ep_2{mark}", "s", "p1", "user", "message", "he said „x“\n", 3, 4, "Mira",
             "t1", *kept[1:]),
            (e + 2, f"ep_1{mark}", "s", "", "user", "message", None, 3, 4, None, *kept[:-1], 1),
        ],
        "thread": [(t + 1, "s", "p1", "t1", None, "{}", 4, 90, 2, OPEN)],
        "thread_item": [(t + 1, 1, e + 1, None, 0), (t + 1, 2, e + 2, "agt_1", 1)],
        "thread_state": [(t + 1, 2, _JSON, 9)],
        "key": [
            (k + 1, "s", "p1", "mira", "city", "", "Mira", 30, *_NO_HEAD),
            (k + 2, "s", "", "mira", "city", "", "mira", 20, *_NO_HEAD),
        ],
        "statement": [
            _statement(s + 1, f"mem_2{mark}", k + 1, withdrawn_at=30, status="corrected"),
            _statement(s + 2, f"mem_1{mark}", k + 2, fingerprint=b"\x00\xff"),
            _statement(s + 3, f"mem_3{mark}", k + 1, recorded_from=30, value="Oslo"),
        ],
        "belief": [
            (b + 1, k + 1, b"", s + 1, 10, OPEN, 20, 30),
            (b + 2, k + 2, b"", s + 2, 10, OPEN, 20, None),
            (b + 3, k + 1, b"", s + 3, 10, OPEN, 30, None),
        ],
        "alias": [
            ("s", "", "Z", "Z", "mira", 6), ("s", "", "a", "a", "mira", 6),
            ("s", "", "é", "É", "mira", 6), ("s", "p1", "mimi", "Mimi", "mira", 6),
        ],
        "person": [("p1", "mira")],
        "audit": [
            (a + 1, f"aud_2{mark}", *entry, 1, "s", "p1", k + 1, b"n" * 16, _JSON),
            (a + 2, f"aud_1{mark}", *entry, None, None, None, None, None, None),
        ],
        "seal": [(1, 1, 8, b"h" * 32)],
        "idempotency": [("c", "write", "n", "p1", b"\x02", _JSON, 9)],
        "erased": [(b"\x01" * 16, 5, "{}", "removed")],
        "usage": [(1, "s", "m", "chat", 2, 1, 30, 40)],
    }  # fmt: skip


# Which of the rows are of the person p1, by their place.
_OF_PERSON: Mapping[str, tuple[int, ...]] = {
    "tenant": (0,), "resource": (1,), "episode": (0,), "thread": (0,), "thread_item": (0,),
    "thread_state": (0,), "key": (0,), "statement": (0, 2), "belief": (0, 2), "alias": (3,),
    "person": (0,), "audit": (0,), "seal": (), "idempotency": (0,), "erased": (0,), "usage": (),
}  # fmt: skip


def _load(storage: Storage, tenant: str, mark: str = "") -> dict[str, list[Row]]:
    with storage.transaction(tenant) as transaction:
        rows = sample_rows(transaction.last_given(tenant), mark)
        for table in TABLES:
            transaction.load(table.name, tenant, iter(rows[table.name]))
    return rows


def _load_again(storage: Storage) -> None:
    with storage.transaction("t") as transaction:
        again = sample_rows(transaction.last_given("t"))
        transaction.load("erased", "t", [(b"\x02" * 16, 5, "{}", "removed")])
        transaction.load("statement", "t", again["statement"])


def _read(storage: Storage, tenant: str, person: str | None = None) -> dict[str, list[Row]]:
    with storage.snapshot() as snapshot:
        return {t.name: list(snapshot.moving_rows(t.name, tenant, person)) for t in TABLES}


class MovingClaims:
    """The claims of moving; part of ``StorageContract``."""

    def test_what_is_loaded_is_read_as_it_was(self, storage: Storage) -> None:
        rows = _load(storage, "t")
        assert _read(storage, "t") == rows
        with storage.snapshot() as snapshot:
            counts = {name: len(found) for name, found in rows.items()}
            assert dict(snapshot.moving_counts("t", None)) == counts
            for name in ("key", "statement", "episode", "thread"):
                numbers = list(snapshot.moving_numbers(name, "t", None))
                assert numbers == [row[0] for row in rows[name]]

    def test_tenants_are_moved_apart(self, storage: Storage) -> None:
        first, second = _load(storage, "t"), _load(storage, "u", "x")
        assert _read(storage, "t") == first
        assert _read(storage, "u") == second
        with storage.snapshot() as snapshot:
            assert sum(snapshot.moving_counts("nobody", None).values()) == 0
        assert all(not found for found in _read(storage, "nobody").values())

    def test_of_a_person_only_theirs_is_read(self, storage: Storage) -> None:
        _load(storage, "u", "x")
        rows = _load(storage, "t")
        mine = {name: [rows[name][at] for at in places] for name, places in _OF_PERSON.items()}
        mine["audit"] = [(*row[:8], None, *row[9:]) for row in mine["audit"]]  # seals stay behind
        assert _read(storage, "t", "p1") == mine
        with storage.snapshot() as snapshot:
            assert dict(snapshot.moving_counts("t", "p1")) == {n: len(r) for n, r in mine.items()}
            assert list(snapshot.moving_numbers("statement", "t", "p1")) == [
                row[0] for row in mine["statement"]
            ]
            assert snapshot.persons_of("t") == ["p1"]

    def test_what_is_written_after_a_load_goes_on_from_it(self, storage: Storage) -> None:
        with storage.transaction("t") as transaction:
            rows = sample_rows(transaction.last_given("t"))
            for table in TABLES:
                transaction.load(table.name, "t", rows[table.name])
            assert transaction.numbers.statement > rows["statement"][-1][0]
            assert transaction.numbers.key > rows["key"][-1][0]
            assert dict(transaction.last_given("t")) == {
                name: rows[name][-1][0] for name in _NUMBERED
            }

    def test_a_row_that_is_there_is_refused_and_nothing_is_kept(self, storage: Storage) -> None:
        rows = _load(storage, "t")
        with pytest.raises(CorruptStore):
            _load_again(storage)
        assert _read(storage, "t") == rows

    def test_who_is_erased_is_noted_anew(self, storage: Storage) -> None:
        _load(storage, "t")
        with storage.transaction("t") as transaction:
            transaction.load("erased", "t", [(b"\x01" * 16, 8, '{"key":1}', "purged")])
        assert _read(storage, "t")["erased"] == [(b"\x01" * 16, 8, '{"key":1}', "purged")]

    def test_work_that_is_queued_is_done_once(self, storage: Storage) -> None:
        _load(storage, "t")
        with storage.transaction("t") as transaction:
            transaction.queue("reindex", "t", "s", 5)
            transaction.apply(ChangeSet("t", finished=[("reindex", "s")]))
        with storage.snapshot() as snapshot:
            assert not snapshot.waits("t", "reindex", "s")

    def test_an_engine_says_at_which_schema_it_is(self, storage: Storage) -> None:
        with storage.snapshot() as snapshot:
            engine = snapshot.engine()
        assert engine.name
        assert engine.schema >= 8

    def test_what_was_loaded_adds_up(self, storage: Storage, tmp_path: Path) -> None:
        del tmp_path
        _load(storage, "t")
        problems = [p for p in storage.check("t") if "words" not in p]  # the index comes behind
        assert problems == []
        assert not storage.is_branch
