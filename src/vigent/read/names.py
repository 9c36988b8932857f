"""The names by which a reader's memory knows its subjects and attributes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from vigent.domain.naming import NameIndex
from vigent.domain.passages import MEMORY
from vigent.domain.statements import BEGINNING, Key
from vigent.domain.text import is_own
from vigent.domain.time import OPEN, Instant
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Selection
from vigent.read.index import Kept
from vigent.read.reading import Reading
from vigent.standing import shown

__all__ = ["Called", "NameCache", "Names"]

_KEPT: Final = 64
_FEW: Final = 200
"""So many new names are always added to those there are; many more are read with them."""
_NAME: Final = "name"


class Called(NamedTuple):
    """What a ``name`` fact says of its subject, from one instant until another.

    ``latest`` is the last recorded instant of all that is joined with the key: its present is
    never before that.
    """

    key: Key
    values: frozenset[str]
    latest: Instant
    since: Instant
    until: Instant

    def holds(self, now: Instant) -> bool:
        """Whether the values are those of a present."""
        return self.since <= max(now, self.latest) < self.until


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one reader: as of which passages, and what the ``name`` facts said.

    ``state`` has the generation and the number of passages of each scope, ``keys`` are those
    whose names are in, ``called`` has the ``name`` facts among them by the number of the key.
    Those were looked at after the ``change`` that was the last, and stand until ``until``.
    """

    state: tuple[tuple[int, int], ...]
    joined: tuple[tuple[str, ...], ...]
    keys: frozenset[int]
    called: Mapping[int, Called]
    change: int
    until: Instant
    attributes: frozenset[str]
    subjects: Mapping[str, Collection[str]]
    index: NameIndex


