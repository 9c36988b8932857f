"""How often memories were given to readers: gathered beside reads, written with the next write."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Final

from vigent.domain.changes import ChangeSet
from vigent.domain.records import pack
from vigent.domain.statements import edited
from vigent.domain.time import OPEN
from vigent.ports.storage import Transaction

__all__ = ["RetrievedCounts", "enter_counts"]

_MANY: Final = 512
_AT_ONCE: Final = 200
"""Counts that one write takes along, so that none has to wait for thousands."""
_MOST: Final = 20_000


class RetrievedCounts:
    """Counts not written yet, by memory id; safe to use from several threads.

    They are a hint for the order of ties and no record: what a process that is killed had not
    written is lost, and so is what goes beyond 20,000 memories while nothing can be written.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._counts: dict[str, int] = {}
        self._next = _MANY

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def parts(self) -> int:
        """In how many parts the counts are written."""
        return -(-len(self) // _AT_ONCE)

    def note(self, ids: Iterable[str]) -> bool:
        """Count each of these once; gives whether there are so many that they should be written."""
        with self._guard:
            self._add(dict.fromkeys(ids, 1))
            if len(self._counts) < self._next:
                return False
            self._next = len(self._counts) + _MANY  # where that fails, not at every read from now
            return True

    def _add(self, counts: Mapping[str, int]) -> None:
        for id, times in counts.items():
            if id in self._counts or len(self._counts) < _MOST:
                self._counts[id] = self._counts.get(id, 0) + times

    @contextmanager
    def carried(self) -> Generator[Mapping[str, int]]:
        """Take some of the counts along, the oldest; they come back where the block fails."""
        if not self._counts:
            yield {}
            return
        with self._guard:
            taken = {id: self._counts.pop(id) for id in list(islice(self._counts, _AT_ONCE))}
        done = False
        try:
            yield taken
            done = True
        finally:
            with self._guard:
                if done:
                    self._next = _MANY
                else:
                    self._add(taken)


def enter_counts(transaction: Transaction, tenant: str, counts: Mapping[str, int]) -> None:
    """Add counts to the memories that are still there, and to the quick answers that show them."""
    changes = ChangeSet(tenant)
    for key, head, statement in transaction.given(tenant, list(counts)):
        if statement.forgotten_at != OPEN:
            continue
        id, times = statement.id, counts[statement.id]
        changes.retrieved.append((statement.no, times))
        # The id is what a quick answer begins with; one that is damaged is for a check to find.
        if head.content is not None and head.content.startswith(f'["{id}",'):
            counted = edited(statement, retrieved_count=statement.retrieved_count + times)
            changes.heads.append((key, head._replace(content=pack(counted))))
    if changes.retrieved:
        transaction.apply(changes)
