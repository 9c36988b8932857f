"""Newest first: of what was said more than once, the last word stands above the earlier ones.

Only where the question is about now, only among the first three passages of talk, and only those
nearly as good as the best and near it in meaning. Scores change places and none is made, so that
what is found within the first three, five or ten stays the same. Memories are left alone: which
of them is in force, state decides.

Measured on nine questions about facts that had changed: the newest message stands first in 7
(2 by plain BM25). Of the others one names a moment gone by ("when"); in one the two messages are
just not alike enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vigent.domain.corpus import Corpus, Floats
from vigent.domain.passages import ITEM
from vigent.domain.rank import Ranking

__all__ = ["asks_about_now", "newest_first"]

_FIRST: Final = 3
_NEARLY: Final = 0.65
_ALIKE: Final = 0.4

# English only: of questions in other languages the order by relevance stays.
_PAST: Final = re.compile(
    r"\b(previous(ly)?|initial(ly)?|original(ly)?|first|before|earlier|former(ly)?|used to|ago"
    r"|when|oldest|past|how long|last (week|month|year|night|summer|winter|spring|fall|autumn)"
    r"|(in|on|since|until|by) (january|february|march|april|may|june|july|august|september"
    r"|october|november|december|\d{4}))\b",
    re.IGNORECASE,
)
_NOW: Final = re.compile(
    r"\b(now|currently|current|today|nowadays|these days|latest|recent(ly)?|newest|still"
    r"|at the moment|i|my|me|mine|we|our|us|is|are|does|do|has|have)\b",
    re.IGNORECASE,
)


class _Place(NamedTuple):
    score: float
    corpus: int
    row: int


def asks_about_now(question: str) -> bool:
    """Whether a question is about how things are, and names no time that has gone by."""
    return _NOW.search(question) is not None and _PAST.search(question) is None


def newest_first(
    corpora: Sequence[Corpus], rankings: Sequence[Ranking], question: str
) -> list[Ranking]:
    """Let the newest of the nearly best passages stand first, where the question is about now.

    Passages of one thread stay together, by score. The part ``newest`` of a score tells by how
    much it has changed; it is there only where something changed places.
    """
    group = _nearly_best(corpora, rankings) if asks_about_now(question) else []
    last: dict[tuple[int, int], int] = {}
    for place in group:
        talk = _talk(corpora, place)
        at = int(corpora[place.corpus].ats[place.row])
        last[talk] = max(last.get(talk, at), at)
    order = sorted(group, key=lambda p: (-last[_talk(corpora, p)], _talk(corpora, p), -p.score))
    if order == group:
        return list(rankings)
    changed = [
        Ranking(r.score.copy(), {**r.parts, "newest": np.zeros_like(r.score)}) for r in rankings
    ]
    score = np.float32(2)
    for place, had in zip(order, group, strict=True):
        score = min(np.float32(had.score), np.nextafter(score, np.float32(0)))
        changed[place.corpus].score[place.row] = score
        moved: Floats = changed[place.corpus].parts["newest"]
        moved[place.row] = score - np.float32(place.score)
    return changed


def _talk(corpora: Sequence[Corpus], place: _Place) -> tuple[int, int]:
    thread = int(corpora[place.corpus].homes[place.row])
    return (place.corpus, thread or -1 - place.row)


def _nearly_best(corpora: Sequence[Corpus], rankings: Sequence[Ranking]) -> list[_Place]:
    places: list[_Place] = []
    for i, (corpus, ranking) in enumerate(zip(corpora, rankings, strict=True)):
        # A stable sort of a few: those that could be among the first of all.
        count = min(_FIRST, len(corpus))
        if not count:
            continue
        bound = np.partition(ranking.score, len(corpus) - count)[len(corpus) - count]
        rows = np.flatnonzero(ranking.score >= bound)
        rows = rows[np.argsort(-ranking.score[rows], kind="stable")][:count]
        places += [_Place(float(ranking.score[row]), i, int(row)) for row in rows]
    places = sorted(places, key=lambda p: (-p.score, p.corpus, p.row))[:_FIRST]
    if not places or places[0].score <= 0:
        return []
    best = places[0]
    near = [
        place
        for place in places
        if place.score >= _NEARLY * best.score
        and corpora[place.corpus].kinds[place.row] == ITEM
        and _alike(corpora, best, place)
    ]
    return near if len(near) > 1 and near[0] == best else []


def _alike(corpora: Sequence[Corpus], one: _Place, two: _Place) -> bool:
    first, second = (_vector(corpora[p.corpus], p.row) for p in (one, two))
    return first is None or second is None or float(first @ second) >= _ALIKE


def _vector(corpus: Corpus, row: int) -> Floats | None:
    found = np.flatnonzero(corpus.vector_rows == row)
    return corpus.vectors[found[0]] if len(found) else None
