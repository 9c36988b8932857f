"""The only crossing between asynchronous callers and the synchronous core.

Reads and writes wait in two separate queues, so that a burst of writes, which go one at a time
anyway, never keeps reads waiting. Each event loop has its own queues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

from vigent.errors import Overloaded

__all__ = ["Crossing"]

R = TypeVar("R")

READERS: Final = 8
WRITERS: Final = 2


class Crossing:
    """Runs calls in worker threads, at most so many reads and so many writes at once.

    A call that has begun is finished, also when its caller is cancelled meanwhile: a write is
    never left in doubt. Where ``waiting`` is given, so many may wait in each queue, and a call
    beyond them raises Overloaded at once.
    """

    def __init__(
        self, *, readers: int = READERS, writers: int = WRITERS, waiting: int | None = None
    ) -> None:
        self._readers = _Queue(readers, waiting)
        self._writers = _Queue(writers, waiting)

    async def read(self, call: Callable[[], R]) -> R:
        """Run a call that only reads."""
        return await self._readers.run(call)

    async def write(self, call: Callable[[], R]) -> R:
        """Run a call that may write."""
        return await self._writers.run(call)

    async def settle(self, call: Callable[[], R]) -> R:
        """Run a call that ends or goes on with what was begun: it is never turned away."""
        return await self._writers.run(call, begun=True)


class _Queue:
    """A limiter for each event loop that asks: a limiter must not serve two of them."""

    def __init__(self, places: int, waiting: int | None) -> None:
        self._places = places
        self._most = None if waiting is None else places + waiting
        self._inside = 0
        self._of_loop: RunVar[CapacityLimiter] = RunVar("vigent crossing")

    async def run(self, call: Callable[[], R], *, begun: bool = False) -> R:
        if not begun and self._most is not None and self._inside >= self._most:
            raise Overloaded("too many calls wait already; nothing was done")
        self._inside += 1
        try:
            return await to_thread.run_sync(call, limiter=self.limiter())
        finally:
            self._inside -= 1

    def limiter(self) -> CapacityLimiter:
        try:
            return self._of_loop.get()
        except LookupError:
            made = CapacityLimiter(self._places)
            self._of_loop.set(made)
            return made
