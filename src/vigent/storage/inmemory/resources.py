"""Resources and the audit trail of a store in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from vigent.domain.changes import AuditEntry, ResourceChanges
from vigent.domain.resources import AuditRow, ResourceRow, Rkind

__all__ = ["ResourceRows", "ResourceView"]

ResourceRows = dict[tuple[str, str, str], ResourceRow]


Seals = list[tuple[tuple[str, ...], bytes, str]]


class Held(Protocol):
    """What is read here of all that is held in memory."""

    resources: ResourceRows
    salts: dict[str, bytes]
    audit: dict[str, AuditEntry]
    emptied: set[str]
    seals: Seals


class ResourceView:
    """Reads resources, and takes changes of them in."""

    def __init__(self, held: Held) -> None:
        self._resources = held.resources
        self._governed = held

    def resource(self, tenant: str, kind: Rkind, id: str) -> ResourceRow | None:
        """Give one resource by its id."""
        return self._resources.get((tenant, kind, id))

    def resource_named(self, tenant: str, kind: Rkind, name: str) -> ResourceRow | None:
        """Give one resource by its name."""
        named = [r for r in self._resources.values() if r[:2] == (tenant, kind) and r.name == name]
        return named[0] if named else None

    def resources(
        self, tenant: str, kind: Rkind, *, after: str = "", limit: int = 1000
    ) -> list[ResourceRow]:
        """Give the resources of a kind whose id is greater than one, in order of their ids."""
        found = [r for r in self._resources.values() if r[:2] == (tenant, kind) and r.id > after]
        return sorted(found, key=lambda r: r.id)[:limit]

    def tenants(self) -> list[str]:
        """Give every tenant that anything was ever written for, in order."""
        return sorted(self._governed.salts)

    def audit_entries(
        self,
        tenant: str,
        *,
        before: str | None = None,
        action: str | None = None,
        target: str | None = None,
        limit: int = 100,
    ) -> list[AuditRow]:
        """Give entries of the audit trail, newest first, from before an entry's id on."""
        held = self._governed
        found = [
            e
            for e in held.audit.values()
            if e.tenant == tenant
            and (before is None or e.id < before)
            and action in (None, e.action)
            and target in (None, e.target)
        ]
        return _entries_of(found, held.emptied, held.seals)[:limit]

    def _change_resources(self, changes: ResourceChanges | None) -> None:
        if changes is None:
            return
        for r in changes.removed:
            self._resources.pop(r[:3], None)
        for r in changes.kept:
            self._resources[r[:3]] = r


def _entries_of(
    entries: Iterable[AuditEntry],
    emptied: Collection[str],
    seals: Sequence[tuple[tuple[str, ...], bytes, str]],
) -> list[AuditRow]:
    """Give audit entries as they are read, newest first."""
    sealed: dict[str, int] = {}
    counted: dict[str, int] = {}
    for ids, _, tenant in seals:
        counted[tenant] = counted.get(tenant, 0) + 1
        sealed.update(dict.fromkeys(ids, counted[tenant]))
    rows = [
        AuditRow(e.id, e.at, e.action, e.outcome, e.target, sealed.get(e.id), None, None, None)
        if e.id in emptied
        else AuditRow(
            e.id, e.at, e.action, e.outcome, e.target, sealed.get(e.id), e.store, e.person,
            e.content,
        )
        for e in entries
    ]  # fmt: skip
    return sorted(rows, key=lambda r: r.id, reverse=True)
