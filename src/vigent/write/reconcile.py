"""Reconciles a request with what is in force: change, confirmation, retraction, replacement.

The rules are those of the timeline; what is decided here is who may end what (trust), what two
values at one instant mean (the conflict policy), and what the caller is told.
"""

from __future__ import annotations

from vigent.domain.records import Stretch
from vigent.domain.schema import trust_rank
from vigent.domain.statements import ALL_MEMBERS, BEGINNING, ONE_VALUE, Statement, edited
from vigent.domain.time import OPEN, Instant
from vigent.domain.values import Value
from vigent.errors import UnexpectedMemory
from vigent.standing import shown
from vigent.write.again import PATIENCE, joined_memory
from vigent.write.answering import Standing, lookup, standing
from vigent.write.draft import Draft
from vigent.write.entered import Entered
from vigent.write.evidence import count_with
from vigent.write.fields import APPLICATION
from vigent.write.finish import finish
from vigent.write.holding import Dated, hold
from vigent.write.refold import LongWalk, Refolded
from vigent.write.undeclared import refuse_several
from vigent.write.work import Work, token_of

__all__ = [
    "change",
    "check_expected",
    "inherit",
    "member_of",
    "place_of",
    "replace",
    "retract",
    "trust_problem",
]


def member_of(work: Work, draft: Draft, value: Value) -> bytes:
    """Give the timeline of a key that a value belongs to."""
    return token_of(work.salt, value.canon) if draft.multi else ONE_VALUE


def check_expected(work: Work, draft: Draft, at: Instant) -> None:
    """Refuse the write where another memory is in force than the caller expects."""
    if draft.expect is None:
        return
    found = [
        f.statement.id
        for f in work.transaction.at(work.key, None if draft.multi else ONE_VALUE, at, None)
        if shown(f.statement, work.at)
    ]
    if draft.expect not in found:
        there = ", ".join(found) or "nothing"
        raise UnexpectedMemory(
            f"expect: {draft.expect} is not in force there; {there} is", field="expect"
        )


def change(work: Work, draft: Draft, dated: Dated, id: str | None = None) -> Entered:
    """Enter a value from an instant on, by the rules for a change and a confirmation."""
    value = draft.values[0]
    member = member_of(work, draft, value)
    statement = work.state(
        draft, value, kind="value", member=member, start=dated.start, end=dated.end,
        basis=dated.basis, speaker=dated.speaker, id=id, place=place_of(work, draft),
    )  # fmt: skip
    try:
        folded = work.refold(member, [statement], patience=PATIENCE)
    except LongWalk:
        again = _again(work, draft, statement)
        if again is not None:
            return again
        folded = work.refold(member, [statement])
    statement, (folded,) = _after_ties(work, statement, [folded])
    refuse_several(work, draft, folded)
    memory = folded.memory_of(statement)
    there = _standing_at(work, folded, dated.start, statement)
    if there is not None and there.valid_from == dated.start:
        refused = _same_instant(work, draft, dated, member, there)
        low = trust_problem(work, draft, [there])
        if refused is None and low is not None and there.token != statement.token:
            refused = hold(work, draft, dated, member, low)
        if refused is not None:
            return refused
    lost = work.lost(folded, memory)
    too_low = _too_low(work, draft, folded, lost if memory == statement.no else [*lost, memory])
    if too_low is not None:
        if memory != statement.no and not lost:
            return _evidence(work, folded, statement, memory)
        return hold(work, draft, dated, member, too_low)
    statement = inherit(work, draft, statement, there)
    work.take(folded, [statement])
    ended = _superseded_text(work, draft, dated, statement)
    if memory != statement.no:
        _confirm(work, draft, folded, memory)
    elif lost and draft.supersedes is None:
        _name_tie(work, folded, statement, lost)
    finish(work)
    return _answer(work, folded, statement, memory, lost, ended)


