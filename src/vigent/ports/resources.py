"""What the core asks of storage about resources and the audit trail; part of every snapshot."""

from __future__ import annotations

from typing import Protocol

from vigent.domain.resources import AuditRow, ResourceRow, Rkind
from vigent.domain.time import Instant
from vigent.domain.usage import UsageRow

__all__ = ["ResourceQuick", "ResourceReads"]


class ResourceQuick(Protocol):
    """What may be asked without a transaction."""

    def resource(self, tenant: str, kind: Rkind, id: str) -> ResourceRow | None:
        """Give one resource by its id."""
        ...

    def resource_named(self, tenant: str, kind: Rkind, name: str) -> ResourceRow | None:
        """Give one resource by its name."""
        ...


class ResourceReads(ResourceQuick, Protocol):
    """Resources, tenants and audit entries, as one view sees them."""

    def resources(
        self, tenant: str, kind: Rkind, *, after: str = "", limit: int = 1000
    ) -> list[ResourceRow]:
        """Give the resources of a kind whose id is greater than one, in order of their ids."""
        ...

    def tenants(self) -> list[str]:
        """Give every tenant that anything was ever written for, in order."""
        ...

    def audit_entries(
        self,
        tenant: str,
        *,
        before: str | None = None,
        action: str | None = None,
        target: str | None = None,
        person: str | None = None,
        limit: int = 100,
    ) -> list[AuditRow]:
        """Give entries of the audit trail, newest first, from before an entry's id on.

        With a person, those about them whose content is there.
        """
        ...

    def seal_before(self, tenant: str, at: Instant) -> int:
        """Give the last seal made before an instant that still has entries; 0 where none has."""
        ...

    def usage(self, tenant: str, since: Instant, until: Instant) -> list[UsageRow]:
        """Give what model calls came to on the days in ``[since, until)``, day by day."""
        ...
