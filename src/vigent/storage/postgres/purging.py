"""Has the database let go of rows that were removed.

A removed row is out of every read at once. Its bytes stay in the pages of its table until VACUUM
has gone over them, which cannot while a transaction is open that might still see the row. What is
said to be *purged* is no row version of any table any more. The space it had is handed out anew
and not overwritten before; the write-ahead log, replicas and backups are the operator's.
"""

from __future__ import annotations

import re
from typing import Any, Final, LiteralString

import psycopg

from vigent.storage.postgres.opening import Place, connect
from vigent.storage.postgres.translating import translate

__all__ = ["vacuumed"]

_TABLES: Final[tuple[LiteralString, ...]] = (
    "VACUUM (VERBOSE) vector_row",
    "VACUUM (VERBOSE) passage",
    "VACUUM (VERBOSE) belief",
    "VACUUM (VERBOSE) audit_content",
    "VACUUM (VERBOSE) statement",
    "VACUUM (VERBOSE) key",
    "VACUUM (VERBOSE) thread_item",
    "VACUUM (VERBOSE) thread_state",
    "VACUUM (VERBOSE) thread",
    "VACUUM (VERBOSE) episode",
    "VACUUM (VERBOSE) idempotency",
    "VACUUM (VERBOSE) job",
    "VACUUM (VERBOSE) alias",
    "VACUUM (VERBOSE) person",
    "VACUUM (VERBOSE) resource",
)
_LEFT: Final = re.compile(r"\b(\d+) are dead but not yet removable")
_SKIPPED: Final = "42501"


def vacuumed(place: Place) -> bool:
    """Run VACUUM over what holds content; gives whether nothing was left behind.

    It needs the owner of the tables: another role leaves it to the server's own upkeep, and then
    it is not said.
    """
    told: list[str] = []
    refused = False

    def note(diagnostic: Any) -> None:
        nonlocal refused
        refused |= diagnostic.sqlstate == _SKIPPED or diagnostic.severity_nonlocalized == "WARNING"
        told.extend(filter(None, (diagnostic.message_primary, diagnostic.message_detail)))

    try:
        with connect(place) as connection:
            connection.add_notice_handler(note)
            for statement in _TABLES:
                connection.execute(statement)
    except psycopg.Error as error:
        raise translate(error) from error
    left = [int(n) for text in told for n in _LEFT.findall(text)]
    # A server that says it in another language is not understood, and so nothing is claimed.
    return not refused and len(left) >= len(_TABLES) and not any(left)
