"""The PostgreSQL store: a pool of connections to one database, for any number of processes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final, Literal

import psycopg

from vigent.domain.audit import AuditSummary
from vigent.domain.time import Instant
from vigent.errors import StoreBusy, StoreReadOnly
from vigent.storage.postgres.branching import marked_as_branch
from vigent.storage.postgres.counting import Counting
from vigent.storage.postgres.migrating import guarded_by_constraint, migrate_postgres
from vigent.storage.postgres.opening import connect, line_to, parse_place, role_of
from vigent.storage.postgres.pool import Pool
from vigent.storage.postgres.purging import vacuumed
from vigent.storage.postgres.quick import PgReader
from vigent.storage.postgres.reading import PgSnapshot, numbers_of
from vigent.storage.postgres.span import Span, lock_of
from vigent.storage.postgres.statements import Q
from vigent.storage.postgres.translating import translate
from vigent.storage.postgres.writing import PgTransaction
from vigent.storage.sql.auditing import SEALED_AT_ONCE, chain_some, verify_audit
from vigent.storage.sql.inspecting import inspect_rows
from vigent.storage.sql.rows import Row

__all__ = ["PostgresStorage"]

_LOG: Final = logging.getLogger("vigent.storage.postgres")
_BETWEEN: Final = 0.002
"""Seconds between two seals of one trail, in which others get to write."""
_HURRIED: Final = b"SET LOCAL lock_timeout = 100"
"""For whoever will not wait; of the lock of a row that cannot be said without waiting."""
_STUCK: Final = b"SET LOCAL idle_in_transaction_session_timeout = 600000"
"""Whoever stands still while writing is put out: see how long a write may be under way."""
_NOTED: Final = 10_000
"""How many notes of who wrote are looked at together."""


class PostgresStorage:
    """Memory in one PostgreSQL database.

    ``busy_timeout`` is for how many seconds a call waits for a lock or a connection. ``guard`` says
    what keeps beliefs from overlapping: a ``constraint``, or the ``lock`` of the key alone.
    Raises UnavailableError, InvalidInput, StoreNewer, StoreReadOnly where it cannot be opened.
    """

    def __init__(self, url: str, *, busy_timeout: float = 10.0) -> None:
        place = parse_place(url, pool_timeout=busy_timeout)
        self.guard: Literal["constraint", "lock"] = "lock"
        try:
            with connect(place) as connection:
                replica = connection.execute("SELECT pg_is_in_recovery()").fetchall()[0][0]
                self.writable = not replica
                if self.writable:
                    migrate_postgres(connection, place.app_role)
                role = role_of(connection, place.app_role)
                self.is_branch = marked_as_branch(connection)
                if guarded_by_constraint(connection):
                    self.guard = "constraint"
        except psycopg.Error as error:
            raise translate(error) from error
        if self.guard == "lock":
            _LOG.warning("btree_gist is not there: only locks keep beliefs from overlapping")
        self.place = place
        self.role = role
        wait = f"SET LOCAL lock_timeout = {int(place.pool_timeout * 1000)}".encode()
        self._read = () if role.becomes is None else (role.becomes,)
        self._write = (wait, _STUCK, *self._read)
        self._hurried = (_HURRIED, _STUCK, *self._read)
        self._pool = Pool(lambda: line_to(place), size=place.pool_size, patience=place.pool_timeout)
        self._not_before = 0.0
        self._local = threading.local()
        self._joined: set[str] = set()
        self._counting = Counting()
        self._reader = PgReader(self._pool, self._read, lambda: self.open_span)

    # -------------------------------------------------------------------------- views

    @property
    def open_span(self) -> Span | None:
        """The transaction that this thread is in."""
        return getattr(self._local, "span", None)

    def reader(self) -> PgReader:
        """Give a view for reads of one statement, each in a transaction of its own."""
        return self._reader

    @contextmanager
    def snapshot(self, *, settled: str | None = None) -> Generator[PgSnapshot]:
        """Open a consistent view for reading; within another one it is the same.

        With ``settled``, a tenant, it begins after all have ended who write to it now.
        """
        span = self.open_span
        if span is not None:
            yield PgSnapshot(span.run, Q, span.stream)
            return
        with self._pool.line() as line:
            if settled is not None:
                self._await_writers(Span(line, "quick", self._write), settled)
            with self._within(Span(line, "read", self._read)) as span:
                yield PgSnapshot(span.run, Q, span.stream)
                span.leave()

    def _await_writers(self, span: Span, tenant: str) -> None:
        try:
            span.run(Q["lock_whole"], (lock_of("tenant", tenant),)).fetchall()
            span.commit()
        finally:
            span.rollback()

    @contextmanager
    def _within(self, span: Span) -> Generator[Span]:
        self._local.span = span
        try:
            yield span
        finally:
            self._local.span = None
            span.rollback()

    @contextmanager
    def transaction(
        self, tenant: str, *, wait: bool = True, beside: bool = False
    ) -> Generator[PgTransaction]:
        """Take a tenant's lock, alone or ``beside`` others; an error inside rolls all back."""
        if not self.writable:
            raise StoreReadOnly("the database is a replica, which can only be read")
        start = self._write if wait else self._hurried
        with self._pool.line(wait=wait) as line:
            with self._within(Span(line, "write", start, beside=beside)) as span:
                self._lock(span, tenant, wait=wait, beside=beside)
                transaction = PgTransaction(span, tenant, self._joined, alone=not beside)
                yield transaction
                transaction.finish()
                span.commit()
            if self._counting.due(span.entered):
                self._counting.refresh(line)

    def _lock(self, span: Span, tenant: str, *, wait: bool, beside: bool) -> None:
        number = (lock_of("tenant", tenant),)
        if wait:
            answer = span.run(Q["lock_shared" if beside else "lock_whole"], number)
            if not beside:
                answer.fetchall()
        elif not span.run(Q["lock_shared_now" if beside else "lock_whole_now"], number).fetchall()[
            0
        ][0]:
            raise StoreBusy("the store is being written by others; nothing was written")

    # -------------------------------------------------------------------- the whole store

    def purge(self) -> bool:
        """Have the database let go of removed rows; False while a reader prevents it."""
        if not self.writable or time.monotonic() < self._not_before:
            return False
        with self.sweeping() as span:
            waits = span.run(Q["jobs_of_kind"], ("purge",)).fetchall()
        begun = time.monotonic()
        done = vacuumed(self.place)
        ended = time.monotonic()
        self._not_before = ended + 5 * (ended - begun)  # most of the time is for others
        if not done:
            return False
        with self.sweeping() as span:
            for tenant, last in waits:
                span.run(Q["erased_purged"], (tenant,))
                span.run(Q["jobs_done"], ("purge", tenant, last))
        return True

    @contextmanager
    def sweeping(self) -> Generator[Span]:
        """Open a transaction for work that goes through all tenants."""
        with self._pool.line() as line, self._within(Span(line, "write", self._write)) as span:
            yield span
            span.commit()

    def audit(
        self, tenant: str, *, seal_at: Instant | None = None, anchor: str | None = None
    ) -> AuditSummary:
        """Verify the audit trail, after sealing what is unsealed if an instant is given."""
        if seal_at is not None and self.writable:
            self._seal(tenant, seal_at)
        with self.snapshot() as snapshot:  # others write on meanwhile
            return verify_audit(snapshot.stream, tenant, anchor)

    def seal(self, at: Instant) -> int:
        """Chain the audit entries of every tenant that have no seal yet; gives how many."""
        with self.sweeping() as span:
            tenants = [tenant for (tenant,) in span.run(Q["unsealed_tenants"]).fetchall()]
        return sum(self._seal(tenant, at) for tenant in tenants)

    def _seal(self, tenant: str, at: Instant) -> int:
        sealed, done = 0, SEALED_AT_ONCE
        while done == SEALED_AT_ONCE:
            done = self._seal_some(tenant, at)
            sealed += done
            time.sleep(_BETWEEN if done == SEALED_AT_ONCE else 0)
        return sealed

    def _seal_some(self, tenant: str, at: Instant) -> int:
        def write(query: str, rows: Sequence[Row]) -> None:
            for row in rows:
                span.run(Q[query], row)

        with self.sweeping() as span:
            span.run(Q["lock_whole"], (lock_of("seal", tenant),))
            # What is taken off the list was there before the entries were looked at.
            seen = span.run(Q["activity_seen"], (tenant, _NOTED)).fetchall()
            done = chain_some(span.run, write, Q, tenant, at)
            if seen and done < SEALED_AT_ONCE:
                span.run(Q["tenant_name_wrote"], (tenant,))
                span.run(Q["activity_delete"], (tenant, numbers_of(no for (no,) in seen)))
        return done

    def check(self, tenant: str | None = None) -> list[str]:
        """Say what does not add up in the rows."""
        with self.snapshot() as snapshot:
            return inspect_rows(snapshot, tenant)

    def close(self) -> None:
        """Release the connections."""
        self._pool.close()
