"""Every named query seeks: the planner neither walks a table nor a whole tenant.

A new query in ``queries.sql`` is tested without a word here. One that has to walk says
so in ``WALKS``, with the reason.
"""

from __future__ import annotations

import re

import apsw
import apsw.ext
import pytest

from tests.architecture.queries import Query, read_queries
from vigent.storage.migrate import migrate_sqlite

QUERIES = {query.name: query for query in read_queries()}

# Queries that are meant to walk. Each walk is bounded by what the reason says.
WALKS = {
    "audit_sealed": "checking the audit trail reads all of a tenant's",
    "audit_open": "its index holds only what is not sealed yet",
    "audit_entries": "newest first, until as many are found as were asked for",
    "last_seal": "the last entry of an index",
    "audit_first_seal": "the first entry of an index",
    "audit_unsealed": "its index holds only what is not sealed yet",
    "erase_answers_about": "answers are kept for a day",
    "erased_purged": "one row an erased person, and only after a purge",
    "keys_of_tenant": "a check visits every key of a tenant",
    "seals": "checking the audit trail reads all of a tenant's",
    "passages_amiss": "a check compares the index with every memory of a tenant",
    "items_amiss": "a check compares the index with every episode of a tenant",
    "passages_of_nothing": "a check looks for what every passage of a tenant is of",
    "passages_unembedded": "a new model sees every passage once, in batches",
    "passages_counted": "the state of the index counts a tenant's passages, in an index alone",
    "vectors_by_others": "vectors of a former model are counted when they are dropped",
    "embedder_restart": "a handful of models",
    "vectors_drop": "vectors of a former model are looked for in batches",
    "vectors_outdate": "as vectors_drop, in an index alone",
    "unsealed_tenants": "its index holds only what is not sealed yet",
    **dict.fromkeys(
        [name for name in QUERIES if name.startswith("end_")], "everything of a tenant goes"
    ),
    **dict.fromkeys(
        [name for name in QUERIES if name.startswith("store_")],
        "a store is seldom deleted, and then everything of it goes",
    ),
    **dict.fromkeys(
        [name for name in QUERIES if name.startswith("move_")],
        "everything of a tenant is moved, or counted",
    ),
    "salts": "one row a tenant",
    "tenants": "the list of all tenants is what it is for",
    "unsealed_since": "its index holds only what is not sealed yet",
    "last_entry": "it stops at the first row",
    "jobs_counted": "the queue holds only what waits",
}
# Queries that sort what they found, instead of finding it in order.
SORTS = {
    "audit_entries_about": "a person's entries are found by whose they are",
    "audit_entries_of": "one record has few entries",
    "jobs_counted": "a handful of kinds and states",
    **dict.fromkeys(
        [name for name in QUERIES if name.startswith("move_")], "numbers, of a tenant moved whole"
    ),
    "beliefs_of_key": "a history is read whole, over all values of the attribute",
    "keys_of_tenant": "a check visits every key of a tenant",
    "said": "as many as were named",
    "vectors_outdate": "the scopes of one batch",
    "items_amiss": "a check reads the whole index of a tenant",
    "passages_of_nothing": "a check reads the whole index of a tenant",
    "episodes_by_number": "as many as were named",
    "statements_of_key": "a check reads one key whole, withdrawn statements too",
}

# "SCAN words VIRTUAL TABLE INDEX 0:=" is how a look-up in the word index is shown; "0:" walks it.
# json_each walks the list that is handed in, a subquery the rows that it found.
WALK = re.compile(r"^SCAN (?!CONSTANT|json_each |\(subquery-|\w+ VIRTUAL TABLE INDEX \d+:\S)|ANY\(")
TENANT_ALONE = re.compile(r"^(?!SEARCH tenant ).*\(tenant=\?\)$")


def rows_of_one_big_tenant() -> list[tuple[str, int, int]]:
    """Nine of ten keys belong to one tenant, and one key has a long history."""
    return [("big" if n % 10 else f"small{n}", n, 400 if n == 1 else 3) for n in range(1, 300)]


def skewed(connection: apsw.Connection) -> None:
    """Fill the tables that grow, and let the planner count them."""
    beliefs = 0
    for tenant, key, revisions in rows_of_one_big_tenant():
        connection.execute(
            "INSERT INTO key (no, tenant, store, person, subject, attribute, type, name,"
            " last_recorded, head_from, head_to, head_recorded, head_expires)"
            " VALUES (?, ?, 'default', ?, ?, 'a', '', ?, 0, 0, 0, 0, 0)",
            (key, tenant, f"p{key % 7}", f"s{key}", f"s{key}"),
        )
        for revision in range(revisions):
            beliefs += 1
            last = revision == revisions - 1
            connection.execute(
                "INSERT INTO belief VALUES (?, ?, ?, x'', ?, ?, ?, ?, ?)",
                (beliefs, tenant, key, beliefs, revision, revision + 1, revision,
                 None if last else revision + 1),
            )  # fmt: skip
        with_thread(connection, tenant, key)
        with_passages(connection, tenant, key)
    connection.execute("ANALYZE")


