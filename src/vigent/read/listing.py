"""Lists of memories: what fits, in an order that does not move, whole or by pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

from vigent.domain.filters import Filter
from vigent.domain.records import Record, Stretch
from vigent.domain.statements import Key, Statement
from vigent.domain.text import MAX_TYPE, check_name, is_own
from vigent.domain.time import Instant, parse_instant
from vigent.errors import InvalidInput
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Selection, Stretched
from vigent.read.reading import At, Reading
from vigent.standing import last_belief, shown

__all__ = ["Place", "Wanted", "listed", "page"]

_STATUSES: Final = ("active", "corrected", "withdrawn", "buffered", "pending_review", "contested",
                    "rejected")  # fmt: skip
_FEW: Final = 500
"""Up to so many keys, all are looked at; of more, statements are walked in order."""
_FIRST: Final = (-(2**63), "")
_AT_ONCE, _MOST = 128, 4_096
"""How many statements are looked at in one go, first and at most."""
_LOOKED: Final = 10_000
"""After so many a page ends, also where nothing fitted."""
_BEYOND: Final = 2**63 - 1
"""A stretch after all stretches of a memory."""


class Place(NamedTuple):
    """Where a record stands in a list: when it was recorded, its id, and which stretch of it."""

    recorded_from: Instant
    id: str
    stretch: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories a list is to give, checked."""

    type: str | None
    subject: object
    attribute: object
    at: At
    status: str | None
    include: str
    least: float | None
    after: Instant | None
    before: Instant | None
    metadata: Filter

    @classmethod
    def of(
        cls,
        reading: Reading,
        *,
        type: str | None = None,
        subject: object = None,
        attribute: object = None,
        as_of: object = None,
        known_at: object = None,
        status: str | None = None,
        min_confidence: object = None,
        include: str = "current",
        after: object = None,
        before: object = None,
        metadata: Mapping[str, Any] | None = None,
        timezone: str | None = None,
    ) -> Wanted:
        """Check what is asked for; raises InvalidInput naming the first field that does not fit."""
        if status is not None and status not in _STATUSES:
            raise InvalidInput("status", f"must be one of {', '.join(_STATUSES)}")
        if include not in ("current", "history"):
            raise InvalidInput("include", "must be one of current, history")
        if type is not None:
            check_name(type, "type", MAX_TYPE)
        at = reading.instants(as_of, known_at, timezone)
        made = {
            name: None if given is None else parse_instant(given, name, timezone=timezone)
            for name, given in (("after", after), ("before", before))
        }
        return cls(
            type, subject, attribute, at, status, include, _minimum(min_confidence),
            made["after"], made["before"], Filter.of(metadata),
        )  # fmt: skip

    def admits(self, record: Record) -> bool:
        """Say whether a memory fits by what it says itself."""
        return self.may_admit(record) and record.reaches(self.least)

    def may_admit(self, record: Record) -> bool:
        """Say whether a memory fits, whatever its stretch and the time of the look."""
        return (
            (self.type is None or record.memory_type == self.type)
            and (self.after is None or record.made >= self.after)
            and (self.before is None or record.made < self.before)
            and (not self.metadata or self.metadata.matches(record.metadata))
        )


def listed(
    reading: Reading, person: str | None, wanted: Wanted, *, order: str = "recorded"
) -> Iterator[Record]:
    """Give the memories that fit, in order of recording, or by their effective confidence."""
    if order not in ("recorded", "confidence"):
        raise InvalidInput("order", "must be one of recorded, confidence")
    with reading.view(person, wanted.at.known_at) as snapshot:
        found = _fitting(reading, snapshot, person, wanted)
        rows = _records(reading, snapshot, [found[place] for place in sorted(found)], wanted)
    if order == "confidence":
        rows.sort(key=_descending)
    return iter(rows)


def page(
    reading: Reading,
    person: str | None,
    wanted: Wanted,
    *,
    beyond: Place | None,
    limit: int,
    most: int = _LOOKED,
) -> tuple[list[Record], Place | None]:
    """Give the next few after a place, and the place of the last where more may follow.

    Where hardly anything fits, no more than about ``most`` statements are looked at: fewer are
    given then, or none, and the place up to which was looked.
    """
    with reading.view(person, wanted.at.known_at) as snapshot:
        selection = reading.selection(person, wanted.subject, wanted.attribute)
        if snapshot.broad(selection, _FEW):
            walk = _Walk(reading, snapshot, selection, wanted, beyond)
            found, rest = list(islice(walk.found(most), limit + 1)), walk.rest
        else:
            fitting = _fitting(reading, snapshot, person, wanted).items()
            found = sorted(one for one in fitting if beyond is None or one[0] > beyond)
            rest = None
        taken = found[:limit]
        records = _records(reading, snapshot, [stretched for _, stretched in taken], wanted)
    return records, taken[-1][0] if len(found) > limit else rest


