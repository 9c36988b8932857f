"""Turns a store of today into what an older schema would have left."""

from __future__ import annotations

from pathlib import Path

import apsw

from vigent.domain.audit import digest_entry
from vigent.storage.migrate import migrations_of

# What each step brought, and how that is taken away again.
BROUGHT = {
    2: ("DROP TABLE thread", "DROP TABLE thread_item", "DROP TABLE thread_state"),
    3: (
        "DROP TABLE passage", "DROP TABLE index_change", "DROP TABLE embedder",
        "DROP TABLE vector", "DELETE FROM sqlite_sequence",
    ),
    4: (
        "DROP TRIGGER key_bears_commitment", "DROP TRIGGER key_bears_behaviour",
        "DROP INDEX key_bears", "ALTER TABLE key DROP COLUMN bears",
    ),
    5: ("DROP TABLE alias",),
    6: ("DROP TABLE resource", "DROP INDEX IF EXISTS thread_id"),
    10: ("DROP INDEX statement_waiting", "DROP INDEX IF EXISTS resource_candidate"),
    9: ("DROP INDEX IF EXISTS thread_quiet",),
    8: ("DROP INDEX statement_recorded",),
    7: ("DROP TABLE usage", "ALTER TABLE audit DROP COLUMN said"),
}  # fmt: skip
PACKAGE = "vigent.storage.sqlite"


def made_older(path: Path, version: int) -> None:
    """Take away what the steps after ``version`` brought, and bring back what they dropped."""
    first = migrations_of(PACKAGE)[0].sql
    begin = first.index("CREATE VIRTUAL TABLE words")
    words = first[begin : first.index(";", begin) + 1]
    connection = apsw.Connection(str(path))
    for step, undone in reversed(BROUGHT.items()):
        for statement in undone if step > version else ():
            connection.execute(statement)
    if version < 3:
        connection.execute(words)
    if version < 7:
        with_first_digests(connection)
    connection.execute("DELETE FROM migration WHERE number > ?", (version,))
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def with_first_digests(connection: apsw.Connection) -> None:
    """Let audit entries have the digests that they had when there was one for all of an entry."""
    rows = connection.execute(
        "SELECT no, salt, id, at, action, outcome, target, content"
        " FROM audit JOIN audit_content ON audit = no"
    ).fetchall()
    for no, *entry in rows:
        connection.execute("UPDATE audit SET digest = ? WHERE no = ?", (digest_entry(*entry), no))
    connection.execute("UPDATE audit SET seal = NULL")
    connection.execute("DELETE FROM seal")
