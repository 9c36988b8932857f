"""What a service does by itself: seals the audit trail, sweeps what is past its time, purges.

Every process that serves a store may do it. Each step looks under the write lock at what is left
to do, so that one done twice does nothing the second time; no process has to be the one, and none
is missed when it ends.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from vigent.domain.time import SECOND, Instant
from vigent.errors import StoreReadOnly, VigentError
from vigent.ports.storage import Storage
from vigent.ports.system import Clock
from vigent.ports.upkeep import Pending
from vigent.settings import UpkeepSettings

__all__ = ["Upkeep"]

_log = logging.getLogger("vigent")

_LASTING: Final = 30.0
"""Seconds between tries in a store that cannot be written."""
_AGAIN: Final = (10.0, 30.0, 120.0, 600.0)
"""Seconds between tries to purge, while readers hold old pages."""


class Upkeep:
    """One thread that keeps a store in order; ``clock`` is the service's.

    ``sweep`` forgets what of a tenant is past its time, and gives how many memories that were.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        sweep: Callable[[str], int],
        settings: UpkeepSettings,
    ) -> None:
        self.storage = storage
        self.clock = clock
        self.settings = settings
        self.sealed = self.swept = self.purged = 0
        self.problem: VigentError | None = None
        self._sweep = sweep
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._sweep_at = self._purge_at = 0.0
        self._failed_purges = 0

    def start(self) -> None:
        """Start the thread; once is enough."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="vigent-upkeep", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End after the step at hand."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(10)

    def _run(self) -> None:
        # Half of the time that an entry may be without a seal: the other half is for the work.
        pause = self.settings.seal_seconds / 2
        while not self._stopping.wait(_LASTING if self._hopeless else pause):
            self.run_once()
        if not self._hopeless:
            self._guarded(self.seal)

    @property
    def _hopeless(self) -> bool:
        return isinstance(self.problem, StoreReadOnly)

    def run_once(self) -> None:
        """Do what is due now; what goes wrong is noted, told once, and tried again later."""
        steps = [self.seal]
        now = time.monotonic()
        if now >= self._sweep_at:
            self._sweep_at = now + self.settings.sweep_seconds
            steps.append(self.sweep)
        if now >= self._purge_at:
            steps.append(self.purge)
        for step in steps:
            if self._stopping.is_set() or not self._guarded(step):
                return
        self.problem = None

    def _guarded(self, step: Callable[[], object]) -> bool:
        try:
            step()
        except VigentError as error:
            if type(error) is not type(self.problem):
                _log.warning("upkeep waits: %s", error.message)
            self.problem = error
            return False
        except Exception as error:  # noqa: BLE001 - the loop of a job: it notes and goes on
            # Only the kind: the message may quote what a memory says.
            _log.error("upkeep failed: %s", type(error).__name__)
            return False
        return True

    def seal(self) -> int:
        """Chain the entries that have no seal yet; gives how many."""
        done = self.storage.seal(self.clock.now())
        self.sealed += done
        return done

    def sweep(self) -> int:
        """Forget what is past its time, of every tenant; gives how many memories."""
        now, done = self.clock.now(), 0
        with self.storage.snapshot() as snapshot:
            tenants = snapshot.tenants()
        for tenant in tenants:
            if self._stopping.is_set():
                break
            if self._has_expired(tenant, now):
                done += self._sweep(tenant)
        self.swept += done
        return done

    def _has_expired(self, tenant: str, now: Instant) -> bool:
        """Look before the write lock is taken: mostly there is nothing."""
        with self.storage.snapshot() as snapshot:
            return bool(
                snapshot.statements(tenant, expired_by=now)
                or snapshot.threads_expired(tenant, now)
                or snapshot.episodes(tenant, expired_by=now)
            )

    def purge(self) -> bool:
        """Make erased content unreadable in the files too, when the moment is good.

        The file is written anew for that, and writers wait meanwhile: so it is done when nobody
        wrote for a while, or the erasure is long enough ago. Gives whether it was done.
        """
        self._purge_at = time.monotonic() + 1.0
        with self.storage.snapshot() as snapshot:
            pending = snapshot.pending()
        if pending.unpurged_since is None or not self._quiet(pending):
            return False
        done = self.storage.purge()
        if done:
            self.purged += 1
            self._failed_purges = 0
        else:
            pause = _AGAIN[min(self._failed_purges, len(_AGAIN) - 1)]
            self._purge_at = time.monotonic() + pause
            self._failed_purges += 1
        return done

    def _quiet(self, pending: Pending) -> bool:
        now = self.clock.now()
        last, since = pending.last_entry or 0, pending.unpurged_since or 0
        return (
            now - last >= self.settings.purge_quiet_seconds * SECOND
            or now - since >= self.settings.purge_latest_seconds * SECOND
        )
