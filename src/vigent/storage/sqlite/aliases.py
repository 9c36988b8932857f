"""Aliases in a SQLite store: how they are read, and the rows that a change of them comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, LiteralString

import apsw

from vigent.domain.aliases import AliasRow
from vigent.domain.changes import AliasChanges
from vigent.storage.queries import load_queries
from vigent.storage.sqlite.connection import translate
from vigent.storage.sqlite.database import Database

__all__ = ["ALIAS_ORDER", "AliasView", "alias_rows"]

_Q: Final[Mapping[str, LiteralString]] = load_queries("vigent.storage.sqlite")
ALIAS_ORDER: Final = ("alias_delete", "alias_insert")


class AliasView:
    """Reads aliases."""

    _any_alias: bool | None = None
    """Whether the file holds any alias, once looked up; a transaction knows from its beginning."""

    def __init__(self, connection: Database) -> None:
        self._connection = connection
        self._run = connection.execute

    def aliased(self, tenant: str, store: str, subject: str, person: str) -> bool:
        """Whether an alias names a subject: a person's own or a shared one, or anyone's."""
        if self._any_alias is False or not subject:
            return False
        try:  # it is asked without a transaction too, which would see to it
            if person:
                found = self._run(_Q["aliased"], (tenant, subject, store, person)).fetchall()
            else:
                found = self._run(_Q["aliased_by_anyone"], (tenant, subject, store)).fetchall()
        except apsw.Error as error:
            raise translate(error) from error
        return bool(found)

    def aliases(
        self, tenant: str, store: str | None, person: str, naming: str | None
    ) -> list[AliasRow]:
        """Give a person's and the shared aliases, in order of name, then person."""
        if self._any_alias is None:
            self._any_alias = self._run(_Q["last_alias"]).fetchall()[0][0] is not None
        if not self._any_alias:
            return []
        if naming is None:
            rows = [
                row
                for whose in dict.fromkeys((person, ""))
                for row in self._run(_Q["aliases_of"], (tenant, whose, store)).fetchall()
            ]
        elif store is None:
            rows = self._run(_Q["aliases_anywhere"], (tenant, naming, person)).fetchall()
        else:
            rows = self._run(_Q["aliases_naming"], (tenant, naming, store, person)).fetchall()
        found = [AliasRow._make(row) for row in rows]
        return sorted(found, key=lambda r: (r.name, r.person, r.store))


def alias_rows(changes: AliasChanges) -> Iterator[tuple[str, Sequence[Any]]]:
    """Give queries with their rows."""
    yield "alias_delete", [(r.tenant, r.name, r.store, r.person) for r in changes.removed]
    yield "alias_insert", changes.made
