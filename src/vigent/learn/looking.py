"""Looks which threads have fallen quiet, and puts their windows in the queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.gate.cues import MEMO
from vigent.domain.resources import ResourceRow
from vigent.domain.threads import ThreadRow
from vigent.domain.time import SECOND, Instant, iso
from vigent.domain.windows import (
    FAILED,
    PARKED,
    Reading,
    Run,
    Waiting,
    cut,
    reading_id,
    thread_digest,
)  # fmt: skip
from vigent.learn.pieces import pieces_between, thread_of
from vigent.learn.queue import Queue, waiting
from vigent.ports.storage import Snapshot

__all__ = ["Orders", "is_chosen", "look"]

_PAGE: Final = 100
_LATE: Final = 60 * SECOND
"""What is committed so long after its own instant is found all the same."""
_MINUTE: Final = 60 * SECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a switch says of which threads are read, and with what.

    ``agents`` are ids and names; ``author`` the key under which it happens.
    """

    author: str
    model: str
    instructions: str = ""
    types: tuple[str, ...] = ()
    schedule_minutes: int = 60
    quiet_minutes: int = 30
    everyone: bool = False
    keys: frozenset[str] = frozenset()
    agents: frozenset[str] = field(default_factory=frozenset[str])

    @property
    def basis(self) -> str:
        """What says which threads are read: where it changes, all are looked at anew."""
        return json.dumps([self.everyone, sorted(self.keys), sorted(self.agents)])

    @property
    def reads(self) -> str:
        """What says how they are read: where it changes, what failed is read again."""
        kept = asdict(self)
        return json.dumps([kept[n] for n in ("author", "model", "instructions", "types")])


def look(queue: Queue, store: str, orders: Orders, *, now: Instant, at_once: bool = False) -> Run:
    """Put what is to be read in the queue; gives how extraction of the store stands then.

    ``store`` is the store's name, as its threads bear it. What somebody asked to have remembered
    is put there at once, the rest of a thread that was quiet when a run is due.
    """
    with queue.storage.snapshot() as snapshot:
        run, row = queue.run(snapshot)
        parked = next(waiting(snapshot, queue.tenant, queue.store, PARKED), None)
    ready = parked is not None and Waiting.of_row(parked).until <= now
    due = at_once or run.asked or now >= run.due or orders.quiet_minutes == 0
    begins = at_once or run.asked or now >= run.due
    changed = run.reads != orders.reads
    if begins or changed or ready or run.basis != orders.basis:
        run = _begin(queue, orders, now, begins=begins, ready=ready)
        due = due or run.mark == (0, 0)
    before = run
    if due:
        until = now - orders.quiet_minutes * _MINUTE
        run = replace(run, mark=_sweep(queue, store, orders, run.mark, until, now, hot=False))
    if orders.quiet_minutes:
        begin = max(run.hot, run.mark, (now - 10 * _LATE, 0))
        run = replace(run, hot=_sweep(queue, store, orders, begin, now, now, hot=True))
    if (run.mark, run.hot) != (before.mark, before.hot):
        with queue.storage.transaction(queue.tenant) as transaction:
            there, row = queue.run(transaction)
            run = replace(there, mark=run.mark, hot=run.hot)
            queue.keep(transaction, run, row)
    return run


def _begin(queue: Queue, orders: Orders, now: Instant, *, begins: bool, ready: bool) -> Run:
    """Begin a run, and have read again what is to be."""
    with queue.storage.transaction(queue.tenant) as transaction:
        run, row = queue.run(transaction)
        states = [PARKED] if ready or run.asked else []
        if run.asked or (run.reads and run.reads != orders.reads):
            states.append(FAILED)
        queue.again(transaction, *states)
        if run.basis != orders.basis:
            run = replace(run, mark=(0, 0), basis=orders.basis)
        run = replace(run, reads=orders.reads)
        if begins:
            due = now + orders.schedule_minutes * _MINUTE
            run = replace(run.begun(iso(now)), asked=False, due=due)
        queue.keep(transaction, run, row)
        return run


def _sweep(
    queue: Queue,
    store: str,
    orders: Orders,
    begin: tuple[Instant, int],
    until: Instant,
    now: Instant,
    *,
    hot: bool,
) -> tuple[Instant, int]:
    """Look at threads behind a place; gives the place from which to look the next time."""
    at = begin
    while True:
        with queue.storage.snapshot() as snapshot:
            rows = snapshot.threads_quiet(queue.tenant, store, at, until, _PAGE)
            wanted = [row for row in rows if _wanted(snapshot, queue, row, orders, now, hot=hot)]
        for row in wanted:
            _put(queue, row, now)
        if rows:
            at = (rows[-1].spoken_at, rows[-1].no)
        if len(rows) < _PAGE:
            return max(begin, min(at, (now - _LATE, 0)))


def _wanted(
    snapshot: Snapshot, queue: Queue, row: ThreadRow, orders: Orders, now: Instant, *, hot: bool
) -> bool:
    """Whether a thread is to be read now."""
    kept = Reading.of_row(_reading(snapshot, queue, row))
    if kept.cut >= row.last_position or (orders.keys and not orders.keys & set(kept.keys)):
        return False
    if not is_chosen(snapshot, row, orders, now):
        return False
    return not hot or any(
        piece.role == "user" and MEMO.search(piece.text) for piece in _new(snapshot, row, kept)
    )


def is_chosen(snapshot: Snapshot, row: ThreadRow, orders: Orders, now: Instant) -> bool:
    """Whether a thread is one of those that are read, whichever keys spoke in it."""
    if row.expires_at <= now or not (row.person or orders.everyone):
        return False
    return not orders.agents or _answered(snapshot, row, orders.agents)


def _new(snapshot: Snapshot, row: ThreadRow, kept: Reading) -> Iterator[Any]:
    return pieces_between(snapshot, row, kept.cut)


def _answered(snapshot: Snapshot, row: ThreadRow, agents: frozenset[str]) -> bool:
    """Whether one of some agents has answered in a thread."""
    after = 0
    while True:
        items = snapshot.thread_items(row, row.person, after=after, last=None, limit=_PAGE)
        for place, item in items:
            if item.role == "assistant" and {place.agent, item.speaker, row.agent} & agents:
                return True
        if len(items) < _PAGE:
            return False
        after = items[-1][0].position


def _reading(snapshot: Snapshot, queue: Queue, row: ThreadRow) -> ResourceRow | None:
    digest = thread_digest(row.person, row.id, row.created_at)
    return snapshot.resource(queue.tenant, "reading", reading_id(queue.store, digest))


def _put(queue: Queue, seen: ThreadRow, now: Instant) -> None:
    """Cut what is new in a thread, in one transaction with the note of how far that went."""
    with queue.storage.transaction(queue.tenant) as transaction:
        row = thread_of(
            transaction, queue.tenant, seen.store, seen.person, seen.id, seen.created_at
        )
        if row is None or transaction.resource(queue.tenant, "store", queue.store) is None:
            return
        before = _reading(transaction, queue, row)
        kept = Reading.of_row(before)
        if kept.cut >= row.last_position:
            return
        spans = cut(list(pieces_between(transaction, row, kept.cut)))
        windows = [Waiting.of(row, queue.store, span).row(now) for span in spans]
        moved = replace(kept, cut=row.last_position).row(row, queue.store, before, now)
        changes = ResourceChanges(kept=[*windows, moved])
        transaction.apply(ChangeSet(queue.tenant, resources=changes))
        if windows:
            run, at = queue.run(transaction)
            queue.keep(transaction, run.begun(iso(now)), at)
