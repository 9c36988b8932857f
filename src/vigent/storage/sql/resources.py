"""Resources and the audit trail as SQL engines keep them, and as they are read."""

from __future__ import annotations

from typing import Final

from vigent.domain.episodes import EpisodeRow
from vigent.domain.resources import AuditRow, ResourceRow, Rkind
from vigent.domain.time import Instant
from vigent.domain.usage import UsageRow
from vigent.ports.upkeep import Pending
from vigent.storage.sql.rows import SqlView

__all__ = ["RESOURCE_ORDER", "ResourceView"]

_LAST: Final = "aud_g"
"""Greater than any id of an entry."""
RESOURCE_ORDER: Final = ("resource_delete", "resource_put")


class ResourceView(SqlView):
    """Reads resources; a single one may be asked for without a transaction."""

    def resource(self, tenant: str, kind: Rkind, id: str) -> ResourceRow | None:
        """Give one resource by its id."""
        rows = self._run(self._q["resource"], (tenant, kind, id)).fetchall()
        return ResourceRow._make(rows[0]) if rows else None

    def resource_named(self, tenant: str, kind: Rkind, name: str) -> ResourceRow | None:
        """Give one resource by its name."""
        rows = self._run(self._q["resource_named"], (tenant, kind, name)).fetchall()
        return ResourceRow._make(rows[0]) if rows else None

    def resources(
        self, tenant: str, kind: Rkind, *, after: str = "", limit: int = 1000
    ) -> list[ResourceRow]:
        """Give the resources of a kind whose id is greater than one, in order of their ids."""
        rows = self._run(self._q["resources"], (tenant, kind, after, limit)).fetchall()
        return [ResourceRow._make(row) for row in rows]

    def candidates(
        self,
        tenant: str,
        persons: tuple[str, ...],
        holding: str,
        between: tuple[str, str],
        limit: int,
    ) -> list[ResourceRow]:
        """Give the next candidates as they were proposed, in order of their ids."""
        asked = (tenant, *between, holding, limit)
        if not persons:
            rows = self._run(self._q["candidates"], asked).fetchall()
            return [ResourceRow._make(row) for row in rows]
        query, found = self._q["candidates_of_person"], list[ResourceRow]()
        for person in persons:  # each in order, and the order of all made of theirs
            found += map(ResourceRow._make, self._run(query, (*asked, person)).fetchall())
        return sorted(found, key=lambda row: row.id)[:limit]

    def pending(self) -> Pending:
        """Say what waits, of all tenants."""
        run = self._run
        unsealed = run(self._q["unsealed_since"], ()).fetchall()[0][0]
        newest = run(self._q["last_entry"], ()).fetchall()
        unpurged = run(self._q["unpurged_since"], ()).fetchall()[0][0]
        jobs = tuple(
            (kind, state, n) for kind, state, n in run(self._q["jobs_counted"], ()).fetchall()
        )
        return Pending(unsealed, newest[0][0] if newest else None, unpurged, jobs)

    def tenants(self) -> list[str]:
        """Give every tenant that anything was ever written for, in order."""
        return [tenant for (tenant,) in self._run(self._q["tenants"], ()).fetchall()]

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
        """Give entries of the audit trail, newest first, from before an entry's id on."""
        handles: tuple[object, ...] = (tenant, before or _LAST, action, target, limit)
        query = "audit_entries" if target is None else "audit_entries_of"
        if person is not None:
            query, handles = "audit_entries_about", (*handles, person)
        return [AuditRow._make(row) for row in self._run(self._q[query], handles).fetchall()]

    def seal_before(self, tenant: str, at: Instant) -> int:
        """Give the last seal made before an instant that still has entries; 0 where none has."""
        first = self._run(self._q["audit_first_seal"], (tenant,)).fetchall()[0][0]
        if first is None:
            return 0
        later = self._run(self._q["seal_since"], (tenant, first, at)).fetchall()
        last = (
            later[0][0] - 1
            if later
            else self._run(self._q["last_seal"], (tenant,)).fetchall()[0][0]
        )
        return last if last >= first else 0

    def usage(self, tenant: str, since: Instant, until: Instant) -> list[UsageRow]:
        """Give what model calls came to on the days in ``[since, until)``, day by day."""
        rows = self._run(self._q["usage_between"], (tenant, since, until)).fetchall()
        return [UsageRow._make(row) for row in rows]

    def stores_of(self, tenant: str, person: str) -> list[str]:
        """Give the stores in which a person has anything, in order."""
        return sorted(
            {store for (store,) in self._run(self._q["stores_of_person"], (tenant, person))}
        )

    def episodes_of(self, tenant: str, person: str) -> list[EpisodeRow]:
        """Give the episodes of a person in every store, in order of time."""
        rows = self._run(self._q["episodes_of_person"], (tenant, person)).fetchall()
        return [EpisodeRow._make(row) for row in rows]
