"""A store in memory: nothing is durable, and nothing is derived that could be wrong."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from vigent.domain.audit import AuditSummary
from vigent.domain.time import Instant
from vigent.domain.timeline import replay
from vigent.errors import StoreBusy, UnavailableError
from vigent.storage.inmemory.erasing import ErasingChange
from vigent.storage.inmemory.moving import MovingRows
from vigent.storage.inmemory.rows import Rows, View

__all__ = ["InMemoryStorage"]


class WholeView(MovingRows, View):
    """A view that can also be read whole."""


class InMemoryStorage:
    """Memory that ends with the process."""

    writable = True
    is_branch = False

    def __init__(self) -> None:
        self._rows = Rows()
        self._closed = False
        self._lock = threading.RLock()

    def _open(self) -> None:
        if self._closed:
            raise UnavailableError("the store is closed")

    def reader(self) -> View:
        """Give a view for a read of a single row."""
        self._open()
        return View(self._rows)

    @contextmanager
    def snapshot(self, *, settled: str | None = None) -> Generator[WholeView]:  # noqa: ARG002
        """Open a consistent view for reading."""
        self._open()
        with self._lock:
            yield WholeView(self._rows)

    @contextmanager
    def transaction(
        self,
        tenant: str,  # noqa: ARG002 - one lock for all
        *,
        wait: bool = True,
        beside: bool = False,  # noqa: ARG002 - as tenant
    ) -> Generator[ErasingChange]:
        """Take the write lock; an error inside rolls everything back."""
        self._open()
        if not self._lock.acquire(blocking=wait):
            raise StoreBusy("the store is being written by others; nothing was written")
        before, done = self._rows.copy(), False
        try:
            yield ErasingChange(self._rows)
            done = True
        finally:
            if not done:
                self._rows = before
            self._lock.release()

    def purge(self) -> bool:
        """Nothing is in files, so what was removed is gone."""
        return True

    def audit(
        self, tenant: str, *, seal_at: Instant | None = None, anchor: str | None = None
    ) -> AuditSummary:
        """Verify the audit trail, after sealing what is unsealed if an instant is given."""
        self._open()
        with self._lock:
            if seal_at is not None:
                self._rows.trail.seal(tenant, seal_at)
            return self._rows.trail.verify(tenant, anchor)

    def seal(self, at: Instant) -> int:
        """Chain the audit entries of every tenant that have no seal yet; gives how many."""
        self._open()
        with self._lock:
            return sum(self._rows.trail.seal(tenant, at) for tenant in sorted(self._rows.salts))

    def check(self, tenant: str | None = None) -> list[str]:
        """Compare the beliefs kept with the replay."""
        self._open()
        problems: list[str] = []
        for id, key in self._rows.keys.items():
            if tenant in (None, id.tenant):
                every = [s for s in self._rows.statements.values() if s.key == key.no]
                for member in {s.member for s in every if s.kind != "others"}:
                    believed = sorted(
                        (b.valid_from, b.valid_to, b.memory)
                        for b in self._rows.beliefs.values()
                        if b.key == key.no and b.member == member and b.recorded_to is None
                    )
                    if believed != [tuple(s) for s in replay(every, member)]:
                        problems.append(f"{id.subject} {id.attribute}: beliefs differ")
        return problems

    def close(self) -> None:
        """Let everything go."""
        self._closed = True
        self._rows = Rows()
