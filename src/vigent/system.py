"""The machine's clock, and ids that sort by the time they were made."""

from __future__ import annotations

import os
import random
import secrets
import threading
import time
from typing import Final

from vigent.domain.time import Instant

__all__ = ["RandomIds", "SystemClock"]


_POOL: Final = 1_024
"""So many random bytes are asked of the machine at once."""


class _Forks:
    """How often the process was forked on the way to this one."""

    count = 0

    @classmethod
    def note(cls) -> None:
        cls.count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Forks.note)


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
        self._pool, self._used = b"", 0
        self._forks = _Forks.count

    def new(self, prefix: str) -> str:
        """Give a new id ``<prefix>_…``; each is greater than the one before it."""
        with self._guard:
            if self._forks != _Forks.count:
                self._begin_anew()
            number = (time.time_ns() // 1_000_000 << 80) | self._random.getrandbits(80)
            if number <= self._last:
                number = self._last + 1
            self._last = number
        return f"{prefix}_{number:032x}"

    def salt(self) -> bytes:
        """Give 16 unguessable bytes."""
        with self._guard:
            if self._forks != _Forks.count:
                self._begin_anew()
            start = self._used
            if start == len(self._pool):
                self._pool, start = secrets.token_bytes(_POOL), 0
            self._used = start + 16
            return self._pool[start : start + 16]

    def _begin_anew(self) -> None:
        """A fork must not go on with what its parent has or gives out."""
        self._random.seed(secrets.randbits(256))
        self._pool, self._used = b"", 0
        self._forks = _Forks.count
