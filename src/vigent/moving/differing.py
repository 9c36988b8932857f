"""Says what of two stores is not the same in force: a store, and a branch of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from vigent.domain.statements import KeyId
from vigent.domain.time import OPEN, Instant, iso
from vigent.domain.values import jsonable
from vigent.ports.storage import Selection, Snapshot, Storage

__all__ = ["Difference", "Fact", "differences"]


class Fact(NamedTuple):
    """What is in force of a key: a value or a text, and over what."""

    memory_id: str
    value: Any
    valid_from: Instant
    valid_to: Instant

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON-ready values."""
        until = None if self.valid_to >= OPEN else iso(self.valid_to)
        return {
            "memory_id": self.memory_id, "value": self.value,
            "valid_from": iso(self.valid_from), "valid_to": until,
        }  # fmt: skip


class Difference(NamedTuple):
    """A key of which not the same is in force: what holds here, and what there."""

    key: KeyId
    name: str
    here: tuple[Fact, ...]
    there: tuple[Fact, ...]

    @property
    def change(self) -> str:
        """What became of it: added, removed, or changed."""
        if not self.here:
            return "added"
        return "changed" if self.there else "removed"

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON-ready values; a block has its label as the subject."""
        id = self.key
        return {
            "change": self.change, "tenant": id.tenant, "store": id.store,
            "person": id.person or None, "subject": self.name.lstrip("\x01") or None,
            "attribute": id.attribute or None, "type": id.type or None,
            "here": [fact.to_dict() for fact in self.here],
            "there": [fact.to_dict() for fact in self.there],
        }  # fmt: skip


def differences(
    one: Storage, other: Storage, now: Instant, tenant: str | None = None
) -> Iterator[Difference]:
    """Give the keys of which something else is in force in the second store, in their order.

    Ids do not count: the same value over the same time is the same.
    """
    with one.snapshot() as here, other.snapshot() as there:
        tenants = sorted({*here.tenants(), *there.tenants()})
        for name in tenants if tenant is None else [tenant]:
            named = {**_keys(there, name), **_keys(here, name)}
            for id in sorted(named):
                ours, theirs = _facts(here, id, now), _facts(there, id, now)
                if [f[1:] for f in ours] != [f[1:] for f in theirs]:
                    yield Difference(id, named[id], ours, theirs)


def _keys(snapshot: Snapshot, tenant: str) -> dict[KeyId, str]:
    rows = snapshot.moving_rows("key", tenant, None)
    return {KeyId(tenant, *row[1:6]): row[6] for row in rows}


def _facts(snapshot: Snapshot, id: KeyId, now: Instant) -> tuple[Fact, ...]:
    found: list[Fact] = []
    for key in snapshot.keys(Selection(id.tenant, id.store, (), exact=(id,))):
        at = max(now, key.last_recorded)
        for _, belief, s in snapshot.at(key, None, at, None):
            if s.forgotten_at == OPEN and s.expires_at > now:
                value = (
                    jsonable(s.value_kind or "text", s.value or "") if s.text is None else s.text
                )
                found.append(Fact(s.id, value, belief.valid_from, belief.valid_to))
    return tuple(sorted(found, key=lambda fact: (str(fact.value), fact[2:])))
