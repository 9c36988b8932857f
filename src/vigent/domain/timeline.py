"""The bitemporal rules: what a key's statements give when they are taken one after another.

The timeline of a key is what its live statements give in order of ``valid_from`` (then place,
turn and number), whatever order they arrived in:

* an open value replaces what was planned, for good; one with an end lets what was planned
  resume, and a stated end also ends the same value where it would go on past it;
* a value already in force is a *confirmation*: it joins the run of the statement it confirms;
* ``none`` clears what was planned over its interval; ``end`` stops the value it names wherever
  the plan has it, and touches no other value.

Forgotten statements are *gaps*: they keep their place and read as nothing. Among themselves and
towards what was recorded before the forgetting they compare as they did before it, so nothing
they had ended comes back; to anything said later they are equal to nothing.

Everything here is pure. ``replay`` is the whole rule as a function of all statements of a key:
the oracle. ``fold`` is the same walk over a stretch of them, which is what storage needs: after a
*clean* statement (open, and it changed the plan) the plan is a single open stretch, so a walk may
begin at the last clean one before a change and stop at the next where nothing differs any more.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from vigent.domain.statements import BEGINNING, Statement, rank
from vigent.domain.time import OPEN, Instant

__all__ = ["Plan", "Segment", "fold", "known", "replay"]


class Segment(NamedTuple):
    """A stretch of valid time over which one memory holds."""

    start: Instant
    end: Instant
    memory: int


def _alike(a: Statement, b: Statement) -> bool:
    """Whether two statements name one value, as values compared when the later was recorded."""
    return (
        a.token == b.token and b.recorded_from < a.forgotten_at and a.recorded_from < b.forgotten_at
    )


class Plan:
    """What holds when, while statements are being taken in; from ``BEGINNING`` to ``OPEN``.

    ``starts[i]`` is where the stretch held by ``holders[i]`` begins; the last one is open.
    A holder is the statement that changed the plan, or None where nothing holds.
    """

    __slots__ = ("clean", "follows", "holders", "starts")

    def __init__(self) -> None:
        self.starts: list[Instant] = [BEGINNING]
        self.holders: list[Statement | None] = [None]
        self.follows: dict[int, Statement] = {}
        self.clean: set[int] = set()

    def at(self, instant: Instant) -> Statement | None:
        """Give the statement that holds at an instant."""
        return self.holders[bisect_right(self.starts, instant) - 1]

    def take(self, statement: Statement) -> None:
        """Take the next statement in; they must come in order of rank."""
        start, end = statement.valid_from, statement.valid_to
        if statement.kind == "value":
            self._take_value(statement)
        elif statement.kind == "end":
            self._end_everywhere(statement)
        else:
            self._put(start, end, None)
            if end == OPEN:
                self._note_clean(statement)

    def _take_value(self, statement: Statement) -> None:
        start, end = statement.valid_from, statement.valid_to
        holder = self.at(start)
        if holder is not None and holder.token == statement.token and holder.gap == statement.gap:
            self.follows[statement.no] = holder
            if end != OPEN:
                stretch_end = self._stretch_end(start, statement)
                if end > stretch_end:
                    self._put(stretch_end, end, holder)
                if statement.stated_end:
                    self._cut(end, statement)
            return
        self._put(start, end, statement)
        if end == OPEN:
            self._note_clean(statement)
        elif statement.stated_end:
            self._cut(end, statement)

    def _note_clean(self, statement: Statement) -> None:
        # What a corrected interval entered again (before all others of its instant) may go on
        # with a memory from before it, so no walk begins or stops there.
        if statement.place >= 0:
            self.clean.add(statement.no)

    def _put(self, start: Instant, end: Instant, holder: Statement | None) -> None:
        """Let ``holder`` hold over ``[start, end)``; what was planned after it stays."""
        starts, holders = self.starts, self.holders
        first = bisect_left(starts, start)
        new_starts, new_holders = [start], [holder]
        if end == OPEN:
            last = len(starts)
        else:
            last = bisect_right(starts, end)
            new_starts.append(end)
            new_holders.append(holders[last - 1])
        if first and holders[first - 1] is holder:
            del new_starts[0], new_holders[0]
        starts[first:last] = new_starts
        holders[first:last] = new_holders
        after = first + len(new_starts)
        for i in (after, after - 1):
            if 0 < i < len(starts) and holders[i] is holders[i - 1]:
                del starts[i], holders[i]

    def _stretch_end(self, instant: Instant, like: Statement) -> Instant:
        """Give the end of the unbroken stretch of this value that contains ``instant``."""
        i = bisect_right(self.starts, instant)
        while i < len(self.starts):
            holder = self.holders[i]
            if holder is None or not _alike(holder, like):
                return self.starts[i]
            i += 1
        return OPEN

    def _cut(self, instant: Instant, by: Statement) -> None:
        """End this value at ``instant`` if it would go on; what was to follow it follows now."""
        holder = self.at(instant)
        if holder is None or not _alike(holder, by):
            return
        end = self._stretch_end(instant, by)
        self._put(instant, end, None if end == OPEN else self.at(end))

    def _end_everywhere(self, by: Statement) -> None:
        """End the named value wherever the plan has it from the statement's start on."""
        start = by.valid_from
        while True:
            for i, holder in enumerate(self.holders):
                end = self.starts[i + 1] if i + 1 < len(self.starts) else OPEN
                if end > start and holder is not None and _alike(holder, by):
                    self._cut(max(self.starts[i], start), by)
                    break
            else:
                return

    def runs(self, statements: Iterable[Statement]) -> dict[int, list[Statement]]:
        """Group value statements by the one that changed the plan: it first, then who confirms."""
        runs: dict[int, list[Statement]] = {}
        for statement in statements:
            if statement.kind == "value":
                changer = self.follows.get(statement.no)
                if changer is None:
                    runs[statement.no] = [statement]
                else:
                    runs[changer.no].append(statement)
        return runs

    def heads(self, runs: dict[int, list[Statement]]) -> dict[int, int]:
        """Give, for each changer, the memory its run stands for: the one recorded first."""
        return {
            changer: run[0].bears if len(run) == 1 else min((s.bears_from, s.bears) for s in run)[1]
            for changer, run in runs.items()
        }

    def segments(
        self, heads: dict[int, int], start: Instant = BEGINNING, end: Instant = OPEN
    ) -> list[Segment]:
        """Give the stretches between two instants, joined where one memory goes on."""
        out: list[Segment] = []
        count = len(self.starts)
        for i in range(max(0, bisect_right(self.starts, start) - 1), count):
            holder = self.holders[i]
            if holder is None:
                continue
            low = max(self.starts[i], start)
            high = min(self.starts[i + 1] if i + 1 < count else OPEN, end)
            if low >= high:
                continue
            memory = heads[holder.no]
            if out and out[-1].end == low and out[-1].memory == memory:
                out[-1] = Segment(out[-1].start, high, memory)
            else:
                out.append(Segment(low, high, memory))
        return out


