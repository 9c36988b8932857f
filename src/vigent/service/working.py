"""The worker: reads what waits, in a few threads, and lets no store or model keep out the rest."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from typing import Final, Protocol

from vigent.domain.windows import Waiting
from vigent.errors import StoreReadOnly, VigentError
from vigent.govern.metering import Metering
from vigent.ports.models import LanguageModels
from vigent.service.caller import Host
from vigent.service.growing import Growing
from vigent.service.learning import Learner, Place
from vigent.settings import LearningSettings
from vigent.system import SystemClock

__all__ = ["Extractor", "Reads", "extractor_of"]

_log = logging.getLogger("vigent")

_PAUSES: Final = (1.0, 5.0, 30.0)
"""Seconds it waits after one failure, after two, and so on."""
_EASE: Final = 20
"""Looking for work takes at most one part in so many of the time …"""
_LONGEST: Final = 10.0
"""… but it looks again after so many seconds at the latest."""


class Reads(Host, Protocol):
    """A service that may have language models."""

    models: LanguageModels | None
    metering: Metering

    @property
    def worker_name(self) -> str:
        """A name for a worker, another each time."""
        ...


def extractor_of(service: Reads, learning: LearningSettings) -> Extractor | None:
    """Give a worker, not started yet: None without models, on a branch, and read-only."""
    storage = service.storage
    if service.models is None or not storage.writable or storage.is_branch:
        return None
    learner = Learner(
        service, service.models, service.metering, SystemClock(), by=service.worker_name,
        lease_seconds=learning.lease_seconds, steps=(Growing(),),
    )  # fmt: skip
    return Extractor(learner, threads=learning.threads, look_seconds=learning.look_seconds)


class Extractor:
    """One thread that looks for work, and ``threads`` that do it.

    A tenant has at most half of them at once, and a model all but one: one that never answers
    leaves room for others. It starts with ``start`` and ends with ``stop``.
    """

    def __init__(self, learner: Learner, *, threads: int = 4, look_seconds: float = 1.0) -> None:
        self.learner = learner
        self.problem: str | None = None
        self._threads, self._pause = threads, look_seconds
        self._busy: Counter[tuple[str, str]] = Counter()
        self._under_way = 0
        self._changed = threading.Condition()
        self._woken = self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread; once is enough."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="vigent-learning", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Have it look now."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def stop(self, seconds: float = 5.0) -> None:
        """End; a window under way is given some seconds, and else is read again by another."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._under_way, seconds)
        if self._thread is not None:
            self._thread.join(seconds)

    def drain(self) -> None:
        """Read all that there is to read now, in this thread and the others; then return."""
        self._round(at_once=True)
        while self._round() or self._under_way:
            with self._changed:
                self._changed.wait(0.05)

    def _run(self) -> None:
        failures = 0
        while not self._stopped:
            began = time.monotonic()
            try:
                self._round()
                failures, self.problem = 0, None
            except Exception as error:  # noqa: BLE001 - the worker loop: it notes and goes on
                failures += 1
                self._tell(error)
            took = time.monotonic() - began
            pause = max(self._pause, min(took * _EASE, _LONGEST))
            if failures:
                pause = _PAUSES[min(failures, len(_PAUSES)) - 1]
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._woken, pause)
                self._woken = False

    def _tell(self, error: Exception) -> None:
        told = str(error) if isinstance(error, VigentError) else type(error).__name__
        if told != self.problem:
            _log.warning("nothing is extracted for now: %s", told)
        self.problem = told
        if isinstance(error, StoreReadOnly):
            self._stopped = True

    def _round(self, *, at_once: bool = False) -> bool:
        """Look at every store once, and hand out windows in turn; gives whether there were any."""
        places: list[Place] = []
        for place in self.learner.places():
            if self._stopped:
                return False
            try:
                if self.learner.look(place, at_once=at_once):
                    self._submit(place, None)
            except StoreReadOnly:
                raise
            except VigentError as error:  # of one store: the others are looked at all the same
                self._tell(error)
                continue
            places.append(place)
        return self._hand_out(places)

    def _hand_out(self, places: list[Place]) -> bool:
        any_found = False
        while places and not self._stopped:
            left: list[Place] = []
            for place in places:
                if not self._room(place):
                    continue
                window = self.learner.take(place)
                if window is not None:
                    any_found = True
                    self._submit(place, window)
                    left.append(place)
            places = left
        return any_found

    def _room(self, place: Place) -> bool:
        """Whether a store may have a thread now: one that has its share waits for its next turn."""
        with self._changed:
            return (
                self._under_way < self._threads
                and self._busy["tenant", place.tenant] < max(1, self._threads // 2)
                and self._busy["model", place.switch.model or ""] < max(1, self._threads - 1)
            )

    def _submit(self, place: Place, window: Waiting | None) -> None:
        names = (("tenant", place.tenant), ("model", place.switch.model or ""))
        with self._changed:
            self._under_way += 1
            self._busy.update(names)

        def do() -> None:
            self._do(place, window)
            with self._changed:
                self._under_way -= 1
                self._busy.subtract(names)
                self._woken = True
                self._changed.notify_all()

        # A daemon: a process that ends does not wait for a model that never answers.
        threading.Thread(target=do, name="vigent-reading", daemon=True).start()

    def _do(self, place: Place, window: Waiting | None) -> None:
        try:
            if window is None or self.learner.read(place, window):
                self.learner.steps(place)
        except Exception as error:  # noqa: BLE001 - the lease ends, and it is read again
            self._tell(error)
