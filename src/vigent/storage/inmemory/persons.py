"""The tenants of a store in memory, and what is a person's, wherever it is."""

from __future__ import annotations

from typing import Protocol

from vigent.domain.episodes import EpisodeRow
from vigent.domain.statements import Key, KeyId
from vigent.storage.inmemory.aliases import AliasRows
from vigent.storage.inmemory.threads import ThreadRows

__all__ = ["PersonView"]


class Held(Protocol):
    """What is read here of all that is held in memory."""

    salts: dict[str, bytes]
    keys: dict[KeyId, Key]
    episodes: dict[int, EpisodeRow]
    aliases: AliasRows
    threads: ThreadRows


class PersonView:
    """Reads what a person has."""

    def __init__(self, held: Held) -> None:
        self._of_persons = held

    def tenants(self) -> list[str]:
        """Give every tenant that anything was ever written for, in order."""
        return sorted(self._of_persons.salts)

    def stores_of(self, tenant: str, person: str) -> list[str]:
        """Give the stores in which a person has anything, in order."""
        held = self._of_persons
        had = (held.keys, held.episodes.values(), held.aliases.values(),
               held.threads.threads.values())  # fmt: skip
        return sorted(
            {r.store for rs in had for r in rs if (r.tenant, r.person) == (tenant, person)}
        )

    def episodes_of(self, tenant: str, person: str) -> list[EpisodeRow]:
        """Give the episodes of a person in every store, in order of time."""
        every = self._of_persons.episodes.values()
        found = [e for e in every if (e.tenant, e.person) == (tenant, person)]
        return sorted(found, key=lambda e: (e.occurred_at, e.no))
