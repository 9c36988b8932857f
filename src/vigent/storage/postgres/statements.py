"""The named statements of PostgreSQL's dialect, and which of their values names the tenant.

Files are written as those of SQLite are: ``?`` or ``?1`` for values, in the same order, so that
both engines are handed the same ones. Which value the tenant is, is read off the statement: each
has ``tenant = ?``, or enters rows that name it. A statement that goes through all tenants says so
in its comment with the word ``Sweeps``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from vigent.storage.queries import load_script

__all__ = ["FILES", "Q", "Query", "load_statements"]

FILES: Final = ("queries.sql", "queries_search.sql", "queries_moving.sql")
"""The files that hold them; a name stands in one alone."""

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_VALUE = re.compile(r"\?(\d*)")
_TENANT = re.compile(r"\btenant = \?(\d*)")
_INTO = re.compile(r"\bINSERT INTO (\w+)")
_ENTERED = re.compile(r"INSERT INTO \w+\s*\(([^)]*)\)\s*VALUES\s*\(([^)]*)\)", re.DOTALL)


class Query(NamedTuple):
    """A statement as it is sent; one without a name is not kept ready by the server."""

    name: bytes
    sql: bytes
    tenant: int | None
    """Which of its values names the tenant; None for what concerns no tenant, or all."""
    sweeps: bool
    """Whether it goes through all tenants."""
    enters: str = ""
    """The table that it enters rows into, if any."""


def load_statements(package: str = "vigent.storage.postgres") -> Mapping[str, Query]:
    """Give the named statements of the dialect."""
    queries: dict[str, Query] = {}
    for file in FILES:
        parts = _NAME.split(load_script(package, file))[1:]
        for name, body in zip(parts[::2], parts[1::2], strict=True):
            if name in queries:
                raise ValueError(f"query {name} is there twice")
            queries[name] = _query(name, body)
    return queries


def _query(name: str, body: str) -> Query:
    lines = body.strip().splitlines()
    comment = " ".join(line for line in lines if line.startswith("--"))
    text = "\n".join(line for line in lines if not line.startswith("--"))
    text = text.rstrip().removesuffix(";")
    count = iter(range(1, 1_000))
    numbered = _VALUE.sub(lambda m: f"?{m[1] or next(count)}", text)
    tenant = _tenant(numbered)
    sql = numbered.replace("?", "$").encode()
    into = _INTO.search(text)
    return Query(name.encode(), sql, tenant, "Sweeps" in comment, into[1] if into else "")


def _tenant(text: str) -> int | None:
    """Give which value names the tenant, from 0 on."""
    entered = _ENTERED.search(text)
    if entered is not None:
        columns = [column.strip() for column in entered[1].split(",")]
        values = [value.strip() for value in entered[2].split(",")]
        if "tenant" in columns and values[columns.index("tenant")].startswith("?"):
            return int(values[columns.index("tenant")][1:]) - 1
    found = _TENANT.search(text)
    return None if found is None else int(found[1]) - 1


Q: Final = load_statements()
