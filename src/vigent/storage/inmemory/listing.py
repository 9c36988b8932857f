"""Lists of a store in memory, by pages."""

from __future__ import annotations

from collections.abc import Callable

from vigent.domain.resources import ResourceRow
from vigent.domain.statements import Key, Statement
from vigent.domain.time import Instant
from vigent.ports.storage import Selection
from vigent.storage.inmemory.resources import ResourceRows

__all__ = ["ListingView"]


class ListingView:
    """Reads lists; what the keys and their statements are, it is told."""

    def __init__(
        self,
        keys: Callable[[Selection], list[Key]],
        statements: Callable[[str], list[tuple[Key, Statement]]],
        resources: ResourceRows,
    ) -> None:
        self._listed_keys, self._listed_of = keys, statements
        self._listed_resources = resources

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

    def waiting(
        self,
        tenant: str,
        stores: tuple[str, ...],
        persons: tuple[str, ...],
        reason: str | None,
        now: Instant,
        after: tuple[Instant, str],
        limit: int,
    ) -> list[tuple[Key, Statement]]:
        """Give the next candidates that wait for a decision, in order of recording, then of ids."""
        found = [
            (key, s)
            for key, s in self._listed_of(tenant)
            if s.role == "held"
            and s.status in ("pending_review", "buffered")
            and key.id.store in stores
            and (not persons or key.id.person in persons)
            and reason in (None, s.reason)
            and s.expires_at > now
            and (s.recorded_from, s.id) > after
        ]
        found.sort(key=lambda pair: (pair[1].recorded_from, pair[1].id))
        return found[:limit]

    def candidates(
        self,
        tenant: str,
        persons: tuple[str, ...],
        holding: str,
        between: tuple[str, str],
        limit: int,
    ) -> list[ResourceRow]:
        """Give the next candidates as they were proposed, in order of their ids."""
        found = [
            row
            for row in self._listed_resources.values()
            if row[:2] == (tenant, "candidate")
            and between[0] < row.id < between[1]
            and (not persons or row.person in persons)
            and holding in row.document
        ]
        return sorted(found, key=lambda row: row.id)[:limit]