def fold(statements: Iterable[Statement]) -> Plan:
    """Take statements, which must be in order of rank, one after another into a new plan."""
    plan = Plan()
    for statement in statements:
        plan.take(statement)
    return plan


def known(statements: Iterable[Statement], member: bytes, known_at: Instant) -> list[Statement]:
    """Give what the timeline of one member rests on as known at an instant, in order of rank.

    A statement about all members counts as *none* unless it keeps this one. What was forgotten
    later than ``known_at`` still counts as what it was.
    """
    out: list[Statement] = []
    for s in statements:
        if s.role != "asserted" or not s.recorded_from <= known_at < s.withdrawn_at:
            continue
        if s.kind == "others":
            if member.hex() in s.keep.split():
                continue
        elif s.member != member:
            continue
        out.append(s if s.forgotten_at <= known_at else s._replace(forgotten_at=OPEN, gap=0))
    out.sort(key=rank)
    return out


def replay(
    statements: Iterable[Statement], member: bytes = b"", known_at: Instant = OPEN - 1
) -> list[Segment]:
    """Give the whole timeline of a key's member as known at an instant: the oracle.

    Segments of forgotten memories are included; whoever reads shows them as nothing.
    """
    live = known(statements, member, known_at)
    plan = fold(live)
    return plan.segments(plan.heads(plan.runs(live)))
