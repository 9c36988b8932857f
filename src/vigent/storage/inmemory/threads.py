"""Threads of a store in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from vigent.domain.changes import ThreadChanges
from vigent.domain.episodes import EpisodeRow
from vigent.domain.threads import Place, StateRow, ThreadRow
from vigent.domain.time import Instant

__all__ = ["ThreadRows", "ThreadView"]


@dataclass(slots=True)
class ThreadRows:
    """Threads, places and states, by number."""

    threads: dict[int, ThreadRow] = field(default_factory=dict[int, ThreadRow])
    places: dict[int, Place] = field(default_factory=dict[int, Place])
    """Places by the number of their episode."""
    states: dict[int, StateRow] = field(default_factory=dict[int, StateRow])
    last: int = 0

    def copy(self) -> ThreadRows:
        """Give a copy that changes apart from this one."""
        return ThreadRows(
            self.threads.copy(), self.places.copy(), self.states.copy(), self.last
        )  # fmt: skip

    def apply(self, changes: ThreadChanges, numbers: Mapping[str, int]) -> None:
        """Take a change set in; ``numbers`` are those of episodes."""
        for number in changes.dropped:
            self.drop(number)
        for thread in changes.kept:
            self.threads[thread.no] = thread
        for id, place in changes.placed:
            self.places[numbers[id]] = place._replace(episode=numbers[id])
        for state in changes.states:
            self.states[state.thread] = state

    def drop(self, number: int) -> None:
        """Let a thread go, with its places and its state."""
        del self.threads[number]
        self.states.pop(number, None)
        for episode in [e for e, p in self.places.items() if p.thread == number]:
            del self.places[episode]

    def erase(
        self, tenant: str, person: str, episodes: Collection[int], *, dry_run: bool
    ) -> dict[str, int]:
        """Let a person's threads go, and the places of their episodes; gives the counts."""
        mine = [t.no for t in self.threads.values() if (t.tenant, t.person) == (tenant, person)]
        return self._erase(mine, episodes, dry_run=dry_run)

    def erase_tenant(
        self, tenant: str, episodes: Collection[int], *, dry_run: bool
    ) -> dict[str, int]:
        """Let all threads of a tenant go; gives the counts."""
        mine = [t.no for t in self.threads.values() if t.tenant == tenant]
        return self._erase(mine, episodes, dry_run=dry_run)

    def erase_store(
        self, tenant: str, store: str, episodes: Collection[int], *, dry_run: bool
    ) -> dict[str, int]:
        """Let all threads of a store go; gives the counts."""
        every = self.threads.values()
        mine = [t.no for t in every if (t.tenant, t.store) == (tenant, store)]
        return self._erase(mine, episodes, dry_run=dry_run)

    def _erase(
        self, mine: Collection[int], episodes: Collection[int], *, dry_run: bool
    ) -> dict[str, int]:
        places = self.places.keys() & set(episodes)
        counts = {
            "thread_item": len(places), "thread_state": len(self.states.keys() & set(mine)),
            "thread": len(mine),
        }  # fmt: skip
        if not dry_run:
            for episode in places:
                del self.places[episode]
            for number in mine:
                self.drop(number)
        return counts


class ThreadView:
    """Reads threads."""

    def __init__(self, threads: ThreadRows, episodes: Mapping[int, EpisodeRow]) -> None:
        self._threads = threads
        self._episodes = episodes

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
        if limit is not None:
            return [
                thread
                for person in persons
                for thread in sorted(
                    (t for t in self.threads(tenant, store, [person]) if t.id > (after or "")),
                    key=lambda t: t.id,
                )[:limit]
            ]
        return [
            thread
            for person in persons
            for thread in sorted(self._threads.threads.values())
            if (thread.tenant, thread.person) == (tenant, person)
            and store in (None, thread.store)
            and id in (None, thread.id)
        ]

    def threads_expired(self, tenant: str, by: Instant) -> list[ThreadRow]:
        """Give the threads of every store that are past their time."""
        every = self._threads.threads.values()
        return [t for t in every if t.tenant == tenant and t.expires_at <= by]

    def threads_quiet(
        self, tenant: str, store: str, after: tuple[Instant, int], until: Instant, limit: int
    ) -> list[ThreadRow]:
        """Give threads in order of when they were last spoken in, those of an instant by number."""
        every = self._threads.threads.values()
        mine = [t for t in every if (t.tenant, t.store) == (tenant, store)]
        placed = sorted(((t.spoken_at, t.no), t) for t in mine if t.spoken_at <= until)
        return [t for place, t in placed if place > tuple(after)][:limit]

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
        found = [
            (place, self._episodes[place.episode])
            for place in sorted(self._threads.places.values())
            if place.thread == thread.no and place.position > after
        ]
        seen = [(place, row) for place, row in found if row.person in (person, "")]
        seen = seen[:limit]
        return seen if last is None else seen[max(0, len(seen) - last) :]

    def thread_episodes(self, thread: ThreadRow) -> list[int]:
        """Give the row numbers of all episodes in a thread, whoever's they are."""
        return [p.episode for p in self._threads.places.values() if p.thread == thread.no]

    def thread_place(self, tenant: str, episode: int) -> tuple[ThreadRow, Place] | None:
        """Give where an episode stands, by its row number."""
        place = self._threads.places.get(episode)
        if place is None:
            return None
        thread = self._threads.threads[place.thread]
        return (thread, place) if thread.tenant == tenant else None

    def thread_state(self, thread: ThreadRow) -> StateRow | None:
        """Give the state of a thread, where one was set."""
        return self._threads.states.get(thread.no)

    def next_thread(self) -> int:
        """Give a free row number for a thread; each call gives another."""
        self._threads.last += 1
        return self._threads.last
