"""The queue of windows of a store: each is had by one worker at a time, and counts once.

A worker takes a window under a lease; whoever comes after the lease has run out takes it anew. A
result is counted only by who still has the lease, in the transaction that lets the window go.
What was written meanwhile is written once all the same: a candidate that comes again has the
answer that it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow
from vigent.domain.time import SECOND, Instant, iso
from vigent.domain.windows import FAILED, PARKED, QUEUED, Run, Waiting, prefix
from vigent.ports.storage import Snapshot, Storage, Transaction
from vigent.ports.system import Clock

__all__ = ["Outcome", "Queue", "waiting"]

_PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a window: done, partial, failed, parked or cancelled, and its counts.

    ``code`` is why, where it is not done; ``until`` the instant at which a parked one goes on.
    """

    status: str
    code: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    until: Instant = 0


def waiting(snapshot: Snapshot, tenant: str, store: str, state: str) -> Iterator[ResourceRow]:
    """Give the rows of the windows of a store that are in a state, in order of their ids."""
    begin = prefix(store, state)
    after = begin
    while True:
        rows = snapshot.resources(tenant, "window", after=after, limit=_PAGE)
        for row in rows:
            if not row.id.startswith(begin):
                return
            yield row
        if len(rows) < _PAGE:
            return
        after = rows[-1].id


class Queue:
    """The windows of one store. ``clock`` is the service's, ``machine`` the machine's.

    ``by`` names the worker, ``lease_seconds`` is for how long it has a window.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        machine: Clock,
        tenant: str,
        store: str,
        *,
        by: str = "",
        lease_seconds: float = 300,
    ) -> None:
        self.storage, self.clock, self.machine = storage, clock, machine
        self.tenant, self.store, self.by = tenant, store, by
        self._lease = round(lease_seconds * SECOND)

    def run(self, snapshot: Snapshot) -> tuple[Run, ResourceRow | None]:
        """Give how extraction of the store stands."""
        row = snapshot.resource(self.tenant, "run", self.store)
        return Run.of_row(row), row

    def take(self) -> Waiting | None:
        """Take the next window that nobody has; those of a thread one after the other."""
        with self.storage.snapshot() as snapshot:
            if self._next(snapshot) is None:
                return None
        with self.storage.transaction(self.tenant) as transaction:
            found = self._next(transaction)
            if found is None:
                return None
            now = self.machine.now()
            mine = replace(
                found, lease=now + self._lease, by=f"{self.by}.{now}", tries=found.tries + 1
            )
            self._put(transaction, [mine])
        return replace(mine, version=mine.version + 1)

    def _next(self, snapshot: Snapshot) -> Waiting | None:
        now, held = self.machine.now(), ""
        for row in waiting(snapshot, self.tenant, self.store, QUEUED):
            window = Waiting.of_row(row)
            if window.digest == held:
                continue
            if window.lease <= now:
                return window
            held = window.digest
        return None

    def finish(self, window: Waiting, outcome: Outcome) -> bool:
        """Enter what became of a window; gives whether that ended the run.

        What is not this worker's any more, or is gone, is entered nowhere.
        """
        with self.storage.transaction(self.tenant) as transaction:
            kept = transaction.resource(self.tenant, "window", window.id)
            if kept is None or Waiting.of_row(kept).by != window.by:
                return False
            removed, put = [kept], []
            if outcome.status in {"failed", "parked"}:
                state = FAILED if outcome.status == "failed" else PARKED
                moved = replace(
                    window, state=state, lease=0, by="", code=outcome.code, until=outcome.until
                )
                put = [moved]
            run, row = self.run(transaction)
            run = run.begun(self._now()).counted(outcome.status, outcome.code, outcome.counts)
            self._put(transaction, put, removed)
            return self._close(transaction, run, row)

    def settle(self) -> bool:
        """End a run that has nothing left to read; gives whether it was ended by that."""
        with self.storage.snapshot() as snapshot:
            run, _ = self.run(snapshot)
            if not run.is_open or self._any(snapshot, QUEUED):
                return False
        with self.storage.transaction(self.tenant) as transaction:
            run, row = self.run(transaction)
            return run.is_open and self._close(transaction, run, row)

    def _close(self, transaction: Transaction, run: Run, row: ResourceRow | None) -> bool:
        over = run.is_open and not self._any(transaction, QUEUED)
        if over:
            run = run.ended(self._now(), parked=self._any(transaction, PARKED))
        self.keep(transaction, run, row)
        return over

    def refuse(self, code: str) -> None:
        """Let every window that waits fail for the same reason, and the run with them."""
        with self.storage.snapshot() as snapshot:
            run, _ = self.run(snapshot)
            if not run.is_open and not self._any(snapshot, QUEUED):
                return
        with self.storage.transaction(self.tenant) as transaction:
            run, row = self.run(transaction)
            rows = list(waiting(transaction, self.tenant, self.store, QUEUED))
            if not rows and not run.is_open:
                return
            run = run.begun(self._now())
            moved: list[Waiting] = []
            for found in map(Waiting.of_row, rows):
                moved.append(replace(found, state=FAILED, lease=0, by="", code=code))
                run = run.counted("failed", code, {})
            if not rows:
                run = replace(run, last={**run.last, "error_code": code})
            self._put(transaction, moved, rows)
            self._close(transaction, run, row)

    def again(self, transaction: Transaction, *states: str) -> int:
        """Have windows in some states read again; gives how many."""
        rows = [r for s in states for r in waiting(transaction, self.tenant, self.store, s)]
        if rows:
            self._put(transaction, [Waiting.of_row(row).free() for row in rows], rows)
        return len(rows)

    def keep(self, transaction: Transaction, run: Run, before: ResourceRow | None) -> None:
        """Keep how extraction of the store stands, unless the store is gone."""
        if transaction.resource(self.tenant, "store", self.store) is None:
            return
        kept = run.row(self.tenant, self.store, before, self.clock.now())
        if before is None or kept.document != before.document:
            self._apply(transaction, [kept], [])

    def _any(self, snapshot: Snapshot, state: str) -> bool:
        return next(waiting(snapshot, self.tenant, self.store, state), None) is not None

    def _put(
        self,
        transaction: Transaction,
        windows: Sequence[Waiting],
        removed: Sequence[ResourceRow] = (),
    ) -> None:
        now = self.clock.now()
        kept = [window.row(now) for window in windows]
        self._apply(transaction, kept, removed)

    def _apply(
        self, transaction: Transaction, kept: Sequence[ResourceRow], gone: Sequence[ResourceRow]
    ) -> None:
        changes = ResourceChanges(removed=gone, kept=kept)
        transaction.apply(ChangeSet(self.tenant, resources=changes))

    def _now(self) -> str:
        return iso(self.clock.now())
