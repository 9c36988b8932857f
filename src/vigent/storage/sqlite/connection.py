"""Opens SQLite files the one way Vigent uses them, and translates what the engine reports.

A connection belongs to one thread and one process. Writes take the lock at once (``BEGIN
IMMEDIATE``): a lock taken later would fail as soon as another process wrote in between.
"""

from __future__ import annotations

import os
import random
import threading
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

import apsw

from vigent.errors import (
    CorruptStore,
    InternalError,
    InvalidInput,
    StoreBusy,
    StoreFull,
    StoreReadOnly,
    UnavailableError,
    VigentError,
)
from vigent.storage.migrate import refuse_foreign
from vigent.storage.sqlite.database import Database

__all__ = ["Connections", "translate", "translated"]

_WAL = "PRAGMA journal_mode = WAL"
_PRAGMAS = (
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA foreign_keys = ON",
    "PRAGMA mmap_size = 2147418112",
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 2000",
)

_NO_WAL = (
    "SQLite cannot keep a write-ahead log there (a network file system?); "
    "put the store on a local disk"
)

_MOVED = (
    "the file of the store was removed, renamed or replaced while it was open; "
    "nothing was written: put it back, or close the store and open it again"
)

_NEW, _PATIENT = 4, 1_000
"""Up to how many tries a process is new among those who wait, and still in a hurry."""
_CROWDED, _COURTESY = 0.1, 0.001
"""For how long others count as waiting once met, and how long they are let go first (s)."""


_MAGIC = b"SQLite format 3\0"
"""How the file of a store begins."""

_OURS: tuple[tuple[type[apsw.Error], type[VigentError], str], ...] = (
    (apsw.BusyError, StoreBusy, "the store is being written by others; nothing was written"),
    (apsw.LockedError, StoreBusy, "the store is being written by others; nothing was written"),
    (apsw.ReadOnlyError, StoreReadOnly, "the store cannot be written (read-only file or folder)"),
    (apsw.FullError, StoreFull, "no space is left for the store; nothing was written"),
    (apsw.CantOpenError, StoreReadOnly, "the store file cannot be opened; check path and rights"),
    (apsw.IOError, UnavailableError, "reading or writing the store failed; nothing was written"),
    (apsw.ConnectionClosedError, UnavailableError, "the store is closed"),
    (apsw.CorruptError, CorruptStore, "the file is damaged or not a Vigent store"),
    (apsw.NotADBError, CorruptStore, "the file is damaged or not a Vigent store"),
)  # fmt: skip


def translate(error: apsw.Error) -> VigentError:
    """Give the error of ours for one of the engine's."""
    if isinstance(error, apsw.ConstraintError):
        return CorruptStore(f"the store refused a contradiction: {error}")
    for theirs, ours, message in _OURS:
        if isinstance(error, theirs):
            return ours(message)
    return InternalError(f"{type(error).__name__}: {error}")


@contextmanager
def translated() -> Generator[None]:
    """Turn the engine's errors into ours, whatever is done inside."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error) from error


@contextmanager
def _explained(path: str) -> Generator[None]:
    """Say what is wrong with the path, where it is the path that keeps a file from being opened."""
    try:
        yield
    except (apsw.CantOpenError, apsw.NotADBError) as error:
        problem = _problem_of(Path(path))
        if problem is None:
            raise
        raise InvalidInput("path_or_url", problem) from error


def _problem_of(path: Path) -> str | None:
    try:
        if path.is_dir():
            return f"{path} is a folder; give the path of a file"
        if not path.parent.is_dir():
            return f"the folder {path.parent} is not there; make it first"
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except OSError:
        return None
    return None if start == _MAGIC else f"{path} is not a Vigent store; it was left as it is"


def _file_at(path: str) -> tuple[int, int] | None:
    """Give what tells a file from every other, or None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - at every write, and half the time of Path.stat
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


class _Alive:
    """Kept by a thread alone: once it is gone, so is the thread."""

    __slots__ = ("__weakref__",)


class _Opened(NamedTuple):
    """A connection, and whose it is."""

    connection: Database
    process: int
    thread: weakref.ref[_Alive]


