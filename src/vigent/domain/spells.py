"""What was believed, and when, derived from statements alone: the whole life of a timeline.

Storage keeps beliefs for each key. Where several keys are read as one, their statements are
taken together, and what they give is worked out here at the read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from vigent.domain.statements import BEGINNING, Rank, Statement, rank
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import Plan, Segment, fold, known

__all__ = ["Spell", "members", "spells"]

_end = attrgetter("end")
_FIRST: Rank = (BEGINNING, BEGINNING, 0, 0)


class Spell(NamedTuple):
    """A stretch of valid time, and over which recorded time it was believed."""

    segment: Segment
    recorded_from: Instant
    recorded_to: Instant | None


def members(statements: Iterable[Statement]) -> list[bytes]:
    """Give the timelines that statements are about, in order."""
    return sorted({s.member for s in statements if s.kind == "value" and s.role == "asserted"})


def spells(statements: Sequence[Statement], member: bytes) -> list[Spell]:
    """Give every stretch ever believed of one timeline, by valid_from, then recorded_from.

    That is what the replay gives at each instant at which something was recorded, withdrawn or
    forgotten.
    """
    mine = [
        s
        for s in statements
        if s.role == "asserted"
        and (s.member == member or (s.kind == "others" and member.hex() not in s.keep.split()))
    ]
    said: dict[Instant, list[Statement]] = {}
    for s in mine:
        said.setdefault(s.recorded_from, []).append(s)
    undone = {at for s in mine for at in (s.withdrawn_at, s.forgotten_at)} - {OPEN}
    life = _Life()
    for at in sorted(said.keys() | undone):
        coming = sorted(said.get(at, ()), key=rank)
        if at in undone or rank(coming[0]) < life.last:
            life.begin_anew(known(mine, member, at), at)
        else:
            life.go_on(known(coming, member, at), at)
    return life.told()


class _Life:
    """A timeline as it grows in recorded time. What comes last in order changes its end alone."""

    def __init__(self) -> None:
        self.last = _FIRST
        self._plan = Plan()
        self._first: dict[int, tuple[Instant, int]] = {}
        self._heads: dict[int, int] = {}
        self._segments: list[Segment] = []
        self._since: dict[Segment, Instant] = {}
        self._over: list[Spell] = []

    def begin_anew(self, statements: list[Statement], at: Instant) -> None:
        """Take all that is known at an instant, in order of rank."""
        self._plan = fold(statements)
        runs = self._plan.runs(statements)
        self._first = {
            changer: min((s.bears_from, s.bears) for s in run) for changer, run in runs.items()
        }
        self._heads = {changer: memory for changer, (_, memory) in self._first.items()}
        self.last = rank(statements[-1]) if statements else _FIRST
        self._renew(BEGINNING, at)

    def go_on(self, statements: list[Statement], at: Instant) -> None:
        """Take what follows all that was known before, in order of rank."""
        first = statements[0].valid_from
        for s in statements:
            self._plan.take(s)
            if s.kind == "value":
                changer = self._plan.follows.get(s.no, s).no
                mine, before = (s.bears_from, s.bears), self._first.get(changer)
                if before is None or mine < before:
                    self._first[changer], self._heads[changer] = mine, s.bears
                    # What the run stands for is another memory, wherever it holds.
                    first = first if before is None else BEGINNING
        self.last = rank(statements[-1])
        self._renew(first, at)

    def _renew(self, start: Instant, at: Instant) -> None:
        """Note which stretches end and begin to be believed, from an instant of valid time on."""
        index = bisect_left(self._segments, start, key=_end)
        old = self._segments[index:]
        start = min(start, old[0].start) if old else start
        new = self._plan.segments(self._heads, start)
        for gone in set(old) - set(new):
            self._over.append(Spell(gone, self._since.pop(gone), at))
        for segment in new:
            self._since.setdefault(segment, at)
        self._segments[index:] = new

    def told(self) -> list[Spell]:
        """Give every stretch, those that are believed now with the rest."""
        out = self._over + [Spell(segment, at, None) for segment, at in self._since.items()]
        out.sort(key=lambda s: (s.segment.start, s.recorded_from, s.segment.end, s.segment.memory))
        return out
