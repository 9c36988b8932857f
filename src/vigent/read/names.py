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
from vigent.ports.storage import Snapshot
from vigent.read.index import Kept
from vigent.read.reading import Reading

__all__ = ["NameCache", "Names"]

_KEPT: Final = 64
_NAME: Final = "name"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one reader: as of which keys, and which of these are ``name`` facts."""

    state: tuple[int, ...]
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
        snapshot: Snapshot,
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
        if kept is not None and kept.state == _state(scopes, kept.name_keys):
            return kept
        kept = _read(reading, snapshot, person, scopes)
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
    reading: Reading, snapshot: Snapshot, person: str | None, scopes: Sequence[Kept]
) -> Names:
    subjects: dict[str, set[str]] = {}
    attributes: dict[str, tuple[str, ...]] = {
        definition.name: definition.aliases for definition in reading.schema.attributes
    }
    name_keys: list[int] = []
    now = reading.clock.now()
    for key in snapshot.keys(reading.selection(person)):
        if not key.id.subject:
            continue
        known = subjects.setdefault(key.id.subject, set())
        known.add(key.name)
        if key.id.attribute:
            attributes.setdefault(key.id.attribute, ())
        if key.id.attribute == _NAME:
            name_keys.append(key.no)
            for found in snapshot.at(key, None, max(now, key.last_recorded), None):
                if found.statement.value is not None and found.statement.expires_at > now:
                    known.add(found.statement.value)
    keys = np.array(name_keys, np.int64)
    return Names(_state(scopes, keys), keys, subjects, NameIndex(subjects, attributes))
