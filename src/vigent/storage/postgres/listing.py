"""Memories of one type, by their ids and in long lists, in a PostgreSQL store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vigent.domain.changes import Head
from vigent.domain.statements import Key, KeyId, Statement
from vigent.domain.time import Instant
from vigent.ports.index import Given
from vigent.ports.typed import TypedRow
from vigent.storage.postgres.view import Row, View

__all__ = ["ListingView", "key_of"]

# How a key notes that it has borne a memory of a type; see migration 0004.
_BORNE: Final = {"commitment": 1, "behaviour": 2}
_KEY: Final = len(KeyId._fields) + 3
"""How many columns a key has; where it stands before a statement, that begins after them."""


def key_of(row: Row) -> Key:
    """Make a key of its columns."""
    return Key(row[0], KeyId(*row[1:7]), row[7], row[8])


def _with_keys(rows: list[Row]) -> list[tuple[Key, Statement]]:
    return [(key_of(row), Statement._make(row[_KEY:])) for row in rows]


class ListingView(View):
    """Reads statements and what is in force of them, otherwise than by their keys."""

    def of_type(
        self, tenant: str, store: str, person: str, type: str, at: Instant
    ) -> list[TypedRow]:
        """Give what is in force of one owner, of the type commitment or behaviour."""
        asked = (tenant, store, person, _BORNE[type], type, at)
        return [TypedRow._make(row) for row in self._ask(tenant, "of_type", asked)]

    def given(self, tenant: str, ids: Sequence[str]) -> list[Given]:
        """Give memories by their ids, those that are there; in no order."""
        rows = self._ask(tenant, "statements_with_heads", (tenant, list(ids)))
        end = 1 + len(Head._fields)
        return [Given(r[0], Head._make(r[1:end]), Statement._make(r[end:])) for r in rows]

    def statements_from(self, tenant: str, after: int, limit: int) -> list[tuple[Key, Statement]]:
        """Give the statements of a tenant with higher numbers than one, rising."""
        return _with_keys(self._ask(tenant, "statements_from", (tenant, after, limit)))

    def broad(self, tenant: str, store: str, persons: tuple[str, ...], keys: int) -> bool:
        """Say whether some persons have together more than so many keys in a store."""
        asked = ((tenant, store, person, keys + 1) for person in persons)
        return sum(self._ask(tenant, "keys_counted", one)[0][0] for one in asked) > keys

    def recorded(
        self,
        tenant: str,
        store: str,
        persons: tuple[str, ...],
        attribute: str | None,
        since: tuple[Instant, str],
        limit: int,
    ) -> list[tuple[Key, Statement]]:
        """Give the next statements in order of recording, then of their ids."""
        asked = (tenant, *since, store, persons[0], persons[-1], attribute, limit)
        return _with_keys(self._ask(tenant, "statements_recorded", asked))