def with_thread(connection: apsw.Connection, tenant: str, number: int) -> None:
    """Add a thread of three items."""
    connection.execute(
        "INSERT INTO thread VALUES (?, ?, 'default', ?, ?, NULL, '{}', 0, 90, 3, ?)",
        (number, tenant, f"p{number % 7}", f"t{number}", number),
    )
    connection.execute("INSERT INTO thread_state VALUES (?, ?, 1, '{}', 0)", (number, tenant))
    for position in (1, 2, 3):
        episode = 3 * number + position
        connection.execute(
            "INSERT INTO episode VALUES (?, ?, ?, 'default', ?, 'user', 'message', 'x', 0, 0,"
            " NULL, ?, NULL, '{}', 0, 0, 0)",
            (episode, tenant, f"ep_{episode}", f"p{number % 7}", f"t{number}"),
        )
        connection.execute(
            "INSERT INTO thread_item VALUES (?, ?, ?, ?, NULL, 0)",
            (tenant, number, position, episode),
        )


def with_passages(connection: apsw.Connection, tenant: str, number: int) -> None:
    """Add three passages with vectors by two models."""
    for chunk in (1, 2, 3):
        passage = 3 * number + chunk
        connection.execute(
            "INSERT INTO passage VALUES (?, ?, ?, 0, 'fact', ?, ?, 0, 1, 0, x'', x'')",
            (passage, tenant, f"s{number % 7}", passage, number),
        )
        for model in (1, 2):
            connection.execute(
                "INSERT INTO vector VALUES (NULL, ?, ?, ?, ?, x'')",
                (tenant, f"s{number % 7}", model, passage),
            )


@pytest.fixture(scope="module", params=["no statistics", "one tenant has most of it"])
def store(request, tmp_path_factory):
    connection = apsw.Connection(str(tmp_path_factory.mktemp("plans") / "store.db"))
    migrate_sqlite(connection, "vigent.storage.sqlite")
    if request.param != "no statistics":
        skewed(connection)
    yield connection
    connection.close()


def plan(connection: apsw.Connection, query: Query) -> list[str]:
    cursor = connection.execute(f"EXPLAIN QUERY PLAN {query.sql}", bindings(connection, query))
    return [row[3] for row in cursor]


def bindings(connection: apsw.Connection, query: Query) -> tuple[None, ...]:
    prepared = apsw.ext.query_info(connection, query.sql)
    assert not any(n and not n.isdigit() for n in prepared.bindings_names), "not positional"
    return (None,) * prepared.bindings_count


def faults(steps: list[str], *, may_walk: bool, may_sort: bool) -> list[str]:
    found = [step for step in steps if "AUTOMATIC" in step]
    if not may_walk:
        found += [step for step in steps if WALK.search(step) or TENANT_ALONE.search(step)]
    if not may_sort:
        found += [step for step in steps if "USE TEMP B-TREE" in step]
    return found


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_seeks(store, name):
    steps = plan(store, QUERIES[name])
    assert faults(steps, may_walk=name in WALKS, may_sort=name in SORTS) == [], steps


def test_exceptions_name_queries_that_exist():
    assert (set(WALKS) | set(SORTS)) - set(QUERIES) == set()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM belief WHERE tenant = ?;",
        "SELECT * FROM belief WHERE memory = ?;",
        "SELECT * FROM episode WHERE tenant = ? AND content = ?;",
        "SELECT * FROM statement WHERE tenant = ? AND source_episode = ? ORDER BY text;",
        "SELECT * FROM belief a JOIN belief b ON a.memory = b.memory WHERE a.no = ?;",
    ],
)
def test_the_test_sees_a_query_that_walks_or_sorts(store, sql):
    assert faults(plan(store, Query("bad", "", sql)), may_walk=False, may_sort=False)


def test_overlap_is_refused_by_the_database(store):
    """The one rule that the engine keeps by itself, whatever wrote the row."""
    insert = "INSERT INTO belief VALUES (NULL, 't', 7, x'', 1, ?, ?, 5, NULL)"
    store.execute("SAVEPOINT overlap")
    store.execute(insert, (10, 20))
    for valid in [(5, 11), (19, 30), (12, 13), (1, 99), (10, 20)]:
        with pytest.raises(apsw.ConstraintError):
            store.execute(insert, valid)
    store.execute(insert, (20, 30))
    store.execute(insert, (1, 10))
    store.execute("ROLLBACK TO overlap")
    store.execute("RELEASE overlap")
