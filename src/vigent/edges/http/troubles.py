"""What calls were refused for lately: it tells how the service is, without trying it out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

__all__ = ["Troubles"]

_LATELY: Final = 10.0


class Troubles:
    """When each kind of trouble was met last; ``clock`` gives seconds that only rise."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._met: dict[str, float] = {}

    def note(self, code: str) -> None:
        """Note that a call was answered with this code."""
        self._met[code] = self._clock()

    def lately(self) -> set[str]:
        """Give the codes of the last ten seconds."""
        since = self._clock() - _LATELY
        return {code for code, at in self._met.items() if at >= since}
