"""How a memory stands in its timeline: what it followed, what followed it, what is in force.

Shared by the write path (answers and the quick-read head) and the read path.
"""

from __future__ import annotations

from typing import NamedTuple

from vigent.domain.changes import Head
from vigent.domain.passages import PassageRow, fact_text, passages_of_fact, passages_of_memory
from vigent.domain.records import Record, Stretch, pack
from vigent.domain.schema import Schema
from vigent.domain.statements import BEGINNING, ONE_VALUE, Belief, Key, KeyId, Statement
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import fold, known
from vigent.domain.values import render
from vigent.ports.storage import Stretched, Timelines

__all__ = [
    "Neighbours",
    "half_life",
    "head_of",
    "last_belief",
    "named",
    "neighbours",
    "passages_of",
    "record_of",
    "record_text",
    "said_by",
    "shown",
    "support_of",
]


class Neighbours(NamedTuple):
    """The ids of the memory before and of the memory after, and until when both can be named."""

    replaced: str | None
    replacer: str | None
    until: Instant = OPEN


def shown(statement: Statement, now: Instant) -> bool:
    """Whether a memory has content to show: not forgotten, and not past its time."""
    return statement.forgotten_at == OPEN and statement.expires_at > now


def neighbours(
    snapshot: Timelines, key: Key, memory: Statement, known_at: Instant | None, now: Instant
) -> Neighbours:
    """Find the memories before and after.

    Those are the one whose stretch ends where this one first begins, and the one that begins
    where it last ends, unless a correction names them.
    """
    stretches = [s.belief for s in snapshot.beliefs(key, memory.no)]
    believed = [b for b in stretches if b.known(known_at)]
    follower: Statement | None = None
    if memory.replaces is not None:
        followed = named(snapshot, memory.tenant, memory.replaces, now)
    else:
        followed = _beside(snapshot, key, believed, known_at, now, before=True)
    if believed:
        follower = _beside(snapshot, key, believed, known_at, now, before=False)
    if follower is None and (
        not believed or (not key.id.attribute and max(b.valid_to for b in believed) < OPEN)
    ):
        follower = _named_by(snapshot, key, memory, known_at, now)
    if follower is None and not believed and stretches and memory.status == "corrected":
        # Nothing is left of it: what stands where it began came at the same instant.
        last = stretches[-1]
        found = snapshot.at(key, last.member, last.valid_from, known_at)
        follower = found[0].statement if found and shown(found[0].statement, now) else None
    until = min(s.expires_at if s is not None else OPEN for s in (followed, follower))
    return Neighbours(
        None if followed is None else followed.id, None if follower is None else follower.id, until
    )


def _beside(
    snapshot: Timelines,
    key: Key,
    believed: list[Belief],
    known_at: Instant | None,
    now: Instant,
    *,
    before: bool,
) -> Statement | None:
    """Give the memory whose stretch touches the first of these, or the last, from outside."""
    if not believed:
        return None
    first = min(b.valid_from for b in believed)
    end = max(b.valid_to for b in believed)
    if not before and end == OPEN:
        return None
    found = snapshot.at(key, believed[0].member, first - 1 if before else end, known_at)
    if not found or not shown(found[0].statement, now):
        return None
    stretch = found[0].belief
    touches = stretch.valid_to == first if before else stretch.valid_from == end
    return found[0].statement if touches else None


def named(snapshot: Timelines, tenant: str, id: str | None, now: Instant) -> Statement | None:
    """Give a memory that another names, where it has content to show."""
    rows = [] if id is None else snapshot.statements(tenant, ids=[id])
    return rows[0][1] if rows and shown(rows[0][1], now) else None


def _named_by(
    snapshot: Timelines, key: Key, memory: Statement, known_at: Instant | None, now: Instant
) -> Statement | None:
    """Give the memory that names this one as what it corrected or replaced."""
    for _, other in snapshot.statements(key.id.tenant, replacing=memory.id):
        if shown(other, now) and (known_at is None or other.recorded_from <= known_at):
            return other
    return None


def last_belief(snapshot: Timelines, key: Key, statement: Statement) -> Belief:
    """Give the stretch a memory was last believed over, or what it says if it never was."""
    rows = [found.belief for found in snapshot.beliefs(key, statement.no)]
    if rows:
        return max(rows, key=lambda b: (b.recorded_to is None, b.recorded_from, b.valid_from))
    ended = None if statement.withdrawn_at == OPEN else statement.withdrawn_at
    return Belief(
        0, key.id.tenant, key.no, statement.member, statement.no, statement.valid_from,
        statement.valid_to, statement.recorded_from, ended,
    )  # fmt: skip


def support_of(snapshot: Timelines, key: Key, statement: Statement) -> list[Statement]:
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


def said_by(key: Key, statement: Statement) -> str:
    """Give a memory as text: its own, or its fact rendered."""
    if statement.text is not None:
        return statement.text
    value = render(statement.value_kind or "text", statement.value or "")
    return fact_text(key.name, key.id.attribute, value)


def record_text(record: Record) -> str:
    """Give a record as text: its own, or its fact rendered."""
    kind, stored, text = record.content[2:5]
    if text is not None:
        return str(text)
    return fact_text(record.name, record.key.attribute, render(kind or "text", stored or ""))


def passages_of(scope: str, key: Key, statement: Statement) -> list[PassageRow]:
    """Give what search finds of a memory."""
    if statement.text is None:
        return passages_of_fact(
            key.id.tenant, scope, statement=statement.no, key=key.no, type=statement.type,
            name=key.name, attribute=key.id.attribute,
            value=render(statement.value_kind or "text", statement.value or ""),
            at=statement.created_at,
        )  # fmt: skip
    return passages_of_memory(
        key.id.tenant, scope, statement=statement.no, key=key.no, type=statement.type,
        name=key.name, text=statement.text, at=statement.created_at,
    )  # fmt: skip


def half_life(schema: Schema, key: KeyId, type: str) -> float | None:
    """Give the half-life in days that a memory's confidence decays by, if any.

    The reader's for the type goes first, then the attribute's, then the type's.
    """
    if type in schema.half_lives:
        return schema.half_lives[type]
    definition = schema.attribute(key.attribute) if key.attribute else None
    if definition is not None and definition.half_life_days is not None:
        return definition.half_life_days
    known_type = schema.type(type)
    return None if known_type is None else known_type.half_life_days


def record_of(
    snapshot: Timelines,
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


def head_of(snapshot: Timelines, key: Key, now: Instant) -> Head:
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
