"""The raw side of writes: the very rows the engine wrote, once more, for keys of their own.

What the engine wrote is read back, numbers and ids are exchanged for fresh ones, and the rows go
into the same tables of the same file by prepared statements, with nothing in between.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]

_TABLES = ("key", "statement", "belief", "audit")

# In the order of the engine; what it does to a key in two updates is one here.
SQL = {
    "key": "INSERT INTO key VALUES (" + ",".join("?" * 17) + ")",
    "statement": "INSERT INTO statement VALUES (" + ",".join("?" * 53) + ")",
    "close": "UPDATE belief SET recorded_to = ? WHERE no = ? AND tenant = ? "
    "AND recorded_to IS NULL",
    "belief": "INSERT INTO belief VALUES (?,?,?,?,?,?,?,?,?)",
    "passage": "INSERT INTO passage (tenant, scope, kind, type, source, home, start, stop, at, "
    "about, words) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
    "head": "UPDATE key SET last_recorded = ?, head_from = ?, head_to = ?, head_recorded = ?, "
    "head_expires = ?, head_replaced = ?, head_replacer = ?, head = ? WHERE no = ? AND tenant = ?",
    "audit": "INSERT INTO audit VALUES (?,?,?,?,?,?,?,?,?,?)",
    "audit_content": "INSERT INTO audit_content VALUES (?,?,?,?,?,?,?)",
}


def fresh_id(old: str) -> str:
    """An id of the same form that sorts behind those there are, as new ids do."""
    return old[:14] + secrets.token_hex(8).upper()


class Mirror:
    """Knows which raw key, statement and belief stands for which of the engine's."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.numbers: dict[str, dict[int, int]] = {table: {} for table in _TABLES}
        self.ids: dict[str, str] = {}
        self.open: dict[int, set[int]] = {}
        self.mark()

    def mark(self) -> None:
        """Begin to note what the engine writes."""
        self.since = {table: self._last(table) for table in (*_TABLES, "passage")}

    def _last(self, table: str) -> int:
        return self._all(f"SELECT coalesce(max(no), 0) FROM {table}")[0][0]

    def _all(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self.connection.execute(sql, parameters).fetchall()

    def _new(self, table: str) -> list[Any]:
        return self._all(f"SELECT * FROM {table} WHERE no > ? ORDER BY no", (self.since[table],))

    def _number(self, table: str, rows: list[Any]) -> None:
        start = self._last(table)
        for place, row in enumerate(rows, 1):
            self.numbers[table][row[0]] = start + place

    def _id(self, old: str | None) -> str | None:
        if old is None:
            return None
        return self.ids.setdefault(old, fresh_id(old))

    def take(self) -> Rows:
        """Give the rows that do the same once more, of all the engine wrote since the mark."""
        keys, statements = self._new("key"), self._new("statement")
        beliefs, entries = self._new("belief"), self._new("audit")
        for table, rows in zip(_TABLES, (keys, statements, beliefs, entries), strict=True):
            self._number(table, rows)
        of_key, of_statement = self.numbers["key"], self.numbers["statement"]
        of_belief, of_audit = self.numbers["belief"], self.numbers["audit"]
        out: Rows = {name: [] for name in SQL}
        created = {row[0] for row in keys}
        # A new key is inserted with its first instant and gets its head by an update, as it
        # does in the engine.
        out["key"] = [
            (of_key[k[0]], *k[1:4], f"raw {k[4]}", *k[5:8], k[8], 0, 0, 0, 0, None, None, None, 0)
            for k in keys
        ]
        for s in statements:
            row = list(s)
            row[0], row[2], row[3] = of_statement[s[0]], self._id(s[2]), of_key[s[3]]
            row[17], row[18] = of_statement.get(s[17], s[17]), of_statement.get(s[18], s[18])
            out["statement"].append(tuple(row))
        for b in beliefs:
            out["belief"].append((of_belief[b[0]], b[1], of_key[b[2]], b[3], of_statement[b[4]],
                                  *b[5:8], None))  # fmt: skip
        touched = sorted({s[3] for s in statements})
        self._closed(touched, beliefs, out)
        for number in touched:
            k = self._all("SELECT * FROM key WHERE no = ?", (number,))[0]
            out["head"].append((*k[8:13], self._id(k[13]), self._id(k[14]), k[15],
                                of_key[number], k[1]))  # fmt: skip
        for p in self._new("passage"):
            out["passage"].append((*p[1:5], of_statement[p[5]], of_key[p[6]], *p[7:]))
        for e in entries:
            out["audit"].append((of_audit[e[0]], e[1], self._id(e[2]), *e[3:6],
                                 self._id(e[6]), *e[7:]))  # fmt: skip
            for c in self._all("SELECT * FROM audit_content WHERE audit = ?", (e[0],)):
                out["audit_content"].append((of_audit[c[0]], *c[1:4], of_key[c[4]], *c[5:]))
        assert created <= of_key.keys()
        return out

    def _closed(self, touched: list[int], beliefs: list[Any], out: Rows) -> None:
        """Note which stretches were closed since, and which are believed now."""
        for b in beliefs:
            self.open.setdefault(b[2], set()).add(b[0])
        for number in touched:
            for belief in sorted(self.open.get(number, ())):
                ((tenant, at),) = self._all(
                    "SELECT tenant, recorded_to FROM belief WHERE no = ?", (belief,)
                )
                if at is not None:
                    self.open[number].discard(belief)
                    mine = self.numbers["belief"][belief]
                    out["close"].append((at, mine, tenant))

    def write_one(self, rows: Rows) -> None:
        """Write the rows of one write, a statement a row, in one transaction."""
        run = self.connection.execute
        run("BEGIN IMMEDIATE")
        for name, sql in SQL.items():
            for row in rows[name]:
                run(sql, row)
        run("COMMIT")

    def write_batch(self, rows: Rows) -> None:
        """Write the rows of a batch, a table at a time, in one transaction."""
        many = self.connection.executemany
        self.connection.execute("BEGIN IMMEDIATE")
        for name, sql in SQL.items():
            if rows[name]:
                many(sql, rows[name])
        self.connection.execute("COMMIT")


def count(rows: Rows) -> dict[str, int]:
    return {name: len(found) for name, found in rows.items() if found}