def _again(work: Work, draft: Draft, statement: Statement) -> Entered | None:
    """Enter a confirmation of what was confirmed often, the short way if there is one."""
    if work.trust_rules() or draft.supersedes is not None:
        return None
    found = joined_memory(work, statement)
    if found is None:
        return None
    folded, head = found
    work.take(folded, [statement])
    _confirm(work, draft, folded, head.no)
    finish(work)
    return _answer(work, folded, statement, head.no, [], ())


def _answer(
    work: Work,
    folded: Refolded,
    statement: Statement,
    memory: int,
    lost: list[int],
    ended: tuple[Standing, ...],
) -> Entered:
    near = statement.valid_from
    shown_ended = tuple(standing(work, folded, m, near, later=True) for m in lost) + ended
    outcome = "superseded" if shown_ended else "stored"
    if memory != statement.no:
        outcome = "confirmed"
    entered = standing(work, folded, memory, near)
    work.shown[memory] = entered
    return Entered(outcome, entered, shown_ended)


def place_of(work: Work, draft: Draft) -> int:
    """Give the place of a statement among others of the same instant, by the policy."""
    policy = work.definition.conflict if work.definition is not None else "latest"
    if policy == "most_trusted":
        return draft.trust_rank + 1
    if policy == "most_confident":
        confidence = draft.confidence
        if draft.retract and draft.trust_rank >= APPLICATION:
            confidence = 1.0  # a retraction states none: it has what a write of its source would
        return 0 if confidence is None else int(confidence * 1_000_000) + 1
    return 0


def _after_ties(
    work: Work, statement: Statement, folds: list[Refolded]
) -> tuple[Statement, list[Refolded]]:
    """Where the latest stands, put a statement behind those another policy once placed."""
    policy = work.definition.conflict if work.definition is not None else "latest"
    if policy in ("most_trusted", "most_confident"):
        return statement, folds
    start = statement.valid_from
    tied = (s.place for f in folds for s in f.statements.values() if s.valid_from == start)
    place = max(tied, default=0)
    if place <= statement.place:
        return statement, folds
    moved = edited(statement, place=place)
    return moved, [work.refold(folded.member, [moved]) for folded in folds]


def _standing_at(
    work: Work, folded: Refolded, instant: Instant, statement: Statement
) -> Statement | None:
    """Give the memory believed at an instant before the change, if it still shows anything.

    What is returned bears the start of the stretch as its ``valid_from``.
    """
    for belief in folded.before:
        if belief.valid_from <= instant < belief.valid_to:
            found = folded.statements.get(belief.memory) or work.find(belief.memory)
            if found.no == statement.no or not shown(found, work.at):
                return None
            if found.valid_from == belief.valid_from:
                return found
            return edited(found, valid_from=belief.valid_from)
    return None


def _same_instant(
    work: Work, draft: Draft, dated: Dated, member: bytes, there: Statement
) -> Entered | None:
    policy = work.definition.conflict if work.definition is not None else "latest"
    if there.token == token_of(work.salt, draft.values[0].canon):
        return None
    if policy == "reject":
        return Entered("rejected", None, (), f"{there.id} stands from the same instant")
    if policy == "contest":
        stored = work.find(there.no)
        work.amend(edited(stored, contested=1))
        return hold(work, draft, dated, member, "contested", contested=True)
    return None


def _too_low(work: Work, draft: Draft, folded: Refolded, touched: list[int]) -> str | None:
    """Say why a source may not supersede here, or None if it may."""
    if work.definition is None or not touched:
        return None
    return trust_problem(work, draft, [folded.statements.get(m) or work.find(m) for m in touched])


def trust_problem(work: Work, draft: Draft, touched: list[Statement]) -> str | None:
    """Say why a source may not end or correct these memories, or None if it may."""
    definition = work.definition
    if definition is None or not touched:
        return None
    if draft.trust_rank < definition.min_rank:
        return f"trust below {definition.min_trust}"
    if definition.conflict == "most_trusted":
        for memory in touched:
            if draft.trust_rank < trust_rank(memory.trust):
                return f"trust below {memory.trust}, which stands"
    return None


