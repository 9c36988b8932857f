"""What every write needs to know of its surroundings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vigent.domain.audit import entry_of
from vigent.domain.changes import AuditEntry
from vigent.domain.passages import scope_token
from vigent.domain.schema import Schema
from vigent.domain.time import Instant
from vigent.ports.storage import Transaction
from vigent.ports.system import Clock, IdSource

__all__ = ["Context", "Home"]

Home = Callable[[Transaction], None]


@dataclass(slots=True)
class Context:
    """The tenant and store written to, the schema in force, and the machine."""

    tenant: str
    store: str
    schema: Schema
    clock: Clock
    ids: IdSource
    writer: str | None = None
    caller: str = "python"
    """Among whose requests idempotency keys are told apart."""
    home: Home | None = None
    """Asked under the write lock whether what is written to is still there; raises if not."""
    _scopes: dict[str, str] = field(default_factory=dict[str, str], repr=False)

    def scope(self, salt: bytes, person: str) -> str:
        """Give the token under which a person's passages stand in the index."""
        found = self._scopes.get(person)
        if found is None:
            found = scope_token(salt, self.tenant, self.store, person)
            if len(self._scopes) < 10_000:
                self._scopes[person] = found
        return found

    def audit(
        self,
        *,
        person: str,
        key: int | None,
        at: Instant,
        action: str,
        outcome: str,
        target: str | None,
        content: dict[str, Any],
    ) -> AuditEntry:
        """Make the entry of one thing that happened."""
        return entry_of(
            self.ids.new("aud"), self.ids.salt(), tenant=self.tenant, store=self.store,
            person=person, key=key, at=at, action=action, outcome=outcome, target=target,
            content=content,
        )  # fmt: skip
