"""What a recipe makes of what was ranked: what it leaves out, and in which order it hands out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vigent.domain.corpus import Corpus
from vigent.domain.passages import ITEM
from vigent.domain.precise import bearing_names, named, rare_rows
from vigent.domain.query import Hit, Plan
from vigent.domain.rank import Ranking
from vigent.domain.recipes import Found, Recipe, arrange
from vigent.domain.records import Record
from vigent.domain.time import Instant

__all__ = ["about_named", "arranged", "own_first", "precise_rows", "said_then", "with_then"]

_UNRATED = 5
_THEN: Final = np.float32(0.03)
"""How much higher what was said in the time that a question names stands."""


def arranged(hits: Sequence[Hit], recipe: Recipe, now: Instant) -> list[Hit]:
    """Put hits in a recipe's order, with its score and the parts of that."""
    if recipe.relevance == 1.0:
        return list(hits)
    placed = arrange([_weighed(hit) for hit in hits], recipe, now)
    return [
        replace(hits[p.which], score=p.score, parts={**hits[p.which].parts, **p.parts})
        for p in placed
    ]


def own_first(hits: Sequence[Hit], same: Callable[[Record], Hashable]) -> list[Hit]:
    """Put a person's own value before the shared one of the same fact, where both are in force.

    ``same`` gives what two records of one fact have in common, None for what is none.
    """
    facts = [same(h.record) if h.record is not None and h.in_force else None for h in hits]
    shared: dict[Hashable, int] = {}
    places: list[float] = []
    for place, (hit, fact) in enumerate(zip(hits, facts, strict=True)):
        own = hit.record is not None and bool(hit.record.key.person)
        if fact is not None and not own:
            shared.setdefault(fact, place)
        places.append(shared[fact] - 0.5 if own and fact in shared else place)
    return [hits[i] for i in sorted(range(len(hits)), key=places.__getitem__)]


def _weighed(hit: Hit) -> Found:
    if hit.record is not None:
        record = hit.record
        return Found(hit.score, record.effective_confidence, record.importance, record.made)
    said = 0 if hit.episode is None else hit.episode.row.occurred_at
    return Found(hit.score, None, _UNRATED, said)


def precise_rows(
    corpora: Sequence[Corpus], plan: Plan, subjects: Mapping[str, Collection[str]]
) -> list[NDArray[np.bool_]]:
    """Tell which passages the question names, with a slip forgiven, or shares rare words with.

    Where it names somebody, what is of others is left out.
    """
    every = list(subjects)
    asked = named(plan.query, [[s, *subjects[s]] for s in every])
    names = {n for s, there in zip(every, asked, strict=True) if there for n in (s, *subjects[s])}
    rare = rare_rows(corpora, plan.query)
    fits = [
        bearing_names(c, names.union(plan.attributes)) | there
        for c, there in zip(corpora, rare, strict=True)
    ]
    if not names:
        return fits
    return [fit & about_named(c, names) for fit, c in zip(fits, corpora, strict=True)]


def about_named(corpus: Corpus, names: Collection[str]) -> NDArray[np.bool_]:
    """Tell which passages may be about somebody: those that bear one of the names, or none.

    A question that names a subject is not answered by what is said of others alone.
    """
    return (corpus.abouts < 0) | (corpus.kinds == ITEM) | bearing_names(corpus, names)


def with_then(corpus: Corpus, plan: Plan, ranking: Ranking, fit: NDArray[np.bool_]) -> Ranking:
    """Give the scores of what fits with the part ``said_then``, for what was said at that time."""
    then = _THEN * said_then(corpus, plan)
    score = np.where(fit, ranking.score + then, np.float32(0))
    return Ranking(score, {**ranking.parts, "said_then": then})


def said_then(corpus: Corpus, plan: Plan) -> NDArray[np.bool_]:
    """Tell which episodes were said in the time that the question names.

    They stand somewhat higher and others are not left out: of what was in July people speak in
    August too.
    """
    if plan.after is None and plan.before is None:
        return np.zeros(len(corpus), bool)
    then = corpus.kinds == ITEM
    if plan.after is not None:
        then &= corpus.ats >= plan.after
    if plan.before is not None:
        then &= corpus.ats < plan.before
    return then
