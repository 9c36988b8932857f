"""Finds what may be shown, best first: ranks the passages in memory, walks down, checks each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeVar

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
_PART: Final = 64
"""How many passages are put in order at first; then more at a time, up to the largest part."""
_LARGEST: Final = 4096

T = TypeVar("T", bound=np.generic)


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
    """Give hits with those that are not among them: joined names may lead to one memory twice.

    It stands where it was found first.
    """
    found = {hit.id: hit for hit in hits}
    for hit in more:
        found.setdefault(hit.id, hit)
    return list(found.values())


def _descending(ranked: Sequence[Ranked]) -> Iterator[Found]:
    """Give passages by falling score; of equal ones the newest first, then the one noted last.

    An index that is built anew gives passages other numbers: these decide among those of one
    text alone.
    """
    if not ranked:
        return
    scores = _joined([r.scores for r in ranked])
    edges = np.cumsum([0, *(len(r.corpus) for r in ranked)])
    left, part = np.flatnonzero(scores > 0), _PART
    while len(left):
        best = left
        if len(left) > part:
            # Everything as good as the last of the part belongs to it: ties are told apart below.
            there = scores[left]
            least = np.partition(there, len(left) - part)[len(left) - part]
            best, left = left[there >= least], left[there < least]
        else:
            left = left[:0]
        part = min(part * 8, _LARGEST)
        cuts = np.searchsorted(best, edges).tolist()
        yield from _in_order(
            ranked,
            [best[cuts[i] : cuts[i + 1]] - edges[i] for i in range(len(ranked))],
            scores[best],
        )


def _in_order(ranked: Sequence[Ranked], rows: Sequence[Ints], scores: Floats) -> Iterator[Found]:
    """Give some passages of each scope in order; ``scores`` are theirs, one scope after another."""
    every = [(r.corpus, some) for r, some in zip(ranked, rows, strict=True)]
    kinds = _joined([corpus.kinds[some] for corpus, some in every])
    sources = _joined([corpus.sources[some] for corpus, some in every])
    ats = _joined([corpus.ats[some] for corpus, some in every])
    numbers = _joined([corpus.numbers[some] for corpus, some in every])
    bounds = _joined([corpus.bounds[some] for corpus, some in every])
    where = [(r.parts, row) for r, some in zip(ranked, rows, strict=True) for row in some.tolist()]
    order = np.lexsort((numbers, -sources, kinds, -ats, -scores))
    for place, kind, source, (start, stop), score in zip(
        map(where.__getitem__, order.tolist()), kinds[order].tolist(), sources[order].tolist(),
        bounds[order].tolist(), scores[order].tolist(), strict=True,
    ):  # fmt: skip
        told = partial(_parts, *place)
        yield Found(ITEM if kind == ITEM else MEMORY, source, start, stop, score, told)


def _joined(columns: Sequence[NDArray[T]]) -> NDArray[T]:
    """Give columns of several scopes as one; that of a single one as it is."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _parts(parts: Mapping[str, Floats], row: int) -> dict[str, float]:
    return {name: float(values[row]) for name, values in parts.items()}
