"""Has the database count its rows while its tables fill.

To a planner that has no statistics all indexes of a table cost the same, since each begins with the
tenant: it may take one that leads through all of a tenant's rows, and a plan once made is kept by
its connection. The server's own upkeep comes by after a minute or later, and until then each row
that is loaded makes the next one slower. So whoever enters rows sees to the first counts.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from vigent.errors import VigentError
from vigent.storage.postgres.line import Line
from vigent.storage.postgres.span import Span
from vigent.storage.postgres.statements import Query

__all__ = ["Counting"]

_STEPS: Final = (64, 256, 1024, 4096, 16_384)
"""After how many rows of a table it is looked at; from then on the server's own upkeep does."""
_GROWN: Final = Query(
    b"",
    b"""
SELECT quote_ident(relname)::text FROM pg_class
WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('key'))
  AND relkind = 'r' AND pg_has_role(current_user, relowner, 'USAGE')
  AND pg_relation_size(oid)
      > CASE WHEN reltuples > 0 THEN 2 * relpages::bigint ELSE 0 END
        * current_setting('block_size')::bigint
ORDER BY relname
""",
    None,
    sweeps=False,
)
"""The tables that were never counted, or have more than doubled since, as far as we may do it."""
_START: Final = (b"SET LOCAL statement_timeout = 5000",)


class Counting:
    """What this process entered into which table."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._guard = threading.Lock()

    def due(self, entered: Mapping[str, int]) -> bool:
        """Note rows that were entered; gives whether a table has come to its next step."""
        due = False
        for table, rows in entered.items():
            before = self._rows.get(table, 0)
            self._rows[table] = before + rows
            due |= bisect_right(_STEPS, before) != bisect_right(_STEPS, before + rows)
        return due

    def refresh(self, line: Line) -> None:
        """Have the tables counted that have grown.

        What was written stands by now, so whatever comes in the way is let be. It needs the owner
        of the tables: of another role's nothing is done.
        """
        if not self._guard.acquire(blocking=False):
            return
        span = Span(line, "write", _START)
        try:
            with suppress(VigentError):
                grown = [name for (name,) in span.run(_GROWN).fetchall()]
                if grown:
                    span.command(f"ANALYZE (SKIP_LOCKED) {', '.join(grown)}".encode())
                span.commit()
        finally:
            span.rollback()
            self._guard.release()
