"""What the core asks of storage about work that waits; part of every snapshot."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from vigent.domain.time import Instant

__all__ = ["Pending", "UpkeepReads"]


class Pending(NamedTuple):
    """What waits in a store, of all tenants."""

    unsealed_since: Instant | None
    """When the oldest entry of an audit trail was made that has no seal yet."""
    last_entry: Instant | None
    """When the newest entry was made: somebody wrote then."""
    unpurged_since: Instant | None
    """Since when something is removed that may still be in the files."""
    jobs: tuple[tuple[str, str, int], ...]
    """How much queued work there is, by kind and state."""


class UpkeepReads(Protocol):
    """Waiting work, as one view sees it."""

    def pending(self) -> Pending:
        """Say what waits, of all tenants."""
        ...
