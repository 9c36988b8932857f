"""What the adapter uses of a connection, with types: rows are plain tuples of plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, LiteralString, Protocol

__all__ = ["Database", "Rows"]

Row = tuple[Any, ...]


class Rows(Protocol):
    """What a statement gives back; iterating runs it step by step."""

    def execute(self, statement: LiteralString, bindings: Sequence[Any] = ()) -> Rows:
        """Run a statement on this cursor."""
        ...

    def fetchone(self) -> Row | None:
        """Give the next row, or None."""
        ...

    def fetchall(self) -> list[Row]:
        """Give all rows that are left."""
        ...

    def __iter__(self) -> Iterator[Row]: ...

    def __next__(self) -> Row: ...

    def close(self) -> None:
        """Stop, and release the statement."""
        ...


class Database(Protocol):
    """A connection of one thread."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    def execute(self, statement: LiteralString, bindings: Sequence[Any] = ()) -> Rows:
        """Run a statement; SQL is never put together, so it is a literal."""
        ...

    def executemany(self, statement: LiteralString, bindings: Iterable[Sequence[Any]]) -> Rows:
        """Run a statement once for each set of values."""
        ...

    def cursor(self) -> Rows:
        """Give a cursor of its own, for a read that is not run to its end."""
        ...

    def changes(self) -> int:
        """Give how many rows the last statement changed."""
        ...

    def readonly(self, name: str) -> bool:
        """Whether the file can only be read."""
        ...

    def close(self, force: bool = False) -> None:  # noqa: FBT002 - apsw's own signature
        """Release the file."""
        ...
