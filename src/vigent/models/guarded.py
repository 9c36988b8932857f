"""Models that anybody may have written, made safe to use."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vigent.errors import ModelFailed, ModelUnavailable, ProviderError
from vigent.ports.models import (
    Completion,
    Conversed,
    Embedder,
    LanguageModel,
    Spoken,
    Told,
    ToolOffered,
)

__all__ = ["GuardedEmbedder", "GuardedLanguageModel"]

_T = TypeVar("_T")


class GuardedEmbedder:
    """Passes calls on to an embedder, and raises nothing but ModelUnavailable.

    Of an error that is another the name of its type is told and not its message, which may hold
    a key. A vector of another length than ``dimension``, or with a number that is none, is an
    error too. ``dimension`` is asked until it is known, and then no more.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._dimension: int | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return _guarded(lambda: self._embedder.name)

    @property
    def revision(self) -> str:
        """The version of its weights."""
        return _guarded(lambda: self._embedder.revision)

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        if self._dimension is None:
            found = _guarded(lambda: int(self._embedder.dimension))
            if found < 1:
                raise ModelUnavailable(f"{self.name}: says that its vectors have no numbers")
            self._dimension = found
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors of texts that are to be found."""
        rows = _guarded(lambda: np.asarray(self._embedder.embed_passages(texts), np.float32))
        return self._checked(rows, (len(texts), self.dimension))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question, as one row."""
        row = _guarded(lambda: np.asarray(self._embedder.embed_query(text), np.float32))
        return self._checked(row.reshape(-1), (self.dimension,))

    def _checked(self, rows: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.float32]:
        if rows.shape != shape or not np.isfinite(rows).all():
            raise ModelUnavailable(f"{self.name}: gave vectors of the wrong form")
        return rows


class GuardedLanguageModel:
    """Passes calls on to a language model, and raises nothing but what is below ModelFailed.

    Of an error that is another the name of its type is told and not its message, which may hold
    a key or what was said.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return _guarded(lambda: self._model.name)

    @property
    def provider(self) -> str:
        """Who serves it."""
        return _guarded(lambda: self._model.provider)

    def complete(
        self,
        messages: Sequence[Told],
        *,
        schema: Mapping[str, Any] | None = None,
        least: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """Give the answer to messages."""
        try:
            return _guarded(
                lambda: self._model.complete(
                    messages, schema=schema, least=least, max_tokens=max_tokens, timeout=timeout
                )
            )
        except ModelFailed:
            raise
        except ModelUnavailable as error:
            raise ProviderError(error.message).spent(1, 1, 0, 0) from None

    async def converse(
        self,
        messages: Sequence[Spoken],
        *,
        tools: Sequence[ToolOffered] = (),
        max_tokens: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - for all tries, not for one wait
    ) -> AsyncGenerator[str | Conversed]:
        """Give the answer to messages in pieces, and last of all as a whole."""
        try:
            async with aclosing(
                self._model.converse(messages, tools=tools, max_tokens=max_tokens, timeout=timeout)
            ) as answer:
                async for part in answer:
                    yield part
        except ModelFailed:
            raise
        except Exception as error:  # noqa: BLE001 - the code of others
            raise ProviderError(type(error).__name__).spent(1, 1, 0, 0) from None


def _guarded(call: Callable[[], _T]) -> _T:
    try:
        return call()
    except ModelUnavailable:
        raise
    except Exception as error:  # noqa: BLE001 - the code of others: a search goes on without it
        raise ModelUnavailable(type(error).__name__) from None
