"""The SQLite store: one file, read by a connection a thread, written by one at a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial

import apsw

from vigent.domain.audit import AuditSummary
from vigent.domain.time import Instant
from vigent.errors import StoreBusy, StoreReadOnly
from vigent.storage.migrate import migrate_sqlite
from vigent.storage.sql.auditing import SEALED_AT_ONCE, chain_some, verify_audit
from vigent.storage.sql.inspecting import inspect_rows
from vigent.storage.sql.rows import Row
from vigent.storage.sqlite.connection import Connections, translate, translated
from vigent.storage.sqlite.copying import marked_as_branch
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.purging import purge_files
from vigent.storage.sqlite.reading import Q, SqliteReader, SqliteSnapshot, stream
from vigent.storage.sqlite.writing import SqliteTransaction

__all__ = ["SqliteStorage"]

_BETWEEN = 0.002
"""Seconds between two seals of one trail, in which others get the lock."""


class SqliteStorage:
    """Memory in one SQLite file.

    ``durability`` is ``normal`` (a power cut may lose the last commits, never the file; a crash
    of the process loses nothing) or ``full``. ``busy_timeout`` is in seconds.
    Raises StoreReadOnly, StoreNewer, CorruptStore when the file cannot be opened as a store.
    """

    def __init__(
        self, path: str, *, durability: str = "normal", busy_timeout: float = 10.0
    ) -> None:
        self._connections = Connections(path, durability=durability, busy_timeout=busy_timeout)
        self._writing = threading.Lock()
        self._patience = busy_timeout
        with translated():
            connection = self._connections.get()
            self.writable = not connection.readonly("main")
            if not self.writable:
                if not _has_schema(connection):
                    raise StoreReadOnly("the store cannot be made: the folder is read-only")
            else:
                migrate_sqlite(connection, "vigent.storage.sqlite")
            self.is_branch = marked_as_branch(connection)
        self._reader = threading.local()

    @property
    def path(self) -> str:
        """Where the file is."""
        return self._connections.path

    def reader(self) -> SqliteReader:
        """Give this thread's view for reads of one statement, which need no transaction."""
        local = self._reader
        try:
            if local.process == os.getpid():
                return local.snapshot
        except AttributeError:
            pass
        local.snapshot = SqliteReader.on(self._connections.get())
        local.process = os.getpid()
        return local.snapshot

    @contextmanager
    def snapshot(self, *, settled: str | None = None) -> Generator[SqliteSnapshot]:  # noqa: ARG002
        """Open a consistent view for reading; all who wrote before have ended, or come after."""
        with translated():
            connection = self._connections.get()
            nested = connection.in_transaction
            if not nested:
                connection.execute("BEGIN")
            try:
                yield SqliteSnapshot.on(connection)
            finally:
                if not nested:
                    connection.execute("COMMIT")

    @contextmanager
    def transaction(
        self,
        tenant: str,  # noqa: ARG002 - one lock for all
        *,
        wait: bool = True,
        beside: bool = False,  # noqa: ARG002 - as tenant
    ) -> Generator[SqliteTransaction]:
        """Take the write lock of the file; an error inside rolls everything back."""
        # Every write comes by here, so this is one context manager and not one for each step.
        try:
            connection = self._connections.get()
            # Threads of one process queue here, where waiting is fair and costs nothing.
            if not self._writing.acquire(timeout=self._patience if wait else 0):
                raise StoreBusy("the store is being written by others; nothing was written")
            try:
                self._connections.begin(connection, wait=wait)
                transaction = SqliteTransaction(connection)
                yield transaction
                transaction.flush()
                connection.execute("COMMIT")
            finally:
                try:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                finally:
                    self._writing.release()
        except apsw.Error as error:
            raise translate(error) from error

    @contextmanager
    def _lock(self) -> Generator[None]:
        # In a service many threads queue here; each waits no longer than for other processes.
        if not self._writing.acquire(timeout=self._patience):
            raise StoreBusy("the store is being written by others; nothing was written")
        try:
            yield
        finally:
            self._writing.release()

    def purge(self) -> bool:
        """Rewrite the file without what was removed; False while a reader holds old pages."""
        with translated(), self._writing:
            return purge_files(self._connections.get())

    def audit(
        self, tenant: str, *, seal_at: Instant | None = None, anchor: str | None = None
    ) -> AuditSummary:
        """Verify the audit trail, after sealing what is unsealed if an instant is given."""
        if seal_at is not None:
            with translated():
                self._seal(self._connections.get(), tenant, seal_at)
        with self.snapshot():  # others write on meanwhile
            return verify_audit(partial(stream, self._connections.get()), tenant, anchor)

    def seal(self, at: Instant) -> int:
        """Chain the audit entries of every tenant that have no seal yet; gives how many."""
        with translated():
            connection = self._connections.get()
            unsealed = connection.execute(Q["unsealed_tenants"]).fetchall()
            return sum(self._seal(connection, tenant, at) for (tenant,) in unsealed)

    def _seal(self, connection: Database, tenant: str, at: Instant) -> int:
        sealed, done = 0, SEALED_AT_ONCE
        while done == SEALED_AT_ONCE:
            with self._lock():
                done = _seal_some(connection, tenant, at)
            sealed += done
            time.sleep(_BETWEEN if done == SEALED_AT_ONCE else 0)
        return sealed

    def check(self, tenant: str | None = None) -> list[str]:
        """Say what does not add up in the file and its rows."""
        self._connections.in_place()
        with self.snapshot() as snapshot:  # what others write meanwhile is not half seen
            found = self._connections.get().execute("PRAGMA quick_check").fetchall()
            problems = [text for (text,) in found if text != "ok"]
            return problems + inspect_rows(snapshot, tenant)

    def close(self) -> None:
        """Release the file."""
        with translated():
            self._connections.close()


def _has_schema(connection: Database) -> bool:
    return bool(
        connection.execute(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
        ).fetchall()
    )


def _seal_some(connection: Database, tenant: str, at: Instant) -> int:
    run = connection.execute

    def write(query: str, rows: Sequence[Row]) -> None:
        connection.executemany(Q[query], rows)

    run("BEGIN IMMEDIATE")
    try:
        count = chain_some(run, write, Q, tenant, at)
        run("COMMIT")
    finally:
        if connection.in_transaction:
            run("ROLLBACK")
    return count
