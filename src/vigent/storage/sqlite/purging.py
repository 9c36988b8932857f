"""Takes what was removed out of the files of a SQLite store.

Two steps with two names: *removed* (out of every read, at once) and *purged* (not in the files
either). A reader that still holds old pages keeps the second from being true, so it is not said.
"""

from __future__ import annotations

import apsw

from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.reading import Q

__all__ = ["purge_files"]


def purge_files(connection: Database) -> bool:
    """Rewrite the file without what was removed; False while that cannot be.

    A reader holds old pages, somebody writes, or there is no space for the new file: the rows are
    removed none the less, so it is an answer and no error.
    """
    run = connection.execute
    try:
        run("VACUUM")
        busy, _log, _moved = run("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
        if not busy:
            run(Q["erased_purged"])
            run(Q["job_done"], ("purge",))
    except (apsw.BusyError, apsw.FullError):
        return False
    return not busy
