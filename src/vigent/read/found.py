"""Checks what the index found against the store: whether it may be shown, and as what.

The index gives numbers in an order; only what is believed at the asked instants, inside its time,
and fits the filters becomes a hit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from vigent.domain.passages import MEMORY
from vigent.domain.query import Hit
from vigent.domain.records import Record
from vigent.domain.statements import Key, Statement
from vigent.domain.threads import ThreadItem
from vigent.domain.time import Instant
from vigent.joining import JoinedSnapshot
from vigent.ports.index import Said
from vigent.ports.storage import Stretched
from vigent.read.joined import joined_holding
from vigent.read.reading import At, Reading
from vigent.standing import last_belief, said_by, shown

__all__ = ["Checker", "Found", "Wanted"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What hits must fit: the filters of a search, checked and in canonical form.

    None leaves a part open; ``without`` are types that are left out. ``after`` and ``before``
    bound when a memory was made or an episode was said. ``history`` admits memories that are
    no longer in force, ``during`` those of them alone of which a stretch is of the time asked
    about. ``undated`` leaves text alone of which nobody said since when it holds: facts, and
    what has a date, did not hold at the time that was asked about. ``point`` is that time where
    the rest is read as of now: what does not hold at it is handed out as not in force.
    """

    at: At
    types: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    subjects: frozenset[str] | None = None
    attributes: frozenset[str] | None = None
    metadata: Callable[[Mapping[str, Any]], bool] | None = None
    after: Instant | None = None
    before: Instant | None = None
    history: bool = False
    min_confidence: float | None = None
    during: Callable[[Record], bool] | None = None
    undated: bool = False
    point: Instant | None = None


class Found(NamedTuple):
    """A passage that the index found: its place in the order, and what it is of."""

    kind: int
    source: int
    start: int
    stop: int
    score: float
    parts: Callable[[], Mapping[str, float]]


class Checker:
    """Turns what was found into hits, a few at a time, within one view of the store."""

    def __init__(self, reading: Reading, view: JoinedSnapshot, wanted: Wanted) -> None:
        self.reading = reading
        self.view = view
        self.wanted = wanted
        self.now = reading.clock.now()

    def hits(self, found: Sequence[Found], limit: int) -> list[Hit]:
        """Give the hits among what was found, in the same order, at most ``limit``."""
        memories = self._memories([f.source for f in found if f.kind == MEMORY])
        said = self._episodes([f.source for f in found if f.kind != MEMORY])
        hits: list[Hit] = []
        for one in found:
            if len(hits) >= limit:
                break
            hit = None
            if one.kind == MEMORY:
                if one.source in memories:
                    hit = self._memory(one, *memories[one.source])
            elif one.source in said:
                hit = self._item(one, said[one.source])
            if hit is not None:
                hits.append(hit)
        return hits

    def _memories(self, numbers: Sequence[int]) -> dict[int, tuple[Key, Statement]]:
        at = self.wanted.at
        now = at.as_of is None and at.known_at is None and not self.wanted.history
        # Of joined names one may be in force whose own key has ended it: all are looked at.
        if numbers and now and not self.view.rows:
            numbers = self.view.plain.believed_after(self.reading.tenant, numbers, self.now)
        rows = self.view.statements(self.reading.tenant, numbers=numbers) if numbers else []
        if at.known_at is None:
            self.view.prepare([statement for _, statement in rows])
        return {statement.no: (key, statement) for key, statement in rows}

    def _episodes(self, numbers: Sequence[int]) -> dict[int, Said]:
        rows = self.view.plain.said(self.reading.tenant, numbers) if numbers else []
        return {row.episode.no: row for row in rows}

    def _suits(self, key: Key, statement: Statement) -> bool:
        """Whether a memory may be shown and fits the filters that need no stretch."""
        wanted = self.wanted
        if not shown(statement, self.reading.now_of(key)):
            return False
        if wanted.subjects is not None and key.id.subject not in wanted.subjects:
            return False
        if wanted.attributes is not None and key.id.attribute not in wanted.attributes:
            return False
        if wanted.undated and (key.id.attribute or statement.basis == "stated"):
            return False
        return wanted.metadata is None or wanted.metadata(json.loads(statement.metadata))

    def _memory(self, one: Found, key: Key, statement: Statement) -> Hit | None:
        wanted = self.wanted
        if not self._suits(key, statement):
            return None
        holding = joined_holding(self.reading, self.view, key, statement, wanted.at)
        if holding is None:
            holding = self._said_again(key, statement)
        in_force = holding is not None
        if holding is None and wanted.history:
            holding = self._former(key, statement)
        if holding is None:
            return None
        record = self.reading.record(self.view, holding, wanted.at)
        if wanted.during is not None and not wanted.during(record):
            earlier = self._earlier(key, statement, wanted.during)
            if earlier is None:
                return None
            record, in_force = earlier, False
        if not record.reaches(wanted.min_confidence):
            return None
        stretch, point = record.stretch, wanted.point
        if point is not None and not stretch.valid_from <= point < stretch.valid_to:
            in_force = False
        excerpt = said_by(key, statement)[one.start : one.stop]
        return Hit(record, None, one.score, exact=False, in_force=in_force, excerpt=excerpt,
                   parts=one.parts())  # fmt: skip

    def _said_again(self, key: Key, statement: Statement) -> Stretched | None:
        """Give what is in force of the same value under a joined name.

        Of joined names a statement may stand that only confirmed on its own: it has no passage.
        """
        if self.view.timeline(key) is None or not key.id.attribute:
            return None
        now, at = self.reading.now_of(self.view.one(key)), self.wanted.at
        when = now if at.as_of is None else at.as_of
        for found in self.view.at(key, statement.member, when, at.known_at):
            if found.statement.token == statement.token and shown(found.statement, now):
                return found
        return None

    def _former(self, key: Key, statement: Statement) -> Stretched | None:
        """Give the stretch a memory was last believed over, as known at the asked instant."""
        known_at = self.wanted.at.known_at
        if known_at is None:
            return Stretched(key, last_belief(self.view, key, statement), statement)
        rows = [
            found
            for found in self.view.beliefs(key, statement.no)
            if found.belief.recorded_from <= known_at
        ]
        return max(rows, key=lambda f: (f.belief.recorded_from, f.belief.valid_from), default=None)

    def _earlier(
        self, key: Key, statement: Statement, during: Callable[[Record], bool]
    ) -> Record | None:
        """Give another stretch of a memory that is of the time asked about, the one noted last."""
        rows = self.view.beliefs(key, statement.no)
        noted = sorted(rows, key=lambda f: (f.belief.recorded_from, f.belief.valid_from))
        for row in reversed(noted):
            record = self.reading.record(self.view, row, self.wanted.at)
            if during(record):
                return record
        return None

    def _item(self, one: Found, said: Said) -> Hit | None:
        wanted, known_at, row = self.wanted, self.wanted.at.known_at, said.episode
        if said.thread_expires is not None and said.thread_expires <= self.now:
            return None
        if row.stub or row.expires_at <= self.now or row.content is None:
            return None
        if known_at is not None and row.recorded_at > known_at:
            return None
        if wanted.at.as_of is not None and row.occurred_at > wanted.at.as_of:
            return None
        if wanted.metadata is not None and not wanted.metadata(json.loads(row.metadata)):
            return None
        excerpt = row.content[one.start : one.stop]
        item = ThreadItem(row, said.place)
        return Hit(None, item, one.score, exact=False, in_force=True, excerpt=excerpt,
                   parts=one.parts())  # fmt: skip
