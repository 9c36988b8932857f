"""Groups of sessions that were about the same kind of task."""

from __future__ import annotations

from collections.abc import Sequence

from vigent.domain.records import Record
from vigent.domain.terms import query_terms

__all__ = ["groups_of", "went"]


def groups_of(episodes: Sequence[Record]) -> list[list[Record]]:
    """Part records of sessions by what was wanted: those share at least half of the words.

    One without a clear intent is in no group. The same records give the same groups.
    """
    found: list[tuple[set[str], list[Record]]] = []
    for episode in episodes:
        terms = set(query_terms(str(episode.fields.get("intent") or "")))
        if not terms:
            continue
        for known, group in found:
            if 2 * len(terms & known) >= max(len(terms), len(known)):
                group.append(episode)
                break
        else:
            found.append((terms, [episode]))
    return [group for _, group in found]


def went(group: Sequence[Record]) -> str | None:
    """Give how all of a group went, succeeded or failed; None where they differ, or none tells.

    One whose result is not known counts for neither.
    """
    results = {r.fields.get("result") for r in group} & {"succeeded", "failed"}
    return str(results.pop()) if len(results) == 1 else None
