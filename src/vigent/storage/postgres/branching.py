"""Branches of a PostgreSQL store: whole copies of a database, which the server makes itself."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final, LiteralString
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg
from psycopg import errors, sql

from vigent.errors import (
    InvalidInput,
    NotFound,
    ResourceExists,
    StoreBusy,
    UnavailableError,
)
from vigent.ports.moving import Progress
from vigent.storage.postgres.opening import connect, joined, parse_place
from vigent.storage.postgres.translating import translate

__all__ = ["PostgresBranches", "marked_as_branch"]

_BRANCH: Final = "a branch of a store of Vigent"
"""How a database says in its comment that it is one. A copy and a dump have no comment."""
_MARKED: LiteralString = (
    "SELECT shobj_description(oid, 'pg_database') FROM pg_database"
    " WHERE datname = current_database()"
)
_NAMED: LiteralString = (
    "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
    " AND shobj_description(oid, 'pg_database') = %s ORDER BY datname"
)
_THERE: LiteralString = "SELECT 1 FROM pg_database WHERE datname = %s"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_LONGEST: Final = 63
"""Bytes in the name of a database."""
_ELSEWHERE: Final = ("postgres", "template1")
"""Databases from which others are copied and removed: never the one that this is about."""


def marked_as_branch(connection: psycopg.Connection[Any]) -> bool:
    """Whether a database says of itself that it is a branch."""
    return connection.execute(_MARKED).fetchall()[0][0] == _BRANCH


class PostgresBranches:
    """Branches of one database: databases beside it, on the same server."""

    def __init__(self, url: str) -> None:
        self.url = url

    def branch(self, name: str, progress: Progress) -> str:
        """Make an isolated copy under a name, and give where it is opened.

        The server copies a database only while nobody is connected to it: raises StoreBusy.
        """
        origin = self._origin()
        database = _database(origin, name)
        half = database + "~"  # no name of a branch ends so
        progress(0, 1)
        with self._beside() as server:
            if server.execute(_THERE, (database,)).fetchone():
                raise ResourceExists(f"name: there is a branch {name} already", field="name")
            _drop(server, half)
            _run(server, "CREATE DATABASE {} TEMPLATE {}", half, origin)
            comment = sql.SQL("COMMENT ON DATABASE {} IS {}")
            marked = comment.format(sql.Identifier(half), sql.Literal(_BRANCH))
            server.execute(marked)
            _run(server, "ALTER DATABASE {} RENAME TO {}", half, database)
        progress(1, 1)
        return _at(self.url, database)

    def branches(self) -> list[tuple[str, str]]:
        """Give the branches by name, and where each is opened."""
        begin = _begin(self._origin())
        with self._beside() as server:
            rows = server.execute(_NAMED, (begin, _BRANCH)).fetchall()
        named = [(database.removeprefix(begin), database) for (database,) in rows]
        return [(name, _at(self.url, one)) for name, one in named if _NAME.fullmatch(name)]

    def drop(self, name: str) -> None:
        """Remove a branch, with all that is in it; raises NotFound, StoreBusy where it is open."""
        database = _database(self._origin(), name)
        if name not in dict(self.branches()):
            raise NotFound(f"name: there is no branch {name}", field="name")
        with self._beside() as server:
            _drop(server, database)

    def _origin(self) -> str:
        with connect(parse_place(self.url)) as connection:
            return connection.info.dbname

    @contextmanager
    def _beside(self) -> Generator[psycopg.Connection[Any]]:
        """Connect to the server, but not to the database itself."""
        first, second = (parse_place(_at(self.url, database)) for database in _ELSEWHERE)
        try:
            connection = connect(first)
        except UnavailableError:
            connection = connect(second)
        try:
            with connection:
                yield connection
        except errors.ObjectInUse as error:
            raise StoreBusy(
                "others are connected to the database, and PostgreSQL copies or removes one only"
                " when nobody is; stop what uses it, and try again"
            ) from error
        except errors.InsufficientPrivilege as error:
            raise InvalidInput(
                "path_or_url", "names a role that must own the database, with CREATEDB, for that"
            ) from error
        except psycopg.Error as error:
            raise translate(error) from error


def _begin(origin: str) -> str:
    return f"{origin}.branch-"


def _database(origin: str, name: str) -> str:
    """Give the name of a branch's database."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            "name", "must be 1 to 40 of a-z, 0-9, - and _, the first a letter or digit"
        )
    database = _begin(origin) + name
    if len(database.encode()) >= _LONGEST:
        raise InvalidInput("name", "is too long beside the name of the database")
    return database


def _at(url: str, database: str) -> str:
    """Give the URL of another database of the same server."""
    parts = urlsplit(url)
    given = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != "dbname"]
    query = urlencode(given, quote_via=quote)
    return joined(parts._replace(path="/" + quote(database, safe=""), query=query))


def _run(server: psycopg.Connection[Any], text: LiteralString, *names: str) -> None:
    statement = sql.SQL(text).format(*map(sql.Identifier, names))
    server.execute(statement)


def _drop(server: psycopg.Connection[Any], database: str) -> None:
    _run(server, "DROP DATABASE IF EXISTS {}", database)
