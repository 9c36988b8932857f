"""Corrections: what was said was wrong, so the past reads otherwise from now on.

The statements of a run are withdrawn and entered again with the right value, each in its old
place; what had been believed stays readable with ``known_at``.
"""

from __future__ import annotations

from typing import Final

from vigent.domain.statements import ALL_MEMBERS, BEGINNING, ONE_VALUE, Statement, edited, rank
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import Plan, fold
from vigent.errors import AlreadyCorrected, ConflictError, InvalidInput, NotFound
from vigent.standing import shown
from vigent.write.answering import standing
from vigent.write.draft import Draft
from vigent.write.entered import Entered
from vigent.write.finish import finish
from vigent.write.holding import Dated, hold
from vigent.write.reconcile import (
    change,
    check_expected,
    member_of,
    replace,
    retract,
    trust_problem,
)
from vigent.write.refold import Refolded
from vigent.write.work import Work, token_of

__all__ = ["SUPERSEDES_SKIPPED", "correct", "never_was", "reconcile", "run_of"]

SUPERSEDES_SKIPPED: Final = "supersedes_skipped"
"""Why a write that went through ended less than it named: the memory it named is not of its key,
or did not hold where the new one does."""


def reconcile(work: Work, draft: Draft, dated: Dated, id: str | None) -> Entered:
    """Enter a draft by the rule of its mode; raises UnexpectedMemory where it expects another."""
    # A correction that names its memory, and no start, is about where that memory holds; that
    # the memory stands is checked with it.
    named = draft.corrects is not None and draft.valid_from is None
    if draft.expect is not None and not (named and draft.expect == draft.corrects):
        check_expected(work, draft, _start_named(work, draft, dated) if named else dated.start)
    if draft.retract:
        rule = never_was if draft.mode == "correction" else retract
        return rule(work, draft, dated)
    if draft.mode == "change":
        entered = change(work, draft, dated, id)
    else:
        rule = correct if draft.mode == "correction" else replace
        entered = rule(work, draft, dated)
    skipped = draft.supersedes is not None and all(
        s.statement.id != draft.supersedes for s in entered.ended
    )
    if skipped and entered.reason is None:
        entered.reason = SUPERSEDES_SKIPPED
    return entered


def _start_named(work: Work, draft: Draft, dated: Dated) -> Instant:
    found = work.transaction.statements(work.context.tenant, ids=[draft.corrects or ""])
    return found[0][1].valid_from if found else dated.start


def run_of(work: Work, statement: Statement) -> tuple[int, list[Statement]]:
    """Give the memory a live statement belongs to, and its run."""
    taken: list[Statement] = []
    name = statement.member.hex()
    for other in work.transaction.window(work.key, statement.member, rank(statement)):
        if other.kind == "others" and name in other.keep.split():
            continue
        if other.clean and rank(other) > rank(statement):
            break
        taken.append(other)
    plan = fold(taken)
    runs = plan.runs(taken)
    heads = plan.heads(runs)
    changer = plan.follows.get(statement.no, statement).no
    return heads[changer], runs[changer]


def correct(work: Work, draft: Draft, dated: Dated) -> Entered:
    """Correct a memory, or an interval; where there is nothing to correct, enter a change."""
    if draft.corrects is not None:
        target = _named(work, draft.corrects)
        named = True
    else:
        if draft.valid_from is not None and draft.end_given:
            if draft.multi:
                raise InvalidInput("corrects", "must name the memory of a multi-valued attribute")
            return _correct_interval(work, draft, dated)
        found = [
            f.statement
            for f in work.transaction.at(
                work.key, None if draft.multi else ONE_VALUE, dated.start, None
            )
            if shown(f.statement, work.at)
        ]
        if not found:
            return change(work, draft, dated)
        if len(found) > 1:
            raise InvalidInput("corrects", "must name one of the values in force there")
        target, named = found[0], False
    memory, run = run_of(work, _live(work, target))
    member = member_of(work, draft, draft.values[0])
    low = trust_problem(work, draft, [work.find(memory)])
    if low is not None:
        return hold(work, draft, dated, member, low)
    copies = _copies(work, draft, dated, run, member, work.find(memory), named=named)
    if not copies:
        raise InvalidInput("valid_to", "must leave something of the memory")
    return _exchange(work, run, copies, member, memory)


