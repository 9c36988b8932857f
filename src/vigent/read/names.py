"""The names by which a reader's memory knows its subjects and attributes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vigent.domain.corpus import Ints
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
_NAME: Final = "name"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one reader: as of which keys, and which of these are ``name`` facts."""

    state: object
    name_keys: Ints
    subjects: Mapping[str, Collection[str]]
    index: NameIndex


class NameCache:
    """Keeps the names of the readers that asked last, until new keys or names are there."""

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
        """Give the names a reader knows, each under the root of those it is joined with.

        ``scopes`` are the passages that the reader may see: what is new among them tells whether
        there may be new names.
        """
        asked = (reading.tenant, reading.store, person or "")
        with self._lock:
            kept = self._kept.get(asked)
        joined = tuple((row.name, row.subject, row.person) for row in view.rows)
        if kept is not None and kept.state == (joined, _state(scopes, kept.name_keys)):
            return kept
        subjects, attributes, name_keys = _read(reading, view, person)
        state = (joined, _state(scopes, name_keys))
        kept = Names(state, name_keys, subjects, NameIndex(subjects, attributes))
        with self._lock:
            self._kept[asked] = kept
            self._kept.move_to_end(asked)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return kept


def _state(scopes: Sequence[Kept], name_keys: Ints) -> tuple[int, ...]:
    state: list[int] = []
    for kept in scopes:
        homes = kept.corpus.homes[kept.corpus.kinds == MEMORY]
        state += (kept.generation, int(homes.max(initial=0)))
        state.append(int(np.isin(homes, name_keys).sum()) if len(name_keys) else 0)
    return tuple(state)


def _read(
    reading: Reading, view: JoinedSnapshot, person: str | None
) -> tuple[dict[str, set[str]], dict[str, tuple[str, ...]], Ints]:
    """Give the names of every subject, those of every attribute, and the keys of ``name`` facts."""
    subjects: dict[str, set[str]] = {}
    attributes: dict[str, tuple[str, ...]] = {
        definition.name: definition.aliases for definition in reading.schema.attributes
    }
    name_keys: list[int] = []
    for key in view.plain.keys(reading.selection(person)):
        if not key.id.subject or is_own(key.id.subject):
            continue
        known = subjects.setdefault(view.names(key.id.subject)[0], set())
        known.update((key.id.subject, key.name))
        if key.id.attribute:
            attributes.setdefault(key.id.attribute, ())
        if key.id.attribute == _NAME:
            name_keys.append(key.no)
            known.update(_called(reading, view, key))
    for row in view.rows:
        if (root := view.names(row.name)[0]) in subjects:
            subjects[root].add(row.written)
    return subjects, attributes, np.array(name_keys, np.int64)


def _called(reading: Reading, view: JoinedSnapshot, key: Key) -> list[str]:
    """Give what a ``name`` fact says now."""
    now = reading.now_of(view.one(key))
    return [
        found.statement.value
        for found in view.at(key, None, now, None)
        if found.statement.value is not None and shown(found.statement, now)
    ]
