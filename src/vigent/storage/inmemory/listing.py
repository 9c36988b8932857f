"""Statements of a store in memory in the order of their recording."""

from __future__ import annotations

from collections.abc import Callable

from vigent.domain.statements import Key, Statement
from vigent.domain.time import Instant
from vigent.ports.storage import Selection

__all__ = ["ListingView"]


class ListingView:
    """Reads lists; what the keys and their statements are, it is told."""

    def __init__(
        self,
        keys: Callable[[Selection], list[Key]],
        statements: Callable[[str], list[tuple[Key, Statement]]],
    ) -> None:
        self._listed_keys, self._listed_of = keys, statements

    def broad(self, tenant: str, store: str, persons: tuple[str, ...], keys: int) -> bool:
        """Say whether some persons have together more than so many keys in a store."""
        return len(self._listed_keys(Selection(tenant, store, persons))) > keys

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
        found = [
            (key, statement)
            for key, statement in self._listed_of(tenant)
            if key.id.store == store
            and key.id.person in persons
            and attribute in (None, key.id.attribute)
            and (statement.recorded_from, statement.id) >= since
        ]
        found.sort(key=lambda pair: (pair[1].recorded_from, pair[1].id))
        return found[:limit]
