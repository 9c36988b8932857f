"""Threads in a PostgreSQL store: how they are read, and the rows that a change comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vigent.domain.changes import ThreadChanges
from vigent.domain.episodes import EpisodeRow
from vigent.domain.threads import Place, StateRow, ThreadRow
from vigent.domain.time import Instant
from vigent.storage.postgres.view import View

__all__ = ["THREAD_ORDER", "ThreadView", "thread_rows"]

_DELETES: Final = ("thread_delete", "item_delete", "state_delete")
THREAD_ORDER: Final = (*_DELETES, "thread_put", "item_insert", "state_put")
"""In which order they are written: what goes before what comes, a thread before its items."""


class ThreadView(View):
    """Reads threads, their items and states."""

    def threads(
        self,
        tenant: str,
        store: str | None,
        persons: Sequence[str],
        id: str | None = None,
        *,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[ThreadRow]:
        """Give the threads of some persons, or those of one id; in the order of the persons."""
        if store is None:
            every = sorted(map(ThreadRow._make, self._ask(tenant, "thread_anywhere", (tenant, id))))
            return [row for person in persons for row in every if row.person == person]
        rows: list[ThreadRow] = []
        for person in persons:
            whose = (tenant, store, person)
            if limit is not None:
                found = self._ask(tenant, "threads_page", (*whose, after or "", limit))
                rows += map(ThreadRow._make, found)
            elif id is None:
                found = self._ask(tenant, "threads_of_person", whose)
                rows += sorted(map(ThreadRow._make, found))
            else:
                rows += map(ThreadRow._make, self._ask(tenant, "thread_find", (*whose, id)))
        return rows

    def threads_expired(self, tenant: str, by: Instant) -> list[ThreadRow]:
        """Give the threads of every store that are past their time."""
        return [ThreadRow._make(row) for row in self._ask(tenant, "threads_expired", (tenant, by))]

    def thread_items(
        self,
        thread: ThreadRow,
        person: str,
        *,
        after: int,
        last: int | None,
        limit: int | None = None,
    ) -> list[tuple[Place, EpisodeRow]]:
        """Give what follows a position, in order: a person's and the shared, or the last of it."""
        asked = (thread.tenant, thread.no, after, person)
        if last is None:
            rows = self._ask(thread.tenant, "items_after", (*asked, limit))
        else:
            rows = self._ask(thread.tenant, "items_last", (*asked, last))[::-1]
        width = len(Place._fields)
        return [(Place._make(row[:width]), EpisodeRow._make(row[width:])) for row in rows]

    def thread_episodes(self, thread: ThreadRow) -> list[int]:
        """Give the row numbers of all episodes in a thread, whoever's they are."""
        rows = self._ask(thread.tenant, "item_episodes", (thread.tenant, thread.no))
        return [number for (number,) in rows]

    def thread_place(self, tenant: str, episode: int) -> tuple[ThreadRow, Place] | None:
        """Give where an episode stands, by its row number."""
        rows = self._ask(tenant, "item_of_episode", (tenant, episode))
        if not rows:
            return None
        place = Place._make(rows[0])
        thread = self._ask(tenant, "thread_by_no", (place.thread, tenant))[0]
        return ThreadRow._make(thread), place

    def thread_state(self, thread: ThreadRow) -> StateRow | None:
        """Give the state of a thread, where one was set."""
        rows = self._ask(thread.tenant, "state_find", (thread.no, thread.tenant))
        return StateRow._make(rows[0]) if rows else None


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
