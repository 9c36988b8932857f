"""What the core asks of storage about threads; part of every snapshot and transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from vigent.domain.episodes import EpisodeRow
from vigent.domain.threads import Place, StateRow, ThreadRow
from vigent.domain.time import Instant

__all__ = ["ThreadNumbers", "ThreadReads"]


class ThreadReads(Protocol):
    """Threads, their items and states, as one view sees them.

    Engines store and find; whether a thread is past its time, the core decides.
    """

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
        """Give the threads of some persons, or those of one id; in the order of the persons.

        Those of one person are in the order in which they were made. Without a store, those of
        one id in whichever store. With ``limit``, of each person the first so many whose id
        is greater than ``after``, in order of the ids.
        """
        ...

    def threads_expired(self, tenant: str, by: Instant) -> list[ThreadRow]:
        """Give the threads of every store that are past their time."""
        ...

    def threads_quiet(
        self, tenant: str, store: str, after: tuple[Instant, int], until: Instant, limit: int
    ) -> list[ThreadRow]:
        """Give threads in order of when they were last spoken in, those of an instant by number.

        They are those of everyone in a store: behind ``after``, an instant and a thread's number,
        and not later than ``until``.
        """
        ...

    def thread_items(
        self,
        thread: ThreadRow,
        person: str,
        *,
        after: int,
        last: int | None,
        limit: int | None = None,
    ) -> list[tuple[Place, EpisodeRow]]:
        """Give what follows a position, in order: a person's and the shared, or the last of it.

        With ``limit`` it is the first so many of what follows.
        """
        ...

    def thread_episodes(self, thread: ThreadRow) -> list[int]:
        """Give the row numbers of all episodes in a thread, whoever's they are."""
        ...

    def thread_place(self, tenant: str, episode: int) -> tuple[ThreadRow, Place] | None:
        """Give where an episode stands, by its row number."""
        ...

    def thread_state(self, thread: ThreadRow) -> StateRow | None:
        """Give the state of a thread, where one was set."""
        ...


class ThreadNumbers(Protocol):
    """What a transaction adds."""

    def next_thread(self) -> int:
        """Give a free row number for a thread; each call gives another."""
        ...
