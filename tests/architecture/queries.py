"""Reader of the named-query file, written apart from the package's own loader.

Format: a line ``-- name: the_name``, one or more ``-- a sentence`` lines, then the
SQL up to its ``;``.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.architecture.source import PACKAGE

QUERIES_FILE = PACKAGE / "storage" / "sqlite" / "queries.sql"


@dataclass(frozen=True)
class Query:
    """One named query."""

    name: str
    sentence: str
    sql: str


def read_queries() -> list[Query]:
    """Every query of the file, in its order."""
    blocks = QUERIES_FILE.read_text(encoding="utf-8").split("-- name:")[1:]
    return [read_block(block) for block in blocks]


def read_block(block: str) -> Query:
    name, *lines = block.strip().splitlines()
    comments = []
    while lines and lines[0].startswith("--"):
        comments.append(lines.pop(0).removeprefix("--").strip())
    sql = "\n".join(line for line in lines if not line.lstrip().startswith("--"))
    return Query(name.strip(), " ".join(comments), sql.strip())
