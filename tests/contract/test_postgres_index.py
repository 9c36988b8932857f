"""Many write at once: what is committed late is found, embedded, and never outlives its memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import psycopg
import pytest

from vigent.domain.changes import ChangeSet, Vectors
from vigent.domain.passages import EmbedderRow, PassageRow, VectorRow, passages_of_memory
from vigent.ports.index import Have
from vigent.read.index import IndexCache, Kept
from vigent.storage.postgres.adapter import PostgresStorage

MODEL = ("model", "1", 4)
UNIT = np.array([1, 0, 0, 0], "<f2").tobytes()


@pytest.fixture
def storage(postgres_url) -> Iterator[PostgresStorage]:
    opened = PostgresStorage(postgres_url)
    for tenant in ("t", "u"):
        with opened.transaction(tenant) as transaction:
            transaction.apply(ChangeSet(tenant, salt=b"s" * 16, salted_at=1))
    yield opened
    opened.close()


def passage(source: int, text: str, tenant: str = "t") -> PassageRow:
    (one,) = passages_of_memory(
        tenant, "scope", statement=source, key=source, type="fact", name="", text=text, at=5
    )
    return one


class Writer:
    """Writes a passage in a transaction that ends when it is told to."""

    def __init__(self, storage: PostgresStorage, row: PassageRow) -> None:
        self._written, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, args=(storage, row))
        self._thread.start()
        assert self._written.wait(10)

    def _run(self, storage: PostgresStorage, row: PassageRow) -> None:
        with storage.transaction(row.tenant, beside=True) as transaction:
            transaction.apply(ChangeSet(row.tenant, passages=[row]))
            transaction.flush()
            assert transaction.passages(row.tenant, row.scope, 0)
            self._written.set()
            assert self._end.wait(10)

    def commit(self) -> None:
        self._end.set()
        self._thread.join(10)


def write(storage: PostgresStorage, *rows: PassageRow) -> None:
    with storage.transaction(rows[0].tenant, beside=True) as transaction:
        transaction.apply(ChangeSet(rows[0].tenant, passages=list(rows)))


def settle(url: str) -> None:
    """Wait until no transaction of the whole server, other tests' too, is older than this call."""
    with psycopg.connect(url, autocommit=True) as connection:
        (now,) = connection.execute("SELECT pg_current_xact_id()::text::bigint").fetchone() or (0,)
        oldest = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
        until = time.monotonic() + 60
        while (connection.execute(oldest).fetchone() or (0,))[0] < now:
            assert time.monotonic() < until, "some transaction does not end"
            time.sleep(0.01)


def sources(storage: PostgresStorage, cache: IndexCache) -> list[int]:
    with (
        storage.snapshot() as snapshot,
        cache.scopes(snapshot, "t", ["scope"], None) as kept,
    ):
        return column(kept)


def column(kept: list[Kept]) -> list[int]:
    return kept[0].corpus.sources.tolist()


def test_a_passage_committed_after_one_with_a_higher_number_is_taken_in(storage):
    cache = IndexCache()
    late = Writer(storage, passage(1, "first"))
    write(storage, passage(2, "second"))
    assert sources(storage, cache) == [2]
    assert sources(storage, cache) == [2]
    late.commit()
    assert sources(storage, cache) == [2, 1]
    write(storage, passage(3, "third"))
    assert sources(storage, cache) == [2, 1, 3]
    assert sources(storage, IndexCache()) == [1, 2, 3]


def test_a_view_that_is_older_takes_nothing_away(storage):
    cache = IndexCache()
    write(storage, passage(1, "first"))
    with storage.snapshot() as older:
        assert older.last_change()  # it sees what was there now
        thread = threading.Thread(target=write, args=(storage, passage(2, "second")))
        thread.start()
        thread.join(10)
        found: list[list[int]] = []
        thread = threading.Thread(target=lambda: found.append(sources(storage, cache)))
        thread.start()
        thread.join(10)
        assert found == [[1, 2]]
        with cache.scopes(older, "t", ["scope"], None) as kept:
            assert kept[0].behind
            assert column(kept) == [1, 2]


def test_a_new_view_is_told_late_passages_of_its_scope_alone(storage, postgres_url):
    write(storage, passage(1, "first"), passage(2, "other")._replace(scope="elsewhere"))
    write(storage, passage(3, "third"))
    settle(postgres_url)
    with storage.snapshot() as snapshot:
        horizon, (every,) = snapshot.news("t", [Have("scope", 0, 0)])
        assert [p.source for p in every.passages] == [1, 3]
        last = every.passages[-1].no
        later, (none, other) = snapshot.news(
            "t", [Have("scope", last, horizon), Have("elsewhere", 0, 0)]
        )
        assert later == horizon > 0
        assert [p.source for p in none.passages] == [3]
        assert [p.source for p in other.passages] == [2]
        _, (again,) = snapshot.news("t", [Have("scope", last, 1)])
        assert [p.source for p in again.passages] == [1, 3]
        assert snapshot.news("u", [Have("scope", 0, 1)])[1][0].passages == []


