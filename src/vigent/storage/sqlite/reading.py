"""A consistent view of a SQLite store."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Self

import apsw

from vigent.domain.resources import ResourceRow, Rkind
from vigent.ports.storage import HeadRow
from vigent.storage.queries import load_queries
from vigent.storage.sql.reading import SqlSnapshot
from vigent.storage.sql.rows import Row
from vigent.storage.sqlite.connection import translate, translated
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.moving import MovingView

__all__ = ["Q", "SqliteReader", "SqliteSnapshot", "stream"]

Q = load_queries("vigent.storage.sqlite")


def stream(connection: Database, query: str, values: Sequence[Any]) -> Generator[Row]:
    """Run a query step by step; it is released where it is not read to its end."""
    cursor = connection.cursor()
    try:
        yield from cursor.execute(Q[query], values)
    finally:
        cursor.close()


class SqliteSnapshot(SqlSnapshot, MovingView):
    """Reads rows; whoever opened it sees to it that they are of one moment."""

    _any_alias: bool | None = None
    """Whether the file holds any alias, once looked up; a transaction knows from its beginning."""

    _connection: Database

    @classmethod
    def on(cls, connection: Database) -> Self:
        """Give a view of what a connection sees."""
        view = cls(connection.execute, Q)
        view._connection = connection
        return view

    def stream(self, query: str, values: Sequence[Any]) -> Generator[Row]:
        """Give rows one after another; whoever has enough of them closes what it was given."""
        return stream(self._connection, query, values)

    def _no_alias(self, tenant: str) -> bool:  # noqa: ARG002 - of the whole file
        return self._any_alias is False

    def _has_aliases(self, tenant: str) -> bool:  # noqa: ARG002 - of the whole file
        if self._any_alias is None:
            self._any_alias = self._run(Q["last_alias"], ()).fetchall()[0][0] is not None
        return self._any_alias


class SqliteReader(SqliteSnapshot):
    """Answers questions of one statement, for which no transaction is opened.

    Errors of the engine are translated here, which the transaction would see to otherwise.
    """

    def head(
        self, tenant: str, store: str, person: str, subject: str, attribute: str
    ) -> HeadRow | None:
        """Give the quick answer of one attribute, for one person or (empty) what is shared."""
        try:  # the quickest way there is: no context manager, no call further on
            rows = self._run(self._head, (tenant, store, person, subject, attribute)).fetchall()
        except apsw.Error as error:
            raise translate(error) from error
        return HeadRow._make(rows[0]) if rows else None

    def aliased(self, tenant: str, store: str, subject: str, person: str) -> bool:
        """Whether an alias names a subject: a person's own or a shared one, or anyone's."""
        with translated():
            return super().aliased(tenant, store, subject, person)

    def resource(self, tenant: str, kind: Rkind, id: str) -> ResourceRow | None:
        """Give one resource by its id."""
        with translated():
            return super().resource(tenant, kind, id)

    def resource_named(self, tenant: str, kind: Rkind, name: str) -> ResourceRow | None:
        """Give one resource by its name."""
        with translated():
            return super().resource_named(tenant, kind, name)
