"""A model that runs in this process: loaded once, shared by all who use it, one call at a time."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import distribution
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from vigent.models.vectors import embeddable, is_blank, spread, unit_rows

__all__ = ["Encode", "SharedModel", "revision_of"]

Encode: TypeAlias = Callable[[Sequence[str], bool], NDArray[np.float32]]
"""Gives the vectors of texts; the second argument says whether they are questions."""


@functools.cache
def revision_of(package: str, weights: str) -> str:
    """Give the version of an installed package and the digest of its file of weights.

    Either may change the vectors: the package also holds the code that makes them.
    """
    found = distribution(package)
    digests = [file.hash.value for file in found.files or () if file.name == weights and file.hash]
    return f"{found.version}-{digests[0][:12]}" if digests else found.version


class SharedModel:
    """Loads a model at first use, and lets one thread use it at a time.

    Such models set the number of their threads while they run, for the whole process: two at
    once would undo each other's setting. Of a text the first ``longest`` code points count, as
    time grows with length and models know nothing of longer texts than they were trained on.
    Passages are taken ``together`` code points at a time, and a question waits no longer.
    """

    def __init__(
        self, load: Callable[[], Encode], dimension: int, *, longest: int, together: int
    ) -> None:
        self._load = load
        self._dimension = dimension
        self._longest = longest
        self._together = together
        self._lock = threading.Lock()
        self._encode: Encode | None = None
        self._asking: list[None] = []  # one entry a question; both ends of it are atomic

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row of unit length a text; zeros for a text that is empty."""
        vectors: dict[str, NDArray[np.float32]] = {}
        for some in self._slices([t for t in dict.fromkeys(texts) if not is_blank(t)]):
            if self._asking:  # a lock that is taken again at once lets nobody else pass
                time.sleep(0.001)
            vectors.update(zip(some, self._run(some, question=False), strict=True))
        return spread(texts, vectors, self._dimension)

    def question(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question, ahead of passages; zeros for one that is empty."""
        if is_blank(text):
            return np.zeros(self._dimension, np.float32)
        self._asking.append(None)
        try:
            return self._run([text], question=True)[0]
        finally:
            self._asking.pop()

    def _run(self, texts: Sequence[str], *, question: bool) -> NDArray[np.float32]:
        taken = [embeddable(text, self._longest) for text in texts]
        with self._lock:
            if self._encode is None:
                self._encode = self._load()
            return unit_rows(self._encode(taken, question))

    def _slices(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Give texts in order, as many at once as are short enough together."""
        taken: list[str] = []
        size = 0
        for text in texts:
            length = min(len(text), self._longest)
            if taken and size + length > self._together:
                yield taken
                taken, size = [], 0
            taken.append(text)
            size += length
        if taken:
            yield taken