def vectors(storage: PostgresStorage, tenant: str = "t") -> list[int]:
    with storage.snapshot() as snapshot:
        source = {p.no: p.source for p in snapshot.passages(tenant, "scope", 0)}
        model = snapshot.embedder(*MODEL)
        assert model is not None
        return sorted(source[v.passage] for v in snapshot.vectors(tenant, "scope", model.no, 0))


def embed_all(storage: PostgresStorage, batch: int = 64) -> None:
    """Take the steps of ``embed_some``, with vectors out of nothing."""
    found: list[PassageRow] = []
    while not found or len(found) == batch:
        with storage.transaction("") as transaction:
            model = transaction.embedder(*MODEL) or EmbedderRow(0, *MODEL, 0, 0, None)
            transaction.apply(ChangeSet("", vectors=Vectors(model)))
        with storage.snapshot() as snapshot:
            model, last = snapshot.embedder(*MODEL), snapshot.last_passage()
            assert model is not None
            found = snapshot.passages_unembedded(model.no, model.done, batch)
        made = [VectorRow(0, p.tenant, p.scope, 0, p.no, UNIT) for p in found]
        done = found[-1].no if len(found) == batch else last
        with storage.transaction("") as transaction:
            kept = model._replace(done=max(done, model.done))
            transaction.apply(ChangeSet("", vectors=Vectors(kept, made)))
        if not found:
            return


def test_no_passage_is_passed_over_by_a_model(storage):
    """One that is committed behind the place that a model has come to gets its vector."""
    late = Writer(storage, passage(1, "first"))
    write(storage, passage(2, "second"))
    write(storage, passage(7, "theirs", tenant="u"))
    embed_all(storage)
    assert (vectors(storage), vectors(storage, "u")) == ([2], [7])
    late.commit()
    write(storage, passage(3, "third"))
    embed_all(storage)
    assert vectors(storage) == [1, 2, 3]


def test_many_passages_of_many_tenants_are_given_in_order_and_none_twice(storage):
    for turn in range(3):
        for tenant in ("t", "u"):
            write(storage, *(passage(100 * turn + n, "x", tenant) for n in range(1, 41)))
    with storage.snapshot() as snapshot:
        first = snapshot.passages_unembedded(0, 0, 64)
        assert [p.no for p in first] == sorted({p.no for p in first})
        assert len(first) == 64
        every = snapshot.passages_unembedded(0, 0, 1000)
        assert len(every) == 240
        assert every[:64] == first
        after = snapshot.passages_unembedded(0, first[-1].no, 1000)
        assert {p.no for p in after} >= {p.no for p in every[64:]}
    embed_all(storage)
    assert len(vectors(storage)) == len(vectors(storage, "u")) == 120


def put(storage: PostgresStorage, row: PassageRow) -> None:
    made = VectorRow(0, row.tenant, row.scope, 0, row.no, UNIT)
    with storage.transaction("") as transaction:
        transaction.apply(
            ChangeSet("", vectors=Vectors(EmbedderRow(0, *MODEL, 0, 0, None), [made]))
        )


def test_a_vector_does_not_outlive_a_passage_that_is_removed_meanwhile(storage):
    write(storage, passage(1, "first"))
    with storage.snapshot() as snapshot:
        (row,) = snapshot.passages("t", "scope", 0)
    with storage.transaction("t") as transaction:
        transaction.apply(ChangeSet("t", unindexed=[(0, 1)]))
        assert transaction.passages("t", "scope", 0) == []
        worker = threading.Thread(target=put, args=(storage, row))
        worker.start()
        worker.join(0.3)
    worker.join(10)
    with storage.snapshot() as snapshot:
        model = snapshot.embedder(*MODEL)
        assert snapshot.passages("t", "scope", 0) == []
        assert model is None or snapshot.vectors("t", "scope", model.no, 0) == []
    put(storage, row)
    with storage.snapshot() as snapshot:
        assert snapshot.vectors("t", "scope", 1, 0) == []


def test_last_change_is_another_number_after_a_write(storage):
    def told() -> int:
        with storage.snapshot() as snapshot:
            return snapshot.last_change()

    before = told()
    assert told() == before
    write(storage, passage(1, "first"))
    assert told() != before
