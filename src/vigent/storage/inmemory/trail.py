"""The audit trail of a store in memory, as it is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from vigent.domain.changes import AuditEntry
from vigent.domain.resources import AuditRow
from vigent.ports.upkeep import Pending

__all__ = ["Seals", "TrailView"]

Seals: TypeAlias = Sequence[tuple[tuple[str, ...], bytes, str]]
"""Each seal: the ids it covers, its digest, its tenant."""


class TrailView:
    """Reads the trail; nothing is queued in memory, and nothing in files."""

    def __init__(
        self, audit: Mapping[str, AuditEntry], emptied: Collection[str], seals: Seals
    ) -> None:
        self._audit = audit
        self._emptied = emptied
        self._seals = seals

    def pending(self) -> Pending:
        """Say what waits, of all tenants."""
        sealed = {id for ids, _, _ in self._seals for id in ids}
        every = [(e.at, e.id in sealed) for e in self._audit.values()]
        unsealed = [at for at, is_sealed in every if not is_sealed]
        newest = max((at for at, _ in every), default=None)
        return Pending(min(unsealed, default=None), newest, None, ())

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
        found = [
            e
            for e in self._audit.values()
            if e.tenant == tenant
            and (before is None or e.id < before)
            and action in (None, e.action)
            and target in (None, e.target)
        ]
        return _entries_of(found, self._emptied, self._seals)[:limit]

    def last_change(self) -> int:
        """Give a number that is another one after every write that changed a memory."""
        return len(self._audit)


def _entries_of(
    entries: Iterable[AuditEntry],
    emptied: Collection[str],
    seals: Seals,
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
