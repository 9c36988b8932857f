"""What callers are told of a write."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from vigent.domain.records import Record
from vigent.domain.time import Instant, iso, to_datetime

__all__ = ["ForgetResult", "Receipt", "ReviewItem", "WriteResult"]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The outcome of a write, the memory it concerns, what it ended, and why.

    What an ended memory had itself followed (``ended[0].supersedes_memory_id``) may be looked up
    when it is asked for, which a closed store can no longer do.

    Outcomes: stored, superseded, confirmed, corrected, retracted, noop, buffered,
    pending_review, rejected.
    """

    outcome: str
    memory: Record | None
    ended: tuple[Record, ...]
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the result as JSON-ready values."""
        return {
            "outcome": self.outcome,
            "memory": None if self.memory is None else self.memory.to_dict(),
            "ended": [record.to_dict() for record in self.ended],
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """Whether a memory was forgotten now; False where there was nothing left to forget."""

    memory_id: str
    forgotten: bool

    def to_dict(self) -> dict[str, Any]:
        """Give the result as JSON-ready values."""
        return {"memory_id": self.memory_id, "forgotten": self.forgotten}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure removed.

    ``state`` is ``dry_run`` (nothing yet), ``removed`` (out of every read) or ``purged`` (not in
    the files either). ``shared`` lists shared memories about the person's subject, which went
    along.
    """

    person_hash: str
    state: str
    counts: dict[str, int]
    shared: tuple[str, ...]
    instant: Instant

    @property
    def at(self) -> dt.datetime:
        """When it was removed, in UTC."""
        return to_datetime(self.instant)

    def to_dict(self) -> dict[str, Any]:
        """Give the receipt as JSON-ready values."""
        return {
            "person_hash": self.person_hash,
            "state": self.state,
            "counts": dict(self.counts),
            "shared": list(self.shared),
            "at": iso(self.instant),
        }


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A candidate that waits for a person's decision, and why it was held."""

    memory: Record
    reason: str | None
    created_at: Any

    def to_dict(self) -> dict[str, Any]:
        """Give the item as JSON-ready values."""
        return {
            "memory": self.memory.to_dict(),
            "reason": self.reason,
            "created_at": self.memory.to_dict()["created_at"],
        }
