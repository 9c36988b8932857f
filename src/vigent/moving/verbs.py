"""Moving memory by the names of stores and files: what programs and the command line call."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from vigent.errors import InvalidInput, ResourceExists
from vigent.moving.backup import BackedUp, Restored, backup, restore
from vigent.moving.copying import Copied, copy_tenants
from vigent.moving.differing import Difference, differences
from vigent.moving.exporting import Export, nobody_asks
from vigent.moving.importing import Imported, import_lines, verify_lines
from vigent.ports.moving import Progress
from vigent.ports.storage import Storage
from vigent.ports.system import Clock
from vigent.system import RandomIds, SystemClock
from vigent.wiring import copies_of, open_storage

__all__ = [
    "backup_store",
    "branch_differences",
    "copy_store",
    "drop_branch",
    "export_file",
    "export_to",
    "import_file",
    "import_from",
    "list_branches",
    "make_branch",
    "restore_store",
]

Where: TypeAlias = "str | os.PathLike[str]"
_CLOCK: Final = SystemClock()


def export_to(
    where: Where,
    write: Callable[[bytes], object],
    *,
    tenant: str = "default",
    person: str | None = None,
    vectors: bool = False,
    clock: Clock = _CLOCK,
    progress: Progress = nobody_asks,
) -> Export:
    """Hand the lines of a tenant, or of one person of it, to ``write``, one after another."""
    with closing(open_storage(where)) as storage:
        now = clock.now()
        made = Export(
            storage, tenant, person, now=now, vectors=vectors, progress=progress
        )  # fmt: skip
        for line in made.lines():
            write(line)
    return made


def export_file(where: Where, to: Where, *, force: bool = False, **more: Any) -> Export:
    """Write a tenant, or one person of it, into a file; ``more`` is that of ``export_to``.

    The file bears its name only once it is whole. Raises ResourceExists where it is there,
    unless ``force``.
    """
    path = Path(to)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InvalidInput("file", f"{path} must be a file in a folder that is there")
    if path.exists() and not force:
        raise ResourceExists(f"file: {path} is there already; --force replaces it", field="file")
    half = path.with_name(f"{path.name}.partial")
    try:
        with half.open("wb") as file:
            made = export_to(where, file.write, **more)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
    return made


def import_from(
    where: Where,
    lines: Iterable[bytes],
    *,
    tenant: str | None = None,
    clock: Clock = _CLOCK,
    progress: Progress = nobody_asks,
) -> Imported:
    """Take in the lines of an export, all of them or none, as another tenant if one is named."""
    with closing(open_storage(where)) as storage:
        return import_lines(
            storage, lines, clock=clock, ids=RandomIds(), tenant=tenant, progress=progress
        )


def import_file(where: Where, file: Where, **more: Any) -> Imported:
    """Take in an exported file; ``more`` is that of ``import_from``.

    The file is read to its end and checked before the store is touched.
    """
    with Path(file).open("rb") as lines:
        verify_lines(lines)
    with Path(file).open("rb") as lines:
        return import_from(where, lines, **more)


def copy_store(
    source: Where,
    target: Where,
    *,
    tenant: str | None = None,
    vectors: bool = False,
    clock: Clock = _CLOCK,
    progress: Callable[[str], Progress] = lambda _: nobody_asks,
) -> Iterator[Copied]:
    """Copy the tenants of a store into another one, and prove each; see ``copy_tenants``."""
    if os.fspath(source) == os.fspath(target):
        raise InvalidInput("to", "is the store that is to be copied")
    with closing(open_storage(source)) as one, closing(open_storage(target)) as other:
        yield from copy_tenants(
            one, other, clock=clock, ids=RandomIds(), tenant=tenant, vectors=vectors,
            progress=progress,
        )  # fmt: skip


def backup_store(
    where: Where, to: Where, *, force: bool = False, progress: Progress = nobody_asks
) -> BackedUp:
    """Copy a store into a file while it is used, and check the copy; see ``backup``."""
    return backup(copies_of(where), to, opens=_opened, force=force, progress=progress)


def restore_store(
    file: Where,
    where: Where,
    *,
    force: bool = False,
    ledger: bool = True,
    clock: Clock = _CLOCK,
    progress: Progress = nobody_asks,
) -> Restored:
    """Put a backup in the place of a store, or where there is none yet; see ``restore``."""
    return restore(
        copies_of(file), copies_of(where), where, opens=_opened, clock=clock, ids=RandomIds(),
        force=force, ledger=ledger, progress=progress,
    )  # fmt: skip


def make_branch(where: Where, name: str, *, progress: Progress = nobody_asks) -> str:
    """Make an isolated copy of a store to try something on, and give where it is opened.

    Nothing works by itself on a branch: no sweep, no seals, no vectors behind the writes.
    """
    return copies_of(where).branch(name, progress)


def list_branches(where: Where) -> list[tuple[str, str]]:
    """Give the branches of a store by name, and where each is opened."""
    return copies_of(where).branches()


def drop_branch(where: Where, name: str) -> None:
    """Remove a branch, with all that is in it; raises NotFound."""
    copies_of(where).drop(name)


@contextmanager
def branch_differences(
    where: Where, name: str, *, tenant: str | None = None, clock: Clock = _CLOCK
) -> Generator[Iterator[Difference]]:
    """Say what is in force in a branch and not in the store, and the other way round."""
    found = dict(list_branches(where)).get(name)
    if found is None:
        raise InvalidInput("name", f"there is no branch {name}")
    with closing(open_storage(where)) as one, closing(open_storage(found)) as other:
        yield differences(one, other, clock.now(), tenant)


def _opened(path: str) -> Storage:
    return open_storage(path)
