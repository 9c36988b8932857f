"""Seals and verifies the audit trail of a SQLite store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, LiteralString

from vigent.domain.audit import (
    GENESIS,
    RETENTION,
    AuditSummary,
    Kept,
    Sealed,
    pruned_to,
    seal_hash,
    verified,
)
from vigent.domain.time import Instant
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.reading import Q

__all__ = ["SEALED_AT_ONCE", "seal_some", "unsealed_tenants", "verify_audit"]

SEALED_AT_ONCE: Final = 1_000
"""How many entries one seal covers at most: nobody waits long, and memory is bounded."""


def verify_audit(connection: Database, tenant: str, anchor: str | None) -> AuditSummary:
    """Verify every digest and seal, an entry at a time; within one view of the file."""
    told = (tenant, RETENTION)
    removed = pruned_to(Kept._make(row) for row in connection.execute(Q["audit_told"], told))
    return verified(
        (Sealed._make(row) for row in connection.cursor().execute(Q["seals"], (tenant,))),
        _entries(connection, Q["audit_sealed"], tenant),
        _entries(connection, Q["audit_open"], tenant),
        removed=removed,
        anchor=anchor,
    )


def _entries(connection: Database, query: LiteralString, tenant: str) -> Iterator[Kept]:
    return (Kept._make(row) for row in connection.cursor().execute(query, (tenant,)))


def seal_some(connection: Database, tenant: str, at: Instant) -> int:
    """Chain the oldest entries of a tenant that are not chained yet; gives how many."""
    run = connection.execute
    run("BEGIN IMMEDIATE")
    try:
        count = _chain(connection, tenant, at)
        run("COMMIT")
    finally:
        if connection.in_transaction:
            run("ROLLBACK")
    return count


def _chain(connection: Database, tenant: str, at: Instant) -> int:
    run = connection.execute
    rows = run(Q["audit_unsealed"], (tenant, SEALED_AT_ONCE)).fetchall()
    if rows:
        last = run(Q["last_seal"], (tenant,)).fetchall()
        n, previous = (last[0][0] + 1, last[0][1]) if last else (1, GENESIS)
        digest = seal_hash(previous, [(id, entry) for _, id, entry in rows])
        run(Q["seal_insert"], (tenant, n, len(rows), at, digest))
        connection.executemany(Q["audit_seal_set"], [(n, no, tenant) for no, _, _ in rows])
    return len(rows)


def unsealed_tenants(connection: Database) -> list[str]:
    """Give the tenants whose audit trail has entries that are not chained yet."""
    return [tenant for (tenant,) in connection.execute(Q["unsealed_tenants"]).fetchall()]
