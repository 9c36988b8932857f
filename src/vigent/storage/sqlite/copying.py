"""Whole copies of a SQLite store: made while it is in use, put in its place, or beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, cast

import apsw

from vigent.errors import InvalidInput, NotFound, ResourceExists, StoreBusy
from vigent.ports.moving import Held, Progress
from vigent.storage.migrate import refuse_foreign
from vigent.storage.queries import load_queries
from vigent.storage.sqlite.connection import translated
from vigent.storage.sqlite.database import Database

__all__ = ["SqliteCopies", "marked_as_branch"]

Q = load_queries("vigent.storage.sqlite")

_PAGES: Final = 2_000
"""Pages copied between two words of progress."""
_BRANCH: Final = 0x56624272
"""How the header of a file says that it is a branch."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""The files that a store may consist of."""


def marked_as_branch(connection: Database) -> bool:
    """Whether a file says of itself that it is a branch."""
    return connection.execute("PRAGMA application_id").fetchall()[0][0] == _BRANCH


def _removed(path: Path) -> None:
    for end in _BESIDE:
        path.with_name(path.name + end).unlink(missing_ok=True)


def _single(connection: Database) -> None:
    """Bring all into the one file: nothing of it stands in a log beside it."""
    connection.execute("PRAGMA journal_mode = DELETE").fetchall()


class SqliteCopies:
    """Copies of one file."""

    def __init__(self, path: str) -> None:
        self.path = Path(path).absolute()

    def exists(self) -> bool:
        """Whether there is a store to be copied."""
        return self.path.is_file()

    def copy(self, to: str, progress: Progress) -> None:
        """Copy the store as it is at one instant, while others read and write it."""
        self._copy(Path(to), progress, branch=False)

    def _copy(self, to: Path, progress: Progress, *, branch: bool) -> None:
        with translated(), closing(_opened(self.path)) as source:
            refuse_foreign(cast("Database", source))
            # The view stays the same while it is open: the copy never has to begin again.
            source.execute("BEGIN")
            source.execute("SELECT 1 FROM sqlite_schema").fetchall()
            with closing(apsw.Connection(str(to))) as target:
                with target.backup("main", source, "main") as running:
                    while not running.done:
                        running.step(_PAGES)
                        progress(running.page_count - running.remaining, running.page_count)
                copied = cast("Database", target)
                _single(copied)
                copied.execute(
                    "PRAGMA application_id = 0x56624272" if branch else "PRAGMA application_id = 0"
                ).fetchall()
        with to.open("rb") as file:
            os.fsync(file.fileno())

    @contextmanager
    def alone(self) -> Generator[_Alone]:
        """Keep everybody else out; raises StoreBusy where another has the store open."""
        with translated(), closing(_opened(self.path)) as connection:
            connection.set_busy_timeout(1_000)
            try:
                # Whoever has a store open holds its file, so this waits until nobody has.
                connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
                _single(cast("Database", connection))
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("COMMIT")  # the lock stays until the file is closed
            except apsw.BusyError as error:
                raise StoreBusy(
                    f"{self.path} is open elsewhere; stop what uses it, and try again"
                ) from error
            yield _Alone(cast("Database", connection), self.path)

    # ------------------------------------------------------------------------ branches

    def _branch(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise InvalidInput(
                "name", "must be 1 to 40 of a-z, 0-9, - and _, the first a letter or digit"
            )
        return self.path.with_name(f"{self.path.name}.branch-{name}")

    def branch(self, name: str, progress: Progress) -> str:
        """Make an isolated copy under a name, and give where it is opened."""
        path = self._branch(name)
        if path.exists():
            raise ResourceExists(f"name: there is a branch {name} already", field="name")
        half = path.with_name(path.name + ".partial")
        _removed(half)
        self._copy(half, progress, branch=True)
        half.rename(path)
        return str(path)

    def branches(self) -> list[tuple[str, str]]:
        """Give the branches by name, and where each is opened."""
        begin = f"{self.path.name}.branch-"
        named = {
            path.name.removeprefix(begin): str(path)
            for path in self.path.parent.iterdir()
            if path.name.startswith(begin)
        }
        return sorted((name, path) for name, path in named.items() if _NAME.fullmatch(name))

    def drop(self, name: str) -> None:
        """Remove a branch, with all that is in it; raises NotFound."""
        path = self._branch(name)
        if not path.exists():
            raise NotFound(f"name: there is no branch {name}", field="name")
        _removed(path)


class _Alone:
    """A store that nobody else has open."""

    def __init__(self, connection: Database, path: Path) -> None:
        self._connection = connection
        self._path = path

    def ledger(self) -> list[Held]:
        """Give who was erased, of every tenant."""
        run = self._connection.execute
        found: list[Held] = []
        for tenant, salt in run(Q["salts"]).fetchall():
            rows = tuple(run(Q["move_erased"], (tenant,)).fetchall())
            if rows:
                found.append(Held(tenant, salt, rows))
        return found

    def replace(self, path: Path) -> None:
        """Put a file in the place of the store."""
        path.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _opened(path: Path) -> Any:
    if not path.is_file():
        raise InvalidInput("path_or_url", f"there is no store at {path}")
    flags = apsw.SQLITE_OPEN_READWRITE
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(10_000)
    return connection
