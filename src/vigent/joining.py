"""Joined subjects: several keys read as one, their statements taken together.

A view of this kind stands in for a snapshot. Keys of names that are joined come out as one, and
its timeline is replayed at the read. A subject without aliases costs one look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from vigent.domain.aliases import AliasRow, joined
from vigent.domain.spells import members, spells
from vigent.domain.statements import Belief, Key, Statement
from vigent.domain.time import OPEN, Instant
from vigent.ports.aliases import AliasReads
from vigent.ports.storage import Selection, Snapshot, Stretched, Timelines

__all__ = ["JoinedSnapshot", "Timeline", "joined_names", "keys_of_names"]


def joined_names(
    reads: AliasReads, tenant: str, store: str, person: str, subject: str
) -> tuple[str, ...]:
    """Give the canonical names a person reads as one with a subject, the root first."""
    if not subject:
        return (subject,)
    found = reads.aliases(tenant, store, person, subject)
    if not found:
        return (subject,)
    seen, rows = {subject}, set(found)
    while True:
        fresh = {end for row in rows for end in (row.name, row.subject)} - seen
        if not fresh:
            return joined(rows, subject)
        seen |= fresh
        for name in fresh:
            rows.update(reads.aliases(tenant, store, person, name))


def keys_of_names(snapshot: Snapshot, key: Key, names: Sequence[str]) -> list[Key]:
    """Give the keys of some names that are like one in all else, in the order of the names."""
    return [found for name in names for found in _like(snapshot, key, name)]


def _like(snapshot: Snapshot, key: Key, name: str) -> list[Key]:
    id = key.id
    return snapshot.keys(Selection(id.tenant, id.store, (id.person,), name, id.attribute, id.type))


class Timeline:
    """The statements of several keys, read as those of one.

    A stretch carries the memory, and the key, of the name it was written under. Every key bears
    the latest recorded instant of all.
    """

    def __init__(self, keys: Sequence[Key], statements: Iterable[Statement]) -> None:
        latest = max(key.last_recorded for key in keys)
        self.keys = {key.no: key._replace(last_recorded=latest) for key in keys}
        self.statements = {s.no: s for s in statements}
        self._rows: dict[bytes, list[Stretched]] = {}

    @classmethod
    def read(cls, reads: Timelines, keys: Sequence[Key]) -> Timeline:
        """Read the statements of some keys."""
        return cls(
            keys,
            [s for key in keys for _, s in reads.statements(key.id.tenant, of_key=key.no)],
        )

    @property
    def first(self) -> Key:
        """The key that stands for all: the root's, where it has one."""
        return next(iter(self.keys.values()))

    def rows(self, member: bytes) -> list[Stretched]:
        """Give every stretch of one member ever believed, in order of time."""
        found = self._rows.get(member)
        if found is None:
            found = self._rows[member] = [
                self._stretched(number, member, *spell)
                for number, spell in enumerate(spells(tuple(self.statements.values()), member), 1)
            ]
        return found

    def _stretched(
        self, number: int, member: bytes, segment: tuple[Instant, Instant, int],
        recorded_from: Instant, recorded_to: Instant | None,
    ) -> Stretched:  # fmt: skip
        start, end, memory = segment
        statement = self.statements[memory]
        belief = Belief(
            number, statement.tenant, statement.key, member, memory, start, end, recorded_from,
            recorded_to,
        )  # fmt: skip
        return Stretched(self.keys[statement.key], belief, statement)

    def every(self, member: bytes | None = None) -> list[Stretched]:
        """Give every stretch ever believed, of one member or of all, in order of time."""
        if member is not None:
            return self.rows(member)
        rows = [row for name in members(self.statements.values()) for row in self.rows(name)]
        rows.sort(key=lambda r: (r.belief.valid_from, r.belief.recorded_from))
        return rows

    def at(
        self, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Stretched]:
        """Give what is believed at two instants, of one member or of all."""
        return [
            row
            for row in self.every(member)
            if row.belief.valid_from <= valid_at < row.belief.valid_to
            and row.belief.known(known_at)
        ]

    def beliefs(self, memory: int | None) -> list[Stretched]:
        """Give every stretch ever believed, or those of one memory, in order of time."""
        if memory is None:
            return self.every()
        statement = self.statements.get(memory)
        rows = [] if statement is None else self.rows(statement.member)
        return [row for row in rows if row.belief.memory == memory]