def _evidence(work: Work, folded: Refolded, statement: Statement, memory: int) -> Entered:
    """Count a confirmation from a source that may not supersede: support, but no statement."""
    support = edited(statement, role="evidence", bears=memory)
    head = work.find(memory)
    count = count_with(work, folded, memory, support)
    work.new[support.no] = support
    work.amend(edited(head, evidence_count=count, confirmed_at=work.at))
    finish(work)
    found = work.transaction.beliefs(work.key, memory)
    believed = [f.belief for f in found if f.belief.recorded_to is None]
    stretch = (
        Stretch(believed[-1].valid_from, believed[-1].valid_to, believed[-1].recorded_from, None)
        if believed
        else Stretch(head.valid_from, head.valid_to, head.recorded_from, None)
    )
    return Entered("confirmed", lookup(work, work.find(memory), stretch))


def inherit(work: Work, draft: Draft, statement: Statement, there: Statement | None) -> Statement:
    """Let a memory that replaces another keep its metadata and retention, unless given."""
    if there is None or there.token == statement.token:
        return statement
    if draft.metadata is None and there.metadata != "{}":
        statement = edited(statement, metadata=there.metadata)
    given = draft.expires_at is not None or draft.ttl_days is not None or draft.retention
    if not given and there.retention != statement.retention:
        expires = work.renewed(there)
        statement = edited(statement, retention=there.retention, expires_at=expires)
    return statement


def _confirm(work: Work, draft: Draft, folded: Refolded, memory: int) -> None:
    """A confirmation restarts the memory's age and renews what its policy gives it."""
    head = work.find(memory)
    expires, retention = head.expires_at, head.retention
    if draft.expires_at is not None or draft.ttl_days is not None or draft.retention is not None:
        mine = next(s for s in folded.statements.values() if s.no in work.new)
        expires, retention = work.new[mine.no].expires_at, work.new[mine.no].retention
    else:
        expires = work.renewed(head)
    work.amend(edited(head, confirmed_at=work.at, expires_at=expires, retention=retention))


def _name_tie(work: Work, folded: Refolded, statement: Statement, lost: list[int]) -> None:
    """Where nothing is left of what began at the same instant, the new one names it."""
    for memory in lost:
        gone = not any(s.memory == memory for s in folded.after)
        if gone and any(
            b.memory == memory and b.valid_from == statement.valid_from for b in folded.before
        ):
            work.new[statement.no] = edited(work.new[statement.no], replaces=work.find(memory).id)


def _superseded_text(
    work: Work, draft: Draft, dated: Dated, statement: Statement
) -> tuple[Standing, ...]:
    """End the free text that a new one names."""
    if draft.supersedes is None or draft.attribute:
        return ()
    rows = work.transaction.statements(work.context.tenant, ids=[draft.supersedes])
    if not rows or rows[0][0].no != work.key.no or rows[0][1].member == statement.member:
        return ()
    old = rows[0][1]
    ending = edited(
        work.state(
            draft, None, kind="none", member=old.member, start=max(dated.start, old.valid_from),
            end=OPEN, basis=dated.basis, speaker=dated.speaker,
        ),
        text=None,
    )  # fmt: skip
    folded = work.refold(old.member, [ending])
    lost = work.lost(folded, None)
    work.take(folded, [ending])
    work.new[statement.no] = edited(work.new[statement.no], replaces=old.id)
    return tuple(
        standing(work, folded, m, dated.start)._replace(replacer=statement.id) for m in lost
    )


def retract(work: Work, draft: Draft, dated: Dated) -> Entered:
    """Enter that something no longer holds, from an instant on."""
    if draft.values:
        value = draft.values[0]
        member = member_of(work, draft, value)
        kind = "none" if draft.multi else "end"
        return _end(work, draft, dated, [member], kind, value)
    if not draft.multi:
        return _end(work, draft, dated, [ONE_VALUE], "none", None)
    return _end(work, draft, dated, _members(work, dated.start), "others", None)


