"""The verbs that find: search, and the context of a turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from vigent.domain.query import SearchAnswer
from vigent.read.planning import asked_of
from vigent.read.search import Searcher, check_types
from vigent.write.draft import UNSET

__all__ = ["Recall"]

Instantlike = Any


class Recall:
    """What ``Memory`` finds; part of it."""

    _searcher: Searcher
    _whose: Callable[[Any], str]

    def search(
        self,
        query: str,
        *,
        types: Sequence[str] | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        after: Instantlike = None,
        before: Instantlike = None,
        include: Literal["current", "history", "episodes"] = "current",
        expand: Literal["auto", "always", "never"] = "auto",
        recipe: str = "relevance",
        timezone: str = "UTC",
        limit: int = 10,
        budget_tokens: int | None = None,
        explain: bool = False,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> SearchAnswer:
        """Find what answers a question: exact state first, then by words and by meaning.

        By default only memories in force are found; ``include="history"`` admits former ones,
        each marked, and "episodes" what was said besides. Filters hold before the limit, and a
        hit that does not fit the question is not handed out to fill it.
        """
        asked = asked_of(
            query, recipe=recipe, include=include, expand=expand, timezone=timezone, limit=limit,
            budget_tokens=budget_tokens, as_of=as_of, known_at=known_at, after=after,
            before=before, subject=subject, attribute=attribute, metadata=metadata,
        )  # fmt: skip
        return self._searcher.search(
            asked, self._whose(person), check_types(types), explain=explain
        )
