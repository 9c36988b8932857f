"""How memories stand after a change: what the caller is told, and what the quick read keeps."""

from __future__ import annotations

from vigent.domain.changes import ChangeSet, Head
from vigent.domain.records import Stretch, pack
from vigent.domain.statements import ONE_VALUE, Statement
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import Segment
from vigent.standing import head_of, named, neighbours, shown
from vigent.write.refold import Refolded
from vigent.write.work import Standing, Work

__all__ = ["Standing", "apply", "lookup", "standing"]


def standing(
    work: Work, folded: Refolded, memory: int, near: Instant, *, later: bool = False
) -> Standing:
    """Give how a memory stands after the change, over the stretch nearest to an instant.

    With ``later``, what it replaced is left to be looked up when asked for, unless it is known.
    """
    statement = work.find(memory)
    every = work.stretches(folded, memory)
    if not every:
        old = [b for b in folded.before if b.memory == memory]
        stretch = (
            Stretch(old[-1].valid_from, old[-1].valid_to, old[-1].recorded_from, work.at)
            if old
            else Stretch(statement.valid_from, statement.valid_to, work.at, work.at)
        )
        follower = _covering(work, folded, stretch.valid_from)
        followed = named(work.transaction, work.context.tenant, statement.replaces, work.at)
        return Standing(statement, stretch, _id(followed), _id(follower))
    # The one that covers the instant, else the last before it, else the first after it.
    stretch = next((s for s in reversed(every) if s.valid_from <= near), every[0])
    replacer = _after(work, folded, every[-1].valid_to)
    if statement.replaces is not None:
        followed = named(work.transaction, work.context.tenant, statement.replaces, work.at)
    elif later and every[0].valid_from <= folded.low:
        return Standing(statement, stretch, None, _id(replacer), later=True)
    else:
        followed = _before(work, folded, every[0].valid_from)
    until = min(_until(followed), _until(replacer))
    return Standing(statement, stretch, _id(followed), _id(replacer), until=until)


def _before(work: Work, folded: Refolded, start: Instant) -> Statement | None:
    """Give the memory whose stretch ends where one begins."""
    if folded.low < start < folded.high:
        found = [s.memory for s in folded.after if s.end == start]
        return _named(work, found[0]) if found else None
    return _stored(work, folded, start - 1, start, before=True)


def _after(work: Work, folded: Refolded, end: Instant) -> Statement | None:
    """Give the memory whose stretch begins where one ends."""
    if end == OPEN:
        return None
    if folded.low <= end < folded.high:
        found = [s.memory for s in folded.after if s.start == end]
        return _named(work, found[0]) if found else None
    return _stored(work, folded, end, end, before=False)


def _stored(
    work: Work, folded: Refolded, at: Instant, edge: Instant, *, before: bool
) -> Statement | None:
    """Look outside the window, where nothing changes."""
    for _, belief, statement in work.transaction.at(work.key, folded.member, at, None):
        touches = belief.valid_to if before else belief.valid_from
        if touches == edge and shown(statement, work.at):
            return statement
    return None


def _covering(work: Work, folded: Refolded, instant: Instant) -> Statement | None:
    found = [s.memory for s in folded.after if s.start <= instant < s.end]
    return _named(work, found[0]) if found else None


def _named(work: Work, memory: int) -> Statement | None:
    statement = work.find(memory)
    return statement if shown(statement, work.at) else None


def _id(statement: Statement | None) -> str | None:
    return None if statement is None else statement.id


def _until(statement: Statement | None) -> Instant:
    return OPEN if statement is None else statement.expires_at


def _quick_answer(work: Work) -> Head | None:
    """Derive the quick answer from the timeline decided for.

    None where that needs a look at what lies outside it.
    """
    if len(work.folds) != 1 or work.folds[0].member != ONE_VALUE:
        return None
    folded, now = work.folds[0], work.at
    if not folded.low <= now < folded.high or work.changes.forgotten:
        return None
    low, high = folded.low, folded.high
    for index, segment in enumerate(folded.after):
        if segment.start <= now < segment.end:
            if segment.start == folded.low or segment.end == folded.high != OPEN:
                return None
            return _head_of(work, folded, index, segment)
        if segment.end <= now:
            low = segment.end
        else:
            high = segment.start
            break
    return Head(low, high, 0, OPEN, None, None, None)


def _head_of(work: Work, folded: Refolded, index: int, segment: Segment) -> Head | None:
    if any(s.memory == segment.memory for s in folded.after[:index]):
        return None
    if any(s.memory == segment.memory for s in folded.after[index + 1 :]):
        return None
    found = work.shown.get(segment.memory)
    if found is None or found.later or found.stretch[:2] != segment[:2]:
        found = standing(work, folded, segment.memory, work.at)
    statement = found.statement
    if statement.forgotten_at != OPEN:
        return Head(segment.start, segment.end, work.at, OPEN, None, None, None)
    return Head(
        segment.start, segment.end, found.stretch.recorded_from,
        min(statement.expires_at, found.until), found.replaced, found.replacer, pack(statement),
    )  # fmt: skip


def apply(work: Work) -> None:
    """Put the change into the transaction, with the quick answer of a single-valued key."""
    changes, key = work.changes, work.key
    single = key.id.attribute and (work.definition is None or not work.definition.multi)
    if not single or not changes.recorded or changes.heads or work.joined is not None:
        work.transaction.apply(changes)
        return
    head = _quick_answer(work)
    if head is not None:
        changes.heads.append((key.no, head))
        work.transaction.apply(changes)
        return
    work.transaction.apply(changes)
    head = head_of(work.transaction, key._replace(last_recorded=work.at), work.at)
    work.transaction.apply(ChangeSet(work.context.tenant, heads=[(key.no, head)]))


def lookup(work: Work, statement: Statement, stretch: Stretch) -> Standing:
    """Give how a stored memory stands, with its neighbours looked up."""
    seen = work.joined or work.transaction
    around = neighbours(seen, work.key, statement, None, work.at)
    return Standing(statement, stretch, around.replaced, around.replacer, until=around.until)
