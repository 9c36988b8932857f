"""How a memory stands in its timeline: what it followed, what followed it, what is in force.

Shared by the write path (answers and the quick-read head) and the read path.
"""

from __future__ import annotations

from typing import NamedTuple

from vigent.domain.changes import Head
from vigent.domain.records import Record, Stretch, pack
from vigent.domain.schema import Schema
from vigent.domain.statements import BEGINNING, ONE_VALUE, Belief, Key, KeyId, Statement
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import fold, known
from vigent.ports.storage import Snapshot, Stretched

__all__ = ["Neighbours", "half_life", "head_of", "neighbours", "record_of", "run_of", "shown"]


class Neighbours(NamedTuple):
    """The ids of the memory before and of the memory after, and until when both can be named."""

    replaced: str | None
    replacer: str | None
    until: Instant = OPEN


def shown(statement: Statement, now: Instant) -> bool:
    """Whether a memory has content to show: not forgotten, and not past its time."""
    return statement.forgotten_at == OPEN and statement.expires_at > now


def _known(belief: Belief, known_at: Instant | None) -> bool:
    if known_at is None:
        return belief.recorded_to is None
    return belief.recorded_from <= known_at and (
        belief.recorded_to is None or known_at < belief.recorded_to
    )


def neighbours(
    snapshot: Snapshot, key: Key, memory: Statement, known_at: Instant | None, now: Instant
) -> Neighbours:
    """Find the memories before and after.

    Those are the one whose stretch ends where this one first begins, and the one that begins
    where it last ends, unless a correction names them.
    """
    stretches = [s.belief for s in snapshot.beliefs(key, memory.no)]
    believed = [b for b in stretches if _known(b, known_at)]
    if not believed:
        replacer = _named_by(snapshot, key, memory, known_at)
        if replacer is None and stretches and memory.status == "corrected":
            # Nothing is left of it: what stands where it began came at the same instant.
            last = stretches[-1]
            found = snapshot.at(key, last.member, last.valid_from, known_at)
            replacer = found[0].statement.id if found and shown(found[0].statement, now) else None
        return Neighbours(memory.replaces, replacer)
    replaced, replacer, until = memory.replaces, None, OPEN
    first = min(b.valid_from for b in believed)
    last_end = max(b.valid_to for b in believed)
    member = believed[0].member
    if replaced is None:
        found = snapshot.at(key, member, first - 1, known_at)
        if found and found[0].belief.valid_to == first and shown(found[0].statement, now):
            replaced, until = found[0].statement.id, found[0].statement.expires_at
    if last_end != OPEN:
        found = snapshot.at(key, member, last_end, known_at)
        if found and found[0].belief.valid_from == last_end and shown(found[0].statement, now):
            replacer = found[0].statement.id
            until = min(until, found[0].statement.expires_at)
        elif not key.id.attribute:
            replacer = _named_by(snapshot, key, memory, known_at)
    return Neighbours(replaced, replacer, until)


def _named_by(
    snapshot: Snapshot, key: Key, memory: Statement, known_at: Instant | None
) -> str | None:
    """Give the memory that names this one as what it corrected or replaced."""
    for _, other in snapshot.statements(key.id.tenant, replacing=memory.id):
        if other.forgotten_at == OPEN and (known_at is None or other.recorded_from <= known_at):
            return other.id
    return None


def run_of(snapshot: Snapshot, key: Key, statement: Statement) -> list[Statement]:
    """Give all that supports a memory: its run, and confirmations that are evidence only.

    Of a memory no longer believed that is what was withdrawn together with it.
    """
    rows = [s for _, s in snapshot.statements(key.id.tenant, of_key=key.no)]
    live = known(rows, statement.member, OPEN - 1)
    plan = fold(live)
    runs = plan.runs(live)
    heads = plan.heads(runs)
    found = [s for changer, run in runs.items() if heads[changer] == statement.no for s in run]
    if not found:
        found = [
            s
            for s in rows
            if s.kind == "value"
            and s.token == statement.token
            and s.role == statement.role
            and s.withdrawn_at == statement.withdrawn_at
            and (s.no == statement.no or s.withdrawn_at != OPEN)
        ]
    support = [s for s in rows if s.role == "evidence" and s.bears == statement.no]
    return sorted([*found, *support], key=lambda s: (s.recorded_from, s.no))


def half_life(schema: Schema, key: KeyId, type: str) -> float | None:
    """Give the half-life in days that a memory's confidence decays by, if any."""
    definition = schema.attribute(key.attribute) if key.attribute else None
    if definition is not None and definition.half_life_days is not None:
        return definition.half_life_days
    known_type = schema.type(type)
    return None if known_type is None else known_type.half_life_days


def record_of(
    snapshot: Snapshot,
    schema: Schema,
    found: Stretched,
    *,
    valid_at: Instant,
    known_at: Instant | None,
    now: Instant,
) -> Record:
    """Make the record of a memory over a stretch, with its neighbours looked up."""
    key, belief, statement = found
    around = neighbours(snapshot, key, statement, known_at, now)
    return Record(
        key.id,
        key.name,
        statement,
        Stretch(belief.valid_from, belief.valid_to, belief.recorded_from, belief.recorded_to),
        replaced=around.replaced,
        replacer=around.replacer,
        valid_at=valid_at,
        known=key.last_recorded if known_at is None else min(known_at, key.last_recorded),
        answered_at=now,
        half_life_days=half_life(schema, key.id, statement.type),
    )


def head_of(snapshot: Snapshot, key: Key, now: Instant) -> Head:
    """Derive what is in force of a single-valued key around ``now``, for the quick read."""
    found = snapshot.at(key, ONE_VALUE, now, None)
    if found:
        _, belief, statement = found[0]
        if statement.forgotten_at != OPEN:
            return Head(
                belief.valid_from, belief.valid_to, belief.recorded_from, OPEN, None, None, None
            )
        around = neighbours(snapshot, key, statement, None, now)
        return Head(
            belief.valid_from,
            belief.valid_to,
            belief.recorded_from,
            min(statement.expires_at, around.until),
            around.replaced,
            around.replacer,
            pack(statement),
        )
    ends = [
        s.belief
        for s in snapshot.beliefs(key)
        if s.belief.recorded_to is None and s.belief.member == ONE_VALUE
    ]
    low = max((b.valid_to for b in ends if b.valid_to <= now), default=BEGINNING)
    high = min((b.valid_from for b in ends if b.valid_from > now), default=OPEN)
    return Head(low, high, 0, OPEN, None, None, None)
