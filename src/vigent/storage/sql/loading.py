"""Rows of a store as they are, taken into another one that an SQL engine keeps."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import islice
from typing import Final

from vigent.domain.moving import Row
from vigent.domain.time import Instant
from vigent.storage.sql.erasing import ErasingTransaction

__all__ = ["NUMBERED", "LoadingTransaction"]

NUMBERED: Final = ("episode", "thread", "key", "statement", "belief", "audit")
"""The tables whose rows begin with a number, in the order of ``move_last``."""
_OTHERS: Final = frozenset((
    "tenant", "resource", "thread_item", "thread_state", "alias", "person", "seal", "idempotency",
    "erased", "usage",
))  # fmt: skip
_TOGETHER: Final = 500
"""How many rows are written together; more are never held."""
_SALT: Final = -2
"""Where an audit entry says whether its content is still there."""
_SAID: Final = 5
"""How many of its columns are of its content."""


class LoadingTransaction(ErasingTransaction):
    """A write transaction that can also take in rows as they are."""

    def load(self, table: str, tenant: str, rows: Iterable[Row]) -> None:
        """Store rows as they are."""
        self.flush()
        for some in _batches(rows):
            self._load_some(table, tenant, some)

    def _load_some(self, table: str, tenant: str, rows: Sequence[Row]) -> None:
        if table == "audit":
            entries = [(row[0], tenant, *row[1:-_SAID]) for row in rows]
            said = [(row[0], tenant, *row[-_SAID:]) for row in rows if row[_SALT] is not None]
            self._write("load_audit", entries)
            self._write("load_audit_content", said)
        elif table in _OTHERS:
            self._write(f"load_{table}", [(tenant, *row) for row in rows])
        else:
            self._write(f"load_{table}", [(row[0], tenant, *row[1:]) for row in rows])

    def queue(self, kind: str, tenant: str, lane: str, at: Instant) -> None:
        """Note work to be done."""
        self._run(self._q["job_insert"], (tenant, kind, lane, "{}", at, ""))


def _batches(rows: Iterable[Row]) -> Generator[list[Row]]:
    left = iter(rows)
    while some := list(islice(left, _TOGETHER)):
        yield some
