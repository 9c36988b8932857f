"""The life of a fact, and what changed between two instants."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from vigent.domain.records import Record
from vigent.domain.statements import Key
from vigent.domain.text import is_own
from vigent.domain.time import OPEN, Instant, iso, parse_instant, to_datetime
from vigent.errors import InvalidInput
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Stretched
from vigent.read.reading import At, Reading
from vigent.standing import shown

__all__ = ["Change", "diff", "history", "stretch_record"]


@dataclass(frozen=True, slots=True)
class Change:
    """What changed of one attribute at one instant: what held or was believed before and after."""

    instant: Instant
    person: str | None
    subject: str | None
    attribute: str | None
    before: tuple[Record, ...]
    after: tuple[Record, ...]

    @property
    def at(self) -> dt.datetime:
        """When it changed, on the axis that was asked for."""
        return to_datetime(self.instant)

    def to_dict(self) -> dict[str, Any]:
        """Give the change as JSON-ready values."""
        return {
            "at": iso(self.instant),
            "person_id": self.person,
            "subject": self.subject,
            "attribute": self.attribute,
            "before": [record.to_dict() for record in self.before],
            "after": [record.to_dict() for record in self.after],
        }


def stretch_record(reading: Reading, snapshot: JoinedSnapshot, found: Stretched) -> Record:
    """Give a stretch as a record, with its neighbours as they were last believed beside it."""
    ended = found.belief.recorded_to
    at = At(found.belief.valid_from, None if ended is None else ended - 1)
    return reading.record(snapshot, found, at)


def history(
    reading: Reading, subject: object, attribute: object, person: str | None
) -> tuple[Record, ...]:
    """Give every stretch ever believed, by valid_from, then recorded_from."""
    with reading.view(person) as snapshot:
        keys = snapshot.keys(reading.selection(person, subject, attribute, ""))
        rows = [
            found
            for key in keys
            for found in snapshot.beliefs(key)
            if shown(found.statement, reading.now_of(key))
        ]
        rows.sort(key=lambda r: (r.belief.valid_from, r.belief.recorded_from, r.belief.no))
        return tuple(stretch_record(reading, snapshot, row) for row in rows)


def diff(
    reading: Reading,
    *,
    since: object,
    until: object,
    axis: str,
    subject: object,
    person: str | None,
    timezone: str | None,
) -> tuple[Change, ...]:
    """Give what changed in ``(since, until]``, in order of time."""
    if axis not in ("valid", "recorded"):
        raise InvalidInput("axis", "must be one of valid, recorded")
    start = parse_instant(since, "since", timezone=timezone, bare_date="end")
    stop = parse_instant(until, "until", timezone=timezone, bare_date="end")
    if stop < start:
        raise InvalidInput("until", "must not be before since")
    with reading.view(person) as snapshot:
        rows = snapshot.changed(reading.selection(person, subject), axis, start, stop)
        before: dict[tuple[Instant, Key], list[Stretched]] = {}
        after: dict[tuple[Instant, Key], list[Stretched]] = {}
        for row in rows:
            own = is_own(row.key.id.subject)
            if own or not shown(row.statement, reading.now_of(row.key)):
                continue
            b, key = row.belief, snapshot.one(row.key)
            began, ended = (
                (b.valid_from, b.valid_to)
                if axis == "valid"
                else (b.recorded_from, OPEN if b.recorded_to is None else b.recorded_to)
            )
            if start < began <= stop:
                after.setdefault((began, key), []).append(row)
            if start < ended <= stop:
                before.setdefault((ended, key), []).append(row)
        out: list[Change] = []
        for when, key in sorted(before.keys() | after.keys(), key=lambda p: (p[0], p[1].id)):
            out.append(
                Change(
                    when, key.id.person or None, key.name or None, key.id.attribute or None,
                    *(
                        tuple(
                            stretch_record(reading, snapshot, row)
                            for row in sorted(
                                side.get((when, key), []),
                                key=lambda r: (r.belief.valid_from, r.belief.no),
                            )
                        )
                        for side in (before, after)
                    ),
                )
            )  # fmt: skip
        return tuple(out)
