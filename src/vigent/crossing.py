"""The only crossing between asynchronous callers and the synchronous core.

Reads and writes wait in two separate queues, so that a burst of writes, which go one at a time
anyway, never keeps reads waiting. Each event loop has its own queues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

__all__ = ["Crossing"]

R = TypeVar("R")

READERS: Final = 8
WRITERS: Final = 2


class Crossing:
    """Runs calls in worker threads, at most so many reads and so many writes at once.

    A call that has begun is finished, also when its caller is cancelled meanwhile: a write is
    never left in doubt.
    """

    def __init__(self, *, readers: int = READERS, writers: int = WRITERS) -> None:
        self._readers = _Queue(readers)
        self._writers = _Queue(writers)

    async def read(self, call: Callable[[], R]) -> R:
        """Run a call that only reads."""
        return await to_thread.run_sync(call, limiter=self._readers.limiter())

    async def write(self, call: Callable[[], R]) -> R:
        """Run a call that may write."""
        return await to_thread.run_sync(call, limiter=self._writers.limiter())


class _Queue:
    """A limiter for each event loop that asks: a limiter must not serve two of them."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._of_loop: RunVar[CapacityLimiter] = RunVar("vigent crossing")

    def limiter(self) -> CapacityLimiter:
        try:
            return self._of_loop.get()
        except LookupError:
            made = CapacityLimiter(self._places)
            self._of_loop.set(made)
            return made
