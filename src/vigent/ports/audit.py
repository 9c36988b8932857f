"""What the core asks of storage about the audit trail as a whole."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from vigent.domain.time import Instant

__all__ = ["AuditSummary", "AuditTrail"]


class AuditSummary(NamedTuple):
    """How much of the audit trail is sealed, and what does not add up."""

    sealed: int
    unsealed: int
    broken: tuple[str, ...]


class AuditTrail(Protocol):
    """The entries of what happened, and the seals that chain them."""

    def audit(self, tenant: str, *, seal_at: Instant | None = None) -> AuditSummary:
        """Verify the audit trail, after sealing what is unsealed if an instant is given."""
        ...

    def seal(self, at: Instant) -> int:
        """Chain the audit entries of every tenant that have no seal yet; gives how many."""
        ...
