"""What the core asks of storage about aliases; part of every snapshot and transaction."""

from __future__ import annotations

from typing import Protocol

from vigent.domain.aliases import AliasRow

__all__ = ["AliasQuick", "AliasReads"]


class AliasQuick(Protocol):
    """The one question that a quick read and every write ask."""

    def aliased(self, tenant: str, store: str, subject: str, person: str) -> bool:
        """Whether an alias names a subject: a person's own or a shared one.

        With an empty person: anyone's, for whoever has an alias reads the shared by it too.
        """
        ...


class AliasReads(AliasQuick, Protocol):
    """Aliases, as one view sees them.

    Engines store and find; what they join, the core decides.
    """

    def aliases(
        self, tenant: str, store: str | None, person: str, naming: str | None
    ) -> list[AliasRow]:
        """Give a person's and the shared aliases, in order of name, then person.

        Either all of a store, or those that have ``naming`` as their name or their subject; with
        no store, of every one.
        """
        ...
