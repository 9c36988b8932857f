"""The names by which a reader's memory knows its subjects and attributes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from vigent.domain.naming import NameIndex
from vigent.domain.passages import MEMORY
from vigent.domain.statements import Key, KeyId
from vigent.domain.text import is_own
from vigent.domain.time import OPEN, Instant
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Selection
from vigent.read.index import Kept
from vigent.read.reading import Reading
from vigent.standing import shown

__all__ = ["NameCache", "Names"]

_KEPT: Final = 64
_FEW: Final = 200
"""So many new names are always added to those there are; many more are read with them."""
_NAME: Final = "name"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one reader: as of which passages, and what their ``name`` facts said.

    ``state`` has the generation and the number of passages of each scope, ``keys`` are those
    whose names are in, ``called`` the latest recorded instant of each ``name`` fact as of the
    ``change`` that was the last. The names stand until ``until``, when one of those facts begins,
    ends or runs out.
    """

    state: tuple[tuple[int, int], ...]
    joined: tuple[tuple[str, ...], ...]
    keys: frozenset[int]
    called: Mapping[KeyId, Instant]
    change: int
    until: Instant
    attributes: frozenset[str]
    subjects: Mapping[str, Collection[str]]
    index: NameIndex


class _New(NamedTuple):
    """What some keys add: see ``Names``."""

    subjects: dict[str, set[str]]
    attributes: set[str]
    called: dict[KeyId, Instant]
    until: Instant


class NameCache:
    """Keeps the names of the readers that asked last, and adds those that are new."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], Names] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self,
        reading: Reading,
        view: JoinedSnapshot,
        person: str | None,
        scopes: Sequence[Kept],
    ) -> Names:
        """Give the names a reader knows.

        ``scopes`` are the passages that the reader may see: what is new among them tells whether
        there may be new names.
        """
        asked = (reading.tenant, reading.store, person or "")
        with self._lock:
            kept = self._kept.get(asked)
        joined = tuple((row.name, row.subject, row.person) for row in view.rows)
        if kept is not None:
            kept = None if kept.joined != joined else _standing(kept, reading, view)
        if kept is not None and kept.state == _state(scopes):
            return self._keep(asked, kept)
        found = None if kept is None else _extended(kept, reading, view, scopes)
        if found is None:
            there = _with_passages(scopes)
            keys = [k for k in view.plain.keys(reading.selection(person)) if k.no in there]
            found = _read(reading, view, keys, _state(scopes), joined)
        return self._keep(asked, found)

    def _keep(self, asked: tuple[str, ...], found: Names) -> Names:
        with self._lock:
            self._kept[asked] = found
            self._kept.move_to_end(asked)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def _state(scopes: Sequence[Kept]) -> tuple[tuple[int, int], ...]:
    return tuple((kept.generation, len(kept.corpus)) for kept in scopes)


def _standing(kept: Names, reading: Reading, view: JoinedSnapshot) -> Names | None:
    """Give the names that were kept; None where somebody may be called something else by now."""
    if reading.clock.now() >= kept.until:
        return None
    change = view.plain.last_change()
    if change == kept.change or not kept.called:
        return kept
    there = Selection(reading.tenant, reading.store, (), exact=tuple(kept.called))
    called = {key.id: key.last_recorded for key in view.plain.keys(there)}
    return replace(kept, change=change) if called == kept.called else None


def _with_passages(scopes: Sequence[Kept]) -> set[int]:
    """Give the numbers of the keys of which something is there to be found.

    One of which nothing was ever said but that it ended is known to nobody.
    """
    corpora = [scope.corpus for scope in scopes]
    return {no for c in corpora for no in c.homes[c.kinds == MEMORY].tolist()}


def _read(
    reading: Reading,
    view: JoinedSnapshot,
    keys: Sequence[Key],
    state: tuple[tuple[int, int], ...],
    joined: tuple[tuple[str, ...], ...],
) -> Names:
    new = _names_of(reading, view, keys)
    known = {definition.name: definition.aliases for definition in reading.schema.attributes}
    asked = {**dict.fromkeys(new.attributes, ()), **known}
    return Names(
        state, joined, frozenset(key.no for key in keys), new.called, view.plain.last_change(),
        new.until, frozenset(asked), new.subjects, NameIndex(new.subjects, asked),
    )  # fmt: skip


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
    keys = [key for key, _ in rows]
    new = _names_of(reading, view, keys)
    attributes = new.attributes - kept.attributes
    more = {s: {*kept.subjects.get(s, ()), *n} for s, n in new.subjects.items()}
    return Names(
        state,
        kept.joined,
        kept.keys.union(key.no for key in keys),
        {**kept.called, **new.called},
        kept.change,
        min(kept.until, new.until),
        kept.attributes | attributes,
        {**kept.subjects, **more},
        kept.index.with_more(new.subjects, dict.fromkeys(attributes, ())),
    )


def _names_of(reading: Reading, view: JoinedSnapshot, keys: Sequence[Key]) -> _New:
    """Give the names of the subjects of keys, their attributes, and what ``name`` facts say."""
    subjects: dict[str, set[str]] = {}
    attributes: set[str] = set()
    called: dict[KeyId, Instant] = {}
    until = OPEN
    for key in keys:
        if not key.id.subject or is_own(key.id.subject):
            continue
        known = subjects.setdefault(view.names(key.id.subject)[0], set())
        known.update((key.id.subject, key.name))
        if key.id.attribute:
            attributes.add(key.id.attribute)
        if key.id.attribute == _NAME:
            called[key.id] = key.last_recorded
            names, change = _called(reading, view, key)
            known.update(names)
            until = min(until, change)
    for row in view.rows:
        if (root := view.names(row.name)[0]) in subjects:
            subjects[root].add(row.written)
    return _New(subjects, attributes, called, until)


def _called(reading: Reading, view: JoinedSnapshot, key: Key) -> tuple[list[str], Instant]:
    """Give what a ``name`` fact says now, and when that changes next by itself."""
    now, names, until = reading.now_of(view.one(key)), list[str](), OPEN
    for _, belief, statement in view.beliefs(key):
        if belief.recorded_to is not None or not shown(statement, now):
            continue
        if belief.valid_from <= now < belief.valid_to and statement.value is not None:
            names.append(statement.value)
        ends = (belief.valid_from, belief.valid_to, statement.expires_at)
        until = min(until, *(end for end in ends if end > now), OPEN)
    return names, until
