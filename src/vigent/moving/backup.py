"""Backs a store up into one file while it is used, and puts such a file in its place again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from vigent.errors import CorruptStore, InvalidInput, ResourceExists
from vigent.moving.checking import whole
from vigent.moving.exporting import nobody_asks
from vigent.moving.ledger import take_over
from vigent.ports.moving import Copies, Held, Progress
from vigent.ports.storage import Storage
from vigent.ports.system import Clock, IdSource

__all__ = ["BackedUp", "Restored", "backup", "restore"]

Opens = Callable[[str], Storage]
"""Opens the store at a path."""


class BackedUp(NamedTuple):
    """A backup that was opened and checked: where, how large, and its rows by table."""

    path: str
    bytes: int
    counts: Mapping[str, int]


class Restored(NamedTuple):
    """A store that was put back; ``erased`` persons were in the backup and are erased again."""

    path: str
    counts: Mapping[str, int]
    erased: int


def backup(
    copies: Copies,
    to: str | os.PathLike[str],
    *,
    opens: Opens,
    force: bool = False,
    progress: Progress = nobody_asks,
) -> BackedUp:
    """Copy a store into a file, as it is at one instant; others go on reading and writing.

    The copy is opened and checked under another name first. What was erased and still stands in
    pages of the store is not in the backup. Raises ResourceExists where the file is there,
    unless ``force``; CorruptStore where the copy does not add up, and then there is no file.
    """
    path = _free(to, force=force)
    half = _half(path, "partial")
    try:
        copies.copy(str(half), progress)
        with closing(opens(str(half))) as storage:
            counts = whole(storage)
            with storage.snapshot() as snapshot:
                unpurged = snapshot.pending().unpurged_since is not None
            if unpurged:
                storage.purge()
        _settled(half)
        half.replace(path)
    finally:
        _clear(half)
    return BackedUp(str(path), path.stat().st_size, counts)


def restore(
    backup_of: Copies,
    copies: Copies,
    where: str | os.PathLike[str],
    *,
    opens: Opens,
    clock: Clock,
    ids: IdSource,
    force: bool = False,
    ledger: bool = True,
    progress: Progress = nobody_asks,
) -> Restored:
    """Put a backup in the place of a store, or where there is none yet.

    The store that is replaced must be open nowhere; who was erased in it since the backup was
    made is erased in the copy, before anybody can read it. ``ledger`` False leaves that out, for
    a store that can no longer be read. Until all is checked nothing changes in the place.
    Raises ResourceExists where a store is there, unless ``force``; StoreBusy where it is open;
    StoreNewer, CorruptStore for a backup that cannot be used.
    """
    path = _free(where, force=force)
    if not backup_of.exists():
        raise InvalidInput("file", "there is no backup at this path")
    half = _half(path, "restoring")
    try:
        backup_of.copy(str(half), progress)
        if not copies.exists():
            done = _prepared(half, [], opens, clock, ids)
            _clear(path)  # a log that a lost store left would be taken for one of this
            half.replace(path)
        elif not ledger:
            done = _prepared(half, [], opens, clock, ids)
            with copies.alone() as store:
                store.replace(half)
        else:
            with copies.alone() as store:
                done = _prepared(half, store.ledger(), opens, clock, ids)
                store.replace(half)
    finally:
        _clear(half)
    return done._replace(path=str(path))


def _prepared(
    half: Path, ledgers: list[Held], opens: Opens, clock: Clock, ids: IdSource
) -> Restored:
    """Bring a copy up to date, let go of whom it must not bring back, and check it."""
    with closing(opens(str(half))) as storage:
        erased = take_over(storage, ledgers, clock, ids)
        if erased:
            storage.purge()
        counts = whole(storage)
    _settled(half)
    return Restored(str(half), counts, erased)


def _free(to: str | os.PathLike[str], *, force: bool) -> Path:
    path = Path(to).absolute()
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidInput("file", f"{path} must be a file in a folder that is there")
    if path.exists() and not force:
        raise ResourceExists(f"file: {path} is there already; --force replaces it", field="file")
    return path


def _half(path: Path, state: str) -> Path:
    half = path.with_name(f"{path.name}.{state}")
    _clear(half)
    return half


def _settled(half: Path) -> None:
    """See to it that all of a store is in its one file."""
    if half.with_name(f"{half.name}-wal").exists():
        raise CorruptStore("the copy could not be brought into one file")


def _clear(half: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        half.with_name(half.name + end).unlink(missing_ok=True)
