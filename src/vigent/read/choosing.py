"""Which memories may stand in a context: what state says always, and what a question calls for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import orjson

from vigent.domain.injection import InjectionBlock, Rank
from vigent.domain.query import NOTHING_THEN, Hit, SearchAnswer
from vigent.domain.records import Record, Stretch
from vigent.domain.sections import Candidates
from vigent.domain.time import OPEN, Instant, parse_instant
from vigent.errors import InvalidInput
from vigent.ports.storage import Snapshot
from vigent.ports.typed import TypedRow
from vigent.read.reading import Reading

__all__ = ["Past", "Search", "Topic", "behaviours", "commitments", "sessions", "topical"]

Search = Callable[..., SearchAnswer]
"""Finds by a question: ``search(query, person=…, limit=…, include=…)``.

It gets ``timezone`` too where one was given, and what it is to leave out before the limit:
``types``, ``without``, ``metadata`` and ``min_confidence``.
"""

_NEVER_TOPICAL: Final = frozenset({"commitment", "behaviour", "episode", "block"})
_MOST: Final = 200
_AT_FIRST: Final = 10
_AT_ONCE: Final = 160
"""How many memories of a type are read together: as many as are given, then more."""
_NEAR: Final = 0.9
"""Hits this near to the last that the limit would take are taken to be as relevant as that."""


def _suits(block: InjectionBlock, record: Record) -> bool:
    """Whether a block takes a memory for what it is."""
    if not block.wants(record.memory_type):
        return False
    if not record.reaches(block.min_confidence):
        return False
    return block.filter.matches(record.metadata)


# ------------------------------------------------------------------------- always, from state


def commitments(
    reading: Reading,
    snapshot: Snapshot,
    person: str,
    block: InjectionBlock,
    timezone: str | None,
) -> Candidates:
    """Give the open commitments, a person's and the shared: next due first, undated last.

    A bare date is due when that day is over in the zone. What is overdue is due before all else.
    """
    if not block.wants("commitment"):
        return Candidates.of(())
    dated: list[tuple[Instant, Instant, int, TypedRow]] = []
    for row in _rows(reading, snapshot, reading.scope(person).readable, "commitment"):
        own = orjson.loads(row.fields)
        if own.get("state", "open") == "open":
            dated.append((_due_at(own.get("due"), timezone), row.said_at, row.belief, row))
    dated.sort()
    return _chosen(reading, snapshot, [row for *_, row in dated], block)


@lru_cache(maxsize=8192)
def _due_at(due: str | None, timezone: str | None) -> Instant:
    if due is None:
        return OPEN
    try:
        return parse_instant(due, "due", timezone=timezone, bare_date="end")
    except InvalidInput:  # the last day there is, in a zone where its end is not
        return OPEN


def behaviours(
    reading: Reading, snapshot: Snapshot, person: str, block: InjectionBlock
) -> Candidates:
    """Give a person's own rules for how the assistant acts, newest first; nobody else's ever."""
    if not person or not block.wants("behaviour"):
        return Candidates.of(())
    rows = _rows(reading, snapshot, (person,), "behaviour")
    rows.sort(key=lambda row: (row.said_at, row.belief), reverse=True)
    return _chosen(reading, snapshot, rows, block)


def _rows(
    reading: Reading, snapshot: Snapshot, persons: Sequence[str], type: str
) -> list[TypedRow]:
    now = reading.clock.now()
    return [
        row
        for person in persons
        for row in snapshot.of_type(reading.tenant, reading.store, person, type, now)
    ]


def _chosen(
    reading: Reading, snapshot: Snapshot, rows: list[TypedRow], block: InjectionBlock
) -> Candidates:
    """Read the memories a few at a time, as they are asked for; all where a filter counts."""
    read = _read(reading, snapshot, rows)
    if block.filters:
        return Candidates.of([record for record in read if _suits(block, record)])
    return Candidates(read, len(rows))


def _read(reading: Reading, snapshot: Snapshot, rows: Sequence[TypedRow]) -> Iterator[Record]:
    start, size = 0, _AT_FIRST
    while start < len(rows):
        part = rows[start : start + size]
        found = snapshot.statements(reading.tenant, numbers=[row.memory for row in part])
        said = {statement.no: (key, statement) for key, statement in found}
        for row in part:
            stretch = Stretch(row.valid_from, row.valid_to, row.recorded_from, None)
            yield reading.alone(*said[row.memory], stretch)
        start, size = start + size, min(2 * size, _AT_ONCE)


# ------------------------------------------------------------------------- for the question


class Past(NamedTuple):
    """Records of past sessions in their order, and how many there are to choose from."""

    records: list[Record]
    total: int


class Topic(NamedTuple):
    """What a question calls for, in the order in which it is taken; ``answer`` is the search's.

    ``doubtful`` are the ids of what may not have held at the time that the question names;
    ``more`` says that a longer search would find more.
    """

    records: list[Record]
    answer: SearchAnswer
    doubtful: frozenset[str]
    more: bool


def topical(
    reading: Reading,
    search: Search,
    question: str,
    person: str,
    block: InjectionBlock,
    limit: int,
    rank: Rank,
    *,
    far: bool = False,
) -> Topic:
    """Let a question choose, and put what it chose in the order in which it is taken.

    Exact answers go first, a person's own before the shared; then what was found, a person's
    before the shared, each by rank. The question chooses as many as the limit takes; rank puts
    them in order, and decides among those that are about as relevant as the last of them. ``far``
    looks as far as a search goes, where too little of what is nearer fits.
    """
    wanted = _MOST if far else min(_MOST, max(40, 4 * limit))
    while True:
        answer = search(
            question, person=person or None, limit=wanted, include="current", **_narrowed(block)
        )
        hits = [
            hit
            for hit in answer.hits
            if hit.record is not None
            and (hit.in_force or _admitted(hit, answer))
            and hit.record.memory_type not in _NEVER_TOPICAL
            and _suits(block, hit.record)
        ]
        if len(hits) >= 2 * limit or len(answer.hits) < wanted or wanted >= _MOST:
            break
        wanted = min(_MOST, 4 * wanted)
    hits = _unshadowed(reading, hits)
    found = sorted((hit for hit in hits if not hit.exact), key=lambda hit: -hit.score)
    place = partial(_place, rank, max((hit.score for hit in found), default=0.0))
    exact = sorted((hit for hit in hits if hit.exact), key=place)
    chosen, others = _chosen_hits(found, max(0, limit - len(exact)), place)
    order = [*exact, *chosen, *others]
    return Topic(
        [hit.record for hit in order if hit.record is not None],
        answer,
        frozenset(hit.id for hit in hits if not hit.in_force and not hit.exact),
        more=len(answer.hits) == wanted < _MOST,
    )


def _admitted(hit: Hit, answer: SearchAnswer) -> bool:
    """Whether what is not in force may be given, as such: another time was asked about."""
    if hit.exact:
        return answer.plan.as_of is not None
    return NOTHING_THEN in answer.plan.notes


def _narrowed(block: InjectionBlock) -> dict[str, Any]:
    """Give what a search is to leave out before its limit counts."""
    return {
        "types": block.types, "without": _NEVER_TOPICAL, "metadata": block.metadata or None,
        "min_confidence": block.min_confidence,
    }  # fmt: skip


def _place(rank: Rank, best: float, hit: Hit) -> tuple[bool, tuple[float, ...], str]:
    """Give where a hit stands: a person's own before the shared, each by rank, then id."""
    record = hit.record
    if record is None:
        return (True, (), hit.id)
    if rank == "relevance":
        by: tuple[float, ...] = (-hit.score,)
    else:
        effective = record.effective_confidence
        known = -1.0 if effective is None else effective
        if rank == "blend":
            known = max(known, 0.0) * (1.0 if hit.exact or best <= 0 else hit.score / best)
        by = (-known, -record.retrieved_count)
    return (not record.key.person, by, record.memory_id)


