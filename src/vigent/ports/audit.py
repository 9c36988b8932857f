"""What the core asks of storage about the audit trail as a whole."""

from __future__ import annotations

from typing import Protocol

from vigent.domain.audit import AuditSummary
from vigent.domain.time import Instant

__all__ = ["AuditTrail"]


class AuditTrail(Protocol):
    """The entries of what happened, and the seals that chain them."""

    def audit(
        self, tenant: str, *, seal_at: Instant | None = None, anchor: str | None = None
    ) -> AuditSummary:
        """Verify the audit trail, after sealing what is unsealed if an instant is given.

        ``anchor`` is a head that was told before, which the trail must still contain.
        """
        ...

    def seal(self, at: Instant) -> int:
        """Chain the audit entries of every tenant that have no seal yet; gives how many."""
        ...
