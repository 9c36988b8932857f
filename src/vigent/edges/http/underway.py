"""How many turns are under way: a model that does not answer takes its places, and no more."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from vigent.errors import Overloaded

__all__ = ["Underway"]

_AGAIN: Final = 2.0
"""Seconds after which it is worth to ask again: a turn takes as long as its model."""


class Underway:
    """Counts what is under way, at most so much at once; one beyond is turned away at once."""

    def __init__(self, most: int) -> None:
        self._most, self._now = most, 0
        self._lock = threading.Lock()

    @contextmanager
    def one(self) -> Generator[None]:
        """Have one under way; raises Overloaded where there are as many as may be."""
        with self._lock:
            if self._now >= self._most:
                raise Overloaded(
                    f"{self._most} turns are under way already; nothing was done",
                    retry_after=_AGAIN,
                )
            self._now += 1
        try:
            yield
        finally:
            with self._lock:
                self._now -= 1
