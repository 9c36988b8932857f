"""Turns a store of today into what an older schema would have left."""

from __future__ import annotations

from pathlib import Path

import apsw

from vigent.storage.migrate import migrations_of

TABLES = {2: ("thread", "thread_item", "thread_state"),
          3: ("passage", "index_change", "embedder", "vector")}  # fmt: skip
PACKAGE = "vigent.storage.sqlite"


def made_older(path: Path, version: int) -> None:
    """Take away what the steps after ``version`` brought, and bring back what they dropped."""
    first = migrations_of(PACKAGE)[0].sql
    begin = first.index("CREATE VIRTUAL TABLE words")
    words = first[begin : first.index(";", begin) + 1]
    connection = apsw.Connection(str(path))
    for step, tables in TABLES.items():
        for table in tables if step > version else ():
            connection.execute(f"DROP TABLE {table}")
    if version < 3:
        connection.execute("DELETE FROM sqlite_sequence")
        connection.execute(words)
    connection.execute("DELETE FROM migration WHERE number > ?", (version,))
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
