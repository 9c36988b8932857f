"""The thread that makes vectors while the rest goes on."""

from __future__ import annotations

import logging
import threading
from typing import Final

from vigent.errors import VigentError
from vigent.learn.embedding import Identity, Lease, Progress, embed_some, give_back, note_problem
from vigent.ports.models import Embedder
from vigent.ports.storage import Storage
from vigent.ports.system import Clock

__all__ = ["EmbeddingWorker"]

_log = logging.getLogger("vigent")

_IDLE: Final = 1.0
"""Seconds after which it looks by itself for what other processes wrote."""
_PAUSES: Final = (0.2, 1.0, 5.0, 30.0)
"""Seconds it waits after one failure, after two, and so on."""


class EmbeddingWorker:
    """Keeps the vectors of a store up with what is written.

    It starts at its first use and ends with ``stop``; the process may end without it. ``clock``
    is the machine's: leases are between processes.
    """

    def __init__(self, storage: Storage, embedder: Embedder, clock: Clock) -> None:
        self.storage = storage
        self.embedder = embedder
        self.clock = clock
        self.problem: str | None = None
        self._progress = Progress(-1, 0)
        self._lease = Lease()
        self._changed = threading.Condition()
        self._woken = False
        self._stopped = storage.is_branch  # on a branch nothing works by itself
        self._thread: threading.Thread | None = None

    @property
    def identity(self) -> Identity | None:
        """What the model said it is; None as long as it was not reached."""
        return self._lease.identity

    def catch_up(self, last: int, seconds: float, done: int | None = None) -> bool:
        """Wait until the passages up to one have been seen, but no longer than some seconds.

        Gives whether they have. Neither a model that failed last time nor a worker that was
        stopped is waited for. ``done`` is how far the store says that it is: less than it came
        to where vectors were dropped.
        """
        with self._changed:
            if done is not None and done < self._progress.done:
                self._progress = Progress(done, self._progress.last)
        self._wake()
        with self._changed:
            return self._changed.wait_for(
                lambda: self._progress.done >= last or self.problem is not None or self._stopped,
                seconds,
            ) and (self._progress.done >= last)

    def stop(self) -> None:
        """End after the batch at hand."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(10)

    def _wake(self) -> None:
        with self._changed:
            self._woken = True
            alive = self._thread is not None and self._thread.is_alive()
            if not alive and not self._stopped:
                self._thread = threading.Thread(
                    target=self._run, name="vigent-embedding", daemon=True
                )
                self._thread.start()
            self._changed.notify_all()

    def _run(self) -> None:
        failures = 0
        while not self._stopped:
            failures = 0 if self.run_one() else failures + 1
            self._rest(failures)
        try:
            give_back(self.storage, self._lease)
        except VigentError:  # the store is away; the lease runs out by itself
            return

    def run_one(self) -> bool:
        """Do the next part of the work; gives whether that went well."""
        try:
            progress = embed_some(self.storage, self.embedder, self.clock, self._lease)
        except Exception as error:  # noqa: BLE001 - the worker loop: it notes and goes on
            self._fail(error)
            return False
        self._note(progress)
        return True

    def _note(self, progress: Progress) -> None:
        with self._changed:
            self._progress, self.problem = progress, None
            self._changed.notify_all()

    def _fail(self, error: Exception) -> None:
        # Errors of our own are cleaned of what they must not tell; of others only the kind is.
        told = str(error) if isinstance(error, VigentError) else type(error).__name__
        _log.warning("no vectors are made: %s", told)
        with self._changed:
            self.problem = told
            self._changed.notify_all()
        try:
            note_problem(self.storage, self._lease, told)
        except VigentError:  # the store itself is away; it is told by every other call
            return

    def _rest(self, failures: int) -> None:
        with self._changed:
            if failures:
                pause = _PAUSES[min(failures, len(_PAUSES)) - 1]
                self._changed.wait_for(lambda: self._stopped, pause)
            elif self._progress.finished or self._progress.busy:
                self._changed.wait_for(lambda: self._stopped or self._woken, _IDLE)
            self._woken = False
