"""What the core asks of storage to remove whole, and to hand out whole before that."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from vigent.domain.aliases import AliasRow
from vigent.domain.episodes import EpisodeRow
from vigent.domain.time import Instant

__all__ = ["Erasure", "PersonReads", "Removal"]


class Erasure(NamedTuple):
    """What an erasure concerns: a person, and shared keys that are about them."""

    tenant: str
    person: str
    digest: bytes
    shared_keys: tuple[int, ...]
    at: Instant
    about: tuple[str, ...] = ()
    """The digests under which kept answers about the entity that the person is are marked."""
    aliases: tuple[AliasRow, ...] = ()
    """Shared names of that entity."""


class PersonReads(Protocol):
    """What is a person's, wherever it is."""

    def stores_of(self, tenant: str, person: str) -> list[str]:
        """Give the stores in which a person has anything, in order."""
        ...

    def episodes_of(self, tenant: str, person: str) -> list[EpisodeRow]:
        """Give the episodes of a person in every store, in order of time."""
        ...


class Removal(Protocol):
    """Removing all of a person, a store or a tenant; a dry run only counts."""

    def erase(self, erasure: Erasure, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a person, and give the counts per table; a dry run only counts."""
        ...

    def erase_store(self, tenant: str, store: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a store, and give the counts per table; a dry run only counts."""
        ...

    def erase_tenant(self, tenant: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a tenant, and give the counts per table; a dry run only counts."""
        ...
