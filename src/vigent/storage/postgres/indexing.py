"""Passages and vectors in a PostgreSQL store.

Readers keep the passages of a scope in memory and fetch those with higher numbers. Here many write
at once, so the numbers of a scope are given under a lock of that scope, which is held until the
commit: a lower one never comes after a higher one. See ``lock_scopes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from vigent.domain.changes import ChangeSet, Vectors
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import EmbedderRow, PassageRow, VectorRow
from vigent.domain.threads import Place
from vigent.domain.time import Instant
from vigent.ports.index import Amiss, Said
from vigent.storage.postgres.view import Row, View

__all__ = ["INDEX_ORDER", "IndexView", "lock_scopes", "passage_rows", "take_vectors", "unindex"]

Ask: TypeAlias = Callable[[str | None, str, Sequence[Any]], list[Row]]
"""Runs a named query for a tenant."""

_REMOVALS: Final = ("passage_outdate", "vector_delete", "passage_delete")
INDEX_ORDER: Final = (*_REMOVALS, "scope_lock", "passage_insert")
"""In which order rows are written: what goes before what comes, readers told first."""


def unindex(
    add: Callable[[str, Sequence[Any]], None], tenant: str, gone: Iterable[tuple[int, int]]
) -> None:
    """Note that memories or episodes (kind, number) go out of the index."""
    rows = [(tenant, source, kind) for kind, source in gone]
    for query in _REMOVALS:
        add(query, rows)


def passage_rows(changes: ChangeSet, numbers: Mapping[str, int]) -> list[Sequence[Any]]:
    """Give the rows of new passages; ``numbers`` are those of the episodes of the change set."""
    rows: list[Sequence[Any]] = [p[1:] for p in changes.passages]
    return rows + [p._replace(source=numbers[id])[1:] for id, p in changes.said]


def lock_scopes(passages: Iterable[Sequence[Any]], held: set[tuple[str, str]]) -> list[Row]:
    """Give the rows of ``scope_lock`` that come before some rows of ``passage_insert``.

    In one order for all, so that no two wait for each other. ``held`` are those that the
    transaction has, and is added to.
    """
    wanted = sorted({(row[0], row[1]) for row in passages} - held)
    held.update(wanted)
    return list[Row](wanted)


def take_vectors(ask: Ask, tenant: str, vectors: Vectors) -> None:
    """Keep vectors, and how far their model is; drop those of the tenant that are to go.

    A passage that is removed meanwhile gets none: who removes it has the lock of its scope.
    """
    identity = vectors.model[1:4]
    ask(None, "embedder_insert", identity)
    model = ask(None, "embedder_find", identity)[0][0]
    ask(None, "embedder_put", (*vectors.model[4:], model))
    for scope in lock_scopes(vectors.rows, set()):
        ask(scope[0], "scope_lock", scope)
    for v in vectors.rows:
        ask(v.tenant, "vector_put", (v.tenant, v.scope, model, v.passage, v.data))
    if vectors.dropped:
        for query in ("vectors_outdate", "vectors_drop"):
            ask(tenant, query, (tenant, model, vectors.dropped))
        ask(None, "embedder_restart", (model,))


class IndexView(View):
    """What a snapshot sees of the index."""

    def index_generation(self, tenant: str, scope: str) -> int:
        """Give a number that changes whenever passages or vectors of a scope were removed."""
        rows = self._ask(tenant, "index_generation", (tenant, scope))
        return rows[0][0] if rows else 0

    def horizon(self) -> int:
        """Give the oldest transaction that may still write what this view does not see."""
        return self._ask(None, "horizon")[0][0]

    def passages(self, tenant: str, scope: str, after: int, since: int = 0) -> list[PassageRow]:
        """Give the passages of a scope with higher numbers than one, rising.

        And those of transactions from a horizon on. Nothing is late at a first read.
        """
        if since:
            rows = self._ask(tenant, "passages_new", (tenant, scope, after, since))
        else:
            rows = self._ask(tenant, "passages_of_scope", (tenant, scope, after))
        return [PassageRow._make(row) for row in rows]

    def passage_before(self, passage: PassageRow) -> PassageRow | None:
        """Give what goes before a passage of an item in its thread, within the scope."""
        tenant = passage.tenant
        if passage.start:
            of = (tenant, passage.source, passage.kind)
            same = self._ask(tenant, "passages_of_source", of)
            rows = [row for row in same if row[0] < passage.no][-1:]
        else:
            asked = (tenant, passage.source, passage.scope)
            rows = self._ask(tenant, "passage_before", asked)
        return PassageRow._make(rows[0]) if rows else None

    def passages_unembedded(self, model: int, after: int, limit: int) -> list[PassageRow]:
        """Give passages of every tenant without a vector by a model, from a number on, rising."""
        rows = self._ask(None, "passages_unembedded", (model, after, limit))
        return [PassageRow._make(row) for row in rows]

    def last_passage(self) -> int:
        """Give the highest number of a passage."""
        return self._ask(None, "last_passage")[0][0]

    def last_change(self) -> int:
        """Give a number that is another one after every write that changed a memory."""
        return self._ask(None, "last_change")[0][0]

    def passages_counted(self, tenant: str, after: int) -> tuple[int, int]:
        """Give how many passages a tenant has, and how many of them with higher numbers."""
        every, later = self._ask(tenant, "passages_counted", (tenant, after))[0]
        return every, later

    def vectors(self, tenant: str, scope: str, model: int, after: int) -> list[VectorRow]:
        """Give the vectors of a scope by one model with higher numbers than one, rising."""
        rows = self._ask(tenant, "vectors_of_scope", (tenant, scope, model, after))
        return [VectorRow._make(row) for row in rows]

    def vectors_by_others(self, tenant: str, model: int) -> int:
        """Give how many vectors of a tenant are there that a model did not make."""
        return self._ask(tenant, "vectors_by_others", (tenant, model))[0][0]

    def embedder(self, name: str, revision: str, dimension: int) -> EmbedderRow | None:
        """Give what is known of a model; None where it never made a vector."""
        rows = self._ask(None, "embedder_find", (name, revision, dimension))
        return EmbedderRow._make(rows[0]) if rows else None

    def believed_after(self, tenant: str, memories: Sequence[int], at: Instant) -> list[int]:
        """Give those of some memories that are believed now and are not over at an instant."""
        rows = self._ask(tenant, "believed_among", (tenant, list(memories), at))
        return [number for (number,) in rows]

    def episodes_by_number(self, tenant: str, numbers: Sequence[int]) -> list[EpisodeRow]:
        """Give episodes by their row numbers."""
        rows = self._ask(tenant, "episodes_by_number", (tenant, list(numbers)))
        return [EpisodeRow._make(row) for row in rows]

    def said(self, tenant: str, numbers: Sequence[int]) -> list[Said]:
        """Give episodes by their row numbers, each with where it stands."""
        rows = self._ask(tenant, "said", (tenant, list(numbers)))
        width, more = len(EpisodeRow._fields), len(Place._fields)
        return [
            Said(
                EpisodeRow._make(row[:width]),
                None if row[width] is None else Place._make(row[width : width + more]),
                row[-1],
            )
            for row in rows
        ]

    def episodes_from(self, tenant: str, after: int, limit: int) -> list[EpisodeRow]:
        """Give the episodes of a tenant, stubs too, with higher row numbers than one, rising."""
        rows = self._ask(tenant, "episodes_from", (tenant, after, limit))
        return [EpisodeRow._make(row) for row in rows]

    def index_amiss(self, tenant: str) -> list[Amiss]:
        """Give what of a tenant lacks its passages, or has some and should not."""
        queries = ("passages_amiss", "items_amiss", "passages_of_nothing")
        rows = [row for query in queries for row in self._ask(tenant, query, (tenant,))]
        return [Amiss._make(row) for row in rows]

    def waits(self, tenant: str, kind: str, lane: str) -> bool:
        """Say whether work of a kind waits in a lane of a tenant."""
        return bool(self._ask(tenant, "job_find", (kind, tenant, lane)))
