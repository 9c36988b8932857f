"""How much supports a memory, and whether it holds anywhere: kept with the memory itself."""

from __future__ import annotations

from collections.abc import Iterable

from vigent.domain.statements import BEGINNING, Statement, edited, rank
from vigent.domain.time import OPEN
from vigent.domain.timeline import Plan, fold
from vigent.write.refold import Refolded, of_member
from vigent.write.work import Work

__all__ = ["count_with", "note_runs"]


def note_runs(work: Work, folded: Refolded) -> None:
    """Keep evidence counts and standing in line with the runs that hold.

    A memory that holds nowhere any more keeps the count it had.
    """
    holding = {s.memory for s in folded.after}
    supporting = _supporting(folded.plan, folded.runs, folded.heads)
    for memory in set(folded.heads.values()):
        head = work.find(memory)
        if head.forgotten_at != OPEN:
            continue
        run = supporting.get(memory, [])
        status = "active" if memory in holding else "corrected"
        told = memory not in work.new and any(s.no in work.new for s in run)
        if told or len(run) != head.evidence_count or status != head.status:
            apart = work.stretches(folded, memory, outside=True)
            if apart:
                status, run = "active", _everywhere(work, folded.member, memory)
        count = _count(work, memory, run) if run else head.evidence_count
        if (count, status) != (head.evidence_count, head.status):
            work.amend(edited(head, evidence_count=count, status=status))


def _supporting(
    plan: Plan, runs: dict[int, list[Statement]], heads: dict[int, int]
) -> dict[int, list[Statement]]:
    """Give what supports each memory: the runs of those of its statements that hold."""
    found: dict[int, list[Statement]] = {}
    for changer in {h.no for h in plan.holders if h is not None}:
        if changer in runs:
            found.setdefault(heads[changer], []).extend(runs[changer])
    return found


def _everywhere(work: Work, member: bytes, memory: int) -> list[Statement]:
    """Give what supports a memory whose parts stand apart, over the whole timeline."""
    gone = {w.statement for w in work.changes.withdrawn}
    first = (BEGINNING, BEGINNING, 0, 0)
    every = [s for s in of_member(work.transaction, work.key, member, first) if s.no not in gone]
    name = member.hex()
    every += [
        s
        for s in work.new.values()
        if s.role == "asserted"
        and (s.member == member or (s.kind == "others" and name not in s.keep.split()))
    ]
    every.sort(key=rank)
    plan = fold(every)
    runs = plan.runs(every)
    return _supporting(plan, runs, plan.heads(runs)).get(memory, [])


def count_with(work: Work, folded: Refolded, memory: int, support: Statement) -> int:
    """Give the evidence count of a memory with one more that supports it, and is no statement."""
    every = _everywhere(work, folded.member, memory)
    return len(_sources(work, memory, every) | {support.source_episode or support.no})


def _count(work: Work, memory: int, run: Iterable[Statement]) -> int:
    return len(_sources(work, memory, run))


def _sources(work: Work, memory: int, run: Iterable[Statement]) -> set[str | int]:
    """Give the distinct episodes of a run; saying it without citing one is an episode of its own.

    What a correction entered again says nothing new: it counts as the memory it bears on.
    """
    sources: set[str | int] = {s.source_episode or s.bears for s in run}
    if work.trust_rules():
        rows = work.transaction.statements(work.context.tenant, evidence_for=memory)
        sources |= {s.source_episode or s.no for _, s in rows}
    return sources
