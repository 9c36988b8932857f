"""A search by words alone, in the shape of the whole search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vigent.domain.query import Hit, IndexState, Plan, SearchAnswer
from vigent.domain.records import Record
from vigent.domain.text import words
from vigent.read.reading import Reading

__all__ = ["by_words"]


def by_words(
    find: Callable[..., tuple[Record, ...]],
    reading: Reading,
    query: str,
    *,
    person: str | None,
    limit: int,
    include: str = "current",
    timezone: str | None = None,
    types: tuple[str, ...] = (),
) -> SearchAnswer:
    """Find memories in force by words; the score is the share of the words that one bears."""
    asked = set(words(query))
    hits: list[Hit] = []
    for record in find(query, person=person, limit=limit):
        if types and record.memory_type not in types:
            continue
        said: Any = record.text if record.text is not None else record.value
        borne = asked & set(words(f"{record.subject or ''} {record.attribute or ''} {said}"))
        score = len(borne) / len(asked) if asked else 0.0
        hits.append(Hit(record, None, score, exact=False, in_force=True, excerpt=str(said)))
    plan = Plan(query, "words", include, timezone or "UTC", arms=("words",))
    state = IndexState(passages=0, embedded=0, pending=0)
    return SearchAnswer(tuple(hits), plan, state, reading.clock.now())
