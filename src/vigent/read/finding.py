"""Records by id, and where they come from."""

from __future__ import annotations

from vigent.domain.episodes import Episode, Evidence, Provenance, Visibility
from vigent.domain.records import Record
from vigent.domain.statements import Key, Statement
from vigent.domain.text import check_id
from vigent.domain.time import to_datetime
from vigent.errors import NotFound
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Stretched
from vigent.read.past import stretch_record
from vigent.read.reading import At, Reading
from vigent.read.threads import episode_seen
from vigent.standing import last_belief, shown, support_of

__all__ = ["episode", "get", "provenance", "stretches", "visibility"]


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


def stretches(reading: Reading, memory_id: object, person: str | None) -> tuple[Record, ...]:
    """Give every stretch one memory was ever believed over, by valid_from, then recorded_from."""
    with reading.view(person) as snapshot:
        key, statement = _found(reading, snapshot, memory_id, person)
        rows = snapshot.beliefs(key, statement.no)
        rows.sort(key=lambda r: (r.belief.valid_from, r.belief.recorded_from, r.belief.no))
        return tuple(stretch_record(reading, snapshot, row) for row in rows)


def episode(reading: Reading, id: object, person: str | None) -> Episode:
    """Give one raw record; a stub where it is past its time. Raises NotFound."""
    name = check_id(id, "episode_id")
    with reading.view(person) as snapshot:
        for row in snapshot.plain.episodes(reading.tenant, ids=[name]):
            if row.store == reading.store and row.person in reading.scope(person).readable:
                return episode_seen(reading, snapshot.plain, row)
    raise NotFound(f"episode_id: there is no episode {name} here", field="episode_id")
