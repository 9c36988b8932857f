"""Passages: the pieces of text that search finds, and how memories and items are read as text."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from vigent.domain.terms import ASKS, asks, index_terms, pack_terms
from vigent.domain.time import Instant, to_datetime

__all__ = [
    "CHUNK",
    "ITEM",
    "MEMORY",
    "PassageRow",
    "VectorRow",
    "chunks",
    "fact_text",
    "passages_of_item",
    "passages_of_memory",
]

MEMORY: Final = 0
"""A passage of a memory: its text, or its fact rendered as text."""
ITEM: Final = 1
"""A passage of an episode: a message, a tool's result, an event."""

CHUNK: Final = 1_200
"""Characters of a passage, at most; longer texts are several passages."""
_BREAKS: Final = (
    re.compile(r"\n\s*"),
    re.compile(r"(?<=[.!?\u3002\uff01\uff1f\u2026])\s*"),
    re.compile(r"\s+"),
)


class PassageRow(NamedTuple):
    """A passage as stored.

    ``no`` is 0 until it is given one; ``scope`` is the token of whose it is; ``source`` the
    number of the statement or of the episode; ``home`` of the key or of the thread (0: none).
    It covers the code points ``[start, stop)`` of what its source says. ``about`` are the terms
    that name whom it is about or who says it; ``words`` all its terms; ``at`` when it was made
    or said.
    """

    no: int
    tenant: str
    scope: str
    kind: int
    type: str
    source: int
    home: int
    start: int
    stop: int
    at: Instant
    about: bytes
    words: bytes


class VectorRow(NamedTuple):
    """The vector of a passage by one model: little-endian float16 of unit length, or empty.

    Empty means that the model refused the text.
    """

    no: int
    tenant: str
    scope: str
    model: int
    passage: int
    data: bytes


def chunks(text: str) -> Iterator[tuple[int, int]]:
    """Give the stretches of a text that are passages: none longer than ``CHUNK``, none missing.

    A cut is made at the last line, sentence or word that ends in the second half of a stretch;
    where there is none, in the middle of what is written.
    """
    start, end = 0, len(text)
    while end - start > CHUNK:
        cut = _cut(text, start + CHUNK // 2, start + CHUNK)
        yield start, cut
        start = cut
    yield start, end


def _cut(text: str, low: int, high: int) -> int:
    for pattern in _BREAKS:
        last = 0
        for found in pattern.finditer(text, low, high):
            last = found.end() or last
        if last > low:
            return last
    return high


def fact_text(name: str, attribute: str, value: str) -> str:
    """Give a typed fact as text: "mira · passport deadline: 2026-06-30"."""
    return f"{name} · {attribute.replace('_', ' ')}: {value}"


def passages_of_memory(
    tenant: str,
    scope: str,
    *,
    statement: int,
    key: int,
    type: str,
    name: str,
    text: str,
    at: Instant,
) -> Iterator[PassageRow]:
    """Give the passages of a memory; ``name`` is its subject's, empty where it has none."""
    about = pack_terms(index_terms(name)) if name else b""
    for start, stop in chunks(text):
        words = pack_terms(index_terms(text[start:stop]))
        yield PassageRow(
            0, tenant, scope, MEMORY, type, statement, key, start, stop, at, about, words
        )


def passages_of_item(
    tenant: str,
    scope: str,
    *,
    episode: int,
    thread: int,
    kind: str,
    speaker: str | None,
    text: str,
    at: Instant,
    metadata: dict[str, Any],
) -> Iterator[PassageRow]:
    """Give the passages of an episode.

    Beside its own words one is found by its speaker, its day in UTC, and what its metadata name
    as ``location``, ``entities`` and ``tags``. One that ends with a question bears ``ASKS``.
    """
    who = index_terms(speaker or "")
    beside = pack_terms([*who, *index_terms(_day(at)), *_named(metadata)])
    about = pack_terms(who)
    for start, stop in chunks(text):
        said = text[start:stop]
        words = beside + pack_terms([*index_terms(said), *([ASKS] if asks(said) else [])])
        yield PassageRow(
            0, tenant, scope, ITEM, kind, episode, thread, start, stop, at, about, words
        )


def _day(at: Instant) -> str:
    day: dt.datetime = to_datetime(at)
    return f"{day.day} {day:%B} {day.year}"


def _named(metadata: dict[str, Any]) -> Iterator[str]:
    for field in ("location", "entities", "tags"):
        given = metadata.get(field)
        names: list[Any] = cast("list[Any]", given) if isinstance(given, list) else [given]
        for name in names:
            if isinstance(name, str):
                yield from index_terms(name)
