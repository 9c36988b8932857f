"""Seals and verifies an audit trail that an SQL engine keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

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
from vigent.storage.sql.rows import Queries, Row, Run

__all__ = ["SEALED_AT_ONCE", "Stream", "chain_some", "verify_audit"]

SEALED_AT_ONCE: Final = 1_000
"""How many entries one seal covers at most: nobody waits long, and memory is bounded."""

Stream = Callable[[str, Sequence[Any]], Iterator[Row]]
"""Gives the rows of a named query one after another, several of them at once."""


def verify_audit(stream: Stream, tenant: str, anchor: str | None) -> AuditSummary:
    """Verify every digest and seal, an entry at a time; within one view of the store."""
    told = stream("audit_told", (tenant, RETENTION))
    removed = pruned_to(Kept._make(row) for row in told)
    return verified(
        (Sealed._make(row) for row in stream("seals", (tenant,))),
        (Kept._make(row) for row in stream("audit_sealed", (tenant,))),
        (Kept._make(row) for row in stream("audit_open", (tenant,))),
        removed=removed,
        anchor=anchor,
    )


def chain_some(
    run: Run,
    write: Callable[[str, Sequence[Row]], None],
    queries: Queries,
    tenant: str,
    at: Instant,
) -> int:
    """Chain the oldest entries of a tenant that are not chained yet; gives how many.

    It runs in a transaction beside which nobody seals the same trail.
    """
    rows = run(queries["audit_unsealed"], (tenant, SEALED_AT_ONCE)).fetchall()
    if rows:
        last = run(queries["last_seal"], (tenant,)).fetchall()
        n, previous = (last[0][0] + 1, last[0][1]) if last else (1, GENESIS)
        digest = seal_hash(previous, [(id, entry) for _, id, entry in rows])
        run(queries["seal_insert"], (tenant, n, len(rows), at, digest))
        write("audit_seal_set", [(n, no, tenant) for no, _, _ in rows])
    return len(rows)