def _members(work: Work, start: Instant) -> list[bytes]:
    """Give the timelines of a multi-valued key that hold anything from an instant on."""
    rows = work.transaction.believed(work.key, None, BEGINNING, OPEN)
    return list(dict.fromkeys(b.member for b in rows if b.valid_to > start))


def _end(
    work: Work, draft: Draft, dated: Dated, members: list[bytes], kind: str, value: Value | None
) -> Entered:
    member = ALL_MEMBERS if kind == "others" else members[0]
    statement = work.state(
        draft, value, kind=kind, member=member, start=dated.start, end=OPEN, basis=dated.basis,
        speaker=dated.speaker, place=place_of(work, draft),
    )  # fmt: skip
    folds = [work.refold(name, [statement]) for name in members]
    statement, folds = _after_ties(work, statement, folds)
    work.new[statement.no] = statement
    ended: list[tuple[Refolded, int]] = []
    for folded in folds:
        refuse_several(work, draft, folded)
        lost = work.lost(folded, None)
        tied = _tied(work, folded, statement)
        too_low = _too_low(work, draft, folded, [*lost, *tied])
        if too_low is not None:
            work.new.clear()
            work.folds.clear()
            return hold(work, draft, dated, member, too_low)
        work.take(folded)
        ended += [(folded, m) for m in lost]
    finish(work)
    shown_ended = tuple(standing(work, folded, m, dated.start) for folded, m in ended)
    return Entered("retracted" if ended else "noop", None, shown_ended)


def _tied(work: Work, folded: Refolded, ending: Statement) -> list[int]:
    """Give what stands from the instant of a statement that ends it, also where it wins the tie."""
    there = _standing_at(work, folded, ending.valid_from, ending)
    if there is None or there.valid_from != ending.valid_from:
        return []
    return [there.no] if ending.kind != "end" or there.token == ending.token else []


def replace(work: Work, draft: Draft, dated: Dated) -> Entered:
    """Enter that from an instant on these values hold and no others."""
    keep = [token_of(work.salt, v.canon) for v in draft.values]
    others = work.state(
        draft, None, kind="others", member=ALL_MEMBERS, start=dated.start, end=dated.end,
        basis=dated.basis, speaker=dated.speaker, keep=" ".join(t.hex() for t in keep),
        place=place_of(work, draft),
    )  # fmt: skip
    dropped = [m for m in _members(work, dated.start) if m not in keep]
    folds = [work.refold(member, [others]) for member in dropped]
    others, folds = _after_ties(work, others, folds)
    work.new[others.no] = others
    ended: list[tuple[Refolded, int]] = []
    first: tuple[Refolded, int] | None = None
    fresh = False
    for value, member in zip(draft.values, keep, strict=True):
        statement = work.state(
            draft, value, kind="value", member=member, start=dated.start, end=dated.end,
            basis=dated.basis, speaker=dated.speaker, place=place_of(work, draft),
        )  # fmt: skip
        statement, (folded,) = _after_ties(work, statement, [work.refold(member, [statement])])
        work.take(folded, [statement])
        memory = folded.memory_of(statement)
        if memory != statement.no:
            _confirm(work, draft, folded, memory)
        fresh = fresh or memory == statement.no
        first = first or (folded, memory)
    touched: list[tuple[Refolded, int]] = []
    for folded in folds:
        ended += [(folded, m) for m in work.lost(folded, None)]
        touched += [(folded, m) for m in _tied(work, folded, others)]
        work.take(folded)
    too_low = next(
        (r for folded, m in (*ended, *touched) for r in [_too_low(work, draft, folded, [m])] if r),
        None,
    )
    if too_low is not None:
        work.new.clear()
        work.folds.clear()
        work.amended.clear()
        return hold(work, draft, dated, ALL_MEMBERS, too_low)
    finish(work)
    shown_ended = tuple(standing(work, folded, m, dated.start) for folded, m in ended)
    outcome = "superseded" if ended else "stored" if fresh else "confirmed"
    if first is None:
        return Entered("retracted" if ended else "noop", None, shown_ended)
    return Entered(outcome, standing(work, *first, dated.start), shown_ended)
