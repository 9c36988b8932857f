"""Finds what may be shown, best first: ranks the passages in memory, walks down, checks each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vigent.domain.corpus import Corpus, Floats, Ints
from vigent.domain.passages import ITEM, MEMORY
from vigent.domain.query import Hit
from vigent.read.found import Checker, Found, Wanted

__all__ = ["Ranked", "allowed", "walk"]

_SPARE: Final = 8
"""How many more than asked for are checked at first, since some may not be shown."""
_MOST: Final = 1024
_PART: Final = 4096


class Ranked(NamedTuple):
    """The passages of one scope with their scores; those at or below 0 are never shown."""

    corpus: Corpus
    scores: Floats
    parts: Mapping[str, Floats]


def allowed(
    corpus: Corpus, wanted: Wanted, *, episodes: bool, homes: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """Say which passages the filters that the columns know admit.

    ``homes`` are the keys that a subject or an attribute leaves, None for all.
    """
    memories = corpus.kinds == MEMORY
    fit = np.ones(len(corpus), bool) if episodes else memories.copy()
    if homes is not None:
        fit &= np.isin(corpus.homes, homes) & memories
    if wanted.types is not None:
        fit &= _of_types(corpus, wanted.types)
    if wanted.without:
        fit &= ~_of_types(corpus, wanted.without)
    if wanted.after is not None:
        fit &= corpus.ats >= wanted.after
    if wanted.before is not None:
        fit &= corpus.ats < wanted.before
    return fit


def _of_types(corpus: Corpus, names: frozenset[str]) -> NDArray[np.bool_]:
    """Say which passages are of some types."""
    asked = np.array([name in names for name in corpus.types], bool)
    return asked[corpus.type_ids]


def walk(ranked: Sequence[Ranked], checker: Checker, limit: int) -> list[Hit]:
    """Give the best hits, at most ``limit``: a memory or an episode once, by its best passage."""
    hits: list[Hit] = []
    seen: set[tuple[int, int]] = set()
    batch: list[Found] = []
    size = limit + _SPARE
    for one in _descending(ranked):
        if (one.kind, one.source) in seen:
            continue
        seen.add((one.kind, one.source))
        batch.append(one)
        if len(batch) == size:
            hits = _once(hits, checker.hits(batch, limit - len(hits)))
            batch, size = [], min(size * 2, _MOST)
            if len(hits) >= limit:
                break
    if batch and len(hits) < limit:
        hits = _once(hits, checker.hits(batch, limit - len(hits)))
    return hits


def _once(hits: list[Hit], more: list[Hit]) -> list[Hit]:
    """Give hits with those that are not among them: joined names may lead to one memory twice."""
    return list({hit.id: hit for hit in reversed([*hits, *more])}.values())[::-1]


def _descending(ranked: Sequence[Ranked]) -> Iterator[Found]:
    """Give passages by falling score; of equal ones the newest first, then the one noted last.

    An index that is built anew gives passages other numbers: these decide among those of one
    text alone.
    """
    if not ranked:
        return
    scores = np.concatenate([r.scores for r in ranked])
    where: Ints = np.concatenate([np.full(len(r.corpus), i) for i, r in enumerate(ranked)])
    rows = np.concatenate([np.arange(len(r.corpus)) for r in ranked])
    ats = np.concatenate([r.corpus.ats for r in ranked])
    kinds = np.concatenate([r.corpus.kinds for r in ranked])
    sources = np.concatenate([r.corpus.sources for r in ranked])
    numbers = np.concatenate([r.corpus.numbers for r in ranked])
    left = np.flatnonzero(scores > 0)
    while len(left):
        best = left
        if len(left) > _PART:
            # Everything as good as the last of the part belongs to it: ties are told apart below.
            least = np.partition(scores[left], len(left) - _PART)[len(left) - _PART]
            best, left = left[scores[left] >= least], left[scores[left] < least]
        else:
            left = left[:0]
        order = np.lexsort(
            (numbers[best], -sources[best], kinds[best], -ats[best], -scores[best])
        )  # fmt: skip
        for index in best[order].tolist():
            yield _found(ranked[int(where[index])], int(rows[index]))


def _found(ranked: Ranked, row: int) -> Found:
    corpus = ranked.corpus

    def parts() -> dict[str, float]:
        return {name: float(values[row]) for name, values in ranked.parts.items()}

    return Found(
        ITEM if corpus.kinds[row] == ITEM else MEMORY, int(corpus.sources[row]),
        *corpus.bounds(row), float(ranked.scores[row]), parts,
    )  # fmt: skip
