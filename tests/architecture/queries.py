"""Reader of the named-query files, written apart from the package's own loader.

Format: a line ``-- name: the_name``, one or more ``-- a sentence`` lines, then the
SQL up to its ``;``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.architecture.source import PACKAGE

QUERIES_FILE = PACKAGE / "storage" / "sqlite" / "queries.sql"
POSTGRES_FILES = tuple(
    PACKAGE / "storage" / "postgres" / name for name in ("queries.sql", "queries_search.sql")
)


@dataclass(frozen=True)
class Query:
    """One named query."""

    name: str
    sentence: str
    sql: str


def read_queries(*files: Path) -> list[Query]:
    """Every query of some files, SQLite's if none is given, in their order."""
    text = "".join(file.read_text(encoding="utf-8") for file in files or (QUERIES_FILE,))
    return [read_block(block) for block in text.split("-- name:")[1:]]


def read_block(block: str) -> Query:
    name, *lines = block.strip().splitlines()
    comments = []
    while lines and lines[0].startswith("--"):
        comments.append(lines.pop(0).removeprefix("--").strip())
    sql = "\n".join(line for line in lines if not line.lstrip().startswith("--"))
    return Query(name.strip(), " ".join(comments), sql.strip())