def _chosen_hits(
    found: list[Hit], limit: int, place: Callable[[Hit], Any]
) -> tuple[list[Hit], list[Hit]]:
    """Part hits, best first, into those that the question chose and those that fill in.

    What is clearly more relevant than the last that the limit takes is chosen; for the places
    left, those about as relevant as that one compete by rank.
    """
    if not 0 < limit < len(found):
        return sorted(found[:limit], key=place), found[limit:]
    last = found[limit - 1].score
    near = [hit for hit in found[: 4 * limit] if last * _NEAR <= hit.score <= last / _NEAR]
    certain = [hit for hit in found[:limit] if hit.score > last / _NEAR]
    near.sort(key=place)
    rest = found[len(certain) + len(near) :]
    places = limit - len(certain)
    return sorted([*certain, *near[:places]], key=place), [*near[places:], *rest]


def _unshadowed(reading: Reading, hits: list[Hit]) -> list[Hit]:
    """Leave out shared values where the person has one of their own."""
    own = {
        (hit.record.key.subject, hit.record.key.attribute)
        for hit in hits
        if hit.record is not None and hit.record.key.person and hit.record.key.attribute
    }
    return [
        hit
        for hit in hits
        if hit.record is None
        or hit.record.key.person
        or (hit.record.key.subject, hit.record.key.attribute) not in own
        or reading.attribute(hit.record.key.attribute)[1]
    ]


def sessions(search: Search, question: str, person: str, block: InjectionBlock, limit: int) -> Past:
    """Give the records of past sessions nearest to a question, newer ones higher.

    In a turn for a person only theirs, in a nameless turn only shared ones.
    """
    asked = {**_narrowed(block), "types": ("episode",), "without": ()}
    answer = search(question, person=person or None, limit=_MOST, include="current", **asked)
    found = [
        hit.record
        for hit in answer.hits
        if hit.record is not None
        and hit.record.memory_type == "episode"
        and hit.record.key.person == person
        and _suits(block, hit.record)
    ]
    nearest = found[:limit]
    nearest.sort(key=lambda r: (r.stretch.valid_from, r.memory_id), reverse=True)
    return Past(nearest, len(found))
