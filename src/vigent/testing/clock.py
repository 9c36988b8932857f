"""A clock that tests set by hand."""

from __future__ import annotations

import datetime as dt

from vigent.domain.time import Instant, parse_instant

__all__ = ["FakeClock"]


class FakeClock:
    """Stands still until told otherwise; may be set back."""

    def __init__(self, at: str | dt.datetime) -> None:
        self._now = parse_instant(at, "at")

    def now(self) -> Instant:
        """Give the instant it was last set to."""
        return self._now

    def set(self, at: str | dt.datetime) -> None:
        """Set it to an instant with an offset."""
        self._now = parse_instant(at, "at")

    def advance(self, *, seconds: int = 0, days: int = 0) -> None:
        """Move it on, or back by negative amounts."""
        self._now += (seconds + 86_400 * days) * 1_000_000
