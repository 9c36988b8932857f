"""What is fetched together because it will be asked for one by one.

A search looks at each memory that it found by itself: over what it is believed, and what stands
beside it. Where each such look is a trip to the server, all of them are made in three.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from vigent.domain.statements import Key, Statement
from vigent.domain.time import OPEN, Instant
from vigent.ports.storage import Stretched
from vigent.storage.sql.reading import SqlSnapshot
from vigent.storage.sql.rows import Queries, Row, Run

__all__ = ["AheadView"]

_FROM, _TO, _ENDED = 5, 6, 8
"""Where a row of a belief says over what it holds, and since when it is not believed."""

_LONG = 16
"""From how many stretches on a key is looked at by itself."""

_Point = tuple[int, bytes, Instant]
"""A key, a member of it and an instant of valid time."""


class AheadView(SqlSnapshot):
    """A view of one moment, in which what was read once stays as it is."""

    def __init__(self, run: Run, queries: Queries) -> None:
        super().__init__(run, queries)
        self._of_memory: dict[int, list[Row]] = {}
        self._at_points: dict[_Point, list[Row]] = {}
        self._open: dict[tuple[int, bytes], list[Row]] = {}
        self._of_key: dict[int, list[Row]] = {}
        self._read: dict[int, Statement] = {}

    def prepare(self, tenant: str, memories: Sequence[Statement]) -> None:
        """Have at hand how some memories stand, and what is before and after each."""
        self._read.update((s.no, s) for s in memories)
        wanted = {s.no: s for s in memories if s.no not in self._of_memory}
        if not wanted:
            return
        self._of_memory.update((number, []) for number in wanted)
        listed = orjson.dumps(list(wanted)).decode()
        for row in self._run(self._q["beliefs_of_memories"], (tenant, listed)).fetchall():
            self._of_memory[row[4]].append(row)
            if row[_ENDED] is None:
                self._open.setdefault((row[2], row[3]), []).append(row)
        self._prepare_points(tenant, self._beside(wanted.values()))

    def _beside(self, memories: Iterable[Statement]) -> set[_Point]:
        """Give the points at which the memories before and after are looked for."""
        points: set[_Point] = set()
        for s in memories:
            believed = [row for row in self._of_memory[s.no] if row[_ENDED] is None]
            if believed:
                first, end = min(r[_FROM] for r in believed), max(r[_TO] for r in believed)
                if s.replaces is None:
                    points.add((s.key, s.member, first - 1))
                if end < OPEN:
                    points.add((s.key, s.member, end))
        return points

    def _prepare_points(self, tenant: str, points: set[_Point]) -> None:
        if not points:
            return
        self._at_points.update((point, []) for point in points)
        listed = orjson.dumps([(key, member.hex(), at) for key, member, at in points]).decode()
        rows = self._run(self._q["believed_at_points"], (tenant, listed)).fetchall()
        for instant, *row in rows:
            self._at_points[row[2], row[3], instant].append(tuple(row))
        self._prepare_statements(tenant, {row[5] for row in rows})

    def prepare_keys(self, tenant: str, keys: Sequence[Key]) -> None:
        """Have at hand all that is believed now of some keys, but for those with a long history."""
        wanted = [key.no for key in keys if key.no not in self._of_key]
        if not wanted:
            return
        found: dict[int, list[Row]] = {number: [] for number in wanted}
        listed = orjson.dumps(wanted).decode()
        for row in self._run(self._q["believed_of_keys"], (tenant, listed, _LONG)).fetchall():
            found[row[2]].append(row)
        self._of_key.update((no, rows) for no, rows in found.items() if len(rows) < _LONG)
        self._prepare_statements(tenant, {row[4] for rows in self._of_key.values() for row in rows})

    def _prepare_statements(self, tenant: str, numbers: set[int]) -> None:
        unread = numbers - self._read.keys()
        if unread:
            listed = orjson.dumps(list(unread)).decode()
            for row in self._run(self._q["statements_numbered"], (tenant, listed)).fetchall():
                self._read[row[0]] = Statement._make(row)

    def _rows_at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Row]:
        if known_at is None and key.no in self._of_key:
            return [
                row
                for row in self._of_key[key.no]
                if row[_FROM] <= valid_at < row[_TO] and member in (None, row[3])
            ]
        if member is not None and known_at is None:
            # Of what is believed now one stretch at most covers an instant.
            for row in self._open.get((key.no, member), ()):
                if row[_FROM] <= valid_at < row[_TO]:
                    return [row]
            rows = self._at_points.get((key.no, member, valid_at))
            if rows is not None:
                return [row for row in rows if row[_TO] > valid_at]
        return super()._rows_at(key, member, valid_at, known_at)

    def beliefs(self, key: Key, memory: int | None = None) -> list[Stretched]:
        """Give every stretch of a key, or of one memory, ever believed, in order of time."""
        rows = None if memory is None else self._of_memory.get(memory)
        if rows is None:
            return super().beliefs(key, memory)
        return self._stretch(key, rows)
