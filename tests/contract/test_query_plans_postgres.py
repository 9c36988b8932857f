"""Every named query of PostgreSQL's dialect seeks, in a database in which one tenant has most.

The plans are those for any values, with statistics and the planner's own settings. A new query is
tested without a word here. One that has to walk says so in ``WALKS``, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import psycopg
import pytest

from tests.postgres_plans import faults, plan
from vigent.storage.postgres.statements import Q, Query

# Queries that are meant to read all of a tenant, or all of a small table.
WALKS = {
    "audit_sealed": "checking the audit trail reads all of a tenant's",
    "audit_open": "its index holds only what is not sealed yet",
    "audit_first_seal": "the first entry of an index",
    "audit_unsealed": "its index holds only what is not sealed yet",
    "seals": "checking the audit trail reads all of a tenant's",
    "erase_answers_about": "answers are kept for a day",
    "erased_purged": "one row an erased person, and only after a purge",
    "keys_of_tenant": "a check visits every key of a tenant",
    "passages_amiss": "a check compares the index with every memory of a tenant",
    "items_amiss": "a check compares the index with every episode of a tenant",
    "passages_of_nothing": "a check looks for what every passage of a tenant is of",
    "passages_counted": "the state of the index counts a tenant's passages",
    "vectors_by_others": "vectors of a former model are counted when they are dropped",
    "vectors_drop": "vectors of a former model are looked for in batches",
    "vectors_outdate": "as vectors_drop",
    "keys_of_store": "a whole store is asked for",
    "audit_prune": "what is older than a bound goes",
    "audit_prune_content": "as audit_prune",
    "stores_of_person": "newer servers skip from store to store",
    "any_alias": "it stops at the first row",
    "last_passage": "the last entry of an index",
    **dict.fromkeys([name for name in Q if name.startswith("end_")], "all of a tenant goes"),
    **dict.fromkeys(
        [name for name in Q if name.startswith("move_")], "all of a tenant is moved, in order"
    ),
    "schema": "one row a migration",
    **dict.fromkeys(
        [name for name in Q if name.startswith("store_")],
        "a store is seldom deleted, and then everything of it goes",
    ),
}

FILL = """
INSERT INTO key (no, tenant, store, person, subject, attribute, type, name, last_recorded,
                 head_from, head_to, head_recorded, head_expires, bears)
SELECT n, t, 'default', CASE WHEN n % 30 = 0 THEN '' ELSE 'p' || n % 101 END, 's' || n, 'a', '',
       's' || n, 0, 0, 0, 0, 0, CASE WHEN n % 50 = 0 THEN 1 ELSE 0 END
FROM made;
INSERT INTO statement (no, tenant, id, key, member, role, kind, token, valid_from, valid_to,
    stated_end, basis, recorded_from, withdrawn_at, forgotten_at, gap, place, turn, bears,
    bears_from, clean, indexed, keep, type, status, contested, trust, importance, metadata,
    expires_at, created_at, last_changed_at, evidence_count, retrieved_count, schema_version,
    fields, flagged, fingerprint, outcome, ended, replaces, source_episode)
SELECT n, t, 'mem_' || n, n - n % 3, '', 'asserted', 'value', '', n, n + 1, n + 1, '', n,
       9223372036854775807, 9223372036854775807, 0, 0, 0, 0, 0, n % 2, 1, '', 'fact',
       'active', 0, 'person', 5, '{}', 9223372036854775807 - n % 9, n, n, 0, 0, 0, '{}', 0,
       decode(md5(n::text), 'hex'), '', '', 'mem_' || n - 1, 'ep_' || n
FROM made;
INSERT INTO belief (no, tenant, key, member, memory, valid_from, valid_to, recorded_from,
                    recorded_to)
SELECT 2 * n + more, t, n - n % 3, '', n, 10 * (n % 3) + more, 10 * (n % 3) + more + 1, more,
       CASE WHEN more = 0 THEN 5 END
FROM made, generate_series(0, 1) AS more;
INSERT INTO episode (no, tenant, id, store, person, role, kind, content, occurred_at, recorded_at,
                     metadata, expires_at, flagged, stub, external_id)
SELECT n, t, 'ep_' || n, 'default', 'p' || n % 101, 'user', 'message', 'x', n, n, '{}', n, 0, 0,
       'x' || n
FROM made;
INSERT INTO thread (no, tenant, store, person, id, metadata, created_at, ttl_days, last_position,
                    expires_at)
