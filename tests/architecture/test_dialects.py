"""Both dialects have the same queries, with the same values; PostgreSQL's can be distributed.

Tenants are what a database is distributed by, as with Citus: rows of a tenant are in one place, and
each statement says whose it is after. What is in no shard, because it goes through all tenants,
holds nothing but their names.
"""

from __future__ import annotations

import re

import pytest

from tests.architecture.queries import POSTGRES_FILES, Query, read_queries
from tests.architecture.source import PACKAGE

SQLITE = {query.name: query for query in read_queries()}
POSTGRES = {query.name: query for query in read_queries(*POSTGRES_FILES)}
MIGRATIONS = [
    path.read_text(encoding="utf-8")
    for path in sorted((PACKAGE / "storage" / "postgres" / "migrations").glob("*.sql"))
]

ONLY_SQLITE = {
    "walk_by_valid": "believed_known_at finds the stretch in one trip",
    "walk_by_recorded": "as walk_by_valid",
    "last_numbers": "row numbers come from a sequence, whole blocks at a time",
    "last_episode": "as last_numbers",
    "last_thread": "as last_numbers",
    "last_alias": "whether there is any alias is asked for one tenant",
    "salts": "of files that are restored, which databases are not",
    "job_done": "jobs of a kind are finished up to the one that was seen",
}
ONLY_POSTGRES = {
    "believed_known_at": "walk_by_valid and walk_by_recorded, in one trip",
    "lock_whole": "a tenant's lock; SQLite has one for the file",
    "lock_whole_now": "as lock_whole",
    "lock_shared": "as lock_whole",
    "lock_shared_now": "as lock_whole",
    "key_lock": "a key's lock",
    "keys_lock": "a key's lock",
    "keys_named_lock": "a key's lock",
    "newest_of_keys": "whether others wrote a key meanwhile",
    "numbers_take": "a block of row numbers",
    "numbers_past": "as numbers_take",
    "schema": "SQLite keeps it in the header of the file",
    "keys_numbered": "many rows in one trip",
    "statements_numbered": "many rows in one trip",
    "beliefs_numbered": "many rows in one trip",
    "beliefs_of_memories": "many rows in one trip",
    "believed_at_points": "many rows in one trip",
    "believed_of_keys": "many rows in one trip",
    "key_bears_set": "SQLite has a trigger",
    "any_alias": "last_alias, of one tenant",
    "horizon": "what is committed late",
    "passages_new": "what is committed late",
    "passages_late": "what is committed late",
    "passages_made": "which tenants have passages without vectors",
    "passage_made_insert": "as passages_made",
    "activity_insert": "which tenants have entries without a seal",
    "activity_seen": "as activity_insert",
    "activity_delete": "as activity_insert",
    "tenant_name_insert": "which tenants there are",
    "tenant_name_wrote": "when a tenant wrote last",
    "jobs_of_kind": "job_done",
    "jobs_done": "job_done",
    "end_activity": "what is in no shard",
    "end_passage_made": "what is in no shard",
    "end_tenant_name": "what is in no shard",
}
OTHER_VALUES = {
    "passages_unembedded": "of one tenant, and of some transactions",
    "erased_purged": "of one tenant",
    "move_last": "of one tenant",
}
# Tables in no shard: names of tenants and of models, and the queue.
UNSHARDED = {"tenant_name", "activity", "passage_made", "job", "embedder", "migration"}

TABLES = set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", "\n".join(MIGRATIONS)))
SHARDED = TABLES - UNSHARDED
REFERENCE = re.compile(r"\b(?:FROM|JOIN|UPDATE)\s+(\w+)")
CONDITION = re.compile(r"\btenant = ")
ENTERED = re.compile(r"INSERT INTO \w+(?: AS \w+)?\s*\(([^)]*)\)", re.DOTALL)


def values(query: Query) -> int:
    """How many values a query takes."""
    numbered = [int(n) for n in re.findall(r"\?(\d+)", query.sql)]
    return max(numbered, default=0) or query.sql.count("?")


def bare(query: Query) -> str:
    """A query without its strings."""
    return re.sub(r"'[^']*'", "''", query.sql)


def columns(body: str) -> list[str]:
    return [part.strip() for part in body.split(",")]


def test_both_dialects_have_the_same_queries():
    assert set(SQLITE) - set(POSTGRES) == set(ONLY_SQLITE)
    assert set(POSTGRES) - set(SQLITE) == set(ONLY_POSTGRES)


