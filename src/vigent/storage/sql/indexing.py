"""Passages and vectors as SQL engines keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import orjson

from vigent.domain.changes import ChangeSet, Vectors
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import EmbedderRow, PassageRow, VectorRow
from vigent.domain.statements import Key, Statement
from vigent.domain.threads import Place
from vigent.domain.time import Instant
from vigent.ports.index import Amiss, Have, News, Said
from vigent.storage.sql.rows import Queries, Run, SqlView

__all__ = ["INDEX_ORDER", "IndexView", "passage_rows", "take_vectors", "unindex"]

_REMOVALS: Final = ("passage_outdate", "vector_delete", "passage_delete")
INDEX_ORDER: Final = (*_REMOVALS, "passage_insert")
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


def take_vectors(run: Run, queries: Queries, tenant: str, vectors: Vectors) -> None:
    """Keep vectors, and how far their model is; drop those of the tenant that are to go."""
    identity = vectors.model[1:4]
    run(queries["embedder_insert"], identity)
    model = run(queries["embedder_find"], identity).fetchall()[0][0]
    run(queries["embedder_put"], (*vectors.model[4:], model))
    for v in vectors.rows:
        run(queries["vector_put"], (v.tenant, v.scope, model, v.passage, v.data))
    if vectors.dropped:
        for query in ("vectors_outdate", "vectors_drop"):
            run(queries[query], (tenant, model, vectors.dropped))
        run(queries["embedder_restart"], (model,))


class IndexView(SqlView):
    """What a snapshot sees of the index."""

    def index_generation(self, tenant: str, scope: str) -> int:
        """Give a number that changes whenever passages or vectors of a scope were removed."""
        rows = self._run(self._q["index_generation"], (tenant, scope)).fetchall()
        return rows[0][0] if rows else 0

    def passages(self, tenant: str, scope: str, after: int) -> list[PassageRow]:
        """Give the passages of a scope with higher numbers than one, rising."""
        rows = self._run(self._q["passages_of_scope"], (tenant, scope, after)).fetchall()
        return [PassageRow._make(row) for row in rows]

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
        if passage.start:
            same = self._run(
                self._q["passages_of_source"], (passage.tenant, passage.source, passage.kind)
            ).fetchall()
            rows = [row for row in same if row[0] < passage.no][-1:]
        else:
            asked = (passage.tenant, passage.source, passage.scope)
            rows = self._run(self._q["passage_before"], asked).fetchall()
        return PassageRow._make(rows[0]) if rows else None

    def passages_unembedded(self, model: int, after: int, limit: int) -> list[PassageRow]:
        """Give passages of every tenant without a vector by a model, from a number on, rising."""
        rows = self._run(self._q["passages_unembedded"], (model, after, limit)).fetchall()
        return [PassageRow._make(row) for row in rows]

    def last_passage(self) -> int:
        """Give the highest number of a passage."""
        return self._run(self._q["last_passage"], ()).fetchall()[0][0]

    def last_change(self) -> int:
        """Give a number that is another one after every write that changed a memory."""
        return self._run(self._q["last_change"], ()).fetchall()[0][0]

    def passages_counted(self, tenant: str, after: int) -> tuple[int, int]:
        """Give how many passages a tenant has, and how many of them with higher numbers."""
        every, later = self._run(self._q["passages_counted"], (tenant, after)).fetchall()[0]
        return every, later

    def vectors(self, tenant: str, scope: str, model: int, after: int) -> list[VectorRow]:
        """Give the vectors of a scope by one model with higher numbers than one, rising."""
        rows = self._run(self._q["vectors_of_scope"], (tenant, scope, model, after)).fetchall()
        return [VectorRow._make(row) for row in rows]

    def vectors_by_others(self, tenant: str, model: int) -> int:
        """Give how many vectors of a tenant are there that a model did not make."""
        return self._run(self._q["vectors_by_others"], (tenant, model)).fetchall()[0][0]

    def embedder(self, name: str, revision: str, dimension: int) -> EmbedderRow | None:
        """Give what is known of a model; None where it never made a vector."""
        rows = self._run(self._q["embedder_find"], (name, revision, dimension)).fetchall()
        return EmbedderRow._make(rows[0]) if rows else None

    def believed_after(self, tenant: str, memories: Sequence[int], at: Instant) -> list[int]:
        """Give those of some memories that are believed now and are not over at an instant."""
        named = orjson.dumps(memories).decode()
        rows = self._run(self._q["believed_among"], (tenant, named, at)).fetchall()
        return [number for (number,) in rows]

    def episodes_by_number(self, tenant: str, numbers: Sequence[int]) -> list[EpisodeRow]:
        """Give episodes by their row numbers."""
        named = orjson.dumps(numbers).decode()
        rows = self._run(self._q["episodes_by_number"], (tenant, named)).fetchall()
        return [EpisodeRow._make(row) for row in rows]

    def said(self, tenant: str, numbers: Sequence[int]) -> list[Said]:
        """Give episodes by their row numbers, each with where it stands."""
        named = orjson.dumps(numbers).decode()
        rows = self._run(self._q["said"], (tenant, named)).fetchall()
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
        rows = self._run(self._q["episodes_from"], (tenant, after, limit)).fetchall()
        return [EpisodeRow._make(row) for row in rows]

    def index_amiss(self, tenant: str) -> list[Amiss]:
        """Give what of a tenant lacks its passages, or has some and should not."""
        queries = ("passages_amiss", "items_amiss", "passages_of_nothing")
        rows = [row for query in queries for row in self._run(self._q[query], (tenant,)).fetchall()]
        return [Amiss._make(row) for row in rows]

    def prepare(self, tenant: str, memories: Sequence[Statement]) -> None:
        """Do nothing: looking at rows one by one costs little."""

    def prepare_keys(self, tenant: str, keys: Sequence[Key]) -> None:
        """Do nothing: looking at rows one by one costs little."""

    def waits(self, tenant: str, kind: str, lane: str) -> bool:
        """Say whether work of a kind waits in a lane of a tenant."""
        return bool(self._run(self._q["job_find"], (kind, tenant, lane)).fetchall())
