"""One transaction on one connection: whose rows it sees, and how it ends."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import psycopg
from psycopg import sql

from vigent.errors import UnavailableError
from vigent.storage.postgres.line import Answer, Line
from vigent.storage.postgres.statements import Query
from vigent.storage.postgres.translating import translate

__all__ = ["Span", "lock_of"]

_MODES: Final = {
    "read": b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "quick": b"BEGIN READ ONLY",
    "write": b"BEGIN ISOLATION LEVEL READ COMMITTED",
}
_SWEEP: Final = b"SET LOCAL app.sweep = 'on'"
_NO_SWEEP: Final = b"SET LOCAL app.sweep = ''"
_SOME: Final = 1_000
"""How many rows of a long answer are fetched together."""
_LOST: Final = (
    "the database did not answer whether it kept what was written; write it again under the same "
    "idempotency key, or look first"
)

Mode = Literal["read", "quick", "write"]


@lru_cache(maxsize=4096)
def _named(tenant: str) -> bytes:
    """Give the setting that names a tenant, as a literal: parameters do not reach shards."""
    return sql.SQL("SET LOCAL app.tenant = {}").format(sql.Literal(tenant)).as_bytes(None)


def lock_of(*name: str) -> int:
    """Give the number of the lock of something that has a name."""
    digest = hashlib.blake2b("\0".join(name).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class Span:
    """A transaction that begins with the first statement, for the rows of one tenant at a time.

    Statements name their tenant, and the transaction is turned to it; without a tenant no table
    shows a row. Raises errors of ours; ``beside`` says how what is there twice is told.
    """

    def __init__(
        self, line: Line, mode: Mode, start: Sequence[bytes], *, beside: bool = False
    ) -> None:
        self.line = line
        self.mode: Mode = mode
        self.beside = beside
        self._start = start
        self._tenant: str | None = None
        self._sweeping = False
        self._begun = False
        self._cursors = 0
        self.entered: dict[str, int] = {}
        """How many times rows were entered into which table."""

    def run(self, query: Query, values: Sequence[Any] = ()) -> Lazy:
        """Send a statement; its answer is waited for when it is asked for."""
        if not self._begun:
            self._begin()
        line = self.line
        if query.tenant is not None:
            tenant = values[query.tenant]
            if tenant != self._tenant or self._sweeping:
                self._turn_to(tenant)
        elif query.sweeps and not self._sweeping:
            self._sweeping = True
            line.command(_SWEEP)
        if query.enters:
            self.entered[query.enters] = self.entered.get(query.enters, 0) + 1
        try:
            return Lazy(self, line.send(query, values))
        except psycopg.Error as error:
            raise self._translated(error) from error

    def stream(self, query: Query, values: Sequence[Any] = ()) -> Generator[tuple[Any, ...]]:
        """Give the rows of a statement some at a time, as it finds them now.

        Other statements may be sent in between.
        """
        self._cursors += 1
        name = b"stream_%d" % self._cursors
        opened = b"DECLARE %b NO SCROLL CURSOR FOR %b" % (name, query.sql)
        self.run(query._replace(name=b"", sql=opened), values)
        fetch = Query(b"", b"FETCH %d FROM %b" % (_SOME, name), None, query.sweeps)
        whose = None if query.tenant is None else values[query.tenant]
        try:
            more = True
            while more:
                if whose is not None:  # the rows that are left are seen as those of a tenant too
                    self._turn_to(whose)
                rows = self.run(fetch).fetchall()
                yield from rows
                more = len(rows) == _SOME
        finally:
            if self._begun and not self.line.broken:
                self.line.command(b"CLOSE " + name)

    def _begin(self) -> None:
        self._begun = True
        self.line.command(_MODES[self.mode])
        for command in self._start:
            self.line.command(command)

    def _turn_to(self, tenant: str) -> None:
        if self._sweeping:
            self._sweeping = False
            self.line.command(_NO_SWEEP)
        if tenant != self._tenant:
            self._tenant = tenant
            self.line.command(_named(tenant))

    def command(self, text: bytes) -> None:
        """Send a statement that gives nothing back."""
        if not self._begun:
            self._begin()
        self.line.command(text)

    def finish(self) -> None:
        """Wait for all that was sent."""
        try:
            self.line.finish()
        except psycopg.Error as error:
            raise self._translated(error) from error

    def _translated(self, error: psycopg.Error) -> Exception:
        if not error.sqlstate or error.sqlstate.startswith(("08", "57P")):
            self.line.close()
        return translate(error, beside=self.beside)

    def commit(self) -> None:
        """End the transaction for good.

        Raises UnavailableError where the answer was lost: it may have been kept or not.
        """
        if not self._begun:
            return
        self.line.command(b"COMMIT")
        try:
            self.line.finish()
        except psycopg.Error as error:
            ours = self._translated(error)
            if self.line.broken and self.mode == "write":
                raise UnavailableError(_LOST) from error
            raise ours from error
        except UnavailableError as error:
            raise UnavailableError(_LOST) from error
        self._begun = False

    def leave(self) -> None:
        """End a transaction that only read, without waiting for the answer."""
        if self._begun and not self.line.broken:
            self.line.command(b"COMMIT")
            self.line.part()
            self._begun = False

    def rollback(self) -> None:
        """Undo all of the transaction, and leave the connection fit for the next one."""
        if not self._begun or self.line.broken:
            return
        try:
            self.line.drain()
            self.line.command(b"ROLLBACK")
            self.line.finish()
        except (psycopg.Error, UnavailableError):
            self.line.close()  # the server undoes what belongs to a session that ended
        self._begun = False


class Lazy:
    """The answer of a statement of a transaction."""

    __slots__ = ("_answer", "_span")

    def __init__(self, span: Span, answer: Answer) -> None:
        self._span = span
        self._answer = answer

    def _settled(self) -> Answer:
        if not self._answer.settled:
            self._span.finish()
        return self._answer

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Give all rows."""
        return self._settled().rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Give the first row, or None."""
        rows = self._settled().rows
        return rows[0] if rows else None

    def count(self) -> int:
        """Give how many rows the statement changed."""
        return self._settled().changed

    def __iter__(self) -> Any:
        return iter(self._settled().rows)
