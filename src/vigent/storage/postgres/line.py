"""One connection, spoken to in libpq's pipeline mode.

Statements are sent without waiting; the first answer that is asked for brings all of them, in one
trip to the server. Psycopg's own cursors wait in between, or spend four times as long on each
statement; a read of one row within its transaction is five statements.
"""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg import errors, pq
from psycopg.adapt import Transformer

from vigent.errors import UnavailableError
from vigent.storage.postgres.statements import Query
from vigent.storage.postgres.translating import AWAY

__all__ = ["Answer", "Line"]

_AT_ONCE: Final = 400
"""How many statements are sent before their answers are taken, so that nothing piles up."""
_TEXT, _BINARY = 0, 1
_DONE: Final = frozenset((pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK))
_FAILED: Final = frozenset((pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE))


class Answer:
    """What a statement gives back, once it came."""

    __slots__ = ("changed", "rows", "settled")

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.changed = 0
        self.settled = False


class Line:
    """A connection of one user at a time.

    ``broken`` says that it cannot be used again. Raises psycopg's errors, and UnavailableError
    where the server does not answer within ``patience`` seconds.
    """

    def __init__(
        self, connection: psycopg.Connection[Any], *, prepare: bool, patience: float
    ) -> None:
        self.connection = connection
        self.broken = False
        self.idle_since = 0.0
        self._pg = connection.pgconn
        self._pg.enter_pipeline_mode()
        self._prepare = prepare
        self._patience = patience
        self._prepared: set[bytes] = set()
        self._waiting: list[Answer | bytes | None] = []
        self._parts: list[list[Answer | bytes | None]] = []
        self._transformer = Transformer(connection)
        self._poll = select.poll()
        self._poll.register(self._pg.socket, select.POLLIN)

    def command(self, sql: bytes) -> None:
        """Send a statement that gives nothing back."""
        self._pg.send_query_params(sql, None)
        self._waiting.append(None)

    def send(self, query: Query, values: Sequence[Any] = ()) -> Answer:
        """Send a named statement."""
        given: list[bytes | None] = []
        formats: list[int] = []
        for value in values:
            kind = _TEXT
            if value is None:
                given.append(None)
            elif isinstance(value, str):
                given.append(value.encode())
            elif isinstance(value, bytes):
                given.append(value)
                kind = _BINARY
            else:
                given.append(repr(value).encode())
            formats.append(kind)
        pg, answer = self._pg, Answer()
        if not self._prepare:
            pg.send_query_params(query.sql, given, None, formats, _BINARY)
        else:
            if query.name not in self._prepared:
                pg.send_prepare(query.name, query.sql)
                self._prepared.add(query.name)
                self._waiting.append(query.name)
            pg.send_query_prepared(query.name, given, formats, _BINARY)
        self._waiting.append(answer)
        if len(self._waiting) >= _AT_ONCE:
            self.finish()
        return answer

    def finish(self) -> None:
        """Take the answers of all that was sent; raises the first error among them."""
        if self._waiting:
            self.part()
        error: psycopg.Error | None = None
        while self._parts:
            error = self._take(self._parts[0]) or error
            del self._parts[0]
        if error is not None:
            raise error

    def part(self) -> None:
        """Send all without waiting; its answers are taken with those of the next."""
        self._parts.append(self._waiting)
        self._waiting = []
        self._pg.pipeline_sync()
        self._pg.flush()

    def _take(self, waiting: list[Answer | bytes | None]) -> psycopg.Error | None:
        done = False
        try:
            error = self._answers(waiting)
            done = True
        finally:
            if not done:  # answers may be under way that belong to nobody
                self.close()
        return error

    def _answers(self, waiting: list[Answer | bytes | None]) -> psycopg.Error | None:
        error: psycopg.Error | None = None
        place = 0
        deadline = time.monotonic() + self._patience
        while True:
            self._wait(deadline)
            result = self._pg.get_result()
            if result is None:
                continue
            status = result.status
            if status == pq.ExecStatus.PIPELINE_SYNC:
                return error
            one = waiting[place] if place < len(waiting) else None
            place += 1
            if status in _DONE:
                if isinstance(one, Answer):
                    self._settle(one, result)
                continue
            if isinstance(one, bytes):
                self._prepared.discard(one)
            if status in _FAILED and error is None:
                error = errors.error_from_result(result)

    def _settle(self, answer: Answer, result: Any) -> None:
        rows: list[tuple[Any, ...]] = []
        if result.ntuples:
            self._transformer.set_pgresult(result)
            rows = self._transformer.load_rows(0, result.ntuples, tuple)
        answer.rows, answer.changed, answer.settled = rows, result.command_tuples or 0, True

    def _wait(self, deadline: float) -> None:
        """Send what is left to send and wait until an answer is there."""
        pg = self._pg
        while True:
            unsent = pg.flush()
            if not unsent and not pg.is_busy():
                return
            if unsent:
                self._poll.modify(pg.socket, select.POLLIN | select.POLLOUT)
            left = deadline - time.monotonic()
            if left <= 0 or not self._poll.poll(left * 1000):
                raise UnavailableError(AWAY)
            if unsent:
                self._poll.modify(pg.socket, select.POLLIN)
            pg.consume_input()

    def drain(self) -> None:
        """Take the answers of what was sent, whatever they are."""
        with suppress(psycopg.Error):
            self.finish()

    @property
    def owing(self) -> bool:
        """Whether answers are under way."""
        return bool(self._parts)

    @property
    def quiet(self) -> bool:
        """Whether nothing came that was not asked for, as when the server ends a session."""
        return not self.broken and not self._poll.poll(0)

    def close(self) -> None:
        """End the session."""
        self.broken = True
        self._waiting.clear()
        self._parts.clear()
        self.connection.close()