class NameCache:
    """Keeps the names of the readers that asked last, and adds those that are new.

    What is shared is read once and kept under no person; the names of a person stand on it.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], Names] = OrderedDict()
        self._turn = 0
        self._lock = threading.Lock()

    def forget(self, tenant: str) -> None:
        """Let go of all names of a tenant, as after an erasure; what is under way keeps none."""
        with self._lock:
            self._turn += 1
            for asked in [asked for asked in self._kept if asked[0] == tenant]:
                del self._kept[asked]

    def of(
        self,
        reading: Reading,
        view: JoinedSnapshot,
        person: str | None,
        scopes: Sequence[Kept],
    ) -> Names:
        """Give the names a reader knows.

        ``scopes`` are the passages that the reader may see: what is new among them tells whether
        there may be new names. A view older than they are is answered from, and not kept.
        """
        asked = (reading.tenant, reading.store, person or "")
        with self._lock:
            kept, turn = self._kept.get(asked), self._turn
        joined = tuple((row.name, row.subject, row.person) for row in view.rows)
        found = kept
        if found is not None and found.joined != joined:
            found = None
        if found is not None:
            found = _standing(found, reading, view, person)
        if found is not None and found.state != _state(scopes):
            found = _extended(found, reading, view, scopes)
        if found is None:
            found = self._read(reading, view, person, scopes, joined)
        if not any(scope.behind for scope in scopes):
            self._keep(asked, found, turn)
        return found

    def _keep(self, asked: tuple[str, ...], found: Names, turn: int) -> None:
        with self._lock:
            if turn != self._turn:
                return
            self._kept[asked] = found
            self._kept.move_to_end(asked)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def _read(
        self,
        reading: Reading,
        view: JoinedSnapshot,
        person: str | None,
        scopes: Sequence[Kept],
        joined: tuple[tuple[str, ...], ...],
    ) -> Names:
        """Read all names; those of a person without aliases on top of what is shared."""
        if person and not any(row.person for row in view.rows):
            shared = JoinedSnapshot(view.plain, reading.tenant, reading.store, "")
            base = self.of(reading, shared, None, scopes[-1:])
            own = reading.selection(person)._replace(persons=(person,))
            there = _with_passages(scopes[:1])
            keys = [key for key in view.plain.keys(own) if key.no in there]
            return _with_keys(base, reading, view, keys, _state(scopes))
        known = {definition.name: definition.aliases for definition in reading.schema.attributes}
        none = Names(
            (), joined, frozenset(), {}, view.plain.last_change(), OPEN, frozenset(known), {},
            NameIndex({}, known),
        )  # fmt: skip
        there = _with_passages(scopes)
        keys = [key for key in view.plain.keys(reading.selection(person)) if key.no in there]
        return _with_keys(none, reading, view, keys, _state(scopes))


def _state(scopes: Sequence[Kept]) -> tuple[tuple[int, int], ...]:
    return tuple((kept.generation, len(kept.corpus)) for kept in scopes)


def _with_passages(scopes: Sequence[Kept]) -> set[int]:
    """Give the numbers of the keys of which something is there to be found.

    One of which nothing was ever said but that it ended is known to nobody.
    """
    corpora = [scope.corpus for scope in scopes]
    return {no for c in corpora for no in c.homes[c.kinds == MEMORY].tolist()}


def _standing(
    kept: Names, reading: Reading, view: JoinedSnapshot, person: str | None
) -> Names | None:
    """Give the names where they stand; what the ``name`` facts say is asked after a write only."""
    change = view.plain.last_change()
    if change == kept.change and reading.clock.now() < kept.until:
        return kept
    found = _as_called(kept, reading, view, person)
    return None if found is None else replace(found, change=change)


def _as_called(
    kept: Names, reading: Reading, view: JoinedSnapshot, person: str | None
) -> Names | None:
    """Give the names where the ``name`` facts still say the same; None where one does not.

    They change without a new passage: one is taken back, begins, ends or expires.
    """
    if not kept.called:
        return kept
    now = reading.clock.now()
    asked = Selection(
        reading.tenant, reading.store, reading.scope(person).readable,
        exact=tuple(called.key.id for called in kept.called.values()),
    )  # fmt: skip
    keys = {key.no: key for key in view.plain.keys(asked)}
    fresh: dict[int, Called] = {}
    for no, called in kept.called.items():
        key = keys.get(no)
        if key is None:
            return None
        # A view that is older than the names sees an earlier instant, and says nothing of them.
        if key.last_recorded > called.key.last_recorded or not called.holds(now):
            fresh[no] = _called(reading, view, key)
            if fresh[no].values != called.values:
                return None
    if not fresh:
        return kept
    called = {**kept.called, **fresh}
    return replace(kept, called=called, until=_until(called))


def _extended(
    kept: Names, reading: Reading, view: JoinedSnapshot, scopes: Sequence[Kept]
) -> Names | None:
    """Give the names with those of new passages; None where more than that has changed."""
    state = _state(scopes)
    if [at[0] for at in state] != [at[0] for at in kept.state]:
        return None
    fresh: dict[int, int] = {}
    for scope, (_, size) in zip(scopes, kept.state, strict=True):
        corpus = scope.corpus
        there = corpus.kinds[size:] == MEMORY
        homes, sources = corpus.homes[size:][there], corpus.sources[size:][there]
        fresh.update(zip(homes.tolist(), sources.tolist(), strict=True))
    wanted = [source for home, source in fresh.items() if home not in kept.keys]
    if not wanted:
        return replace(kept, state=state)
    if len(wanted) > max(_FEW, len(kept.keys) // 4):
        return None
    rows = view.plain.statements(reading.tenant, numbers=wanted)
    if len(rows) < len(wanted):
        return None  # this view is older than the passages in memory
    return _with_keys(kept, reading, view, [key for key, _ in rows], state)


def _with_keys(
    kept: Names,
    reading: Reading,
    view: JoinedSnapshot,
    keys: Sequence[Key],
    state: tuple[tuple[int, int], ...],
) -> Names:
    """Give the names with those of further keys."""
    subjects, attributes, named = _names_of(reading, view, keys)
    new = attributes - kept.attributes
    called = {**kept.called, **named}
    return Names(
        state,
        kept.joined,
        kept.keys.union(key.no for key in keys),
        called,
        kept.change,
        _until(called) if named else kept.until,
        kept.attributes | new,
        {**kept.subjects, **{s: {*kept.subjects.get(s, ()), *n} for s, n in subjects.items()}},
        kept.index.with_more(subjects, dict.fromkeys(new, ())),
    )


def _until(called: Mapping[int, Called]) -> Instant:
    return min((one.until for one in called.values()), default=OPEN)


def _names_of(
    reading: Reading, view: JoinedSnapshot, keys: Sequence[Key]
) -> tuple[dict[str, set[str]], set[str], dict[int, Called]]:
    """Give the names of the subjects of keys, their attributes, and what ``name`` facts say."""
    subjects: dict[str, set[str]] = {}
    attributes: set[str] = set()
    named: dict[int, Called] = {}
    for key in keys:
        if not key.id.subject or is_own(key.id.subject):
            continue
        known = subjects.setdefault(view.names(key.id.subject)[0], set())
        known.update((key.id.subject, key.name))
        if key.id.attribute:
            attributes.add(key.id.attribute)
        if key.id.attribute == _NAME:
            found = named[key.no] = _called(reading, view, key)
            known.update(found.values)
    for row in view.rows:
        if (root := view.names(row.name)[0]) in subjects:
            subjects[root].add(row.written)
    return subjects, attributes, named


def _called(reading: Reading, view: JoinedSnapshot, key: Key) -> Called:
    """Give what a ``name`` fact says now, and between which instants it says so."""
    one = view.one(key)
    now = reading.now_of(one)
    believed = [found for found in view.beliefs(one) if found.belief.recorded_to is None]
    edges = [
        edge
        for _, belief, statement in believed
        for edge in (belief.valid_from, belief.valid_to, statement.expires_at)
    ]
    return Called(
        key,
        frozenset(
            statement.value
            for _, belief, statement in believed
            if statement.value is not None
            and belief.valid_from <= now < belief.valid_to
            and shown(statement, now)
        ),
        one.last_recorded,
        max((edge for edge in edges if edge <= now), default=BEGINNING),
        min((edge for edge in edges if edge > now), default=OPEN),
    )
