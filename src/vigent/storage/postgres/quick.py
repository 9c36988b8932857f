"""Reads of one statement on a PostgreSQL database: one trip, with the transaction around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from vigent.domain.resources import ResourceRow, Rkind
from vigent.errors import UnavailableError
from vigent.ports.storage import HeadRow
from vigent.storage.postgres.pool import Pool
from vigent.storage.postgres.reading import PgSnapshot
from vigent.storage.postgres.span import Span
from vigent.storage.postgres.statements import Q

__all__ = ["PgReader"]

A = TypeVar("A")


class PgReader:
    """Answers one question at a time, for any thread.

    Within a transaction of the thread it sees what that sees. Where a connection turns out to be
    dead, the question is asked once more on another.
    """

    def __init__(
        self, pool: Pool, start: Sequence[bytes], open_span: Callable[[], Span | None]
    ) -> None:
        self._pool = pool
        self._start = start
        self._open_span = open_span

    def _answer(self, question: Callable[[PgSnapshot], A]) -> A:
        span = self._open_span()
        if span is not None:
            return question(PgSnapshot(span.run, Q))
        line = self._pool.take()
        try:
            return self._asked(Span(line, "quick", self._start), question)
        except UnavailableError:
            if not line.broken:
                raise
        finally:
            self._pool.give(line)
        with self._pool.line() as another:
            return self._asked(Span(another, "quick", self._start), question)

    @staticmethod
    def _asked(span: Span, question: Callable[[PgSnapshot], A]) -> A:
        try:
            found = question(PgSnapshot(span.run, Q))
            span.leave()
        finally:
            span.rollback()
        return found

    def head(
        self, tenant: str, store: str, person: str, subject: str, attribute: str
    ) -> HeadRow | None:
        """Give the quick answer of one attribute, for one person or (empty) what is shared."""
        return self._answer(lambda view: view.head(tenant, store, person, subject, attribute))

    def aliased(self, tenant: str, store: str, subject: str, person: str) -> bool:
        """Whether an alias names a subject: a person's own or a shared one, or anyone's."""
        return self._answer(lambda view: view.aliased(tenant, store, subject, person))

    def resource(self, tenant: str, kind: Rkind, id: str) -> ResourceRow | None:
        """Give one resource by its id."""
        return self._answer(lambda view: view.resource(tenant, kind, id))

    def resource_named(self, tenant: str, kind: Rkind, name: str) -> ResourceRow | None:
        """Give one resource by its name."""
        return self._answer(lambda view: view.resource_named(tenant, kind, name))
