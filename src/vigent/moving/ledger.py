"""Keeps who was erased erased: what a copy from before brings back goes again, before it is read.

Who was erased is known by digests alone, so the persons of a tenant are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vigent.domain.audit import person_digest
from vigent.domain.moving import TABLES
from vigent.domain.schema import Schema
from vigent.domain.time import OPEN, Instant
from vigent.govern.keeping import Keeper
from vigent.ports.moving import Held
from vigent.ports.storage import Storage, Transaction
from vigent.ports.system import Clock, IdSource

__all__ = ["BORN", "erase_again", "take_over"]

_BIRTH: Final = {
    "statement": "recorded_from", "episode": "occurred_at", "thread": "created_at",
    "alias": "at", "resource": "created_at",
}  # fmt: skip
BORN: Final = {
    table.name: int(table.numbered) + [c.name for c in table.columns].index(_BIRTH[table.name])
    for table in TABLES
    if table.name in _BIRTH
}
"""The column of a row, by its table, that says since when something of a person is there."""


def erase_again(
    storage: Storage, transaction: Transaction, tenant: str, clock: Clock, ids: IdSource
) -> int:
    """Remove every person of whom there is something from before their erasure; gives how many.

    What they said after it stays only where nothing from before it is there.
    """
    salt = transaction.ledger(tenant).salt or b""
    erased = {row[0]: row[1] for row in transaction.moving_rows("erased", tenant, None)}
    if not erased:
        return 0
    keeper = Keeper(storage, Schema(), clock, ids, tenant, "")
    done = 0
    for person in transaction.persons_of(tenant):
        at = erased.get(person_digest(salt, person))
        if at is not None and _earliest(transaction, tenant, person) <= at:
            keeper.erase_within(transaction, person, at=at)
            done += 1
    return done


def _earliest(transaction: Transaction, tenant: str, person: str) -> Instant:
    return min(
        (
            row[column]
            for table, column in BORN.items()
            for row in transaction.moving_rows(table, tenant, person)
        ),
        default=OPEN,
    )


def take_over(storage: Storage, ledgers: Iterable[Held], clock: Clock, ids: IdSource) -> int:
    """Add to a copy who was erased in the store it was made of since; gives how many that removes.

    A tenant of another salt is another tenant, and left alone.
    """
    removed = 0
    for held in ledgers:
        with storage.transaction() as transaction:
            if transaction.ledger(held.tenant).salt != held.salt:
                continue
            known = {row[0]: row[1] for row in transaction.moving_rows("erased", held.tenant, None)}
            later = [row for row in held.rows if known.get(row[0], row[1] - 1) < row[1]]
            transaction.load("erased", held.tenant, later)
            removed += erase_again(storage, transaction, held.tenant, clock, ids)
    return removed
