"""Brings the believed stretches of one timeline in line with its statements after a change.

The walk begins at the last clean statement before the change and stops at the next one that is
clean both before and after it: from there on nothing differs. What storage believes over that
part of valid time is compared with what the replay gives, and only the difference is written.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from vigent.domain.changes import ChangeSet, Close, Refold
from vigent.domain.statements import BEGINNING, Belief, Key, Statement, rank
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import Plan, Segment
from vigent.ports.storage import Folding

__all__ = ["LongWalk", "Refolded", "difference", "flags", "of_member", "refold"]


class LongWalk(Exception):
    """More statements would have to be read than was allowed; never leaves this package."""


@dataclass(slots=True)
class Refolded:
    """One timeline around a change: what was believed, what is, and the statements of both.

    ``low`` and ``high`` bound the part of valid time that was looked at. ``heads`` gives the
    memory of each statement that changed the plan, ``runs`` the statements behind it.
    """

    member: bytes
    low: Instant
    high: Instant
    before: list[Belief]
    after: list[Segment]
    statements: dict[int, Statement]
    plan: Plan
    runs: dict[int, list[Statement]]
    heads: dict[int, int]

    def memory_of(self, statement: Statement) -> int:
        """Give the memory a value statement belongs to."""
        changer = self.plan.follows.get(statement.no)
        return self.heads[statement.no if changer is None else changer.no]


def refold(
    transaction: Folding,
    key: Key,
    member: bytes,
    *,
    added: Sequence[Statement] = (),
    removed: Sequence[Statement] = (),
    patience: int | None = None,
) -> Refolded:
    """Walk the part of a timeline that a change touches; nothing is written yet.

    Raises LongWalk where that takes more stored statements than ``patience``, if it is given.
    """
    touched = sorted(rank(s) for s in (*added, *removed))
    gone = {s.no for s in removed}
    coming = sorted(added, key=rank)
    plan = Plan()
    taken: list[Statement] = []
    low, high = BEGINNING, OPEN
    never = key.last_recorded == 0  # a key just made has nothing to read
    with closing(_none() if never else of_member(transaction, key, member, touched[0])) as stored:
        for first, statement in enumerate(stored):
            if not first and statement.clean and rank(statement) < touched[0]:
                low = statement.valid_from
            while coming and rank(coming[0]) < rank(statement):
                plan.take(coming[0])
                taken.append(coming.pop(0))
            if statement.no in gone:
                continue
            plan.take(statement)
            # Statements of one instant are judged together: ties look at each other.
            later = statement.valid_from > touched[-1][0]
            if statement.clean and statement.no in plan.clean and later:
                high = statement.valid_from
                break
            taken.append(statement)
            if patience is not None and first >= patience:
                raise LongWalk
    for statement in coming:
        plan.take(statement)
        taken.append(statement)
    runs = plan.runs(taken)
    heads = plan.heads(runs)
    return Refolded(
        member,
        low,
        high,
        [] if never else transaction.believed(key, member, low, high),
        plan.segments(heads, low, high),
        {s.no: s for s in (*removed, *taken)},
        plan,
        runs,
        heads,
    )


def _none() -> Generator[Statement]:
    yield from ()


def of_member(
    transaction: Folding, key: Key, member: bytes, start: tuple[int, int, int, int]
) -> Generator[Statement]:
    """Give the stored statements of a timeline.

    Those about all members that keep this one do not concern it.
    """
    name = member.hex()
    for statement in transaction.window(key, member, start):
        if statement.kind != "others" or name not in statement.keep.split():
            yield statement


def difference(folded: Refolded, key: Key, at: Instant, changes: ChangeSet, number: int) -> int:
    """Note which stretches to stop and which to begin believing; give the next free number."""
    wanted = {(s.start, s.end, s.memory) for s in folded.after}
    there = {(b.valid_from, b.valid_to, b.memory) for b in folded.before}
    for belief in folded.before:
        if (belief.valid_from, belief.valid_to, belief.memory) not in wanted:
            changes.closed.append(Close(belief.no, at))
    for segment in folded.after:
        if (segment.start, segment.end, segment.memory) not in there:
            changes.opened.append(
                Belief(
                    number, key.id.tenant, key.no, folded.member, segment.memory,
                    segment.start, segment.end, at, None,
                )
            )  # fmt: skip
            number += 1
    return number


def flags(
    folded: Refolded, new: Container[int], changes: ChangeSet, indexed: Container[int] = ()
) -> None:
    """Note what the replay derived of stored statements.

    That is whether they are clean, and whether they have become findable by their words.
    """
    clean = folded.plan.clean
    for number, statement in folded.statements.items():
        if number in new:
            continue
        now = (int(number in clean), int(number in indexed or statement.indexed))
        if now != (statement.clean, statement.indexed):
            changes.refolded.append(Refold(number, *now))