@pytest.mark.parametrize("name", sorted(set(SQLITE) & set(POSTGRES)))
def test_a_query_takes_as_many_values_in_both(name):
    same = values(SQLITE[name]) == values(POSTGRES[name])
    assert same == (name not in OTHER_VALUES)


def test_a_name_stands_once():
    names = [query.name for query in read_queries(*POSTGRES_FILES)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("query", POSTGRES.values(), ids=lambda q: q.name)
def test_a_query_has_a_sentence_and_ends(query: Query):
    assert len(query.sentence.split()) >= 2, "say in a sentence what it is for"
    assert query.sql.endswith(";")
    assert query.sql.count(";") == 1


@pytest.mark.parametrize("query", POSTGRES.values(), ids=lambda q: q.name)
def test_a_query_names_the_tenant_of_every_table(query: Query):
    """Once for each table that it reads, and in the rows that it enters."""
    sql = bare(query)
    tables = [table for table in REFERENCE.findall(sql) if table in SHARDED]
    assert len(CONDITION.findall(sql)) >= len(tables)
    for entered in ENTERED.findall(sql):
        assert "tenant" in columns(entered) or "INSERT INTO embedder" in sql
    if "Sweeps" in query.sentence:
        assert tables == [], "what goes through all tenants reads what is in no shard"


@pytest.mark.parametrize("query", POSTGRES.values(), ids=lambda q: q.name)
def test_a_query_can_be_sent_to_a_shard(query: Query):
    sql = bare(query)
    assert not re.search(r"\bMERGE\b|\bnow\(\)|\bCURRENT_TIMESTAMP\b|\bset_config\b", sql)
    for target in re.findall(r"ON CONFLICT \(([^)]*)\)", sql):
        assert columns(target)[0] == "tenant" or "INSERT INTO embedder" in sql


def test_every_key_of_a_sharded_table_begins_with_the_tenant():
    text = "\n".join(MIGRATIONS)
    found = 0
    for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", text, re.DOTALL):
        keys = re.findall(r"(?:PRIMARY KEY|UNIQUE|FOREIGN KEY) \(([^)]*)\)", body)
        assert keys, table
        if table in SHARDED:
            found += 1
            assert {columns(key)[0] for key in keys} == {"tenant"}, table
            assert not re.search(r"\b(PRIMARY KEY|UNIQUE)[,\n]", body), table
    assert found == len(SHARDED) > 15
    for table, key in re.findall(r"CREATE UNIQUE INDEX \w+\s+ON (\w+) \(([^)]*)\)", text):
        assert table in UNSHARDED or columns(key)[0] == "tenant"
    for table, key in re.findall(r"CREATE INDEX \w+\s+ON (\w+) \(([^)]*)\)", text):
        assert table in UNSHARDED or columns(key)[0] == "tenant"


def test_nothing_that_a_shard_cannot_do_stands_in_the_schema():
    text = re.sub(r"--[^\n]*", "", "\n".join(MIGRATIONS))
    assert not re.search(r"\b(TRIGGER|FUNCTION|MERGE|INHERITS|RULE)\b", text)
    for referred in re.findall(r"REFERENCES \w+ \(([^)]*)\)", text):
        assert columns(referred)[0] == "tenant"


def test_text_is_ordered_by_its_code_points_everywhere():
    text = re.sub(r"--[^\n]*", "", "\n".join(MIGRATIONS))
    assert re.findall(r"^\s+\w+\s+text\b(?! COLLATE \"C\")", text, re.MULTILINE) == []


def test_every_table_of_tenants_shows_the_rows_of_one():
    text = "\n".join(MIGRATIONS)
    for table in SHARDED | {"tenant_name", "activity", "passage_made", "job"}:
        assert f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;" in text
        assert f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY;" in text
        assert re.search(rf"CREATE POLICY \w+ ON {table}\s+USING \(tenant = ", text)


def test_the_page_on_many_machines_distributes_every_table():
    page = (PACKAGE.parents[1] / "docs/how-to/many-machines.md").read_text(encoding="utf-8")
    told = re.findall(r"create_distributed_table\('(\w+)', 'tenant'", page)
    assert sorted(told) == sorted(SHARDED)
    assert told[0] == "tenant", "the others lie beside it"
    assert all(f"`{table}`" in page for table in UNSHARDED)
