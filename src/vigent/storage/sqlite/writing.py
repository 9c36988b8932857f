"""A write transaction on a SQLite store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from vigent.domain.moving import Row
from vigent.ports.storage import Numbers
from vigent.storage.sql.erasing import ErasingTransaction
from vigent.storage.sqlite.connection import translated
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.moving import Unloaded
from vigent.storage.sqlite.reading import Q, SqliteSnapshot

__all__ = ["SqliteTransaction"]


class SqliteTransaction(ErasingTransaction, SqliteSnapshot, Unloaded):
    """A snapshot that holds the write lock of the file."""

    def __init__(self, connection: Database) -> None:
        super().__init__(connection.execute, Q)
        self._connection = connection
        self._many = connection.executemany
        self._count()

    def _count(self) -> None:
        """Find out which row numbers are free; nobody else writes meanwhile."""
        key, statement, belief, audit, alias = self._run(Q["last_numbers"], ()).fetchall()[0]
        self._any_alias = alias is not None
        self._numbers = Numbers(key + 1, statement + 1, belief + 1)
        self._last = {"last_audit": audit}
        self._unwritten = statement + 1

    def load(self, table: str, tenant: str, rows: Iterable[Row]) -> None:
        """Store rows as they are; what is written later goes on from their numbers."""
        self.flush()
        with translated():
            super().load(table, tenant, rows)
        self._count()

    def _write(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        if len(rows) == 1:
            self._run(Q[query], rows[0])
        else:
            self._many(Q[query], rows)

    def _change(self, query: str, values: Sequence[Any]) -> int:
        self._run(Q[query], values)
        return self._connection.changes()

    def _save(self) -> None:
        self._connection.execute("SAVEPOINT erasure")

    def _undo(self) -> None:
        self._connection.execute("ROLLBACK TO erasure")

    def _aliased(self, tenant: str) -> None:  # noqa: ARG002 - of the whole file
        self._any_alias = True

    def alone(self) -> None:
        """Keep others out, which the lock of the file does already."""
