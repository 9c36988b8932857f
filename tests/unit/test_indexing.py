"""Building the search index anew, and mending it where it is amiss."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager

import pytest

from vigent import Memory
from vigent.govern.indexing import reindex

PASSAGE = (
    "INSERT INTO passage (tenant, scope, kind, type, source, home, start, stop, at, about, words)"
    " VALUES ('default', 's', {}, 'fact', {}, 0, 0, 1, 0, x'', x'')"
)
# What is done to the index behind its back, and how a check tells it.
FAULTS = {
    "a memory that is not indexed": (
        PASSAGE.format(0, "(SELECT no FROM statement WHERE indexed + gap = 0)"), "without need"),
    "a memory that was forgotten": (
        PASSAGE.format(0, "(SELECT no FROM statement WHERE status = 'forgotten')"), "without need"),
    "a memory that is gone": (PASSAGE.format(0, 999), "statement 999"),
    "a stub": (PASSAGE.format(1, "(SELECT max(no) FROM episode WHERE stub = 1)"), "without need"),
    "what is sealed": (
        PASSAGE.format(1, "(SELECT episode FROM thread_item WHERE sealed = 1)"), "without need"),
    "reasoning": (
        PASSAGE.format(1, "(SELECT no FROM episode WHERE kind = 'reasoning')"), "without need"),
    "an episode that is gone": (PASSAGE.format(1, 999), "episode 999"),
    "a memory without passages": ("DELETE FROM passage WHERE kind = 0", "missing"),
    "an episode without passages": ("DELETE FROM passage WHERE kind = 1", "missing"),
}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.write(subject="mira", attribute="city", value="Porto", valid_from="2025-01-01")
        memory.retract(subject="mira", attribute="city", valid_from="2025-06-01")
        memory.write(text="zinnia", person="ana")
        memory.forget(memory.write(text="gone").memory.memory_id)
        memory.threads.create(None, id="t")
        memory.threads.append("t", "said", role="user")
        memory.threads.append("t", "sealed", role="user", sealed=True)
        memory.threads.append("t", "thought", kind="reasoning")
        memory.capture("left", thread="u")
        memory.threads.delete("u")
        assert memory.check().problems == ()
    return path


def spoil(path, sql: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(sql).rowcount > 0
    connection.close()


@pytest.mark.parametrize("mend", ["rebuild", "repair"])
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_amiss_is_told_and_mended(path, fault, mend):
    sql, told = FAULTS[fault]
    spoil(path, sql)
    with Memory.open(path) as memory:
        problems = memory.check().problems
        assert problems
        assert all(told in problem for problem in problems)
        if mend == "rebuild":
            assert memory.index.rebuild() == (2, 1)
        else:
            assert memory.check(repair=True).ok
        assert memory.check().problems == ()
        assert [h.excerpt for h in memory.search("zinnia", person="ana", limit=1)] == ["zinnia"]


def test_a_repair_mends_every_store_of_the_tenant_and_no_other(path):
    with Memory.open(path, store="other") as other, Memory.open(path, tenant="t2") as alien:
        other.write(text="dahlia")
        alien.write(text="dahlia")
    spoil(path, "DELETE FROM passage")
    with Memory.open(path) as memory:
        assert memory.check(repair=True).ok
    with Memory.open(path, store="other") as other, Memory.open(path, tenant="t2") as alien:
        assert len(other.search("dahlia")) == 1
        assert len(alien.check().problems) == 1


class Watched:
    """A store that notes how many sources each transaction takes out of the index."""

    def __init__(self, storage) -> None:
        self.snapshot, self._storage, self.sizes = storage.snapshot, storage, []

    @contextmanager
    def transaction(self, tenant, **how):
        with self._storage.transaction(tenant, **how) as transaction:
            apply, size = transaction.apply, []

            def applied(changes) -> None:
                size.append(len(changes.unindexed))
                apply(changes)

            transaction.apply = applied
            yield transaction
            self.sizes.append(sum(size))


def test_a_writer_does_not_wait_for_all_texts_of_an_owner(tmp_path):
    with Memory.open(tmp_path / "many.db") as memory:
        memory.write_many({"text": f"text number {n} of many"} for n in range(1_200))
        watched = Watched(memory._storage)
        assert reindex(watched, "default", "default") == (1_200, 0)
        assert watched.sizes == [500, 500, 200, 0, 0]
        assert memory.check().problems == ()


def test_a_store_in_memory_is_indexed_anew_too():
    with Memory.open(":memory:") as memory:
        memory.write(text="zinnia")
        memory.write(subject="mira", attribute="city", value="Porto", person="ana")
        memory.forget(memory.write(text="gone").memory.memory_id)
        memory.capture("zinnia said")
        rows = memory._storage._rows
        assert memory._storage.reader().index_amiss("default") == []
        one, *_ = rows.index.passages.values()
        rows.index.passages[99] = one._replace(no=99, source=999)
        del rows.index.passages[one.no]
        assert memory._storage.reader().index_amiss("default") == [(0, 1, 1), (0, 999, 0)]
        assert memory.index.rebuild() == (2, 1)
        assert memory._storage.reader().index_amiss("default") == []
        assert len(memory.search("zinnia")) == 1