class JoinedSnapshot:
    """A snapshot as one person reads it: keys of joined names are one.

    ``plain`` is the snapshot itself, where each name is a subject of its own.
    """

    def __init__(self, plain: Snapshot, tenant: str, store: str, person: str) -> None:
        self.plain = plain
        self._tenant, self._store, self._person = tenant, store, person
        self._names: dict[str, tuple[str, ...]] = {}
        self._timelines: dict[int, Timeline | None] = {}
        self._named: set[str] | None = None

    @property
    def rows(self) -> list[AliasRow]:
        """All aliases that the person reads by."""
        return self.plain.aliases(self._tenant, self._store, self._person, None)

    def names(self, subject: str) -> tuple[str, ...]:
        """Give the canonical names read as one with a subject, the root first."""
        found = self._names.get(subject)
        if found is None:
            if self._named is not None and subject not in self._named:
                return (subject,)
            found = joined_names(self.plain, self._tenant, self._store, self._person, subject)
            self._names.update(dict.fromkeys(found, found))
        return found

    def timeline(self, key: Key) -> Timeline | None:
        """Give the timeline a key is part of; None where it stands alone."""
        if key.no in self._timelines:
            return self._timelines[key.no]
        names = self.names(key.id.subject)
        keys = [key] if len(names) == 1 else keys_of_names(self.plain, key, names)
        found = Timeline.read(self.plain, keys) if len(keys) > 1 else None
        self._timelines.update((k.no, found) for k in keys)
        return found

    def one(self, key: Key) -> Key:
        """Give the key that stands for all that a key is joined with: itself, where alone."""
        timeline = self.timeline(key)
        return key if timeline is None else timeline.first

    def _selections(self, selection: Selection) -> list[Selection]:
        if selection.subject is None:
            if self._named is None:
                self._named = {end for row in self.rows for end in (row.name, row.subject)}
            return [selection]
        return [selection._replace(subject=name) for name in self.names(selection.subject)]

    def keys(self, selection: Selection) -> list[Key]:
        """Give the keys that a selection names, one for those that are joined."""
        parts = self._selections(selection)
        found = [self.one(key) for part in parts for key in self.plain.keys(part)]
        return list({key.no: key for key in found}.values())

    def broad(self, selection: Selection, keys: int) -> bool:
        """Say whether a selection of one store has more than so many keys, or as good as."""
        scope = (self._tenant, self._store, selection.persons)
        return selection.subject is None and self.plain.broad(*scope, keys)

    def recorded(
        self, selection: Selection, since: tuple[Instant, str], limit: int
    ) -> list[tuple[Key, Statement]]:
        """Give the next statements of a selection without a subject, in order of recording.

        Each has the key that stands for its timeline.
        """
        self._selections(selection)
        found = self.plain.recorded(
            self._tenant, self._store, selection.persons, selection.attribute, since, limit
        )
        return [(self.one(key), statement) for key, statement in found]

    def at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Stretched]:
        """Give what is believed at two instants: of one member, or of all of them."""
        timeline = self.timeline(key)
        if timeline is None:
            return self.plain.at(key, member, valid_at, known_at)
        return timeline.at(member, valid_at, known_at)

    def beliefs(self, key: Key, memory: int | None = None) -> list[Stretched]:
        """Give every stretch of a key, or of one memory, ever believed, in order of time."""
        timeline = self.timeline(key)
        return self.plain.beliefs(key, memory) if timeline is None else timeline.beliefs(memory)

    def prepare(self, memories: Sequence[Statement]) -> None:
        """Have at hand what will be asked of some memories, as they stand now, one by one."""
        if memories and not self.rows:
            self.plain.prepare(self._tenant, memories)

    def prepare_keys(self, keys: Sequence[Key]) -> None:
        """Have at hand what will be asked of some keys, as they stand now, one by one."""
        if keys and not self.rows:
            self.plain.prepare_keys(self._tenant, keys)

    def changed(
        self, selection: Selection, axis: str, since: Instant, until: Instant
    ) -> list[Stretched]:
        """Give the stretches with an end in ``(since, until]`` on one axis."""
        parts = self._selections(selection)
        rows = [row for part in parts for row in self.plain.changed(part, axis, since, until)]
        if len(parts) == 1 and (selection.subject is not None or not self._named):
            return rows
        out = [row for row in rows if self.timeline(row.key) is None]
        for key in self.keys(selection):
            timeline = self.timeline(key)
            if timeline is not None:
                out += [r for r in timeline.every() if _ends(r.belief, axis, since, until)]
        return out

    def statements(self, tenant: str, **handles: Any) -> list[tuple[Key, Statement]]:
        """Give statements by one of their handles, in order of recording."""
        timeline = self._timelines.get(handles.get("of_key", 0))
        if timeline is not None:
            every = sorted(timeline.statements.values(), key=lambda s: (s.recorded_from, s.id))
            return [(timeline.keys[s.key], s) for s in every]
        return [(self._lifted(key), s) for key, s in self.plain.statements(tenant, **handles)]

    def _lifted(self, key: Key) -> Key:
        timeline = self.timeline(key)
        return key if timeline is None else timeline.keys[key.no]


def _ends(belief: Belief, axis: str, since: Instant, until: Instant) -> bool:
    if axis == "valid":
        ends = (belief.valid_from, belief.valid_to) if belief.recorded_to is None else ()
    else:
        ends = (belief.recorded_from, OPEN if belief.recorded_to is None else belief.recorded_to)
    return any(since < end <= until for end in ends)
