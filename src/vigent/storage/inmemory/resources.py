"""Resources of a store in memory."""

from __future__ import annotations

from vigent.domain.changes import ResourceChanges
from vigent.domain.resources import ResourceRow, Rkind

__all__ = ["ResourceRows", "ResourceView"]

ResourceRows = dict[tuple[str, str, str], ResourceRow]


class ResourceView:
    """Reads resources, and takes changes of them in."""

    def __init__(self, resources: ResourceRows) -> None:
        self._resources = resources

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

    def _change_resources(self, changes: ResourceChanges | None) -> None:
        if changes is None:
            return
        for r in changes.removed:
            self._resources.pop(r[:3], None)
        for r in changes.kept:
            self._resources[r[:3]] = r
