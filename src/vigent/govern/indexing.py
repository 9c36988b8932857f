"""Builds the search index of a store anew from what it says; searches and writes go on."""

from __future__ import annotations

from typing import Final, NamedTuple

from vigent.domain.changes import ChangeSet
from vigent.domain.passages import ITEM, MEMORY, passages_of_item, scope_token, searchable
from vigent.domain.statements import Key
from vigent.domain.time import OPEN
from vigent.ports.storage import Selection, Storage, Transaction
from vigent.standing import passages_of

__all__ = ["REINDEX", "Reindexed", "index_if_needed", "reindex"]

REINDEX: Final = "reindex"
"""The kind of the work that a migration leaves where passages are to be made."""
_AT_ONCE: Final = 200


class Reindexed(NamedTuple):
    """How many memories and episodes were indexed."""

    memories: int
    episodes: int


def index_if_needed(storage: Storage, tenant: str, store: str) -> None:
    """Build the index of a store that was written before there was one."""
    with storage.snapshot() as snapshot:
        waits = snapshot.waits(tenant, REINDEX, store)
    if waits:
        reindex(storage, tenant, store)


def reindex(storage: Storage, tenant: str, store: str) -> Reindexed:
    """Make all passages of a store anew, in many small transactions; gives how many it has.

    Begun again after a stop half way it makes the same once more.
    """
    with storage.snapshot() as snapshot:
        keys = snapshot.keys(Selection(tenant, store, ()))
    memories = 0
    for start in range(0, len(keys), _AT_ONCE):
        with storage.transaction() as transaction:
            memories += _memories(transaction, tenant, keys[start : start + _AT_ONCE])
    episodes, after = 0, 0
    while True:
        with storage.transaction() as transaction:
            last, made = _episodes(transaction, tenant, store, after)
            if last == after:
                transaction.apply(ChangeSet(tenant, finished=[(REINDEX, store)]))
                return Reindexed(memories, episodes)
        episodes, after = episodes + made, last


def _memories(transaction: Transaction, tenant: str, keys: list[Key]) -> int:
    changes = ChangeSet(tenant)
    salt = transaction.ledger(tenant).salt or b""
    for key in keys:
        scope = scope_token(salt, tenant, key.id.store, key.id.person)
        for there, statement in transaction.statements(tenant, of_key=key.no):
            if statement.indexed and statement.forgotten_at == OPEN:
                changes.unindexed.append((MEMORY, statement.no))
                changes.passages.extend(passages_of(scope, there, statement))
    transaction.apply(changes)
    return len(changes.unindexed)


def _episodes(transaction: Transaction, tenant: str, store: str, after: int) -> tuple[int, int]:
    """Index the next episodes; gives the number of the last one, and how many they were."""
    changes, last = ChangeSet(tenant), after
    salt = transaction.ledger(tenant).salt or b""
    for row in transaction.episodes_from(tenant, after, _AT_ONCE):
        last = row.no
        if row.store != store:
            continue
        changes.unindexed.append((ITEM, row.no))
        place = transaction.thread_place(tenant, row.no)
        if searchable(row, sealed=place is not None and bool(place[1].sealed)):
            scope = scope_token(salt, tenant, store, row.person)
            home = 0 if place is None else place[0].no
            changes.passages.extend(passages_of_item(scope, row, home))
    transaction.apply(changes)
    return last, len(changes.unindexed)
