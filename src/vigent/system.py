"""The machine's clock, and ids that sort by the time they were made."""

from __future__ import annotations

import os
import random
import secrets
import threading
import time

from vigent.domain.time import Instant

__all__ = ["RandomIds", "SystemClock"]


class SystemClock:
    """The time of the machine."""

    def now(self) -> Instant:
        """Give the present as microseconds since 1970 in UTC."""
        return time.time_ns() // 1000


class RandomIds:
    """Ids of 32 digits: 48 bits of milliseconds, then 80 random bits, rising within a process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._last = 0
        self._random = random.Random(secrets.randbits(256))  # noqa: S311 - ids are no secrets
        self._process = os.getpid()

    def new(self, prefix: str) -> str:
        """Give a new id ``<prefix>_…``; each is greater than the one before it."""
        with self._guard:
            if self._process != os.getpid():  # a fork must not go on with its parent's ids
                self._random.seed(secrets.randbits(256))
                self._process = os.getpid()
            number = (time.time_ns() // 1_000_000 << 80) | self._random.getrandbits(80)
            if number <= self._last:
                number = self._last + 1
            self._last = number
        return f"{prefix}_{number:032x}"

    def salt(self) -> bytes:
        """Give 16 unguessable bytes."""
        return secrets.token_bytes(16)
