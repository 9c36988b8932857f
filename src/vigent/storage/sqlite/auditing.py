"""Seals and verifies the audit trail of a SQLite store."""

from __future__ import annotations

from typing import Final

from vigent.domain.audit import GENESIS, digest_entry, seal_hash
from vigent.domain.time import Instant
from vigent.ports.storage import AuditSummary
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.reading import Q

__all__ = ["SEALED_AT_ONCE", "seal_some", "unsealed_tenants", "verify_audit"]

SEALED_AT_ONCE: Final = 1_000
"""How many entries one seal covers at most, so that nobody waits long for the lock."""


def verify_audit(connection: Database, tenant: str, seal_at: Instant | None) -> AuditSummary:
    """Verify every digest and seal, after sealing what is unsealed if an instant is given."""
    if seal_at is not None:
        while seal_some(connection, tenant, seal_at) == SEALED_AT_ONCE:
            pass
    run = connection.execute
    broken: list[str] = []
    unsealed = sealed = 0
    for row in run(Q["audit_rows"], (tenant,)).fetchall():
        id, at, action, outcome, target, digest, seal, salt, content = row
        unsealed += seal is None
        sealed += seal is not None
        # Where the content was erased, the digest alone stands for it.
        if salt is not None and digest != digest_entry(
            salt, id, at, action, outcome, target, content
        ):
            broken.append(f"entry {id} was altered")
    previous = GENESIS
    for expected, (n, entries, _at, found) in enumerate(run(Q["seals"], (tenant,)).fetchall(), 1):
        rows = run(Q["audit_of_seal"], (tenant, n)).fetchall()
        if n != expected:
            broken.append(f"seal {expected} is missing")
        if len(rows) != entries or seal_hash(previous, rows) != found:
            broken.append(f"seal {n} does not fit its entries")
        previous = found
    return AuditSummary(sealed, unsealed, tuple(broken))


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
