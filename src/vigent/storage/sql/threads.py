"""The rows that a change of threads comes to in the tables of an SQL engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vigent.domain.changes import ThreadChanges

__all__ = ["THREAD_ORDER", "thread_rows"]

_DELETES: Final = ("thread_delete", "item_delete", "state_delete")
THREAD_ORDER: Final = (*_DELETES, "thread_put", "item_insert", "state_put")
"""In which order they are written: what goes before what comes, a thread before its items."""


def thread_rows(
    tenant: str, changes: ThreadChanges, numbers: Mapping[str, int]
) -> Iterator[tuple[str, Sequence[Any]]]:
    """Give queries with their rows; ``numbers`` are those of the episodes of the change set."""
    if changes.dropped:
        for query in _DELETES:
            yield query, [(number, tenant) for number in changes.dropped]
    if changes.kept:
        yield "thread_put", changes.kept
    if changes.placed:
        items = [(*place._replace(episode=numbers[id]), tenant) for id, place in changes.placed]
        yield "item_insert", items
    if changes.states:
        yield "state_put", changes.states
