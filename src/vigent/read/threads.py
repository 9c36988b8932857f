"""Threads as readers see them: nothing past its time, nothing of another person."""

from __future__ import annotations

from vigent.domain.episodes import Episode, EpisodeRow
from vigent.domain.text import check_id
from vigent.domain.threads import Thread, ThreadItem, ThreadRow, ThreadState, stub_of
from vigent.errors import InvalidInput, NotFound
from vigent.ports.storage import Snapshot
from vigent.read.reading import Reading

__all__ = ["episode_seen", "items", "thread", "thread_state", "threads"]


def _found(reading: Reading, snapshot: Snapshot, person: str, id: str) -> ThreadRow:
    """Give a person's own thread of an id, else the shared one; raises NotFound."""
    persons, now = reading.scope(person).readable, reading.clock.now()
    for row in snapshot.threads(reading.tenant, reading.store, persons, id):
        if row.expires_at > now:
            return row
    raise NotFound(f"thread: there is no thread {id} here", field="thread")


def thread(reading: Reading, person: str, id: str) -> Thread:
    """Give one thread; raises NotFound."""
    with reading.storage.snapshot() as snapshot:
        return Thread(_found(reading, snapshot, person, id))


def threads(reading: Reading, person: str) -> tuple[Thread, ...]:
    """Give a person's threads and the shared, in the order in which they were made."""
    persons, now = reading.scope(person).readable, reading.clock.now()
    with reading.storage.snapshot() as snapshot:
        rows = snapshot.threads(reading.tenant, reading.store, persons)
    return tuple(Thread(row) for row in sorted(rows) if row.expires_at > now)


def items(
    reading: Reading,
    person: str,
    id: str,
    after: object,
    last: object,
    limit: int | None = None,
) -> tuple[ThreadItem, ...]:
    """Give the items of a thread in order, those after one of them, or the last of these."""
    if limit is not None and (last is not None or limit < 1):
        raise InvalidInput("limit", "must be from 1, and cannot stand beside last")
    if last is not None and (isinstance(last, bool) or not isinstance(last, int) or last < 1):
        raise InvalidInput("last", "must be a whole number from 1")
    begin = None if after is None else check_id(after, "after")
    now = reading.clock.now()
    with reading.storage.snapshot() as snapshot:
        row = _found(reading, snapshot, person, id)
        position = 0 if begin is None else _position(reading, snapshot, person, row, begin)
        found = snapshot.thread_items(row, person, after=position, last=last, limit=limit)
    return tuple(
        ThreadItem(stub_of(episode) if episode.expires_at <= now else episode, place)
        for place, episode in found
    )


def _position(reading: Reading, snapshot: Snapshot, person: str, thread: ThreadRow, id: str) -> int:
    for episode in snapshot.episodes(reading.tenant, ids=[id]):
        found = snapshot.thread_place(reading.tenant, episode.no)
        if episode.person in (person, "") and found is not None and found[0].no == thread.no:
            return found[1].position
    raise NotFound(f"after: there is no item {id} in this thread", field="after")


def thread_state(reading: Reading, person: str, id: str) -> ThreadState:
    """Give the state of a thread; version 0 where none was set."""
    with reading.storage.snapshot() as snapshot:
        row = _found(reading, snapshot, person, id)
        return ThreadState(row.id, snapshot.thread_state(row))


def episode_seen(reading: Reading, snapshot: Snapshot, row: EpisodeRow) -> Episode:
    """Give an episode as a reader sees it: a stub once it, or its thread, is past its time."""
    now = reading.clock.now()
    gone = row.expires_at <= now
    if not gone and row.thread is not None:
        found = snapshot.thread_place(row.tenant, row.no)
        gone = found is not None and found[0].expires_at <= now
    return Episode(stub_of(row) if gone else row)
