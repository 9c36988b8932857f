"""Aliases as SQL engines keep them: how they are read, and the rows that a change comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from vigent.domain.aliases import AliasRow
from vigent.domain.changes import AliasChanges
from vigent.storage.sql.rows import SqlView

__all__ = ["ALIAS_ORDER", "AliasView", "alias_rows"]

ALIAS_ORDER: Final = ("alias_delete", "alias_insert")


class AliasView(SqlView):
    """Reads aliases."""

    def aliased(self, tenant: str, store: str, subject: str, person: str) -> bool:
        """Whether an alias names a subject: a person's own or a shared one, or anyone's."""
        if not subject or self._no_alias(tenant):
            return False
        if person:
            found = self._run(self._q["aliased"], (tenant, subject, store, person)).fetchall()
        else:
            found = self._run(self._q["aliased_by_anyone"], (tenant, subject, store)).fetchall()
        return bool(found)

    def _no_alias(self, tenant: str) -> bool:
        """Whether a tenant is known to have no alias; it is not looked up."""
        raise NotImplementedError

    def _has_aliases(self, tenant: str) -> bool:
        """Whether a tenant has any alias."""
        raise NotImplementedError

    def aliases(
        self, tenant: str, store: str | None, person: str, naming: str | None
    ) -> list[AliasRow]:
        """Give a person's and the shared aliases, in order of name, then person."""
        if not self._has_aliases(tenant):
            return []
        if naming is None:
            rows = [
                row
                for whose in dict.fromkeys((person, ""))
                for row in self._run(self._q["aliases_of"], (tenant, whose, store)).fetchall()
            ]
        elif store is None:
            rows = self._run(self._q["aliases_anywhere"], (tenant, naming, person)).fetchall()
        else:
            rows = self._run(self._q["aliases_naming"], (tenant, naming, store, person)).fetchall()
        found = [AliasRow._make(row) for row in rows]
        return sorted(found, key=lambda r: (r.name, r.person, r.store))


def alias_rows(changes: AliasChanges) -> Iterator[tuple[str, Sequence[Any]]]:
    """Give queries with their rows."""
    yield "alias_delete", [(r.tenant, r.name, r.store, r.person) for r in changes.removed]
    yield "alias_insert", changes.made