class Connections:
    """One connection a thread to one file, opened when first asked for.

    Those of threads that have ended are closed when the next one is opened.
    """

    def __init__(self, path: str, *, durability: str, busy_timeout: float) -> None:
        if durability not in ("normal", "full"):
            raise InvalidInput("durability", "is one of normal, full")
        self.path = str(Path(path).absolute())
        self._durability = durability
        self._busy_timeout = busy_timeout
        self._local = threading.local()
        self._guard = threading.Lock()
        self._all: list[_Opened] = []
        self._closed = False
        self._file: tuple[int, int] | None = None

    def get(self) -> Database:
        """Give this thread's connection."""
        local = self._local
        try:
            if local.process == os.getpid():
                return local.connection
        except AttributeError:
            pass
        connection, alive = self._open(), _Alive()
        local.connection, local.process, local.alive = connection, os.getpid(), alive
        with self._guard:
            self._all.append(_Opened(connection, os.getpid(), weakref.ref(alive)))
            self._prune()
        return connection

    def _prune(self) -> None:
        """Close what threads of this process that have ended left open.

        What was open when the process was forked belongs to the other process, and is left alone.
        """
        here, kept = os.getpid(), list[_Opened]()
        for opened in self._all:
            if opened.process == here and opened.thread() is None:
                opened.connection.close(force=True)
            else:
                kept.append(opened)
        self._all = kept

    def _open(self) -> Database:
        if self._closed:
            raise UnavailableError("the store is closed")
        self.in_place()  # or another file would be made under the name of the first
        with translated(), _explained(self.path):
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
            opened = apsw.Connection(self.path, flags=flags, statementcachesize=200)
            opened.set_busy_handler(self._wait)
            # Plans do not depend on the values bound, so nothing is prepared twice.
            opened.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            connection = cast("Database", opened)
            refuse_foreign(connection)
            (mode,) = connection.execute(_WAL).fetchall()[0]
            if mode != "wal":  # SQLite goes on in another mode, in which none of our promises hold
                connection.close()
                raise InvalidInput("path_or_url", _NO_WAL)
            for pragma in _PRAGMAS:
                connection.execute(pragma).fetchall()
            # At power loss NORMAL may lose the last commits, never the file; FULL loses none.
            connection.execute(
                "PRAGMA synchronous = FULL"
                if self._durability == "full"
                else "PRAGMA synchronous = NORMAL"
            ).fetchall()
        if self._file is None:
            self._file = _file_at(self.path)
        return connection

    def in_place(self) -> None:
        """Raise UnavailableError where the path does not name the file any more that is open.

        Writes to a file that was removed, renamed or replaced succeed, and are lost.
        """
        if self._file is not None and _file_at(self.path) != self._file:
            raise UnavailableError(_MOVED)

    def _wait(self, tries: int) -> bool:
        """Wait a moment for the lock; give up after the bounded time."""
        now = time.monotonic()
        if getattr(self._local, "hurried", False):
            return False
        if tries == 0:
            self._local.waiting_since = now
        elif now - self._local.waiting_since > self._busy_timeout:
            return False
        self._local.crowded_until = now + _CROWDED
        # Short, uneven naps: whoever waits longest looks most often, until there is no hurry.
        nap = random.uniform(0.0003, 0.001)  # noqa: S311 - no secret
        time.sleep(nap * (4 if tries < _NEW else 1 if tries < _PATIENT else 8))
        return True

    def begin(self, connection: Database, *, wait: bool) -> None:
        """Take the write lock on this thread's connection, or find out at once that it is taken."""
        self.in_place()
        if wait:
            self._give_way()
            connection.execute("BEGIN IMMEDIATE")
            return
        self._local.hurried = True
        try:
            connection.execute("BEGIN IMMEDIATE")
        finally:
            self._local.hurried = False

    def _give_way(self) -> None:
        """Let those who wait for the lock go first, where there were any lately.

        Without it the process that has just written finds the lock free and takes it again.
        """
        if time.monotonic() < getattr(self._local, "crowded_until", 0.0):
            time.sleep(_COURTESY)

    def close(self) -> None:
        """Close every connection."""
        self._closed = True
        with self._guard:
            for opened in self._all:
                opened.connection.close(force=True)
            self._all.clear()
        self._local = threading.local()
