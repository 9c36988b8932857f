"""Brings a PostgreSQL store's schema up to date, and gives the app role its rights.

Instances that start at the same time queue for one lock; each step is one transaction together
with its entry, so that one that was killed leaves nothing half done and the next goes on.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, LiteralString

import psycopg
from psycopg import errors, sql

from vigent.errors import CorruptStore, InvalidInput, StoreNewer, UnavailableError
from vigent.storage.migrate import Migration, migrations_of

__all__ = ["OVERLAP", "guarded_by_constraint", "migrate_postgres"]

_LOCK: Final = 0x766967656E74
_WAIT: Final = "10min"
OVERLAP: Final = "belief_no_overlap"
"""The constraint that refuses overlaps, where btree_gist is."""
_TABLE: LiteralString = (
    "CREATE TABLE IF NOT EXISTS migration "
    "(number bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL)"
)
_THERE: LiteralString = (
    "SELECT to_regclass('migration') IS NOT NULL, to_regclass('key') IS NOT NULL"
)
_NO_OVERLAP: LiteralString = """
ALTER TABLE belief ADD CONSTRAINT belief_no_overlap EXCLUDE USING gist (
    tenant WITH =, key WITH =, member WITH =, int8range(valid_from, valid_to) WITH &&
) WHERE (recorded_to IS NULL)
"""
_GUARD: LiteralString = (
    "SELECT 1 FROM pg_constraint WHERE conname = %s AND conrelid = to_regclass('belief')"
)
_RIGHTS: LiteralString = """
SELECT count(*) FROM pg_class
WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('key'))
  AND relkind = 'r' AND relrowsecurity AND NOT has_table_privilege(%s, oid, 'INSERT')
"""


def migrate_postgres(
    connection: psycopg.Connection[Any], app_role: str, package: str = "vigent.storage.postgres"
) -> None:
    """Apply what is missing; raises StoreNewer for a store of a later version.

    Raises InvalidInput for a database of another program, and UnavailableError where the schema
    has to be brought up to date by a role that may.
    """
    steps = migrations_of(package)
    wanted = [(step.number, step.checksum) for step in steps]
    if _applied(connection) != wanted:
        try:
            for step in steps:
                _apply(connection, step, steps)
        except errors.InsufficientPrivilege as error:
            raise UnavailableError(
                "the schema is older than this version: open the store once as its owner"
            ) from error
    _finish(connection, app_role)


def _applied(connection: psycopg.Connection[Any]) -> list[tuple[int, str]]:
    ours, another = connection.execute(_THERE).fetchall()[0]
    if not ours:
        if another:
            raise InvalidInput(
                "path_or_url", "is a database of another program; nothing was changed"
            )
        return []
    return connection.execute("SELECT number, checksum FROM migration ORDER BY number").fetchall()


def _apply(connection: psycopg.Connection[Any], step: Migration, steps: list[Migration]) -> None:
    """Apply one step, unless somebody else did."""
    with connection.transaction():
        _lock(connection)
        connection.execute(_TABLE)
        applied = _applied(connection)
        if len(applied) > len(steps):
            raise StoreNewer("the store was written by a newer version of Vigent")
        for (number, checksum), one in zip(applied, steps, strict=False):
            if (number, checksum) != (one.number, one.checksum):
                raise CorruptStore(f"migration {number} of this store is not the one shipped")
        if len(applied) >= step.number:
            return
        connection.execute(step.sql)
        connection.execute(
            "INSERT INTO migration (number, name, checksum) VALUES (%s, %s, %s)",
            (step.number, step.name, step.checksum),
        )


def _lock(connection: psycopg.Connection[Any]) -> None:
    setting = sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(_WAIT))
    connection.execute(setting)
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))


def guarded_by_constraint(connection: psycopg.Connection[Any]) -> bool:
    """Whether the database itself refuses overlaps of what is believed."""
    return connection.execute(_GUARD, (OVERLAP,)).fetchone() is not None


def _finish(connection: psycopg.Connection[Any], app_role: str) -> None:
    """Make the app role and the constraint, where they are not there and that may be done."""
    there = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (app_role,)).fetchone()
    lacks = 1
    if there:
        lacks = connection.execute(_RIGHTS, (app_role,)).fetchall()[0][0]
    if lacks:
        _give_rights(connection, app_role)
    if not guarded_by_constraint(connection):
        _make_constraint(connection)


def _give_rights(connection: psycopg.Connection[Any], app_role: str) -> None:
    role = sql.Identifier(app_role)
    grants = (
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
        "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
        "GRANT USAGE ON SCHEMA {schema} TO {role}",
        "REVOKE INSERT, UPDATE, DELETE ON migration FROM {role}",
    )
    with connection.transaction():
        _lock(connection)
        schema = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE oid = ("
            "SELECT relnamespace FROM pg_class WHERE oid = to_regclass('key'))"
        ).fetchall()[0][0]
        with suppress(errors.DuplicateObject, errors.UniqueViolation), connection.transaction():
            make = sql.SQL("CREATE ROLE {} NOLOGIN NOSUPERUSER NOBYPASSRLS").format(role)
            connection.execute(make)
        with suppress(errors.Error), connection.transaction():
            # Who makes a role may give it, but does not have it before version 16.
            become = sql.SQL("GRANT {} TO CURRENT_USER").format(role)
            connection.execute(become)
        for text in grants:
            grant = sql.SQL(text).format(schema=sql.Identifier(schema), role=role)
            connection.execute(grant)


def _make_constraint(connection: psycopg.Connection[Any]) -> None:
    """Have the database refuse overlaps, where it has btree_gist and nothing is stored yet."""
    with suppress(errors.Error), connection.transaction():
        _lock(connection)
        if connection.execute("SELECT 1 FROM belief LIMIT 1").fetchone() is None:
            connection.execute("CREATE EXTENSION IF NOT EXISTS btree_gist")
            connection.execute(_NO_OVERLAP)
