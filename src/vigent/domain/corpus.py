"""The passages of one scope as columns of numbers, ready to be ranked.

Word statistics come from these columns alone: what another tenant or person writes changes no
number here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from vigent.domain.passages import PassageRow, VectorRow

__all__ = ["Corpus", "Floats", "Ints"]

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]

_TAIL: Final = 20_000
_ASKED: Final = 256
"""Of how many terms the rows are kept put together, until more passages come."""

T = TypeVar("T")


class _Column:
    """An array that grows at its end; what was given out before stays as it was."""

    __slots__ = ("buffer", "size")

    def __init__(self, dtype: Any, *shape: int) -> None:
        self.buffer: NDArray[Any] = np.zeros((0, *shape), dtype)
        self.size = 0

    def extend(self, rows: NDArray[Any]) -> None:
        need = self.size + len(rows)
        if need > len(self.buffer):
            grown = np.zeros(
                (max(need, len(self.buffer) * 3 // 2, 64), *rows.shape[1:]), self.buffer.dtype
            )
            grown[: self.size] = self.buffer[: self.size]
            self.buffer = grown
        self.buffer[self.size : need] = rows
        self.size = need

    @property
    def rows(self) -> NDArray[Any]:
        return self.buffer[: self.size]


def _by_number(corpus: Corpus) -> Ints:
    """Give the rows of a corpus in the order of the numbers of its passages."""
    return np.argsort(corpus.numbers, kind="stable")


class Corpus:
    """The passages of one scope, by row: row ``i`` of every column is one passage.

    ``before`` is the row of the passage that goes before in the same thread, -1 for none;
    ``abouts`` the index into ``names`` of whom a passage is about, -1 for nobody.
    """

    def __init__(self) -> None:
        self._numbers = _Column(np.int64)
        self._last = 0
        self._rising = True
        self._kinds = _Column(np.int8)
        self._types = _Column(np.int32)
        self._sources = _Column(np.int64)
        self._homes = _Column(np.int64)
        self._ats = _Column(np.int64)
        self._lengths = _Column(np.float32)
        self._bounds = _Column(np.int32, 2)
        self._before = _Column(np.int64)
        self._abouts = _Column(np.int32)
        self.types: dict[str, int] = {}
        self.names: list[frozenset[int]] = []
        self._name_of: dict[bytes, int] = {}
        self._names_with: dict[int, list[int]] = {}
        self._last_of: dict[int, int] = {}
        self._words: list[bytes] = []
        self._terms: Ints = np.zeros(0, np.int64)
        self._rows: Ints = np.zeros(0, np.int64)
        self._counts: Floats = np.zeros(0, np.float32)
        self._tail: dict[int, dict[int, int]] = {}
        self._tail_size = 0
        self._asked: dict[int, tuple[Ints, Floats]] = {}
        self._vectors: _Column | None = None
        self._vector_rows = _Column(np.int64)
        self.last_vector = 0
        self.refused = 0
        """How many passages the model refused: they have no vector and get none."""
        self._derived: dict[object, tuple[int, object]] = {}

    def __len__(self) -> int:
        return self._numbers.size

    @property
    def last(self) -> int:
        """The highest number of a passage that was taken in; 0 where there is none."""
        return self._last

    @property
    def numbers(self) -> Ints:
        """The numbers of the passages as they came: rising, but for those that came late."""
        return self._numbers.rows

    @property
    def kinds(self) -> NDArray[np.int8]:
        """MEMORY or ITEM."""
        return self._kinds.rows

    @property
    def type_ids(self) -> NDArray[np.int32]:
        """Which of ``types`` each is."""
        return self._types.rows

    @property
    def sources(self) -> Ints:
        """The numbers of the statements or episodes."""
        return self._sources.rows

    @property
    def homes(self) -> Ints:
        """The numbers of the keys or threads."""
        return self._homes.rows

    @property
    def ats(self) -> Ints:
        """When each was made or said, in microseconds."""
        return self._ats.rows

    @property
    def lengths(self) -> Floats:
        """How many terms each has."""
        return self._lengths.rows

    @property
    def bounds(self) -> NDArray[np.int32]:
        """Which code points of its source each covers: where they begin, and where they end."""
        return self._bounds.rows

    @property
    def before(self) -> Ints:
        """The rows that go before in the same thread."""
        return self._before.rows

    @property
    def abouts(self) -> NDArray[np.int32]:
        """Whom each is about, as an index into ``names``."""
        return self._abouts.rows

    @property
    def vectors(self) -> Floats:
        """The vectors there are, of unit length, a row each."""
        return np.zeros((0, 0), np.float32) if self._vectors is None else self._vectors.rows

    @property
    def vector_rows(self) -> Ints:
        """To which row each vector belongs."""
        return self._vector_rows.rows

    @property
    def pending(self) -> int:
        """How many passages have no vector yet."""
        return max(0, len(self) - self._vector_rows.size - self.refused)

    def derived(self, make: Callable[[Corpus], T]) -> T:
        """Give what a function works out from the columns of passages, once for each size."""
        kept = self._derived.get(make)
        if kept is None or kept[0] != len(self):
            kept = self._derived[make] = (len(self), make(self))
        return cast("T", kept[1])

    def terms(self, row: int) -> list[int]:
        """Give the terms of a passage, by their hashes, in order."""
        return np.frombuffer(self._words[row], np.dtype("<i8")).tolist()

    def postings(self, term: int) -> tuple[Ints, Floats]:
        """Give the rows that bear a term (by its hash), rising, and how often each does."""
        found = self._asked.get(term)
        if found is None:
            if len(self._asked) >= _ASKED:
                self._asked.clear()
            found = self._asked[term] = self._find(term)
        return found

    def _find(self, term: int) -> tuple[Ints, Floats]:
        low, high = np.searchsorted(
            self._terms, [term, term + 1] if term < 2**63 - 1 else [term, term]
        )
        if term == 2**63 - 1:
            high = len(self._terms)
        rows, counts = self._rows[low:high], self._counts[low:high]
        late = self._tail.get(term)
        if late:
            rows = np.concatenate((rows, np.fromiter(late.keys(), np.int64, len(late))))
            counts = np.concatenate((counts, np.fromiter(late.values(), np.float32, len(late))))
        return rows, counts

    def names_within(self, terms: Collection[int]) -> list[int]:
        """Give which of ``names`` consist of some terms alone (by their hashes)."""
        asked = set(terms)
        return [
            number
            for term in asked
            for number in self._names_with.get(term, ())
            if self.names[number] <= asked
        ]

    def add(self, passages: Sequence[PassageRow]) -> None:
        """Take in passages, whose numbers rise; those that are here are left out.

        Where many write at once, one may come after others with higher numbers.
        """
        passages = self._missing(passages)
        if not passages:
            return
        first = len(self)
        self._rising &= passages[0].no > self._last
        self._last = max(self._last, passages[-1].no)
        words = [np.frombuffer(p.words, np.dtype("<i8")) for p in passages]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        self._words += [p.words for p in passages]
        self._numbers.extend(np.array([p.no for p in passages], np.int64))
        self._kinds.extend(np.array([p.kind for p in passages], np.int8))
        types = self.types
        self._types.extend(
            np.array([types.setdefault(p.type, len(types)) for p in passages], np.int32)
        )
        self._sources.extend(np.array([p.source for p in passages], np.int64))
        self._homes.extend(np.array([p.home for p in passages], np.int64))
        self._ats.extend(np.array([p.at for p in passages], np.int64))
        self._bounds.extend(np.array([(p.start, p.stop) for p in passages], np.int32))
        self._lengths.extend(lengths.astype(np.float32))
        self._abouts.extend(np.array([self._about(p.about) for p in passages], np.int32))
        self._before.extend(
            np.array([self._follow(p, first + i) for i, p in enumerate(passages)], np.int64)
        )
        self._count(np.concatenate(words), np.repeat(np.arange(first, len(self)), lengths))

    def _missing(self, passages: Sequence[PassageRow]) -> Sequence[PassageRow]:
        if not passages or passages[0].no > self._last:
            return passages
        # The last one is told again with each question; mostly it is the only one.
        passages = [p for p in passages if p.no != self._last]
        if not passages:
            return passages
        there = np.isin(np.array([p.no for p in passages], np.int64), self.numbers).tolist()
        return [p for p, here in zip(passages, there, strict=True) if not here]

    def _about(self, about: bytes) -> int:
        if not about:
            return -1
        found = self._name_of.get(about)
        if found is None:
            found = self._name_of[about] = len(self.names)
            name = frozenset(np.frombuffer(about, np.dtype("<i8")).tolist())
            self.names.append(name)
            self._names_with.setdefault(min(name), []).append(found)
        return found

    def _follow(self, passage: PassageRow, row: int) -> int:
        if passage.kind == 0 or not passage.home:
            return -1
        before = self._last_of.get(passage.home, -1)
        self._last_of[passage.home] = row
        return before

    def _count(self, terms: Ints, rows: Ints) -> None:
        self._asked.clear()
        if self._tail_size + len(terms) < max(_TAIL, len(self._terms) // 4):
            tail = self._tail
            for term, row in zip(terms.tolist(), rows.tolist(), strict=True):
                late = tail.setdefault(term, {})
                late[row] = late.get(row, 0) + 1
            self._tail_size += len(terms)
            return
        late = [(t, r, c) for t, found in self._tail.items() for r, c in found.items()]
        known = np.array(late, np.int64).reshape(-1, 3)
        every = np.concatenate((self._terms, known[:, 0], terms))
        where = np.concatenate((self._rows, known[:, 1], rows))
        times = np.concatenate(
            (self._counts, known[:, 2].astype(np.float32), np.ones(len(terms), np.float32))
        )
        order = np.lexsort((where, every))
        every, where, times = every[order], where[order], times[order]
        new = np.ones(len(every), bool)
        new[1:] = (every[1:] != every[:-1]) | (where[1:] != where[:-1])
        starts = np.flatnonzero(new)
        self._terms, self._rows = every[starts], where[starts]
        self._counts = np.add.reduceat(times, starts).astype(np.float32) if len(starts) else times
        self._tail, self._tail_size = {}, 0

    def add_vectors(self, vectors: Sequence[VectorRow]) -> None:
        """Take in vectors of one model; those of passages that are not here are left out."""
        if not vectors:
            return
        self.last_vector = max(self.last_vector, vectors[-1].no)
        there = [v for v in vectors if v.data]
        self.refused += len(vectors) - len(there)
        wanted = np.array([v.passage for v in there], np.int64)
        order = None if self._rising else self.derived(_by_number)
        rows = np.searchsorted(self.numbers, wanted, sorter=order)
        rows[rows == len(self)] = 0
        rows = rows if order is None else order[rows]
        known = self.numbers[rows] == wanted if len(self) else np.zeros(len(there), bool)
        kept = [v.data for v, here in zip(there, known.tolist(), strict=True) if here]
        if kept:
            matrix = np.frombuffer(b"".join(kept), np.dtype("<f2")).reshape(len(kept), -1)
            if self._vectors is None:
                self._vectors = _Column(np.float32, matrix.shape[1])
            self._vectors.extend(matrix.astype(np.float32))
            self._vector_rows.extend(rows[known])

    def drop_vectors(self) -> None:
        """Leave all vectors out, as before those of another model are taken in."""
        self._vectors, self._vector_rows, self.last_vector = None, _Column(np.int64), 0
        self.refused = 0
