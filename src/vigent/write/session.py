"""One open transaction as the write path sees it."""

from __future__ import annotations

from collections.abc import Iterable

from vigent.domain.episodes import EpisodeRow
from vigent.domain.statements import Key, KeyId
from vigent.joining import joined_names, keys_of_names
from vigent.ports.storage import Selection, Transaction
from vigent.write.plain import Plain

__all__ = ["Session"]


class Session:
    """One open transaction of a tenant, and the tenant's salt.

    Plain changes are gathered beside it, and given to it before anything else is done.
    """

    def __init__(self, transaction: Transaction, tenant: str, salt: bytes) -> None:
        self.unsettled = transaction
        self._tenant = tenant
        self.salt = salt
        self.plain: Plain | None = None
        self._known: dict[KeyId, Key | None] = {}
        self._cited: dict[str, EpisodeRow] = {}

    @property
    def transaction(self) -> Transaction:
        """The transaction, with everything entered so far."""
        self.settle()
        return self.unsettled

    def settle(self) -> None:
        """Give the transaction what was gathered beside it."""
        if self.plain is not None:
            self.plain.settle()
            self.plain = None

    def look_up(self, ids: Iterable[KeyId], cited: Iterable[str] = ()) -> None:
        """Find the keys of what is entered next at once; what came before is written first.

        And so the episodes that are ``cited``, which changes of keys leave as they are.
        """
        self.settle()
        wanted = dict.fromkeys(cited)
        self._cited = {}
        if wanted:
            found = self.unsettled.episodes(self._tenant, ids=list(wanted))
            self._cited = {row.id: row for row in found}
        known: dict[KeyId, Key | None] = dict.fromkeys(ids)
        if known:
            first = next(iter(known))
            selection = Selection(first.tenant, first.store, (), exact=tuple(known))
            known.update((key.id, key) for key in self.unsettled.keys(selection))
        self._known = known

    def episode(self, id: str) -> EpisodeRow | None:
        """Find an episode by its id."""
        known = self._cited.get(id)
        if known is not None:
            return known
        found = self.unsettled.episodes(self._tenant, ids=[id])
        return found[0] if found else None

    def find(self, id: KeyId) -> Key | None:
        """Find a key as it stands in the transaction."""
        if id in self._known:  # looked up before, and not written since
            return self._known.pop(id)
        if self.plain is not None and id in self.plain.ids:
            self.settle()
        found = self.unsettled.keys(
            Selection(id.tenant, id.store, (id.person,), id.subject, id.attribute, id.type)
        )
        return found[0] if found else None

    def beside(self, id: KeyId) -> list[Key] | None:
        """Give the keys of all names of a subject; None where no alias bears on it."""
        if not self.unsettled.aliased(id.tenant, id.store, id.subject, id.person):
            return None
        names = joined_names(self.transaction, id.tenant, id.store, id.person, id.subject)
        return keys_of_names(self.unsettled, Key(0, id, "", 0), names)
