"""What the core asks of the machine: the time, and ids."""

from __future__ import annotations

from typing import Protocol

from vigent.domain.time import Instant

__all__ = ["Clock", "IdSource"]


class Clock(Protocol):
    """Tells the time. It may step back; recorded time does not follow it there."""

    def now(self) -> Instant:
        """Give the present as microseconds since 1970 in UTC."""
        ...


class IdSource(Protocol):
    """Makes ids that sort by the time they were made."""

    def new(self, prefix: str) -> str:
        """Give a new id ``<prefix>_…`` of at most 40 characters out of ``[A-Za-z0-9_]``."""
        ...

    def salt(self) -> bytes:
        """Give 16 unguessable bytes."""
        ...