SELECT n, t, 'default', 'p' || n % 101, 't' || n, '{}', 0, 90, 10, n FROM made WHERE n % 2 = 0;
INSERT INTO thread_state (thread, tenant, version, document, at)
SELECT n, t, 1, '{}', 0 FROM made WHERE n % 2 = 0;
INSERT INTO thread_item (tenant, thread, position, episode, sealed)
SELECT t, n - n % 10, n % 10, n, 0 FROM made;
INSERT INTO passage (tenant, scope, kind, type, source, home, start, stop, at, about, words, tx)
SELECT t, 'scope' || n % 101, k, 'fact', n, n, 0, 1, n, '', '', (n + 999)::text::xid8
FROM made, generate_series(0, 1) AS k;
INSERT INTO vector_row (tenant, scope, model, passage, data)
SELECT tenant, scope, model, no, '' FROM passage, generate_series(1, 2) AS model;
INSERT INTO passage_made (no, tenant, tx) SELECT max(no), tenant, tx FROM passage
GROUP BY tenant, tx;
INSERT INTO index_change (tenant, scope, generation)
SELECT DISTINCT tenant, scope, 1 FROM passage;
INSERT INTO audit (no, tenant, id, at, action, outcome, target, digest, seal)
SELECT n, t, 'aud_' || lpad(n::text, 9, '0'), n, 'memory_write', 'ok', 'mem_' || n, '',
       CASE WHEN n % 1000 > 0 THEN n / 1000 END
FROM made;
INSERT INTO audit_content (audit, tenant, store, person, key, salt, content)
SELECT n, t, 'default', 'p' || n % 101, n - n % 3, '', '{}' FROM made;
INSERT INTO seal (tenant, n, entries, at, hash)
SELECT DISTINCT t, n / 10, 10, n / 10, ''::bytea FROM made WHERE n >= 10;
INSERT INTO alias (tenant, store, person, name, written, subject, at)
SELECT t, 'default', 'p' || n % 101, 'n' || n, 'n', 's' || n, 0 FROM made WHERE n % 3 = 0;
INSERT INTO resource (tenant, kind, id, name, person, version, document, created_at, changed_at)
SELECT t, 'person', 'r' || lpad(n::text, 9, '0'), 'r' || n, 'p' || n, 1, '{}', 0, 0
FROM made WHERE n % 3 = 0;
INSERT INTO resource (tenant, kind, id, name, person, version, document, created_at, changed_at)
SELECT t, 'candidate', 'ep_' || lpad(n::text, 9, '0') || ':x', NULL, 'p' || n % 101, 1, '{}', 0, 0
FROM made WHERE n % 3 = 1;
INSERT INTO usage (tenant, day, store, model, kind, calls, failed, input_tokens, output_tokens)
SELECT t, n, 's', 'm', 'k', 1, 0, 0, 0 FROM made WHERE n % 3 = 0;
INSERT INTO idempotency (tenant, caller, endpoint, name, person, request, answer, at)
SELECT t, 'c', 'e', 'n' || n, 'p' || n % 101, '', '{}', n FROM made WHERE n % 3 = 0;
INSERT INTO job (tenant, kind, lane, payload, state, run_at, attempts, person)
SELECT t, 'reindex', 'l' || n, '{}', 'ready', n, 0, '' FROM made WHERE n % 30 = 0;
INSERT INTO tenant_name (tenant, wrote_at) SELECT DISTINCT t, 0 FROM made;
"""


@pytest.fixture(scope="module")
def filled(postgres) -> Iterator[psycopg.Connection[Any]]:
    """A database in which nine of ten rows belong to one tenant, looked at by its owner."""
    name = postgres.new_database()
    with psycopg.connect(postgres.url(name), autocommit=True) as connection:
        for script in sorted(
            files("vigent.storage.postgres").joinpath("migrations").iterdir(),
            key=lambda script: script.name,
        ):
            connection.execute(script.read_text(encoding="utf-8"))  # pyright: ignore[reportArgumentType]
        connection.execute("CREATE TABLE migration (number bigint PRIMARY KEY)")
        connection.execute(
            "CREATE TEMP TABLE made AS SELECT n::bigint AS n,"
            " CASE WHEN n % 10 < 9 THEN 'big' ELSE 'small' || n % 301 END AS t"
            " FROM generate_series(1, 30000) AS n"
        )
        connection.execute(FILL)
        connection.execute("DROP TABLE made")
        connection.execute("ANALYZE")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        yield connection
    postgres.drop_database(name)


@pytest.mark.parametrize("name", Q)
def test_a_query_seeks(filled, name):
    step = plan(filled, Q[name])
    assert name in WALKS or faults(filled, step) == [], json.dumps(step, indent=1)


def test_exceptions_name_queries_that_exist():
    assert set(WALKS) - set(Q) == set()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM belief WHERE tenant = $1",
        "SELECT * FROM belief WHERE memory = $1",
        "SELECT * FROM episode WHERE tenant = $1 AND content = $2",
        "SELECT a.no FROM belief a JOIN belief b ON a.memory = b.memory WHERE a.tenant = $1",
    ],
)
def test_the_test_sees_a_query_that_walks(filled, sql):
    assert faults(filled, plan(filled, Query(b"bad", sql.encode(), 0, sweeps=False)))
