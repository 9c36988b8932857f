"""Exact state: what is in force of an attribute, or of a subject."""

from __future__ import annotations

from functools import partial

from vigent.domain.records import Record, Stretch
from vigent.domain.state import State
from vigent.domain.statements import ONE_VALUE, Key, KeyId
from vigent.domain.text import canonical_subject
from vigent.domain.time import Instant
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import HeadRow, Selection, Stretched
from vigent.read.reading import NOW, At, Reading
from vigent.standing import half_life, shown

__all__ = ["current", "current_many", "state"]


def current(
    reading: Reading, subject: object, attribute: str, person: str | None, at: At
) -> Record | tuple[Record, ...] | None:
    """Give the record in force of a single-valued attribute, or None; the person's own first.

    Where the schema at hand declares nothing and the store holds several values, it is those.
    """
    _, canon = canonical_subject(subject)
    persons = (person, "") if person else ("",)
    if at is NOW:
        reader, clock = reading.storage.reader(), reading.clock.now()
        known = False
        for whose in persons:
            row = reader.head(reading.tenant, reading.store, whose, canon, attribute)
            if row is None:
                continue
            known = True
            now = max(clock, row.last_recorded)
            if not row.valid_from <= now < row.valid_to:
                break  # kept for another stretch of time, or joined: ask the beliefs
            if row.content is None:
                continue
            if row.expires_at <= now:
                break
            return _quick(reading, row, canon, attribute, now)
        else:
            # A key with a quick answer has no other names; one that is not there may have.
            if known or not reader.aliased(reading.tenant, reading.store, canon, person or ""):
                return None
    with reading.view(person, at.known_at) as snapshot:
        selection = Selection(reading.tenant, reading.store, persons, canon, attribute, "")
        keys = {key.id.person: key for key in snapshot.keys(selection)}
        for name in persons:
            if name in keys:
                found = _in_force(reading, snapshot, keys[name], ONE_VALUE, at)
                if found:
                    return reading.record(snapshot, found[0], at)
        if reading.schema.attribute(attribute) is None:
            return _many(reading, snapshot, list(keys.values()), persons, at) or None
    return None


def _quick(reading: Reading, row: HeadRow, subject: str, attribute: str, now: Instant) -> Record:
    key = KeyId(reading.tenant, reading.store, row.person, subject, attribute, "")
    return Record(
        key, row.name, row.content or "",
        Stretch(row.valid_from, row.valid_to, row.recorded_from, None),
        replaced=row.replaced, replacer=row.replacer, valid_at=now, known=row.last_recorded,
        answered_at=now,
        half_life_days=partial(half_life, reading.schema),
    )  # fmt: skip


def _in_force(
    reading: Reading, snapshot: JoinedSnapshot, key: Key, member: bytes | None, at: At
) -> list[Stretched]:
    now = reading.now_of(key)
    rows = snapshot.at(key, member, now if at.as_of is None else at.as_of, at.known_at)
    found = [row for row in rows if shown(row.statement, now)]
    found.sort(key=lambda row: (row.statement.recorded_from, row.statement.id))
    return found


def current_many(
    reading: Reading, subject: object, attribute: str, person: str | None, at: At
) -> tuple[Record, ...]:
    """Give the records in force of a multi-valued attribute, in order of recording."""
    _, canon = canonical_subject(subject)
    persons = reading.scope(person).readable
    with reading.view(person, at.known_at) as snapshot:
        selection = Selection(reading.tenant, reading.store, persons, canon, attribute, "")
        return _many(reading, snapshot, snapshot.keys(selection), persons, at)


def _many(
    reading: Reading, snapshot: JoinedSnapshot, keys: list[Key], persons: tuple[str, ...], at: At
) -> tuple[Record, ...]:
    out: list[Record] = []
    seen: set[bytes] = set()
    for name in persons:
        for key in keys:
            if key.id.person == name:
                for found in _in_force(reading, snapshot, key, None, at):
                    if found.statement.token not in seen:
                        seen.add(found.statement.token)
                        out.append(reading.record(snapshot, found, at))
    return tuple(out)


def state(reading: Reading, subject: object, person: str | None, at: At) -> State:
    """Give all that is in force of a subject, by attribute."""
    written, canon = canonical_subject(subject)
    persons = reading.scope(person).readable
    records: dict[str, Record | tuple[Record, ...]] = {}
    with reading.view(person, at.known_at) as snapshot:
        every = snapshot.keys(Selection(reading.tenant, reading.store, persons, canon))
        by_attribute: dict[str, list[Key]] = {}
        for key in every:
            if key.id.attribute:
                by_attribute.setdefault(key.id.attribute, []).append(key)
        for attribute in sorted(by_attribute):
            keys = by_attribute[attribute]
            definition = reading.schema.attribute(attribute)
            if definition is not None and definition.multi:
                many = _many(reading, snapshot, keys, persons, at)
                if many:
                    records[attribute] = many
                continue
            for name in persons:
                found = [
                    row
                    for key in keys
                    if key.id.person == name
                    for row in _in_force(reading, snapshot, key, ONE_VALUE, at)
                ]
                if found:
                    records[attribute] = reading.record(snapshot, found[0], at)
                    break
            else:
                if definition is None:
                    many = _many(reading, snapshot, keys, persons, at)
                    if many:
                        records[attribute] = many
    now = max([reading.clock.now(), *(key.last_recorded for key in every)])
    latest = max((key.last_recorded for key in every), default=now)
    return State(
        written,
        records,
        now if at.as_of is None else at.as_of,
        latest if at.known_at is None else min(at.known_at, latest),
    )
