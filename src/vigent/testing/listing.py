"""What every adapter has to do about lists by pages: what waits, and what was proposed."""

from __future__ import annotations

from typing import Final

from vigent.domain.candidates import Candidate, beyond_episode, of_episode, words_of
from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow
from vigent.domain.statements import Key, KeyId, Statement
from vigent.domain.time import OPEN
from vigent.ports.storage import Storage

__all__ = ["ListingClaims"]

_FIRST: Final = (-(2**63), "")
_EVERY: Final = ("", "\U0010ffff")


def _held(no: int, key: Key, at: int, reason: str, status: str, expires_at: int) -> Statement:
    given: dict[str, object] = {
        "no": no, "tenant": key.id.tenant, "id": f"mem_{no}", "key": key.no, "member": b"",
        "role": "held", "kind": "value", "token": b"", "valid_from": 0, "valid_to": OPEN,
        "basis": "stated", "recorded_from": at, "withdrawn_at": OPEN, "forgotten_at": OPEN,
        "keep": "{}", "type": "fact", "status": status, "trust": "assistant", "importance": 5,
        "metadata": "{}", "expires_at": expires_at, "fields": "{}", "outcome": status,
        "ended": "[]", "reason": reason,
    }  # fmt: skip
    numbers = (
        "stated_end", "gap", "place", "turn", "bears", "bears_from", "clean", "indexed",
        "contested", "created_at", "last_changed_at", "evidence_count", "retrieved_count",
        "schema_version", "flagged",
    )  # fmt: skip
    given |= dict.fromkeys(numbers, 0)
    return Statement._make(given.get(name) for name in Statement._fields)


def _waits(storage: Storage) -> None:
    """Have candidates wait in two stores and two tenants, of two persons and of nobody."""
    for tenant in ("t", "u"):
        with storage.transaction(tenant) as transaction:
            numbers, changes = transaction.numbers, ChangeSet(tenant, salt=b"s" * 16, salted_at=1)
            for n in range(24):
                store, person = ("a", "b")[n % 2], ("", "p1", "p2")[n % 3]
                key = Key(
                    numbers.key + n, KeyId(tenant, store, person, f"s{n}", "city", ""), f"s{n}", 9
                )
                status = "rejected" if n in (6, 7) else ("pending_review", "buffered")[n % 2]
                expires = 50 if n in (8, 9) else OPEN
                changes.keys.append(key)
                changes.statements.append(
                    _held(numbers.statement + n, key, 100 - n // 2, f"why{n % 4}", status, expires)
                )
            transaction.apply(changes)


def _row(
    id: str, store: str, outcome: str, person: str = "", tenant: str = "t", value: object = "x"
) -> ResourceRow:
    one = Candidate(
        id, id.partition(":")[0], store, person or None, outcome, (), None, "person", None,
        {"value": value}, "", "",
    )  # fmt: skip
    return ResourceRow(tenant, "candidate", id, None, person, 1, one.document(), 5, 5)


class ListingClaims:
    """The claims of lists; part of ``StorageContract``."""

    def test_what_waits_comes_in_order_by_pages(self, storage: Storage) -> None:
        _waits(storage)
        after, found = _FIRST, list[tuple[int, str]]()
        with storage.snapshot() as snapshot:
            whole = snapshot.waiting("t", ("a", "b"), (), None, 60, _FIRST, 100)
            while rows := snapshot.waiting("t", ("a", "b"), (), None, 60, after, 3):
                found += [(s.recorded_from, s.id) for _, s in rows]
                after = found[-1]
        assert found == sorted(found) == [(s.recorded_from, s.id) for _, s in whole]
        # Two were rejected, two are past their time; those of the other tenant are not there.
        assert len(found) == 20
        assert {key.id.tenant for key, _ in whole} == {"t"}
        assert all(s.key == key.no for key, s in whole)

    def test_what_waits_is_filtered_before_it_is_counted(self, storage: Storage) -> None:
        _waits(storage)
        with storage.snapshot() as snapshot:
            every = snapshot.waiting("t", ("a", "b"), (), None, 40, _FIRST, 100)
            assert len(every) == 22
            for stores, persons, reason in (
                (("a",), (), None), (("b", "a"), ("p1",), None), (("a", "b"), ("p2", ""), "why2"),
                (("a", "none"), ("p1", ""), "why0"), (("none",), (), None), ((), (), None),
            ):  # fmt: skip
                fit = [
                    s.id
                    for key, s in every
                    if key.id.store in stores
                    and (not persons or key.id.person in persons)
                    and reason in (None, s.reason)
                ]
                asked = ("t", stores, persons, reason, 40, _FIRST)
                assert [s.id for _, s in snapshot.waiting(*asked, 100)] == fit
                assert [s.id for _, s in snapshot.waiting(*asked, 2)] == fit[:2]

    def test_candidates_are_filtered_before_they_are_counted(self, storage: Storage) -> None:
        rows = [
            _row(f"ep_{n % 4}:{n:02}", ("a", "b")[n % 2], ("accepted", "rejected")[n // 6],
                 ("", "p1", "p2")[n % 3])
            for n in range(12)
        ]  # fmt: skip
        others = [_row("ep_0:00", "a", "accepted", tenant="u")]
        for row in (*rows, *others):
            with storage.transaction(row.tenant) as transaction:
                kept = ResourceChanges(kept=[row])
                transaction.apply(
                    ChangeSet(row.tenant, salt=b"s" * 16, salted_at=1, resources=kept)
                )  # fmt: skip
        rows.sort(key=lambda row: row.id)
        with storage.snapshot() as snapshot:
            for persons, store, outcome, between in (
                ((), "a", None, _EVERY), (("p1",), "b", None, _EVERY),
                (("p1", ""), "a", "rejected", _EVERY), (("p2",), "none", None, _EVERY),
                ((), "a", None, (of_episode("ep_2"), beyond_episode("ep_2"))),
                (("p1", "p2"), "b", None, ("ep_1:05", "\U0010ffff")),
            ):  # fmt: skip
                words = words_of(store, outcome)
                fit = [
                    row
                    for row in rows
                    if between[0] < row.id < between[1]
                    and (not persons or row.person in persons)
                    and words in row.document
                ]
                assert snapshot.candidates("t", persons, words, between, 100) == fit
                assert snapshot.candidates("t", persons, words, between, 2) == fit[:2]
            assert len(snapshot.candidates("t", (), words_of("a", None), _EVERY, 100)) == 6
            assert len(snapshot.candidates("t", (), words_of("b", "accepted"), _EVERY, 100)) == 3

    def test_words_of_a_store_are_found_whatever_it_is_called(self, storage: Storage) -> None:
        names = ('q"uote', "back\\slash", "per%cent_", "Zürich 東京", "a")
        for n, name in enumerate(names):
            with storage.transaction("t") as transaction:
                kept = ResourceChanges(kept=[_row(f"ep_{n}:0", name, "accepted")])
                transaction.apply(ChangeSet("t", salt=b"s" * 16, salted_at=1, resources=kept))
        with storage.snapshot() as snapshot:
            for n, name in enumerate(names):
                for outcome in (None, "accepted"):
                    (row,) = snapshot.candidates("t", (), words_of(name, outcome), _EVERY, 9)
                    assert row.id == f"ep_{n}:0"
