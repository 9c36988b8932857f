"""The rows of a store as they are, read out of one view of an SQL engine."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final

from vigent.domain.moving import Row
from vigent.ports.moving import VectorOf
from vigent.storage.sql.rows import SqlView

__all__ = ["MovingView"]

_MOVED: Final = (
    "tenant", "resource", "episode", "thread", "thread_item", "thread_state", "key", "statement",
    "belief", "alias", "person", "audit", "seal", "idempotency", "erased", "usage",
)  # fmt: skip
"""The tables that are moved; each has a query to be read by and one to be loaded by."""
_NUMBERS: Final = {
    "key": "key_numbers", "statement": "statement_numbers", "episode": "episode_numbers",
    "thread": "thread_numbers",
}  # fmt: skip
_WHOLE: Final = frozenset({"tenant", "erased"})
"""Tables that are read whole for a person too."""


class MovingView(SqlView):
    """Reads everything of a tenant."""

    def moving_counts(self, tenant: str, person: str | None) -> Mapping[str, int]:
        """Give how many rows there are, by the name of the table."""
        return dict(zip(_MOVED, self.ask("move_counts", (tenant, person))[0], strict=True))

    def moving_numbers(self, table: str, tenant: str, person: str | None) -> Sequence[int]:
        """Give the numbers of a numbered table's rows, rising."""
        with closing(self.stream(f"move_{_NUMBERS[table]}", (tenant, person))) as rows:
            return array("q", (number for (number,) in rows))

    def moving_rows(self, table: str, tenant: str, person: str | None) -> Iterator[Row]:
        """Give the rows of a table, one after another and never all at once."""
        asked = (tenant,) if table in _WHOLE else (tenant, person)
        with closing(self.stream(f"move_{table}", asked)) as rows:
            yield from rows

    def moving_vectors(self, tenant: str, person: str | None) -> Iterator[VectorOf]:
        """Give every vector, by model, then kind, number and start of what it is of."""
        with closing(self.stream("move_vectors", (tenant, person))) as rows:
            for row in rows:
                yield VectorOf._make(row)

    def persons_of(self, tenant: str) -> list[str]:
        """Give every person of whom a tenant has anything, in order."""
        return [person for (person,) in self.ask("move_persons", (tenant,)) if person]

    def passage_at(self, tenant: str, kind: int, source: int, start: int) -> tuple[int, str] | None:
        """Give number and scope of the passage that begins there of a memory or an episode."""
        rows = self.ask("passage_at", (tenant, source, kind, start))
        return (rows[0][0], rows[0][1]) if rows else None