def _named(work: Work, id: str) -> Statement:
    rows = work.transaction.statements(work.context.tenant, ids=[id])
    if not rows or rows[0][0].no != work.key.no:
        raise NotFound(f"corrects: there is no memory {id} here", field="corrects")
    statement = rows[0][1]
    if not shown(statement, work.at):
        raise NotFound(f"corrects: there is no memory {id} here", field="corrects")
    if statement.withdrawn_at != OPEN:
        next_one = work.transaction.statements(work.context.tenant, replacing=id)
        if statement.status == "corrected" and next_one:
            raise AlreadyCorrected(
                f"corrects: {id} was corrected by {next_one[-1][1].id}", field="corrects"
            )
        if statement.status != "active":
            raise ConflictError(f"corrects: {id} was withdrawn", field="corrects")
    if statement.role != "asserted":
        raise ConflictError(f"corrects: {id} is not in force", field="corrects")
    return statement


def _live(work: Work, memory: Statement) -> Statement:
    """Give a live statement of a memory: itself, or one that bears it on."""
    if memory.withdrawn_at == OPEN:
        return memory
    rows = work.transaction.statements(work.context.tenant, of_key=work.key.no)
    return next(s for _, s in rows if s.live and s.bears == memory.no)


def _copies(
    work: Work,
    draft: Draft,
    dated: Dated,
    run: list[Statement],
    member: bytes,
    old: Statement,
    *,
    named: bool,
) -> list[Statement]:
    start = draft.valid_from if named else None
    first = run[0].valid_from if start is None else start
    stop = _named_end(work, run, old.no)
    out: list[Statement] = []
    for index, said in enumerate(run):
        begins, ends = (first if not index else said.valid_from), said.valid_to
        if draft.end_given:
            ends = draft.valid_to
        elif begins < stop < ends:
            ends = stop
        if (index and begins < first) or begins >= ends:
            continue
        same = said.token == token_of(work.salt, draft.values[0].canon)
        copy = work.state(
            draft, draft.values[0], kind="value", member=member, start=begins, end=ends,
            basis=said.basis if index or start is None else "stated", speaker=dated.speaker,
        )  # fmt: skip
        out.append(
            edited(
                copy, place=said.place, turn=said.turn, stated_end=said.stated_end,
                metadata=copy.metadata if draft.metadata is not None else old.metadata,
                retention=copy.retention if _kept(draft) else old.retention,
                expires_at=copy.expires_at if _kept(draft) else old.expires_at,
                source_episode=said.source_episode if same and draft.source_episode is None
                else copy.source_episode,
                quote=said.quote if same and draft.quote is None else copy.quote,
                source=said.source if same and draft.source is None else copy.source,
                speaker=said.speaker if same and copy.speaker is None else copy.speaker,
                replaces=old.id if not out else None,
            )
        )  # fmt: skip
    return out


def _named_end(work: Work, run: list[Statement], memory: int) -> Instant:
    """Give where a retraction that names the value has ended a memory; OPEN where none has.

    It would not end the corrected value, which has another name: the copies state that end, so
    that what was over does not come back under the right word.
    """
    found = work.transaction.beliefs(work.key, memory)
    stops = {f.belief.valid_to for f in found if f.belief.recorded_to is None}
    last = max(stops, default=BEGINNING)
    if last == OPEN:
        return OPEN
    for s in work.transaction.window(work.key, run[0].member, rank(run[0])):
        if s.valid_from > last:
            break
        ending = s.kind in ("end", "none") and s.token == run[0].token
        if ending and s.valid_from == last:
            return last
    return OPEN


