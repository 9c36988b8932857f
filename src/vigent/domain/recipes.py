"""Recipes: what a ranking is for, as data.

``relevance`` ranks by the text alone. ``precise`` too, but keeps only what the question names
(``precise.py``). The other three weigh in what is known of a memory: ``blend`` half its effective
confidence; ``confidence`` nothing else first; ``generative`` how new and how important it is, as
agents that simulate people do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from vigent.domain.time import Instant

__all__ = ["RECIPES", "Found", "Placed", "Recipe", "arrange"]

_HOUR: Final = 3_600_000_000


class Found(NamedTuple):
    """What a recipe weighs of something found.

    ``relevance`` in [0, 1]; ``confidence`` the effective one in [0, 1], None where it is unknown
    or there is none, as for an episode; ``importance`` 1 to 10; ``created`` when it was made.
    """

    relevance: float
    confidence: float | None
    importance: int
    created: Instant


class Placed(NamedTuple):
    """Which of those found stands here, with the score and parts that put it here."""

    which: int
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much each thing weighs in a score; the weights add up to 1.

    With ``named_only`` what the question does not name is left out. With ``ties_by_relevance``
    things of unknown confidence stand last, and relevance decides among equals.
    """

    name: str
    relevance: float = 0.0
    confidence: float = 0.0
    importance: float = 0.0
    recency: float = 0.0
    half_life_hours: float = 1.0
    named_only: bool = False
    ties_by_relevance: bool = False


RECIPES: Final[Mapping[str, Recipe]] = MappingProxyType(
    {
        recipe.name: recipe
        for recipe in (
            Recipe("relevance", relevance=1.0),
            Recipe("precise", relevance=1.0, named_only=True),
            Recipe("blend", relevance=0.5, confidence=0.5),
            Recipe("confidence", confidence=1.0, ties_by_relevance=True),
            Recipe("generative", recency=0.3, relevance=0.5, importance=0.2),
        )
    }
)
"""The recipes by name; ``relevance`` is the default."""


def arrange(found: Sequence[Found], recipe: Recipe, now: Instant) -> list[Placed]:
    """Put what was found in a recipe's order, best first; equals stay in the order given.

    An unknown confidence counts as 0. Recency halves with every ``half_life_hours`` since the
    creation, and is 1 for what lies ahead of ``now``.
    """
    placed = [_placed(i, one, recipe, now) for i, one in enumerate(found)]
    if not recipe.ties_by_relevance:
        return sorted(placed, key=lambda place: -place.score)
    return sorted(
        placed,
        key=lambda place: (
            found[place.which].confidence is None,
            -place.score,
            -found[place.which].relevance,
        ),
    )


def _placed(index: int, one: Found, recipe: Recipe, now: Instant) -> Placed:
    hours = max(0, now - one.created) / _HOUR
    given = {
        "relevance": recipe.relevance * one.relevance,
        "confidence": recipe.confidence * (one.confidence or 0.0),
        "importance": recipe.importance * (one.importance / 10),
        "recency": recipe.recency * 0.5 ** (hours / recipe.half_life_hours),
    }
    parts = {name: part for name, part in given.items() if getattr(recipe, name)}
    return Placed(index, sum(parts.values()), parts)
