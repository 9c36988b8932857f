"""The raw side of writes on PostgreSQL: the very rows the engine wrote, once more, by psycopg.

What was written is read back by a connection that sees everything, numbers and ids are exchanged
for fresh ones, and the rows go into the same tables under the same row-level security.
"""

from __future__ import annotations

from typing import Any, Final

import psycopg
from psycopg import sql

Rows = dict[str, list[tuple[Any, ...]]]

_MARKED: Final = ("key", "statement", "belief", "audit", "passage")
_NUMBERS: Final = {
    "key": ("no",),
    "statement": ("no", "key", "turn", "bears"),
    "belief": ("no", "key", "memory"),
    "passage": ("source", "home"),
    "audit": ("no",),
    "audit_content": ("audit", "key"),
}
"""Which columns count rows, in the order in which the tables are written."""
_IDS: Final = {"statement": ("id", "replaces"), "audit": ("id",)}
_OWN: Final = ("tx",)
_HEAD: Final = ("last_recorded", "head_from", "head_to", "head_recorded", "head_expires",
                "head_replaced", "head_replacer", "head")  # fmt: skip


class PgMirror:
    """Copies what the engine writes to keys of its own; ``side`` tells two of them apart."""

    def __init__(
        self, watching: psycopg.Connection[Any], raw: psycopg.Connection[Any], tenant: str,
        side: int,
    ) -> None:  # fmt: skip
        self._watching, self._raw, self._tenant = watching, raw, tenant
        self._by = side * 10**15
        self._side = f".{side}"
        named = sql.SQL("SET LOCAL app.tenant = {}").format(sql.Literal(tenant))
        self._named = named.as_bytes(watching)
        self._columns = {table: self._of(table) for table in _NUMBERS}
        self._sql = {table: self._insert(table) for table in _NUMBERS}
        self._close = "UPDATE belief SET recorded_to = %s WHERE tenant = %s AND no = %s"
        head = ", ".join(f"{name} = %s" for name in _HEAD)
        self._turn = f"UPDATE key SET {head} WHERE tenant = %s AND no = %s"
        self._since: dict[str, int] = {}
        self.mark()

    def _all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._watching.execute(statement, values, binary=True).fetchall()

    def _of(self, table: str) -> list[str]:
        found = self._all(
            "SELECT column_name::text FROM information_schema.columns WHERE table_schema ="
            " current_schema() AND table_name = %s ORDER BY ordinal_position", table,
        )  # fmt: skip
        left_out = (*_OWN, "no") if table == "passage" else _OWN
        return [row[0] for row in found if row[0] not in left_out]

    def _insert(self, table: str) -> bytes:
        """Give a statement as bytes: composed ones would be put together at each call."""
        columns = self._columns[table]
        written = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns)),
            sql.SQL(", ").join(sql.Placeholder() * len(columns)),
        )  # fmt: skip
        return written.as_bytes(self._watching)

    def mark(self) -> None:
        """Begin to note what the engine writes."""
        self._since = {
            table: self._all(
                f"SELECT coalesce(max(no), 0) FROM {table} WHERE tenant = %s"
                + (f" AND no < {10**15}" if table != "passage" else ""), self._tenant,
            )[0][0]
            for table in _MARKED
        }  # fmt: skip

    def take(self) -> Rows:
        """Give the rows that do the same once more, of all the engine wrote since the mark."""
        out: Rows = {table: self._copied(table) for table in _NUMBERS}
        mine = self._columns["statement"].index("key")
        touched = sorted({row[mine] - self._by for row in out["statement"]})
        new = {row[self._columns["key"].index("no")] - self._by for row in out["key"]}
        out["close"], out["head"] = [], []
        since = self._since["belief"]
        for key in touched:
            if key in new:
                continue
            ((*head,),) = self._all(
                f"SELECT {', '.join(_HEAD)} FROM key WHERE tenant = %s AND no = %s",
                self._tenant, key,
            )  # fmt: skip
            out["head"].append((*head, self._tenant, key + self._by))
            closed = self._all(
                "SELECT recorded_to, tenant, no FROM belief WHERE tenant = %s AND key = %s"
                " AND recorded_to IS NOT NULL AND no <= %s ORDER BY no DESC LIMIT 1",
                self._tenant, key, since,
            )  # fmt: skip
            out["close"] += [(row[0], row[1], row[2] + self._by) for row in closed]
        return out

    def _copied(self, table: str) -> list[tuple[Any, ...]]:
        columns, number = self._columns[table], "audit" if table == "audit_content" else "no"
        since = self._since["audit" if table == "audit_content" else table]
        bound = "" if table == "passage" else f" AND {number} < {10**15}"
        rows = self._all(
            f"SELECT {', '.join(columns)} FROM {table} WHERE tenant = %s AND {number} > %s"
            f"{bound} ORDER BY {number}", self._tenant, since,
        )  # fmt: skip
        if table == "passage":
            at = columns.index("source")
            rows = [row for row in rows if row[at] < 10**15]
        return [self._another(table, row) for row in rows]

    def _another(self, table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        given = dict(zip(self._columns[table], row, strict=True))
        for name in _NUMBERS[table]:
            if given[name]:
                given[name] += self._by
        for name in _IDS.get(table, ()):
            if given[name] is not None:
                given[name] += self._side
        if table == "key":
            given["subject"] = f"raw{self._side} {given['subject']}"
        return tuple(given.values())

    def write(self, rows: Rows) -> None:
        """Write the rows of one write in one transaction, each statement waited for."""
        with self._raw.transaction():
            self._enter(rows)

    def write_piped(self, rows: Rows) -> None:
        """Write them in psycopg's pipeline: one wait for all."""
        with self._raw.pipeline(), self._raw.transaction():
            self._enter(rows)

    def _enter(self, rows: Rows) -> None:
        run = self._raw.execute
        run(self._named)
        for row in rows["close"]:
            run(self._close, row)
        for table, statement in self._sql.items():
            for row in rows[table]:
                run(statement, row)
        for row in rows["head"]:
            run(self._turn, row)


def count(rows: Rows) -> dict[str, int]:
    """Say how many rows of which table there are."""
    return {table: len(found) for table, found in rows.items() if found}
