"""The names by which a reader's memory knows its subjects and attributes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vigent.domain.naming import NameIndex
from vigent.domain.passages import MEMORY
from vigent.domain.statements import Key
from vigent.domain.text import is_own
from vigent.joining import JoinedSnapshot
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
    """The names of one reader: as of which passages, and which keys are ``name`` facts.

    ``state`` has the generation and the number of passages of each scope, ``keys`` are those
    whose names are in.
    """

    state: tuple[tuple[int, int], ...]
    joined: tuple[tuple[str, ...], ...]
    keys: frozenset[int]
    name_keys: frozenset[int]
    attributes: frozenset[str]
    subjects: Mapping[str, Collection[str]]
    index: NameIndex


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
        if kept is not None and kept.joined != joined:
            kept = None
        if kept is not None and kept.state == _state(scopes):
            return kept
        found = None if kept is None else _extended(kept, reading, view, scopes)
        if found is None:
            keys = view.plain.keys(reading.selection(person))
            found = _read(reading, view, keys, _state(scopes), joined)
        with self._lock:
            self._kept[asked] = found
            self._kept.move_to_end(asked)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def _state(scopes: Sequence[Kept]) -> tuple[tuple[int, int], ...]:
    return tuple((kept.generation, len(kept.corpus)) for kept in scopes)


def _read(
    reading: Reading,
    view: JoinedSnapshot,
    keys: Sequence[Key],
    state: tuple[tuple[int, int], ...],
    joined: tuple[tuple[str, ...], ...],
) -> Names:
    subjects, attributes, name_keys = _names_of(reading, view, keys)
    known = {definition.name: definition.aliases for definition in reading.schema.attributes}
    asked = {**dict.fromkeys(attributes, ()), **known}
    return Names(
        state, joined, frozenset(key.no for key in keys), name_keys, frozenset(asked), subjects,
        NameIndex(subjects, asked),
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
    if not kept.name_keys.isdisjoint(fresh):
        return None  # who is called something has changed
    wanted = [source for home, source in fresh.items() if home not in kept.keys]
    if not wanted:
        return replace(kept, state=state)
    if len(wanted) > max(_FEW, len(kept.keys) // 4):
        return None
    rows = view.plain.statements(reading.tenant, numbers=wanted)
    if len(rows) < len(wanted):
        return None  # this view is older than the passages in memory
    keys = [key for key, _ in rows]
    subjects, attributes, name_keys = _names_of(reading, view, keys)
    new = attributes - kept.attributes
    return Names(
        state,
        kept.joined,
        kept.keys.union(key.no for key in keys),
        kept.name_keys | name_keys,
        kept.attributes | new,
        {**kept.subjects, **{s: {*kept.subjects.get(s, ()), *n} for s, n in subjects.items()}},
        kept.index.with_more(subjects, dict.fromkeys(new, ())),
    )


def _names_of(
    reading: Reading, view: JoinedSnapshot, keys: Sequence[Key]
) -> tuple[dict[str, set[str]], set[str], frozenset[int]]:
    """Give the names of the subjects of keys, their attributes, and which are ``name`` facts."""
    subjects: dict[str, set[str]] = {}
    attributes: set[str] = set()
    name_keys: list[int] = []
    for key in keys:
        if not key.id.subject or is_own(key.id.subject):
            continue
        known = subjects.setdefault(view.names(key.id.subject)[0], set())
        known.update((key.id.subject, key.name))
        if key.id.attribute:
            attributes.add(key.id.attribute)
        if key.id.attribute == _NAME:
            name_keys.append(key.no)
            known.update(_called(reading, view, key))
    for row in view.rows:
        if (root := view.names(row.name)[0]) in subjects:
            subjects[root].add(row.written)
    return subjects, attributes, frozenset(name_keys)


def _called(reading: Reading, view: JoinedSnapshot, key: Key) -> list[str]:
    """Give what a ``name`` fact says now."""
    now = reading.now_of(view.one(key))
    return [
        found.statement.value
        for found in view.at(key, None, now, None)
        if found.statement.value is not None and shown(found.statement, now)
    ]
