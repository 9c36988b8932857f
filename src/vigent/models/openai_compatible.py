"""An embedder behind an OpenAI-compatible server."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Sequence
from typing import Any, Final, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from vigent.errors import InvalidInput, ModelUnavailable
from vigent.models.endpoint import Endpoint, Refusal
from vigent.models.vectors import embeddable, is_blank, spread, unit_rows

__all__ = ["OpenAIEmbedder"]

_PROBE: Final = "How many numbers?"
_QUERY_ATTEMPTS: Final = 2


class OpenAIEmbedder:
    """Asks ``POST {base_url}/embeddings``, as OpenAI and most local servers serve it.

    ``base_url`` goes as far as ``/v1``. ``dimension`` is found at first use where it is not
    given; vectors of any other are then an error. ``revision`` is yours to change when the
    server's weights change. ``timeout`` and ``query_timeout`` are seconds for one try, of
    passages and of a question; passages are tried ``attempts`` times at most, a question twice.
    ``batch`` is how many texts go into one request. Some models want ``query_prefix`` and
    ``passage_prefix`` before the texts (``"query: "`` and ``"passage: "`` for E5).

    A text that the server refuses, or gives no usable vector for, has a row of zeros. Where
    every text is refused, a plain one is tried, and if that fails too ModelUnavailable is raised.
    May be used from several threads; ``close`` ends its connections.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimension: int | None = None,
        revision: str = "",
        timeout: float = 30.0,
        query_timeout: float = 5.0,
        batch: int = 64,
        attempts: int = 4,
        backoff: float = 0.5,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        if not model.strip():
            raise InvalidInput("model", "must name a model of the server")
        for field, number in (
            ("dimension", 1 if dimension is None else dimension),
            ("timeout", timeout),
            ("query_timeout", query_timeout),
            ("batch", batch),
            ("attempts", attempts),
        ):
            if not number > 0:
                raise InvalidInput(field, "must be more than 0")
        self._endpoint = Endpoint(
            base_url, api_key=api_key, timeout=timeout, attempts=attempts, backoff=backoff
        )
        self._model = model
        self._dimension = dimension
        self._revision = revision
        self._query_timeout = query_timeout
        self._batch = batch
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._endpoint.shown!r}, {self._model!r})"

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""
        return self._model

    @property
    def revision(self) -> str:
        """The revision given, with the prefix of passages: other words give other vectors."""
        prefix = self._passage_prefix
        return f"{self._revision}|{prefix}" if prefix else self._revision

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; asks the server once, where it was not given."""
        if self._dimension is None:
            self._probe("")
        return cast("int", self._dimension)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row of unit length a text; zeros for one that is empty or was refused."""
        there = [text for text in dict.fromkeys(texts) if not is_blank(text)]
        vectors: dict[str, NDArray[np.float32]] = {}
        reasons: list[str] = []
        for first in range(0, len(there), self._batch):
            some = there[first : first + self._batch]
            sent = [self._passage_prefix + embeddable(text) for text in some]
            rows = self._embed(sent, reasons)
            vectors.update((t, r) for t, r in zip(some, rows, strict=True) if r is not None)
        if there and not vectors:
            self._probe(reasons[0])
        return spread(texts, vectors, self.dimension)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question; zeros for one that is empty or was refused."""
        if is_blank(text):
            return np.zeros(self.dimension, np.float32)
        reasons: list[str] = []
        sent = [self._query_prefix + embeddable(text)]
        (row,) = self._embed(sent, reasons, self._query_timeout, _QUERY_ATTEMPTS)
        if row is None:
            self._probe(reasons[0])
            return np.zeros(self.dimension, np.float32)
        return row

    def close(self) -> None:
        """Close its connections."""
        self._endpoint.close()

    def _probe(self, reason: str) -> None:
        """Embed a plain text: is it the texts that are refused, or the set-up that is wrong?"""
        reasons: list[str] = []
        (row,) = self._embed([_PROBE], reasons, self._query_timeout, _QUERY_ATTEMPTS)
        if row is None:
            raise ModelUnavailable(
                f"{self._endpoint.shown} refuses every text: {reason or reasons[0]}"
            )

    def _embed(
        self,
        texts: Sequence[str],
        reasons: list[str],
        timeout: float | None = None,
        attempts: int | None = None,
    ) -> list[NDArray[np.float32] | None]:
        """Give a vector for each text; None, and a reason, where there is none."""
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        answer = self._endpoint.post("embeddings", body, timeout=timeout, attempts=attempts)
        if isinstance(answer, Refusal):
            if len(texts) > 1:  # by halves, down to the texts that are refused
                half = len(texts) // 2
                return [
                    *self._embed(texts[:half], reasons, timeout, attempts),
                    *self._embed(texts[half:], reasons, timeout, attempts),
                ]
            reasons.append(answer.reason)
            return [None]
        rows = unit_rows(self._rows(answer, len(texts)))
        given = [row if row.any() else None for row in rows]
        if any(row is None for row in given):
            reasons.append("its vector is not of finite numbers, or is zero")
        return given

    def _rows(self, answer: dict[str, Any], count: int) -> NDArray[np.float64]:
        """Give the vectors of an answer in the order of the texts, all of one dimension."""
        data = _in_order(answer.get("data"), count)
        vectors = [None if item is None else _vector(item) for item in data or [None]]
        found = [vector for vector in vectors if vector is not None]
        if len(found) < count:
            raise ModelUnavailable(
                f"{self._endpoint.shown} answered with what is no list of {count} vectors"
            )
        with self._lock:
            expected = self._dimension or len(found[0])
            for vector in found:
                if len(vector) != expected:
                    raise ModelUnavailable(
                        f"{self._endpoint.shown} answers for {self._model} with vectors of "
                        f"{len(vector)} numbers, not of {expected} as before or as was given"
                    )
            self._dimension = expected
        return np.stack(found)


def _in_order(data: Any, count: int) -> list[Any] | None:
    """Give the items in the order of their ``index``; as they stand where none has one."""
    if not _is_list(data) or len(data) != count:
        return None
    items = [cast("dict[str, Any]", item) for item in data if isinstance(item, dict)]
    if len(items) != count:
        return None
    places = [item.get("index") for item in items]
    if all(place is None for place in places):
        return [item.get("embedding") for item in items]
    by_place = dict(zip(places, items, strict=True)) if all(map(_is_int, places)) else {}
    if set(by_place) != set(range(count)):
        return None
    return [by_place[place].get("embedding") for place in range(count)]


def _vector(embedding: Any) -> NDArray[np.float64] | None:
    """Give a vector that came as numbers, or as base64 of little-endian float32."""
    try:
        if isinstance(embedding, str):
            raw = np.frombuffer(base64.b64decode(embedding, validate=True), "<f4")
            vector = raw.astype(np.float64)
        elif _is_list(embedding) and all(map(_is_number, embedding)):
            vector = np.array(embedding, np.float64)
        else:
            return None
    except (ValueError, OverflowError, binascii.Error):
        return None
    return vector if len(vector) else None


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    # Some servers write a number that is none as null.
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
