"""Aliases in a PostgreSQL store: how they are read, and the rows that a change of them comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from vigent.domain.aliases import AliasRow
from vigent.domain.changes import AliasChanges
from vigent.storage.postgres.view import View

__all__ = ["ALIAS_ORDER", "AliasView", "alias_rows"]

ALIAS_ORDER: Final = ("alias_delete", "alias_insert")


class AliasView(View):
    """Reads aliases."""

    def aliased(self, tenant: str, store: str, subject: str, person: str) -> bool:
        """Whether an alias names a subject: a person's own or a shared one, or anyone's."""
        if not subject:
            return False
        if person:
            return bool(self._ask(tenant, "aliased", (tenant, subject, store, person)))
        return bool(self._ask(tenant, "aliased_by_anyone", (tenant, subject, store)))

    def aliases(
        self, tenant: str, store: str | None, person: str, naming: str | None
    ) -> list[AliasRow]:
        """Give a person's and the shared aliases, in order of name, then person."""
        if naming is None:
            rows = [
                row
                for whose in dict.fromkeys((person, ""))
                for row in self._ask(tenant, "aliases_of", (tenant, whose, store))
            ]
        elif store is None:
            rows = self._ask(tenant, "aliases_anywhere", (tenant, naming, person))
        else:
            rows = self._ask(tenant, "aliases_naming", (tenant, naming, store, person))
        found = [AliasRow._make(row) for row in rows]
        return sorted(found, key=lambda r: (r.name, r.person, r.store))


def alias_rows(changes: AliasChanges) -> Iterator[tuple[str, Sequence[Any]]]:
    """Give queries with their rows."""
    yield "alias_delete", [(r.tenant, r.name, r.store, r.person) for r in changes.removed]
    yield "alias_insert", changes.made