def _kept(draft: Draft) -> bool:
    return draft.expires_at is not None or draft.ttl_days is not None or draft.retention is not None


def _exchange(
    work: Work, run: list[Statement], copies: list[Statement], member: bytes, memory: int
) -> Entered:
    old_member = run[0].member
    if member == old_member:
        folded = work.refold(member, copies, run)
        work.take(folded, copies, run, "corrected")
        old_folded = folded
    else:
        old_folded = work.refold(old_member, (), run)
        work.take(old_folded, (), run, "corrected")
        folded = work.refold(member, copies)
        work.take(folded, copies)
    _note_gone(work, memory, "corrected")
    kept = folded.memory_of(copies[0])
    lost = [m for m in work.lost(folded, kept) if m != memory]
    finish(work)
    was = edited(work.find(memory), status="corrected")
    ended = standing(work, old_folded, memory, was.valid_from)._replace(
        statement=was, replacer=work.find(kept).id
    )
    others = tuple(standing(work, folded, m, was.valid_from) for m in lost)
    return Entered(
        "corrected", standing(work, folded, kept, copies[0].valid_from), (ended, *others)
    )


def _note_gone(work: Work, memory: int, status: str) -> None:
    """Note how a memory ended that only copies bore on, itself withdrawn before."""
    head = work.find(memory)
    if head.withdrawn_at != OPEN:
        work.amend(edited(head, status=status))


def _correct_interval(work: Work, draft: Draft, dated: Dated) -> Entered:
    """Let a value hold over an interval; what held after it begins, as planned, at its end."""
    start, end = dated.start, dated.end
    earlier, plan = _planned(work, start, end)
    inside = [s for s in earlier if start <= s.valid_from < end]
    statement = edited(
        work.state(
            draft, draft.values[0], kind="value", member=ONE_VALUE, start=start, end=end,
            basis=dated.basis, speaker=dated.speaker,
        ),
        stated_end=0,
    )  # fmt: skip
    before = plan.at(start)
    rest = _rest(work, plan, earlier, end) if inside else []
    folded = work.refold(ONE_VALUE, [statement, *rest], inside)
    lost = work.lost(folded, folded.memory_of(statement))
    low = trust_problem(work, draft, [work.find(m) for m in lost])
    if low is not None:
        return hold(work, draft, dated, ONE_VALUE, low)
    if before is not None and before.forgotten_at == OPEN and before.token != statement.token:
        heads = plan.heads(plan.runs(earlier))
        statement = edited(statement, replaces=work.find(heads[before.no]).id)
    work.take(folded, [statement, *rest])
    holding = {s.memory for s in folded.after}
    for gone in inside:
        status = "active" if gone.no in holding else "corrected"
        work.take_out(gone, status)
    finish(work)
    memory = folded.memory_of(statement)
    ended = tuple(standing(work, folded, m, start) for m in lost)
    outcome = "corrected" if lost else "confirmed" if memory != statement.no else "stored"
    return Entered(outcome, standing(work, folded, memory, start), ended)


def _planned(work: Work, start: int, end: int) -> tuple[list[Statement], Plan]:
    """Give what was said for before an instant, and the plan of it from an earlier one on.

    What is past its time is forgotten first, or it would be entered again.
    """
    while True:
        said: list[Statement] = []
        for s in work.transaction.window(work.key, ONE_VALUE, (start, BEGINNING, 0, 0)):
            if s.valid_from > end or (s.valid_from == end and s.place >= 0):
                break
            said.append(s)
        plan = fold(said)
        runs = plan.runs(said)
        heads = plan.heads(runs)
        stops = [*plan.starts[1:], OPEN]
        holding = zip(plan.holders, stops, strict=True)
        met = {heads[holder.no] for holder, stop in holding if holder is not None and stop > start}
        if not work.forget_expired(runs, heads, met):
            return said, plan