def _records(
    reading: Reading, snapshot: JoinedSnapshot, found: Sequence[Stretched], wanted: Wanted
) -> list[Record]:
    if wanted.at.known_at is None:
        snapshot.prepare([one.statement for one in found])
    return [reading.record(snapshot, one, wanted.at) for one in found]


def _fitting(
    reading: Reading, snapshot: JoinedSnapshot, person: str | None, wanted: Wanted
) -> dict[Place, Stretched]:
    selection = reading.selection(person, wanted.subject, wanted.attribute)
    keys = snapshot.keys(selection)
    if wanted.at.known_at is None and wanted.include == "current":
        snapshot.prepare_keys(keys)
    every = (_of_place(reading, snapshot, key, wanted) for key in keys)
    return {place: found for one in every for place, found in one.items()}


class _Walk:
    """A walk in order of recording, which looks at no more than it takes to go on.

    ``rest`` is the place up to which was looked, where the walk ended before all was seen.
    """

    def __init__(
        self,
        reading: Reading,
        snapshot: JoinedSnapshot,
        selection: Selection,
        wanted: Wanted,
        beyond: Place | None,
    ) -> None:
        self._reading, self._snapshot, self._selection = reading, snapshot, selection
        self._wanted, self._beyond = wanted, beyond
        self._of_key: dict[int, dict[str, list[tuple[Place, Stretched]]]] = {}
        self.rest: Place | None = None

    def found(self, most: int) -> Iterator[tuple[Place, Stretched]]:
        """Give what fits, one by one."""
        beyond, looked, size = self._beyond, 0, _AT_ONCE
        since = _FIRST if beyond is None else (beyond.recorded_from, beyond.id)
        while True:
            rows = self._snapshot.recorded(self._selection, since, size)
            for key, statement in rows:
                # Popped: the last statement of one look is the first of the next.
                for place, found in sorted(self._known(key, statement).pop(statement.id, ())):
                    if beyond is None or place > beyond:
                        yield place, found
            if len(rows) < size:
                return
            looked += len(rows)
            last = rows[-1][1]
            since = (last.recorded_from, last.id)
            if looked >= most:
                self.rest = Place(*since, _BEYOND)
                return
            size = min(2 * size, _MOST)

    def _known(self, key: Key, statement: Statement) -> dict[str, list[tuple[Place, Stretched]]]:
        """Give what fits of a statement's key, looked up when one of its statements may fit."""
        known = self._of_key.get(key.no)
        if known is not None:
            return known
        span = (statement.valid_from, statement.valid_to)
        stretch = Stretch(*span, statement.recorded_from, statement.withdrawn_at)
        if not self._wanted.may_admit(self._reading.alone(key, statement, stretch)):
            return {}
        known = self._of_key[key.no] = {}
        for place, found in _of_place(self._reading, self._snapshot, key, self._wanted).items():
            known.setdefault(place.id, []).append((place, found))
        return known


def _of_place(
    reading: Reading, snapshot: JoinedSnapshot, key: Key, wanted: Wanted
) -> dict[Place, Stretched]:
    """Give what fits of a key, by its place in the list."""
    out: dict[Place, Stretched] = {}
    if is_own(key.id.subject) and wanted.type is None:
        return out
    for found in _of_key(reading, snapshot, key, wanted):
        statement, b = found.statement, found.belief
        if not shown(statement, reading.now_of(key)):
            continue
        stretch = Stretch(b.valid_from, b.valid_to, b.recorded_from, b.recorded_to)
        # What it stands between is looked up for those alone that are given.
        if wanted.admits(reading.alone(found.key, statement, stretch)):
            out[Place(statement.recorded_from, statement.id, b.no)] = found
    return out


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
    reading: Reading, snapshot: JoinedSnapshot, key: Key, wanted: Wanted
) -> Sequence[Stretched]:
    status = wanted.status
    if status is not None and status != "active":
        rows = snapshot.statements(key.id.tenant, of_key=key.no)
        return [
            Stretched(own, last_belief(snapshot, own, s), s)
            for own, s in rows
            if s.kind == "value" and s.role != "note"
            and (s.contested if status == "contested" else s.status == status)
            and (s.bears == s.no or s.role == "held")
        ]  # fmt: skip
    if wanted.include == "history":
        return snapshot.beliefs(key)
    now, at = reading.now_of(key), wanted.at
    return snapshot.at(key, None, now if at.as_of is None else at.as_of, at.known_at)
