"""Stores as older versions left them: today's, with what later migrations brought taken out."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_ADDED = {
    5: ["DROP TABLE alias"],
    4: ["DROP TRIGGER key_bears_commitment", "DROP TRIGGER key_bears_behaviour",
        "DROP INDEX key_bears", "ALTER TABLE key DROP COLUMN bears"],
    3: ["DROP TABLE passage", "DROP TABLE index_change", "DROP TABLE embedder",
        "DROP TABLE vector",
        "CREATE VIRTUAL TABLE words USING fts5 (scope, body,"
        " tokenize = 'porter unicode61 remove_diacritics 2', detail = 'full')"],
    2: ["DROP TABLE thread_item", "DROP TABLE thread_state", "DROP TABLE thread"],
}  # fmt: skip


def older(path: Path, version: int) -> None:
    """Take a closed store back to the schema of a version."""
    with sqlite3.connect(path) as connection:
        for number, steps in _ADDED.items():
            if number > version:
                for step in steps:
                    connection.execute(step)
        connection.execute("DELETE FROM migration WHERE number > ?", (version,))
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
