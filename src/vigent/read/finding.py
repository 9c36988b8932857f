"""Records by id, where they come from, and lists of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from vigent.domain.episodes import Evidence, Provenance, Visibility
from vigent.domain.records import Record
from vigent.domain.statements import Key, Statement
from vigent.domain.text import check_id, is_own
from vigent.domain.time import Instant, to_datetime
from vigent.errors import InvalidInput, NotFound
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Stretched
from vigent.read.reading import At, Reading
from vigent.read.threads import episode_seen
from vigent.standing import last_belief, shown, support_of

__all__ = ["get", "listed", "provenance", "visibility"]

_STATUSES = ("active", "corrected", "withdrawn", "buffered", "pending_review", "contested",
             "rejected")  # fmt: skip


def _found(
    reading: Reading, snapshot: JoinedSnapshot, memory_id: object, person: str | None
) -> tuple[Key, Statement]:
    id = check_id(memory_id, "memory_id")
    rows = snapshot.statements(reading.tenant, ids=[id])
    if rows:
        key, statement = rows[0]
        if statement.role == "evidence":
            key, statement = snapshot.statements(reading.tenant, numbers=[statement.bears])[0]
        if (
            key.id.store == reading.store
            and key.id.person in reading.scope(person).readable
            and statement.role != "note"
            and shown(statement, reading.now_of(key))
        ):
            return key, statement
    raise NotFound(f"memory_id: there is no memory {id} here", field="memory_id")


def _stretched(snapshot: JoinedSnapshot, key: Key, statement: Statement) -> Stretched:
    return Stretched(key, last_belief(snapshot, key, statement), statement)


def get(reading: Reading, memory_id: object, person: str | None) -> Record:
    """Give one memory over its last believed stretch; raises NotFound."""
    with reading.view(person) as snapshot:
        key, statement = _found(reading, snapshot, memory_id, person)
        return reading.record(snapshot, _stretched(snapshot, key, statement), At(None, None))


def provenance(reading: Reading, memory_id: object, person: str | None) -> Provenance:
    """Give a memory with all that supports it; raises NotFound."""
    with reading.view(person) as snapshot:
        key, statement = _found(reading, snapshot, memory_id, person)
        record = reading.record(snapshot, _stretched(snapshot, key, statement), At(None, None))
        evidence: list[Evidence] = []
        for s in support_of(snapshot.plain, key, statement):
            rows = (
                snapshot.plain.episodes(reading.tenant, ids=[s.source_episode])
                if s.source_episode
                else []
            )
            evidence.append(
                Evidence(
                    s.id, s.source_episode,
                    episode_seen(reading, snapshot.plain, rows[0]) if rows else None,
                    s.quote, s.speaker, s.source, s.trust, s.writer,
                    to_datetime(s.valid_from), to_datetime(s.recorded_from),
                )
            )  # fmt: skip
        return Provenance(record, tuple(evidence))


def visibility(reading: Reading, memory_id: object, person: str | None) -> Visibility:
    """Say to whom a memory belongs; raises NotFound."""
    with reading.view(person) as snapshot:
        key, statement = _found(reading, snapshot, memory_id, person)
        return Visibility(
            statement.id, key.id.tenant, key.id.store, key.id.person or None, policies=()
        )


def listed(
    reading: Reading,
    *,
    person: str | None,
    type: str | None,
    subject: object,
    attribute: object,
    at: At,
    status: str | None,
    min_confidence: object,
    include: str,
    order: str,
) -> Iterator[Record]:
    """Give the memories that fit, by default those in force now, in order of recording."""
    if status is not None and status not in _STATUSES:
        raise InvalidInput("status", f"must be one of {', '.join(_STATUSES)}")
    if include not in ("current", "history"):
        raise InvalidInput("include", "must be one of current, history")
    if order not in ("recorded", "confidence"):
        raise InvalidInput("order", "must be one of recorded, confidence")
    least = _minimum(min_confidence)
    with reading.view(person) as snapshot:
        rows: list[tuple[Instant, str, int, Record]] = []
        for key in snapshot.keys(reading.selection(person, subject, attribute)):
            if is_own(key.id.subject) and type is None:
                continue
            for found in _of_key(reading, snapshot, key, at, status, include):
                statement = found.statement
                if type is not None and statement.type != type:
                    continue
                if not shown(statement, reading.now_of(key)):
                    continue
                record = reading.record(snapshot, found, at)
                if not record.reaches(least):
                    continue
                rows.append((statement.recorded_from, statement.id, found.belief.no, record))
    rows.sort(key=lambda row: row[:3])
    if order == "confidence":
        rows.sort(key=lambda row: _descending(row[3]))
    return iter([row[3] for row in rows])


def _descending(record: Record) -> tuple[bool, float]:
    found = record.effective_confidence
    return (found is None, -(found or 0.0))


def _minimum(given: object) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InvalidInput("min_confidence", "must be a number from 0 to 1")
    if not math.isfinite(given) or not 0 <= given <= 1:
        raise InvalidInput("min_confidence", "must be a number from 0 to 1")
    return float(given)


def _of_key(
    reading: Reading, snapshot: JoinedSnapshot, key: Key, at: At, status: str | None, include: str
) -> Sequence[Stretched]:
    if status is not None and status != "active":
        rows = snapshot.statements(key.id.tenant, of_key=key.no)
        return [
            _stretched(snapshot, own, s)
            for own, s in rows
            if s.kind == "value" and s.role != "note"
            and (s.contested if status == "contested" else s.status == status)
            and (s.bears == s.no or s.role == "held")
        ]  # fmt: skip
    if include == "history":
        return snapshot.beliefs(key)
    now = reading.now_of(key)
    return snapshot.at(key, None, now if at.as_of is None else at.as_of, at.known_at)
