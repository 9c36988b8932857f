"""The first statement of a key: nothing stands there, so there is nothing to reconcile.

What comes out is what the general rules give; it is only found without looking anything up.
"""

from __future__ import annotations

from vigent.domain.changes import Head
from vigent.domain.records import Stretch, pack
from vigent.domain.statements import BEGINNING, Belief
from vigent.domain.time import OPEN
from vigent.write.answering import Standing
from vigent.write.draft import Draft
from vigent.write.entered import Entered
from vigent.write.reconcile import Dated, member_of, place_of
from vigent.write.work import Work, edited

__all__ = ["first", "is_first"]


def is_first(draft: Draft, id: str | None, *, fresh: bool) -> bool:
    """Whether a draft is a plain change to a key that has never been written."""
    return (
        fresh
        and id is None
        and draft.mode == "change"
        and not draft.retract
        and draft.held is None
        and draft.expect is None
        and draft.supersedes is None
    )


def first(work: Work, draft: Draft, dated: Dated) -> Entered:
    """Enter the first value of a key."""
    value = draft.values[0]
    start, end, at = dated.start, dated.end, work.at
    member = member_of(work, draft, value)
    statement = work.state(
        draft, value, kind="value", member=member, start=start, end=end, basis=dated.basis,
        speaker=dated.speaker, place=place_of(work, draft),
    )  # fmt: skip
    statement = edited(statement, clean=int(end == OPEN), indexed=1)
    changes, key = work.changes, work.key
    work.index(statement)
    changes.statements.append(statement)
    changes.recorded.append((key, at))
    changes.opened.append(
        Belief(
            work.transaction.numbers.belief, key.id.tenant, key.no, member, statement.no, start,
            end, at, None,
        )
    )  # fmt: skip
    if key.id.attribute and not draft.multi:
        if start <= at < end:
            head = Head(start, end, at, statement.expires_at, None, None, pack(statement))
        elif at < start:
            head = Head(BEGINNING, start, 0, OPEN, None, None, None)
        else:
            head = Head(end, OPEN, 0, OPEN, None, None, None)
        changes.heads.append((key.no, head))
    return Entered("stored", Standing(statement, Stretch(start, end, at, None), None, None))
