"""Removes every row of a person, a store or a tenant from a SQLite store, and then from its files.

Two steps with two names: *removed* (out of every read, at once) and *purged* (not in the files
either). A reader that still holds old pages keeps the second from being true, so it is not said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw

from vigent.domain.moving import Row
from vigent.ports.removal import Erasure
from vigent.storage.sqlite.connection import translated
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.moving import Unloaded
from vigent.storage.sqlite.reading import Q
from vigent.storage.sqlite.writing import SqliteTransaction

__all__ = ["ErasingTransaction", "purge_files"]

# What is counted and removed, children first. Each query takes tenant, person and a list of
# further keys (as JSON) that are about the person.
_TABLES = (
    "vector",
    "passage",
    "belief",
    "audit_content",
    "statement",
    "key",
    "thread_item",
    "thread_state",
    "thread",
    "episode",
    "idempotency",
    "job",
    "alias",
    "person",
    "resource",
)


# What is a store's: all but what belongs to the tenant or to a person as such.
_STORE_TABLES = tuple(t for t in _TABLES if t not in {"idempotency", "person", "resource"})

# What else is a tenant's.
_TENANT_TABLES = (
    *_TABLES,
    "audit",
    "seal",
    "usage",
    "index_change",
    "erased",
    "tenant",
)


class ErasingTransaction(SqliteTransaction, Unloaded):
    """A write transaction that can also remove a person, and take in rows as they are."""

    def __init__(self, connection: Database) -> None:
        SqliteTransaction.__init__(self, connection)
        Unloaded.__init__(self, connection)

    def load(self, table: str, tenant: str, rows: Iterable[Row]) -> None:
        """Store rows as they are; what is written later goes on from their numbers."""
        self.flush()
        with translated():
            super().load(table, tenant, rows)
        self._count()

    def erase(self, erasure: Erasure, *, dry_run: bool) -> dict[str, int]:
        """Remove a person's rows and note it in the ledger; gives the counts per table."""
        self.flush()
        run = self._run
        handles = (erasure.tenant, erasure.person, json.dumps(erasure.shared_keys))
        counts: dict[str, int] = {}
        run("SAVEPOINT erasure")
        run(Q["erase_outdate"], handles)
        for table in _TABLES:
            run(Q[f"erase_{table}"], handles)
            counts[table] = self._connection.changes()
        for digest in erasure.about:
            run(Q["erase_answers_about"], (erasure.tenant, digest))
            counts["idempotency"] += self._connection.changes()
        for alias in erasure.aliases:
            run(Q["alias_delete"], (alias.tenant, alias.name, alias.store, alias.person))
            counts["alias"] += self._connection.changes()
        if dry_run:
            run("ROLLBACK TO erasure")
        else:
            run(
                Q["erased_insert"],
                (erasure.tenant, erasure.digest, erasure.at, json.dumps(counts), "removed"),
            )
            run(Q["job_insert"], (erasure.tenant, "purge", "", "{}", erasure.at, ""))
        run("RELEASE erasure")
        return counts

    def erase_store(self, tenant: str, store: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a store, and give the counts per table."""
        self.flush()
        run = self._run
        counts: dict[str, int] = {}
        run("SAVEPOINT erasure")
        run(Q["store_outdate"], (tenant, store))
        for table in _STORE_TABLES:
            run(Q[f"store_{table}"], (tenant, store))
            counts[table] = self._connection.changes()
        if dry_run:
            run("ROLLBACK TO erasure")
        run("RELEASE erasure")
        return counts

    def erase_tenant(self, tenant: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a tenant, and give the counts per table."""
        self.flush()
        run = self._run
        counts: dict[str, int] = {}
        run("SAVEPOINT erasure")
        for table in _TENANT_TABLES:
            run(Q[f"end_{table}"], (tenant,))
            counts[table] = self._connection.changes()
        if dry_run:
            run("ROLLBACK TO erasure")
        run("RELEASE erasure")
        return counts


def purge_files(connection: Database) -> bool:
    """Rewrite the file without what was removed; False while that cannot be.

    A reader holds old pages, somebody writes, or there is no space for the new file: the rows are
    removed none the less, so it is an answer and no error.
    """
    run = connection.execute
    try:
        run("VACUUM")
        busy, _log, _moved = run("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        if not busy:
            run(Q["erased_purged"])
            run(Q["job_done"], ("purge",))
    except (apsw.BusyError, apsw.FullError):
        return False
    return not busy
