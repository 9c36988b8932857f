"""Builds the search index of a store anew from what it says; searches and writes go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from vigent.domain.changes import ChangeSet
from vigent.domain.passages import ITEM, MEMORY, passages_of_item, scope_token, searchable
from vigent.domain.statements import Key, Statement
from vigent.domain.time import OPEN
from vigent.ports.storage import Storage, Transaction
from vigent.standing import passages_of

__all__ = ["REINDEX", "Reindexed", "index_if_needed", "mend_index", "reindex"]

REINDEX: Final = "reindex"
"""The kind of the work that a migration leaves where passages are to be made."""
_AT_ONCE: Final = 500
"""Statements or episodes in a transaction: a writer waits for no more than these."""


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

    What should have none loses those it has. Begun again after a stop half way it makes the same
    once more.
    """
    memories, after = 0, 0
    while True:
        with storage.transaction(tenant) as transaction:
            rows = transaction.statements_from(tenant, after, _AT_ONCE)
            here = [(key, s) for key, s in rows if key.id.store == store]
            memories += _memories(transaction, tenant, here)
        if not rows:
            break
        after = rows[-1][1].no
    episodes, after = 0, 0
    while True:
        with storage.transaction(tenant) as transaction:
            said = transaction.episodes_from(tenant, after, _AT_ONCE)
            numbers = [row.no for row in said if row.store == store]
            episodes += _episodes(transaction, tenant, numbers)
            if not said:
                transaction.apply(ChangeSet(tenant, finished=[(REINDEX, store)]))
                break
        after = said[-1].no
    mend_index(storage, tenant)  # of what is gone, no row told that it has passages still
    return Reindexed(memories, episodes)


def mend_index(storage: Storage, tenant: str) -> None:
    """Make the passages anew that a tenant lacks, and remove what it has without need.

    What is amiss is looked for without the write lock, and made from what is there under it.
    """
    with storage.snapshot() as snapshot:
        amiss = snapshot.index_amiss(tenant)
    for start in range(0, len(amiss), _AT_ONCE):
        part = amiss[start : start + _AT_ONCE]
        memories = [source for kind, source, _ in part if kind == MEMORY]
        episodes = [source for kind, source, _ in part if kind == ITEM]
        with storage.transaction(tenant) as transaction:
            gone = [(kind, source) for kind, source, _ in part]
            transaction.apply(ChangeSet(tenant, unindexed=gone))
            _memories(transaction, tenant, transaction.statements(tenant, numbers=memories))
            _episodes(transaction, tenant, episodes)


def _memories(transaction: Transaction, tenant: str, rows: Sequence[tuple[Key, Statement]]) -> int:
    """Index statements; gives how many of them are to be found."""
    changes, found = ChangeSet(tenant), 0
    salt = transaction.ledger(tenant).salt or b""
    for key, statement in rows:
        changes.unindexed.append((MEMORY, statement.no))
        if statement.indexed and statement.forgotten_at == OPEN:
            scope = scope_token(salt, tenant, key.id.store, key.id.person)
            changes.passages.extend(passages_of(scope, key, statement))
            found += 1
    transaction.apply(changes)
    return found


def _episodes(transaction: Transaction, tenant: str, numbers: Sequence[int]) -> int:
    """Index episodes; gives how many of them are to be found."""
    changes, found = ChangeSet(tenant), 0
    salt = transaction.ledger(tenant).salt or b""
    for row, place, _ in sorted(transaction.said(tenant, numbers), key=lambda s: s.episode.no):
        changes.unindexed.append((ITEM, row.no))
        if searchable(row, sealed=place is not None and bool(place.sealed)):
            scope = scope_token(salt, tenant, row.store, row.person)
            home = 0 if place is None else place.thread
            changes.passages.extend(passages_of_item(scope, row, home))
            found += 1
    transaction.apply(changes)
    return found
