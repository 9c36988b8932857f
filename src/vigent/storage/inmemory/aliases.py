"""Aliases of a store in memory."""

from __future__ import annotations

from vigent.domain.aliases import AliasRow
from vigent.domain.changes import AliasChanges

__all__ = ["AliasRows", "AliasView"]

AliasRows = dict[tuple[str, str, str, str], AliasRow]


class AliasView:
    """Reads aliases, and takes changes of them in."""

    def __init__(self, aliases: AliasRows) -> None:
        self._aliases = aliases

    def aliased(self, tenant: str, store: str, subject: str, person: str) -> bool:
        """Whether an alias names a subject: a person's own or a shared one, or anyone's."""
        return any(
            (r.tenant, r.store) == (tenant, store)
            and subject in (r.name, r.subject)
            and (not person or r.person in (person, ""))
            for r in self._aliases.values()
        )

    def aliases(
        self, tenant: str, store: str | None, person: str, naming: str | None
    ) -> list[AliasRow]:
        """Give a person's and the shared aliases, in order of name, then person."""
        found = [
            r
            for r in self._aliases.values()
            if r.tenant == tenant
            and store in (None, r.store)
            and r.person in (person, "")
            and naming in (None, r.name, r.subject)
        ]
        return sorted(found, key=lambda r: (r.name, r.person, r.store))

    def _change_aliases(self, changes: AliasChanges | None) -> None:
        if changes is None:
            return
        for r in changes.removed:
            self._aliases.pop((r.tenant, r.store, r.person, r.name), None)
        for r in changes.made:
            self._aliases[r.tenant, r.store, r.person, r.name] = r
