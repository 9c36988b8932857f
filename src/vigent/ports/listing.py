"""What lists ask of storage: rows by pages, in an order of their own; part of every snapshot."""

from __future__ import annotations

from typing import Protocol

from vigent.domain.resources import ResourceRow
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
        """Give the next candidates that wait for a decision, in order of recording, then of ids.

        They are those in some stores of one or two persons, or of everyone where none is named,
        held for one reason or for any, whose time is not past; all behind a place.
        """
        ...

    def candidates(
        self,
        tenant: str,
        persons: tuple[str, ...],
        holding: str,
        between: tuple[str, str],
        limit: int,
    ) -> list[ResourceRow]:
        """Give the next candidates as they were proposed, in order of their ids.

        They are those of some persons, or of everyone where none is named, with ids strictly
        between two, whose documents hold some words.
        """
        ...
