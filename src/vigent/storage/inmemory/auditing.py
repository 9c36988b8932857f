"""The audit trail and the meter of model calls of a store in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from vigent.domain.audit import GENESIS, AuditSummary, Kept, Sealed, pruned_to, seal_hash, verified
from vigent.domain.changes import AuditEntry, ChangeSet, Untold
from vigent.domain.resources import AuditRow
from vigent.domain.time import Instant
from vigent.domain.usage import UsageRow
from vigent.ports.upkeep import Pending

__all__ = ["AuditView", "TrailRows"]


@dataclass(slots=True)
class TrailRows:
    """Entries by id, those whose content was emptied, the seals of each, and what was metered."""

    entries: dict[str, AuditEntry] = field(default_factory=dict[str, AuditEntry])
    emptied: set[str] = field(default_factory=set[str])
    sealed: dict[str, int] = field(default_factory=dict[str, int])
    """The seal that an entry is under, by its id."""
    seals: dict[str, list[Sealed]] = field(default_factory=dict[str, list[Sealed]])
    usage: dict[tuple[str, Instant, str, str, str], UsageRow] = field(
        default_factory=dict[tuple[str, Instant, str, str, str], UsageRow]
    )

    def copy(self) -> TrailRows:
        """Give a copy that changes apart from this one."""
        seals = {tenant: list(seals) for tenant, seals in self.seals.items()}
        return TrailRows(
            self.entries.copy(), self.emptied.copy(), self.sealed.copy(), seals, self.usage.copy()
        )

    def of(self, tenant: str) -> list[AuditEntry]:
        """Give the entries of a tenant in order of their ids."""
        return sorted((e for e in self.entries.values() if e.tenant == tenant), key=lambda e: e.id)

    def take(self, changes: ChangeSet) -> None:
        """Take what a change set enters, meters and lets go."""
        for entry in changes.audit:
            self.entries[entry.id] = entry
        self.emptied.update(
            e.id
            for u in changes.untold
            for e in self.entries.values()
            if (e.tenant, e.key) == (changes.tenant, u.key) and _tells(e, u)
        )
        for row in changes.used:
            before = self.usage.get(row[:5], row._replace(calls=0, failed=0, input_tokens=0,
                                                          output_tokens=0))  # fmt: skip
            added = (a + b for a, b in zip(before[5:], row[5:], strict=True))
            self.usage[row[:5]] = UsageRow(*row[:5], *added)
        if changes.audit_pruned:
            mine = self.of(changes.tenant)
            self.remove(e.id for e in mine if 0 < self.sealed.get(e.id, 0) <= changes.audit_pruned)

    def remove(self, ids: Iterable[str]) -> None:
        """Let entries go."""
        for id in list(ids):
            del self.entries[id]
            self.emptied.discard(id)
            self.sealed.pop(id, None)

    def seal(self, tenant: str, at: Instant) -> int:
        """Chain what of a tenant is not chained yet; gives how many entries that were."""
        fresh = [e for e in self.of(tenant) if e.id not in self.sealed]
        if fresh:
            seals = self.seals.setdefault(tenant, [])
            previous = seals[-1].hash if seals else GENESIS
            digest = seal_hash(previous, [(e.id, e.digest) for e in fresh])
            seals.append(Sealed(len(seals) + 1, len(fresh), at, digest))
            self.sealed.update(dict.fromkeys((e.id for e in fresh), len(seals)))
        return len(fresh)

    def verify(self, tenant: str, anchor: str | None) -> AuditSummary:
        """Verify every digest and seal of a tenant."""
        kept = [self._kept(e) for e in self.of(tenant)]
        under = sorted((k for k in kept if k.seal is not None), key=lambda k: (k.seal or 0, k.id))
        return verified(
            self.seals.get(tenant, []), iter(under), (k for k in kept if k.seal is None),
            removed=pruned_to(kept), anchor=anchor,
        )  # fmt: skip

    def _kept(self, e: AuditEntry) -> Kept:
        fixed = (self.sealed.get(e.id), e.id, e.at, e.action, e.outcome, e.target, e.digest, e.said)
        if e.id in self.emptied:
            return Kept(*fixed, None, None, None, None)
        return Kept(*fixed, e.salt, e.store, e.person, e.content)


class AuditView:
    """Reads the trail and the meter."""

    def __init__(self, trail: TrailRows) -> None:
        self._trail = trail

    def pending(self) -> Pending:
        """Say what waits, of all tenants: nothing is queued in memory, and nothing in files."""
        every = self._trail.entries.values()
        unsealed = [e.at for e in every if e.id not in self._trail.sealed]
        newest = max((e.at for e in every), default=None)
        return Pending(min(unsealed, default=None), newest, None, ())

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
        found = [
            e
            for e in reversed(self._trail.of(tenant))
            if (before is None or e.id < before)
            and action in (None, e.action)
            and target in (None, e.target)
            and (person is None or (e.person == person and e.id not in self._trail.emptied))
        ]
        return list(self._shown(found[:limit], self._trail.emptied))

    def _shown(self, entries: Iterable[AuditEntry], emptied: Collection[str]) -> Iterator[AuditRow]:
        for e in entries:
            fixed = (e.id, e.at, e.action, e.outcome, e.target, self._trail.sealed.get(e.id))
            said = (None, None, None) if e.id in emptied else (e.store, e.person, e.content)
            yield AuditRow(*fixed, *said)

    def seal_before(self, tenant: str, at: Instant) -> int:
        """Give the last seal made before an instant that still has entries; 0 where none has."""
        there = {self._trail.sealed.get(e.id, 0) for e in self._trail.of(tenant)} - {0}
        if not there:
            return 0
        seals = self._trail.seals[tenant]
        later = [s.n for s in seals if s.n >= min(there) and s.at >= at]
        last = min(later) - 1 if later else seals[-1].n
        return last if last >= min(there) else 0

    def usage(self, tenant: str, since: Instant, until: Instant) -> list[UsageRow]:
        """Give what model calls came to on the days in ``[since, until)``, day by day."""
        every = self._trail.usage.values()
        return sorted(row for row in every if row.tenant == tenant and since <= row.day < until)


def _tells(entry: AuditEntry, untold: Untold) -> bool:
    if entry.target is None and untold.value in entry.content:
        return True
    return untold.id in entry.content and ',"before":' in entry.content
