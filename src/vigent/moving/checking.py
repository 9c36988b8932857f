"""Says whether a copy is one: that it adds up by itself, and answers as what it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from vigent.domain.statements import Key, KeyId
from vigent.domain.time import Instant
from vigent.errors import CorruptStore
from vigent.govern.indexing import mend_index
from vigent.ports.storage import Selection, Snapshot, Storage, Stretched

__all__ = ["Proof", "probe", "whole"]

_PROBES: Final = 200
"""Keys that are asked of both stores."""
_INSTANTS: Final = 5
"""Instants of each axis at which a key is asked."""


class Proof(NamedTuple):
    """What was compared of two stores: rows by table, and reads of each kind."""

    counts: Mapping[str, int]
    reads: Mapping[str, int]


def whole(storage: Storage) -> Mapping[str, int]:
    """Check all of a copy: pages, beliefs against the replay, trails; gives rows by table.

    What its search index lacks, because that lagged behind, is made first. Raises CorruptStore
    with the first things that do not add up.
    """
    with storage.snapshot() as snapshot:
        tenants = snapshot.tenants()
    for tenant in tenants:
        mend_index(storage, tenant)
    problems = list(storage.check())
    counts: dict[str, int] = {}
    with storage.snapshot() as snapshot:
        for tenant in tenants:
            for name, count in snapshot.moving_counts(tenant, None).items():
                counts[name] = counts.get(name, 0) + count
    for tenant in tenants:
        problems += [f"{tenant}: {fault}" for fault in storage.audit(tenant).broken]
    if problems:
        raise CorruptStore(f"the copy does not add up: {'; '.join(problems[:5])}")
    return counts


def probe(one: Storage, other: Storage, tenant: str, target: str, now: Instant) -> Proof:
    """Ask two stores the same of a tenant, which in the second may bear another name.

    What is in force, what was, the whole history, and what was known: of keys spread over the
    tenant, at instants at which something changes there. Raises CorruptStore for an answer that
    differs, or rows that do.
    """
    reads: dict[str, int] = {"current": 0, "history": 0, "as_of": 0, "known_at": 0}
    with one.snapshot() as here, other.snapshot() as there:
        counts, copied = (
            dict(snapshot.moving_counts(name, None))
            for snapshot, name in ((here, tenant), (there, target))
        )
        if counts != copied:
            wrong = ", ".join(n for n in counts if counts[n] != copied[n])
            raise CorruptStore(f"the copy of tenant {tenant} has not as many rows: {wrong}")
        for key in _some(here, tenant, counts["key"]):
            same = _same(there, target, key)
            for kind, ours, theirs in _answers(here, key, there, same, now):
                reads[kind] += 1
                if ours != theirs:
                    id = key.id
                    raise CorruptStore(
                        f"the copy of tenant {tenant} answers otherwise ({kind}) of"
                        f" {id.subject} {id.attribute}"
                    )
    broken = other.audit(target).broken
    if broken:
        raise CorruptStore(f"the audit trail of the copy does not add up: {broken[0]}")
    return Proof(counts, reads)


def _some(snapshot: Snapshot, tenant: str, count: int) -> Iterator[Key]:
    """Give keys spread evenly over those of a tenant."""
    step = max(1, count // _PROBES)
    picked = [
        KeyId(tenant, *row[1:6])
        for place, row in enumerate(snapshot.moving_rows("key", tenant, None))
        if place % step == 0
    ]
    for id in picked:
        yield from snapshot.keys(Selection(tenant, id.store, (), exact=(id,)))


def _same(snapshot: Snapshot, tenant: str, key: Key) -> Key:
    id = key.id._replace(tenant=tenant)
    found = snapshot.keys(Selection(tenant, id.store, (), exact=(id,)))
    if not found:
        raise CorruptStore(f"the copy lacks {id.subject} {id.attribute}")
    return found[0]


def _answers(
    here: Snapshot, key: Key, there: Snapshot, same: Key, now: Instant
) -> Iterator[tuple[str, Any, Any]]:
    history = here.beliefs(key)
    yield "history", _told(history), _told(there.beliefs(same))
    at = max(now, key.last_recorded)
    yield "current", _told(here.at(key, None, at, None)), _told(there.at(same, None, at, None))
    step = max(1, len(history) // _INSTANTS)
    for found in history[::step]:
        valid, known = found.belief.valid_from, found.belief.recorded_from
        yield (
            "as_of",
            _told(here.at(key, None, valid, None)),
            _told(there.at(same, None, valid, None)),
        )
        yield (
            "known_at",
            _told(here.at(key, None, valid, known)),
            _told(there.at(same, None, valid, known)),
        )


def _told(found: list[Stretched]) -> list[tuple[Any, ...]]:
    """Give what an answer says, without the numbers of rows."""
    return [
        (
            *belief[5:], belief.member, statement.id, statement.status, statement.value_kind,
            statement.value, statement.text, statement.confidence, statement.replaces,
        )
        for _, belief, statement in found
    ]  # fmt: skip
