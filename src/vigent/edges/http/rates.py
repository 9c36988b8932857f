"""How often a key may call: a bucket of tokens each, in the memory of the process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from vigent.errors import RateLimited

__all__ = ["Rates"]

_KEPT: Final = 10_000
"""How many keys have a bucket; who has not called for longest loses theirs, which was full."""


class Rates:
    """Buckets that fill at a rate, up to a burst; a rate of 0 limits nothing.

    ``clock`` gives seconds that only rise. Each process of a service counts for itself.
    """

    def __init__(
        self, per_second: float, burst: int = 0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = per_second
        self._burst = float(burst or max(1.0, 2 * per_second))
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._guard = threading.Lock()

    def take(self, tenant: str, key: str) -> None:
        """Take one call from a key's bucket; raises RateLimited where it is empty."""
        if not self._rate:
            return
        handle, now = (tenant, key), self._clock()
        with self._guard:
            left, at = self._buckets.pop(handle, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._rate)
            short = 1 - left
            self._buckets[handle] = (left if short > 0 else left - 1, now)
            if len(self._buckets) > _KEPT:
                self._buckets.popitem(last=False)
        if short > 0:
            raise RateLimited("the key made too many calls", retry_after=short / self._rate)
