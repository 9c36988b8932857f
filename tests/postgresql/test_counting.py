"""A store that fills is counted by the database in time, so that its plans stay quick."""

from __future__ import annotations

import psycopg
import pytest

from tests.postgres_plans import faults, plan
from tools.postgres import APP, OWNER
from vigent import Memory
from vigent.storage.postgres.counting import Counting
from vigent.storage.postgres.statements import Q

TABLES = ("audit", "belief", "key", "passage", "statement")


@pytest.fixture
def looking(postgres, store_name):
    """A connection that sees all, to a database in which the server itself counts nothing."""
    with psycopg.connect(postgres.url(store_name), autocommit=True) as connection:
        for table in TABLES:
            connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")  # pyright: ignore[reportArgumentType]
        yield connection


def counted(connection) -> set[str]:
    """The tables that have been counted with rows in them."""
    found = connection.execute(
        "SELECT relname::text FROM pg_class WHERE relname = ANY (%s) AND reltuples > 0",
        (list(TABLES),),
    )
    return {name for (name,) in found.fetchall()}


def fill(memory: Memory, first: int, count: int) -> None:
    memory.write_many(
        {"subject": f"s{n}", "attribute": "a", "value": "x"} for n in range(first, first + count)
    )


def test_a_store_that_fills_is_counted(looking, store_url):
    with Memory.open(store_url, embedder="none") as memory:
        fill(memory, 0, 60)
        assert counted(looking) == set()
        fill(memory, 60, 10)
        assert counted(looking) == set(TABLES)
        before = looking.execute("SELECT reltuples FROM pg_class WHERE relname = 'key'").fetchone()
        assert before == (70,)
        fill(memory, 70, 240)
        after = looking.execute("SELECT reltuples FROM pg_class WHERE relname = 'key'").fetchone()
        assert after == (310,)
        fill(memory, 310, 800)
    looking.execute("SET plan_cache_mode = force_generic_plan")
    for name in ("statement_by_id", "key_lock", "statements_of_fingerprint", "audit_told"):
        assert faults(looking, plan(looking, Q[name])) == []


def test_a_role_that_does_not_own_the_tables_writes_on(looking, postgres, store_name):
    with Memory.open(postgres.url(store_name, APP), embedder="none") as memory:
        fill(memory, 0, 100)
        assert memory.current("s99", "a").value == "x"
    assert counted(looking) == set()
    with Memory.open(postgres.url(store_name, OWNER), embedder="none") as memory:
        fill(memory, 100, 100)
    assert counted(looking) == set(TABLES)


def test_it_is_due_once_a_step():
    counting = Counting()
    assert [counting.due({"key": 32}) for _ in range(4)] == [False, True, False, False]
    assert not counting.due({"belief": 63})
    assert counting.due({"belief": 300, "key": 1})
    assert counting.due({"key": 100_000})
    assert not counting.due({"key": 1_000_000})
