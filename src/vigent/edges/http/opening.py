"""Opens the store beside a service that listens already: a long migration is told to who asks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final, Literal

from vigent.errors import VigentError
from vigent.service import Service

__all__ = ["Opening", "OpeningState"]

OpeningState = Literal["open", "starting", "migrating", "failed", "stopping"]

_log = logging.getLogger("vigent")

_SHORT: Final = 1.0
"""Seconds in which a store is open, mostly; with a failure within them the service never starts."""
_TOLD: Final[dict[OpeningState, str]] = {
    "open": "",
    "starting": "the store is being opened",
    "migrating": "the store is being migrated to this version",
    "failed": "the store could not be opened",
    "stopping": "the service is stopping",
}


class Opening:
    """A store that is open, is being opened, or could not be."""

    def __init__(self, service: Service | None, make: Callable[[], Service]) -> None:
        self.service = service
        self.error: Exception | None = None
        self.state: OpeningState = "starting" if service is None else "open"
        self._make = make
        self._begun = service is not None
        self._done = threading.Event()
        self._guard = threading.Lock()

    @property
    def told(self) -> str:
        """What callers are told; it names no file."""
        return _TOLD[self.state]

    def begin(self, failed: Callable[[], None]) -> None:
        """Open it in a thread, and wait a moment; raises what it failed with by then.

        ``failed`` is called where it fails later. What was begun is not begun again.
        """
        if self._begun:
            return
        self._begun = True
        threading.Thread(
            target=self._open, args=(failed,), name="vigent-opening", daemon=True
        ).start()
        self._done.wait(_SHORT)
        with self._guard:
            if self.error is not None:
                raise self.error
            if self.service is None:
                self.state = "migrating"
                _log.info("the store takes long to open: %s", self.told)

    def _open(self, failed: Callable[[], None]) -> None:
        try:
            service = self._make()
        except Exception as error:  # noqa: BLE001 - handed to who waits, or told
            with self._guard:
                late = self.state == "migrating"
                self.error, self.state = error, "failed"
            self._done.set()
            if late:
                told = error.message if isinstance(error, VigentError) else type(error).__name__
                _log.error("%s: %s", self.told, told)
                failed()
            return
        with self._guard:
            given_up = self.state == "stopping"
            if not given_up:
                self.service, self.state = service, "open"
        self._done.set()
        if given_up:
            service.close()

    def close(self) -> None:
        """Release the store, also one that is still being opened."""
        with self._guard:
            service, self.service = self.service, None
            if self.state != "failed":
                self.state = "stopping"
        if service is not None:
            service.close()
