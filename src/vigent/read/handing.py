"""What of the hits is handed out: each once, of the time asked about, within the budget."""

from __future__ import annotations

from collections.abc import Sequence

from vigent.domain.query import Hit, Plan
from vigent.domain.records import Record
from vigent.domain.time import Instant
from vigent.domain.tokens import estimate_tokens

__all__ = ["held", "once", "others", "then_of", "within"]


def once(hits: Sequence[Hit]) -> list[Hit]:
    """Give each memory once: over the stretch in force, else over the one noted last."""
    kept: dict[str, Hit] = {}
    for hit in hits:
        there = kept.get(hit.id)
        if there is None or not there.in_force:
            kept[hit.id] = hit
    return list(kept.values())


def held(record: Record, plan: Plan) -> bool:
    """Whether a stretch was known by then, and lies in the time that the question names."""
    stretch = record.stretch
    if plan.known_at is not None and stretch.recorded_from > plan.known_at:
        return False
    words = plan.time_words
    if words is None:
        return True
    if words.after is None and words.before is None:
        return words.as_of is None or stretch.valid_from <= words.as_of < stretch.valid_to
    begins_in = words.before is None or stretch.valid_from < words.before
    return begins_in and (words.after is None or stretch.valid_to > words.after)


def then_of(plan: Plan, now: Instant) -> Instant | None:
    """Give the instant that words name where memories are read as of now beside what was said."""
    words = plan.time_words
    if plan.include != "episodes" or words is None:
        return None
    if words.as_of is not None or words.before is None:
        return words.as_of
    return words.before - 1 if words.before <= now else None


def others(found: Sequence[Hit], exact: Sequence[Hit]) -> list[Hit]:
    """Give what was found but for what state has answered."""
    there = {hit.id for hit in exact}
    return [hit for hit in found if hit.id not in there]


def within(hits: Sequence[Hit], limit: int, budget: int | None) -> tuple[list[Hit], int, int]:
    """Give so many hits that fit the budget of tokens, with what they take and how many do not.

    What does not fit is skipped before the limit counts.
    """
    kept: list[Hit] = []
    taken, dropped = 0, 0
    for hit in hits:
        if len(kept) == limit:
            break
        size = estimate_tokens(hit.excerpt)
        if budget is None or taken + size <= budget:
            kept.append(hit)
            taken += size
        else:
            dropped += 1
    return kept, taken, dropped
