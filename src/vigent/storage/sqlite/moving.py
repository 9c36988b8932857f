"""The rows of a SQLite store as they are: read out of one view, and loaded into another store."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from vigent.domain.moving import TABLES, Row
from vigent.domain.time import Instant
from vigent.ports.moving import Engine, VectorOf
from vigent.storage.queries import load_queries
from vigent.storage.sqlite.database import Database

__all__ = ["MovingView", "Unloaded"]

Q = load_queries("vigent.storage.sqlite")

# The tables that are moved; each has a query to be read by and one to be loaded by.
_MOVED: Final = (
    "tenant", "resource", "episode", "thread", "thread_item", "thread_state", "key", "statement",
    "belief", "alias", "person", "audit", "seal", "idempotency", "erased", "usage",
)  # fmt: skip
_NUMBERS: Final = {
    "key": "key_numbers", "statement": "statement_numbers", "episode": "episode_numbers",
    "thread": "thread_numbers",
}  # fmt: skip
_NUMBERED: Final = tuple(table.name for table in TABLES if table.numbered)
_WHOLE: Final = frozenset({"tenant", "erased"})
"""Tables that are read whole for a person too."""


class MovingView:
    """Reads everything of a tenant."""

    _connection: Database

    def engine(self) -> Engine:
        """Say which engine this is, and at which schema."""
        return Engine("sqlite", self._connection.execute("PRAGMA user_version").fetchall()[0][0])

    def moving_counts(self, tenant: str, person: str | None) -> Mapping[str, int]:
        """Give how many rows there are, by the name of the table."""
        found = self._connection.execute(Q["move_counts"], (tenant, person)).fetchall()[0]
        return dict(zip(_MOVED, found, strict=True))

    def moving_numbers(self, table: str, tenant: str, person: str | None) -> Sequence[int]:
        """Give the numbers of a numbered table's rows, rising."""
        query = Q[f"move_{_NUMBERS[table]}"]
        rows = self._connection.cursor().execute(query, (tenant, person))
        return array("q", (number for (number,) in rows))

    def moving_rows(self, table: str, tenant: str, person: str | None) -> Iterator[Row]:
        """Give the rows of a table, one after another and never all at once."""
        asked: tuple[Any, ...] = (tenant,) if table in _WHOLE else (tenant, person)
        yield from self._connection.cursor().execute(Q[f"move_{table}"], asked)

    def moving_vectors(self, tenant: str, person: str | None) -> Iterator[VectorOf]:
        """Give every vector, by model, then kind, number and start of what it is of."""
        for row in self._connection.cursor().execute(Q["move_vectors"], (tenant, person)):
            yield VectorOf._make(row)

    def persons_of(self, tenant: str) -> list[str]:
        """Give every person of whom a tenant has anything, in order."""
        rows = self._connection.execute(Q["move_persons"], (tenant,)).fetchall()
        return [person for (person,) in rows if person]

    def passage_at(self, tenant: str, kind: int, source: int, start: int) -> tuple[int, str] | None:
        """Give number and scope of the passage that begins there of a memory or an episode."""
        rows = self._connection.execute(Q["passage_at"], (tenant, source, kind, start)).fetchall()
        return (rows[0][0], rows[0][1]) if rows else None


class Unloaded:
    """Takes rows in as they are, within the write transaction of a connection."""

    _connection: Database

    def last_given(self, tenant: str) -> Mapping[str, int]:
        """Give the highest number in use of each numbered table."""
        del tenant  # numbers are those of the whole file
        found = self._connection.execute(Q["move_last"]).fetchall()[0]
        return dict(zip(_NUMBERED, found, strict=True))

    def load(self, table: str, tenant: str, rows: Iterable[Row]) -> None:
        """Store rows as they are."""
        many = self._connection.executemany
        if table == "audit":
            _load_audit(self._connection, tenant, rows)
        elif table in _NUMBERED:
            many(Q[f"load_{table}"], ((row[0], tenant, *row[1:]) for row in rows))
        else:
            many(Q[f"load_{table}"], ((tenant, *row) for row in rows))

    def queue(self, kind: str, tenant: str, lane: str, at: Instant) -> None:
        """Note work to be done."""
        self._connection.execute(Q["job_insert"], (tenant, kind, lane, "{}", at, ""))


def _load_audit(database: Database, tenant: str, rows: Iterable[Row]) -> None:
    """Store entries, and beside each what it says where that was not emptied."""
    entry, said = Q["load_audit"], Q["load_audit_content"]
    for no, *fixed, store, person, key, salt, content in rows:
        database.execute(entry, (no, tenant, *fixed))
        if salt is not None:
            database.execute(said, (no, tenant, store, person, key, salt, content))
