"""What the core asks of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embedder"]


class Embedder(Protocol):
    """Turns texts into vectors that lie close together where the texts mean alike.

    Vectors are kept under ``name``, ``revision`` and ``dimension``; those of two embedders are
    never compared. Both methods give one row of ``dimension`` float32 numbers for each text, of
    any length. A row has unit length; a text that is empty, or that the model refuses, has a row
    of zeros, so that one bad text does not stop the others. They may be called from several
    threads. Raises ModelUnavailable, also from ``dimension`` where a server must be asked.
    """

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def revision(self) -> str:
        """The version of its weights."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors of texts that are to be found."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question, as one row."""
        ...
