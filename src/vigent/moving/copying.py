"""Copies tenants from one store into another, of whichever engines, and proves each copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from vigent.errors import CorruptStore, NotFound
from vigent.moving.checking import probe
from vigent.moving.exporting import Export, nobody_asks
from vigent.moving.importing import Imported, import_lines
from vigent.ports.moving import Progress
from vigent.ports.storage import Storage
from vigent.ports.system import Clock, IdSource

__all__ = ["Copied", "copy_tenants"]


class Copied(NamedTuple):
    """The copy of one tenant: whether it was made now, its rows, and how many reads were equal."""

    tenant: str
    fresh: bool
    counts: Mapping[str, int]
    reads: Mapping[str, int]
    vectors: int
    digest: str


def copy_tenants(
    source: Storage,
    target: Storage,
    *,
    clock: Clock,
    ids: IdSource,
    tenant: str | None = None,
    vectors: bool = False,
    progress: Callable[[str], Progress] = lambda _: nobody_asks,
) -> Iterator[Copied]:
    """Copy one tenant or all of them, one after another, each in one transaction.

    Begun again it goes on: a tenant that is there, and the same, is passed over. Each copy is
    compared with its origin before it is given: rows, digest, and reads of both.
    Raises ResourceExists where the target holds another tenant of that name; what was copied
    before stays.
    """
    with source.snapshot() as snapshot:
        tenants = snapshot.tenants()
    if tenant is not None:
        if tenant not in tenants:
            raise NotFound(f"tenant: there is no tenant {tenant} here", field="tenant")
        tenants = [tenant]
    for name in tenants:
        yield _copy(source, target, name, clock, ids, progress(name), vectors=vectors)


def _copy(
    source: Storage,
    target: Storage,
    tenant: str,
    clock: Clock,
    ids: IdSource,
    progress: Progress,
    *,
    vectors: bool,
) -> Copied:
    now = clock.now()
    with source.snapshot():  # what is written meanwhile is in no part of it
        reading = Export(source, tenant, now=now, vectors=vectors)
        done: Imported = import_lines(
            target, reading.lines(), clock=clock, ids=ids, progress=progress
        )
        there = Export(target, tenant, now=now).run()
        if there.digest != reading.digest:
            raise CorruptStore(f"the copy of tenant {tenant} is not what was read")
        proof = probe(source, target, tenant, tenant, now)
        return Copied(tenant, done.fresh, there.counts, proof.reads, done.vectors, there.digest)
