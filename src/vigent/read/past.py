"""The life of a fact, and what changed between two instants."""

from __future__ import annotations

from vigent.domain.records import Record
from vigent.domain.results import Change
from vigent.domain.statements import Key
from vigent.domain.text import is_own
from vigent.domain.time import OPEN, Instant, parse_instant
from vigent.errors import InvalidInput
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Stretched
from vigent.read.reading import At, Reading
from vigent.standing import shown

__all__ = ["Change", "diff", "history", "stretch_record"]


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
        # Beliefs of one write are numbered as each store likes; statements are not.
        rows.sort(key=_place)
        return tuple(stretch_record(reading, snapshot, row) for row in rows)


def _place(row: Stretched) -> tuple[Instant, Instant, Instant, int, int]:
    belief, said = row.belief, row.statement
    first = (belief.valid_from, belief.recorded_from)
    return (*first, said.recorded_from, said.no, belief.no)


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
    known_at = stop if axis == "recorded" else None
    with reading.view(person, known_at) as snapshot:
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
                                key=_place,
                            )
                        )
                        for side in (before, after)
                    ),
                )
            )  # fmt: skip
        return tuple(out)
