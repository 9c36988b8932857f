"""What lists ask of storage: statements in the order of their recording; part of every snapshot."""

from __future__ import annotations

from typing import Protocol

from vigent.domain.statements import Key, Statement
from vigent.domain.time import Instant

__all__ = ["ListingReads"]


class ListingReads(Protocol):
    """A long list by pages: it costs what a page holds, and not what the list does."""

    def broad(self, tenant: str, store: str, persons: tuple[str, ...], keys: int) -> bool:
        """Say whether some persons have together more than so many keys in a store."""
        ...

    def recorded(
        self,
        tenant: str,
        store: str,
        persons: tuple[str, ...],
        attribute: str | None,
        since: tuple[Instant, str],
        limit: int,
    ) -> list[tuple[Key, Statement]]:
        """Give the next statements in order of recording, then of their ids.

        They are those of one or two persons in a store, of one attribute or of all; ``since`` is
        the first place that may be among them.
        """
        ...
