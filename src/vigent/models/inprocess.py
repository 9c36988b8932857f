"""A model that runs in this process: loaded once, shared by all who use it, one call at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vigent.models.vectors import embeddable, is_blank, spread, unit_rows

__all__ = ["LONGEST", "Encode", "SharedModel"]

LONGEST: Final = 8_000
"""Code points of a text that are looked at; far longer than any passage."""
_TOGETHER: Final = 2_400  # code points for which the model is taken: a question waits no longer

Encode: TypeAlias = Callable[[Sequence[str], bool], NDArray[np.float32]]
"""Gives the vectors of texts; the second argument says whether they are questions."""


class SharedModel:
    """Loads a model at first use, and lets one thread use it at a time.

    Such models set the number of their threads while they run, for the whole process: two at
    once would undo each other's setting.
    """

    def __init__(self, load: Callable[[], Encode], dimension: int) -> None:
        self._load = load
        self._dimension = dimension
        self._lock = threading.Lock()
        self._encode: Encode | None = None
        self._asking = 0

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row of unit length a text; zeros for a text that is empty."""
        vectors: dict[str, NDArray[np.float32]] = {}
        for some in _slices([t for t in dict.fromkeys(texts) if not is_blank(t)]):
            if self._asking:  # a lock that is taken again at once lets nobody else pass
                time.sleep(0.001)
            vectors.update(zip(some, self._run(some, question=False), strict=True))
        return spread(texts, vectors, self._dimension)

    def question(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question, ahead of passages; zeros for one that is empty."""
        if is_blank(text):
            return np.zeros(self._dimension, np.float32)
        self._asking += 1
        try:
            return self._run([text], question=True)[0]
        finally:
            self._asking -= 1

    def _run(self, texts: Sequence[str], *, question: bool) -> NDArray[np.float32]:
        taken = [embeddable(text, LONGEST) for text in texts]
        with self._lock:
            if self._encode is None:
                self._encode = self._load()
            return unit_rows(self._encode(taken, question))


def _slices(texts: Sequence[str]) -> Iterator[list[str]]:
    """Give texts in order, as many at once as are short enough together."""
    taken: list[str] = []
    size = 0
    for text in texts:
        length = min(len(text), LONGEST)
        if taken and size + length > _TOGETHER:
            yield taken
            taken, size = [], 0
        taken.append(text)
        size += length
    if taken:
        yield taken
