"""Brings a store's schema up to date: numbered SQL files, forward only, each with its checksum.

One instance migrates, others wait for the lock. A migration that was killed leaves nothing half
done, because each runs in one transaction together with its entry in ``migration``.
"""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from typing import LiteralString, NamedTuple, cast

from vigent.errors import CorruptStore, InvalidInput, StoreNewer
from vigent.storage.sqlite.database import Database

__all__ = ["Migration", "migrate_sqlite", "migrations_of", "refuse_foreign"]

_TABLE: LiteralString = (
    "CREATE TABLE IF NOT EXISTS migration "
    "(number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)"
)


class Migration(NamedTuple):
    """One numbered step."""

    number: int
    name: str
    sql: LiteralString
    checksum: str


def migrations_of(package: str) -> list[Migration]:
    """Give the migrations that ship with a package, in order."""
    found: list[Migration] = []
    for entry in files(package).joinpath("migrations").iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", entry.name)
        if match:
            sql = entry.read_text(encoding="utf-8")
            digest = hashlib.sha256(sql.encode()).hexdigest()
            found.append(Migration(int(match[1]), match[2], cast("LiteralString", sql), digest))
    return sorted(found)


def migrate_sqlite(connection: Database, package: str) -> None:
    """Apply what is missing; raises StoreNewer for a store of a later version."""
    steps = migrations_of(package)
    version = connection.execute("PRAGMA user_version").fetchall()[0][0]
    if version > steps[-1].number:
        raise StoreNewer("the store was written by a newer version of Vigent")
    if _applied(connection) == [(step.number, step.checksum) for step in steps]:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        applied = _applied(connection)
        connection.execute(_TABLE)
        for (number, checksum), step in zip(applied, steps, strict=False):
            if (number, checksum) != (step.number, step.checksum):
                raise CorruptStore(f"migration {number} of this store is not the one shipped")
        for step in steps[len(applied) :]:
            connection.execute(step.sql)
            connection.execute(
                "INSERT INTO migration VALUES (?, ?, ?)", (step.number, step.name, step.checksum)
            )
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def refuse_foreign(connection: Database) -> None:
    """Raise InvalidInput for a database of another program; to be called before any change."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    if tables and "migration" not in tables:
        raise InvalidInput("path", "is a database of another program; nothing was changed")


def _applied(connection: Database) -> list[tuple[int, str]]:
    there = connection.execute(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
    ).fetchall()
    if not there:
        return []
    return list(connection.execute("SELECT number, checksum FROM migration ORDER BY number"))
