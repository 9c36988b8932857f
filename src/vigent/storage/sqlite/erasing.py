"""Removes every row of a person from a SQLite store, and then from the bytes of its files.

Two steps with two names: *removed* (out of every read, at once) and *purged* (not in the files
either). A reader that still holds old pages keeps the second from being true, so it is not said.
"""

from __future__ import annotations

import json

import apsw

from vigent.ports.storage import Erasure
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.reading import Q

__all__ = ["erase_rows", "purge_files"]

# What is counted and removed, children first. Each query takes tenant, person and a list of
# further keys (as JSON) that are about the person.
_TABLES = (
    "words",
    "belief",
    "audit_content",
    "statement",
    "key",
    "episode",
    "idempotency",
    "job",
    "person",
)


def erase_rows(connection: Database, erasure: Erasure, *, dry_run: bool) -> dict[str, int]:
    """Remove a person's rows, note it in the ledger, and give the counts per table."""
    run = connection.execute
    handles = (erasure.tenant, erasure.person, json.dumps(erasure.shared_keys))
    run("BEGIN IMMEDIATE")
    try:
        counts: dict[str, int] = {}
        for table in _TABLES:
            run(Q[f"erase_{table}"], handles)
            counts[table] = connection.changes()
        if not dry_run:
            run(
                Q["erased_insert"],
                (erasure.tenant, erasure.digest, erasure.at, json.dumps(counts), "removed"),
            )
            run(Q["job_insert"], (erasure.tenant, "purge", "", "{}", erasure.at, ""))
        run("ROLLBACK" if dry_run else "COMMIT")
    finally:
        if connection.in_transaction:
            run("ROLLBACK")
    return counts


def purge_files(connection: Database) -> bool:
    """Rewrite the file without what was removed; False while a reader holds old pages."""
    run = connection.execute
    try:
        run("INSERT INTO words (words) VALUES ('optimize')")
        run("VACUUM")
        busy, _log, _moved = run("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
    except apsw.BusyError:
        return False
    if busy:
        return False
    run(Q["erased_purged"])
    run(Q["job_done"], ("purge",))
    return True
