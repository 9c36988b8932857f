"""What a plan of PostgreSQL reads: shared by tests of plans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg

from vigent.storage.postgres.statements import Query

# Small tables, which the planner rightly reads whole.
SMALL = {
    "migration",
    "embedder",
    "tenant",
    "tenant_name",
    "activity",
    "job",
    "person",
    "erased",
    "idempotency",
}
# A table of all tenants that grows: it is read by numbers, in their order.
SWEPT = {"passage_made"}


def plan(connection: psycopg.Connection[Any], query: Query) -> dict[str, Any]:
    """Give the plan of a query for any values."""
    name = query.name.decode()
    connection.execute(b"PREPARE plan_%b AS %b" % (query.name, query.sql))
    count = max([int(n) for n in re.findall(rb"\$(\d+)", query.sql)], default=0)
    values = f"({', '.join(['NULL'] * count)})" if count else ""
    row = connection.execute(f"EXPLAIN (FORMAT JSON) EXECUTE plan_{name}{values}").fetchone()  # pyright: ignore[reportArgumentType]
    connection.execute(f"DEALLOCATE plan_{name}")  # pyright: ignore[reportArgumentType]
    assert row is not None
    return row[0][0]["Plan"]


def nodes(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield step
    for below in step.get("Plans", ()):
        yield from nodes(below)


def columns(connection: psycopg.Connection[Any], index: str) -> list[str]:
    """Give the columns of an index in order."""
    rows = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass ORDER BY attnum", (index,)
    )
    return [name for (name,) in rows]


def faults(connection: psycopg.Connection[Any], step: dict[str, Any]) -> list[str]:
    """Name the nodes that read a table whole, or a whole tenant.

    An index is sought by its first columns: newer servers can skip one, older ones walk then.
    """
    found: list[str] = []
    for node in nodes(step):
        table, condition = node.get("Relation Name"), node.get("Index Cond", "")
        if table in SMALL:
            continue
        if node["Node Type"] == "Seq Scan":
            found.append(f"reads {table} whole")
        elif "Index Name" in node:
            first = columns(connection, node["Index Name"])[: 1 if table in SWEPT else 2]
            if not all(re.search(rf"\b{column}\b", condition) for column in first):
                found.append(f"walks {node['Index Name']}: {condition}")
    return found
