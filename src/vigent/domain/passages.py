"""Passages: the pieces of text that search finds, and how memories and items are read as text."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final, NamedTuple, cast

from vigent.domain.episodes import EpisodeRow
from vigent.domain.terms import ASKS, asks, index_terms, pack_terms, packed
from vigent.domain.time import Instant, to_datetime

__all__ = [
    "CHUNK",
    "ITEM",
    "MEMORY",
    "EmbedderRow",
    "PassageRow",
    "VectorRow",
    "chunks",
    "fact_text",
    "kind_of",
    "passages_of_fact",
    "passages_of_item",
    "passages_of_memory",
    "scope_token",
    "searchable",
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


class EmbedderRow(NamedTuple):
    """A model that makes vectors, as stored.

    It has seen every passage up to ``done``. Whoever makes its vectors has the lease until an
    instant; ``problem`` says why none are made.
    """

    no: int
    name: str
    revision: str
    dimension: int
    done: int
    lease_until: Instant
    problem: str | None


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


def scope_token(salt: bytes, tenant: str, store: str, person: str) -> str:
    """Give the token under which the passages of a person, or shared ones, stand."""
    text = f"[{', '.join(map(encode_basestring_ascii, (tenant, store, person)))}]"  # as JSON
    return hashlib.blake2b(text.encode(), key=salt, digest_size=12).hexdigest()


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


_BETWEEN: Final = len(" \u00b7 : ")


def fact_text(name: str, attribute: str, value: str) -> str:
    """Give a typed fact as text: "mira · passport deadline: 2026-06-30"."""
    return f"{name} · {attribute.replace('_', ' ')}: {value}"


@lru_cache(maxsize=10_000)
def _packed_attribute(attribute: str) -> bytes:
    return packed(attribute.replace("_", " "))


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
) -> list[PassageRow]:
    """Give the passages of a memory; ``name`` is its subject's, empty where it has none."""
    about = packed(name)
    return [
        PassageRow(
            0, tenant, scope, MEMORY, type, statement, key, start, stop, at, about,
            packed(text[start:stop]),
        )
        for start, stop in chunks(text)
    ]  # fmt: skip


def passages_of_fact(
    tenant: str,
    scope: str,
    *,
    statement: int,
    key: int,
    type: str,
    name: str,
    attribute: str,
    value: str,
    at: Instant,
) -> list[PassageRow]:
    """Give the passages of a fact: those of its text, put together of terms that are known.

    Every write of a fact comes by here, so its text is made only where it is a long one.
    """
    length = len(name) + len(attribute) + len(value) + _BETWEEN
    if length > CHUNK:
        text = fact_text(name, attribute, value)
        return passages_of_memory(
            tenant, scope, statement=statement, key=key, type=type, name=name, text=text, at=at
        )
    about = packed(name)
    words = about + _packed_attribute(attribute) + packed(value)
    return [PassageRow(0, tenant, scope, MEMORY, type, statement, key, 0, length, at, about, words)]


def passages_of_item(scope: str, episode: EpisodeRow, thread: int) -> Iterator[PassageRow]:
    """Give the passages of an episode.

    Beside its own words one is found by its speaker, its day in UTC, and what its metadata name
    as ``location``, ``entities`` and ``tags``. One that ends with a question bears ``ASKS``.
    """
    said, at = episode.content or "", episode.occurred_at
    who = index_terms(episode.speaker or "")
    beside = pack_terms([*who, *index_terms(_day(at)), *_named(json.loads(episode.metadata))])
    about = pack_terms(who)
    for start, stop in chunks(said):
        part = said[start:stop]
        words = beside + pack_terms([*index_terms(part), *([ASKS] if asks(part) else [])])
        yield PassageRow(
            0, episode.tenant, scope, ITEM, kind_of(episode), episode.no, thread, start, stop, at,
            about, words,
        )  # fmt: skip


def searchable(episode: EpisodeRow, *, sealed: bool) -> bool:
    """Whether search may find an episode: not what is sealed, nor a model's own reasoning."""
    return not sealed and episode.kind != "reasoning" and episode.content is not None


def kind_of(episode: EpisodeRow) -> str:
    """Give what an episode is: of a message who says it, else its kind."""
    if episode.kind != "message":
        return episode.kind
    return "tool_result" if episode.role == "tool" else episode.role


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
