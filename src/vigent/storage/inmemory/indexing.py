"""Passages and vectors of a store in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from vigent.domain.changes import ChangeSet
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import ITEM, MEMORY, EmbedderRow, PassageRow, VectorRow
from vigent.domain.statements import Belief, Key, Statement
from vigent.domain.time import Instant
from vigent.ports.index import Have, News, Said
from vigent.storage.inmemory.threads import ThreadRows

__all__ = ["IndexRows", "IndexView"]

_Identity = tuple[str, str, int]


@dataclass(slots=True)
class IndexRows:
    """Passages, vectors and models, by number."""

    passages: dict[int, PassageRow] = field(default_factory=dict[int, PassageRow])
    vectors: dict[int, VectorRow] = field(default_factory=dict[int, VectorRow])
    models: dict[_Identity, EmbedderRow] = field(default_factory=dict[_Identity, EmbedderRow])
    generations: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    last: int = 0

    def copy(self) -> IndexRows:
        """Give a copy that changes apart from this one."""
        return IndexRows(
            self.passages.copy(), self.vectors.copy(), self.models.copy(),
            self.generations.copy(), self.last,
        )  # fmt: skip

    def apply(self, changes: ChangeSet, numbers: Mapping[str, int]) -> None:
        """Take a change set in; ``numbers`` are those of episodes."""
        for kind, source in changes.unindexed:
            self.remove(changes.tenant, kind, source)
        said = (p._replace(source=numbers[id]) for id, p in changes.said)
        for passage in (*changes.passages, *said):
            self.last += 1
            self.passages[self.last] = passage._replace(no=self.last)
        if changes.vectors is not None:
            row = changes.vectors.model
            identity = (row.name, row.revision, row.dimension)
            there = self.models.get(identity)
            number = len(self.models) + 1 if there is None else there.no
            self.models[identity] = row._replace(no=number)
            self._take(number, changes.vectors.rows)
            self._drop(changes.tenant, number, changes.vectors.dropped)

    def _take(self, model: int, vectors: Sequence[VectorRow]) -> None:
        there = {(v.passage, v.model) for v in self.vectors.values()}
        for vector in vectors:
            if vector.passage in self.passages and (vector.passage, model) not in there:
                number = max(self.vectors, default=0) + 1
                self.vectors[number] = vector._replace(no=number, model=model)

    def _drop(self, tenant: str, model: int, most: int) -> None:
        others = [v for v in self.vectors.values() if v.tenant == tenant and v.model != model]
        gone = sorted(others, key=lambda v: (v.scope, v.model, v.no))[:most]
        for vector in gone:
            del self.vectors[vector.no]
        self._outdate({(tenant, vector.scope) for vector in gone})
        for identity, other in self.models.items():
            if most and other.no != model:
                self.models[identity] = other._replace(done=0)

    def remove(self, tenant: str, kind: int, source: int) -> None:
        """Take a memory or an episode out of the index."""
        named = (tenant, kind, source)
        self._remove([p for p in self.passages.values() if (p.tenant, p.kind, p.source) == named])

    def _remove(self, gone: Sequence[PassageRow]) -> None:
        for passage in gone:
            del self.passages[passage.no]
        self._outdate({(p.tenant, p.scope) for p in gone})
        for number in [v.no for v in self.vectors.values() if v.passage not in self.passages]:
            del self.vectors[number]

    def _outdate(self, scopes: Iterable[tuple[str, str]]) -> None:
        for scope in scopes:
            self.generations[scope] = self.generations.get(scope, 0) + 1

    def erase(
        self, tenant: str, statements: set[int], episodes: set[int], *, dry_run: bool
    ) -> dict[str, int]:
        """Take all of a person out of the index; gives the counts."""
        sources = {MEMORY: statements, ITEM: episodes}
        gone = [
            p for p in self.passages.values() if p.tenant == tenant and p.source in sources[p.kind]
        ]
        numbers = {p.no for p in gone}
        counts = {
            "vector": sum(v.passage in numbers for v in self.vectors.values()),
            "passage": len(gone),
        }
        if not dry_run:
            self._remove(gone)
        return counts


class IndexView:
    """What a view sees of the index."""

    def __init__(
        self,
        rows: IndexRows,
        episodes: Mapping[int, EpisodeRow],
        threads: ThreadRows,
        beliefs: Mapping[int, Belief],
    ) -> None:
        self._index = rows
        self._said = episodes
        self._places = threads.places
        self._threads_by_number = threads.threads
        self._held = beliefs

    def index_generation(self, tenant: str, scope: str) -> int:
        """Give a number that changes whenever passages or vectors of a scope were removed."""
        return self._index.generations.get((tenant, scope), 0)

    def passages(self, tenant: str, scope: str, after: int) -> list[PassageRow]:
        """Give the passages of a scope with higher numbers than one, rising."""
        rows = self._index.passages.values()
        return [p for p in rows if (p.tenant, p.scope) == (tenant, scope) and p.no > after]

    def news(self, tenant: str, scopes: Sequence[Have]) -> tuple[int, list[News]]:
        """Say what is new in some scopes; who writes holds the lock, so nothing comes late."""
        return 0, [
            News(
                self.index_generation(tenant, one.scope),
                self.passages(tenant, one.scope, max(0, one.last - 1)),
            )
            for one in scopes
        ]

    def passage_before(self, passage: PassageRow) -> PassageRow | None:
        """Give what goes before a passage of an item in its thread, within the scope."""
        rows = [
            p
            for p in self._index.passages.values()
            if (p.tenant, p.scope, p.kind) == (passage.tenant, passage.scope, ITEM)
        ]
        if passage.start:
            same = [p for p in rows if p.source == passage.source and p.no < passage.no]
            return same[-1] if same else None
        here = self._places.get(passage.source)
        if here is None:
            return None
        prior = [
            (place.position, p.no, p)
            for p in rows
            for place in [self._places.get(p.source)]
            if place is not None and place.thread == here.thread and place.position < here.position
        ]
        return max(prior)[2] if prior else None

    def passages_unembedded(self, model: int, after: int, limit: int) -> list[PassageRow]:
        """Give passages of every tenant without a vector by a model, from a number on, rising."""
        there = {v.passage for v in self._index.vectors.values() if v.model == model}
        rows = [p for p in self._index.passages.values() if p.no > after and p.no not in there]
        return rows[:limit]

    def last_passage(self) -> int:
        """Give the highest number of a passage."""
        return self._index.last

    def passages_counted(self, tenant: str, after: int) -> tuple[int, int]:
        """Give how many passages a tenant has, and how many of them with higher numbers."""
        numbers = [p.no for p in self._index.passages.values() if p.tenant == tenant]
        return len(numbers), sum(number > after for number in numbers)

    def vectors(self, tenant: str, scope: str, model: int, after: int) -> list[VectorRow]:
        """Give the vectors of a scope by one model with higher numbers than one, rising."""
        asked = (tenant, scope, model)
        rows = self._index.vectors.values()
        return [v for v in rows if (v.tenant, v.scope, v.model) == asked and v.no > after]

    def vectors_by_others(self, tenant: str, model: int) -> int:
        """Give how many vectors of a tenant are there that a model did not make."""
        rows = self._index.vectors.values()
        return sum(v.tenant == tenant and v.model != model for v in rows)

    def embedder(self, name: str, revision: str, dimension: int) -> EmbedderRow | None:
        """Give what is known of a model; None where it never made a vector."""
        return self._index.models.get((name, revision, dimension))

    def believed_after(self, tenant: str, memories: Sequence[int], at: Instant) -> list[int]:
        """Give those of some memories that are believed now and are not over at an instant."""
        held = {
            b.memory
            for b in self._held.values()
            if b.tenant == tenant and b.recorded_to is None and at < b.valid_to
        }
        return [number for number in memories if number in held]

    def episodes_by_number(self, tenant: str, numbers: Sequence[int]) -> list[EpisodeRow]:
        """Give episodes by their row numbers."""
        wanted = set(numbers)
        return [e for e in self._said.values() if e.tenant == tenant and e.no in wanted]

    def said(self, tenant: str, numbers: Sequence[int]) -> list[Said]:
        """Give episodes by their row numbers, each with where it stands."""
        found: list[Said] = []
        for episode in self.episodes_by_number(tenant, numbers):
            place = self._places.get(episode.no)
            kept = None if place is None else self._threads_by_number[place.thread].expires_at
            found.append(Said(episode, place, kept))
        return found

    def episodes_from(self, tenant: str, after: int, limit: int) -> list[EpisodeRow]:
        """Give the episodes of a tenant, stubs too, with higher row numbers than one, rising."""
        return [e for e in self._said.values() if e.tenant == tenant and e.no > after][:limit]

    def prepare(self, tenant: str, memories: Sequence[Statement]) -> None:
        """Do nothing: all rows are at hand."""

    def prepare_keys(self, tenant: str, keys: Sequence[Key]) -> None:
        """Do nothing: all rows are at hand."""

    def waits(self, tenant: str, kind: str, lane: str) -> bool:
        """Say whether work of a kind waits in a lane of a tenant: in memory it never does."""
        del tenant, kind, lane
        return False
