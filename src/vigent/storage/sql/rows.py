"""What the shared views and transactions use of an engine: queries by name, and rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

__all__ = ["Queries", "Row", "Rows", "Run", "SqlView"]

Row: TypeAlias = tuple[Any, ...]


class Rows(Protocol):
    """What a statement gives back."""

    def fetchone(self) -> Row | None:
        """Give the next row, or None."""
        ...

    def fetchall(self) -> list[Row]:
        """Give all rows that are left."""
        ...

    def __iter__(self) -> Iterator[Row]: ...


Queries: TypeAlias = Mapping[str, Any]
"""Named queries, each in the form in which the engine runs it."""
Run: TypeAlias = Callable[[Any, Sequence[Any]], Rows]
"""Runs one of them with its values."""


class SqlView:
    """Something that reads by named queries.

    Queries of one name take the same values in the same order on every engine.
    """

    def __init__(self, run: Run, queries: Queries) -> None:
        self._run = run
        self._q = queries

    def ask(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """Give the rows of a named query."""
        return self._run(self._q[query], values).fetchall()

    def stream(self, query: str, values: Sequence[Any]) -> Generator[Row]:
        """Give rows one after another; whoever has enough of them closes what it was given."""
        yield from self._run(self._q[query], values).fetchall()
