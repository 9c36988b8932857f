"""The machine's clock, and ids that sort by the time they were made."""

from __future__ import annotations

import secrets
import threading
import time

from vigent.domain.time import Instant

__all__ = ["RandomIds", "SystemClock"]

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class SystemClock:
    """The time of the machine."""

    def now(self) -> Instant:
        """Give the present as microseconds since 1970 in UTC."""
        return time.time_ns() // 1000


class RandomIds:
    """Ids of 26 digits: 48 bits of milliseconds, then 82 random bits, rising within a process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._last = 0

    def new(self, prefix: str) -> str:
        """Give a new id ``<prefix>_…``; each is greater than the one before it."""
        fresh = (time.time_ns() // 1_000_000 << 82) | secrets.randbits(82)
        with self._guard:
            number = self._last = max(fresh, self._last + 1)
        return f"{prefix}_" + "".join(_DIGITS[number >> s & 31] for s in range(125, -5, -5))

    def salt(self) -> bytes:
        """Give 16 unguessable bytes."""
        return secrets.token_bytes(16)