def _rest(work: Work, plan: Plan, said: list[Statement], end: int) -> list[Statement]:
    """Enter what was planned from an instant on again, beginning there.

    The last part comes first, so that each earlier one lies over it.
    """
    heads = plan.heads(plan.runs(said))
    parts: list[tuple[int, Statement | None]] = []
    for i, holder in enumerate(plan.holders):
        stop = plan.starts[i + 1] if i + 1 < len(plan.starts) else OPEN
        if stop > end:
            parts.append((stop, holder))
    out: list[Statement] = []
    for stop, holder in reversed(parts):
        common = {
            "no": work.number(), "id": work.context.ids.new("mem"), "valid_from": end,
            "valid_to": stop, "stated_end": 0, "place": -1, "turn": work.at,
            "recorded_from": work.at, "fingerprint": None, "clean": 0, "outcome": "",
        }  # fmt: skip
        if holder is None:
            out.append(edited(_nothing(work, said[-1]), **common))
            continue
        memory = work.find(heads[holder.no])
        out.append(edited(holder, **common, bears=memory.bears, bears_from=memory.bears_from))
    return out


def _nothing(work: Work, like: Statement) -> Statement:
    return edited(
        like, kind="none", token=b"", value_kind=None, value=None, text=None, quote=None,
        source=None, source_episode=None, speaker=None, metadata="{}", expires_at=OPEN,
        forgotten_at=OPEN, gap=0, fields="{}", replaces=None, indexed=0, status="active",
        bears=0, bears_from=work.at,
    )  # fmt: skip


def never_was(work: Work, draft: Draft, dated: Dated) -> Entered:
    """Withdraw what is in force at an instant, or every memory of a value.

    What stood before resumes.
    """
    token = token_of(work.salt, draft.values[0].canon) if draft.values else None
    if token is not None and draft.valid_from is None:
        runs = _runs_of_value(work, token if draft.multi else ONE_VALUE, token)
    else:
        runs = {}
        member = None if draft.multi else ONE_VALUE
        for found in work.transaction.at(work.key, member, dated.start, None):
            statement = found.statement
            if shown(statement, work.at) and token in (None, statement.token):
                memory, run = run_of(work, _live(work, statement))
                runs[memory] = run
    if not runs:
        return Entered("noop")
    low = trust_problem(work, draft, [work.find(m) for m in runs])
    if low is not None:
        return hold(work, draft, dated, ALL_MEMBERS if draft.multi else ONE_VALUE, low)
    by_member: dict[bytes, list[Statement]] = {}
    for run in runs.values():
        by_member.setdefault(run[0].member, []).extend(run)
    folds: list[Refolded] = []
    for member, gone in by_member.items():
        folded = work.refold(member, (), gone)
        work.take(folded, (), gone)
        folds.append(folded)
    for memory in runs:
        _note_gone(work, memory, "withdrawn")
    finish(work)
    ended = tuple(
        standing(work, folded, memory, dated.start)._replace(
            statement=edited(work.find(memory), status="withdrawn")
        )
        for folded in folds
        for memory in runs
        if memory in folded.statements and folded.member == work.find(memory).member
    )
    return Entered("retracted", None, ended)


def _runs_of_value(work: Work, member: bytes, token: bytes) -> dict[int, list[Statement]]:
    name = member.hex()
    every = [
        s
        for s in work.transaction.window(work.key, member, (BEGINNING, BEGINNING, 0, 0))
        if s.kind != "others" or name not in s.keep.split()
    ]
    plan = fold(every)
    runs = plan.runs(every)
    heads = plan.heads(runs)
    found: dict[int, list[Statement]] = {}
    for changer, run in runs.items():
        memory = heads[changer]
        if run[0].token == token and shown(work.find(memory), work.at):
            found.setdefault(memory, []).extend(run)  # its parts may stand apart
    return found
