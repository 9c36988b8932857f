"""Keeps who was erased erased: what a copy from before brings back goes again, before it is read.

Who was erased is known by digests alone, so the persons of a tenant are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vigent.domain.audit import person_digest
from vigent.domain.moving import TABLES
from vigent.domain.schema import Schema
from vigent.govern.keeping import Keeper
from vigent.ports.moving import Held
from vigent.ports.storage import Storage
from vigent.ports.system import Clock, IdSource

__all__ = ["BORN", "take_over"]

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


def take_over(storage: Storage, ledgers: Iterable[Held], clock: Clock, ids: IdSource) -> int:
    """Add to a copy who was erased in the store it was made of since; gives how many that removes.

    All that a copy holds of somebody whose erasure it does not know is from before that: no
    clock is asked. A tenant of another salt is another tenant, and left alone.
    """
    removed = 0
    for held in ledgers:
        with storage.transaction(held.tenant) as transaction:
            if transaction.ledger(held.tenant).salt != held.salt:
                continue
            known = {row[0]: row[1] for row in transaction.moving_rows("erased", held.tenant, None)}
            later = {r[0]: r for r in held.rows if r[0] not in known or known[r[0]] < r[1]}
            transaction.load("erased", held.tenant, later.values())
            keeper = Keeper(storage, Schema(), clock, ids, held.tenant, "")
            for person in transaction.persons_of(held.tenant):
                row = later.get(person_digest(held.salt, person))
                if row is not None:
                    keeper.erase_within(transaction, person, at=row[1])
                    removed += 1
    return removed
