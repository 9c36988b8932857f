"""What was believed, and when, derived from statements alone: the whole life of a timeline.

Storage keeps beliefs for each key. Where several keys are read as one, their statements are
taken together, and what they give is worked out here at the read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vigent.domain.statements import Statement
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import Segment, replay

__all__ = ["Spell", "members", "spells"]


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
    instants = {at for s in mine for at in (s.recorded_from, s.withdrawn_at, s.forgotten_at)}
    since: dict[Segment, Instant] = {}
    out: list[Spell] = []
    for at in sorted(instants - {OPEN}):
        now = dict.fromkeys(replay(mine, member, at), at)
        out += [Spell(gone, since[gone], at) for gone in since.keys() - now.keys()]
        since = {segment: since.get(segment, at) for segment in now}
    out += [Spell(segment, begun, None) for segment, begun in since.items()]
    out.sort(key=lambda s: (s.segment.start, s.recorded_from, s.segment.end, s.segment.memory))
    return out
