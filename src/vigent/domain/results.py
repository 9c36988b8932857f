"""What callers are told: of a write, an erasure, a candidate, and of a change in time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from vigent.domain.records import Record
from vigent.domain.time import Instant, instant_of, iso, to_datetime

__all__ = ["Change", "ForgetResult", "Receipt", "ReviewItem", "WriteResult"]


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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        memory = found["memory"]
        return cls(
            found["outcome"],
            None if memory is None else Record.from_dict(memory),
            tuple(Record.from_dict(record) for record in found["ended"]),
            found["reason"],
        )

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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(found["memory_id"], found["forgotten"])

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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(
            found["person_hash"], found["state"], dict(found["counts"]), tuple(found["shared"]),
            instant_of(found["at"]),
        )  # fmt: skip

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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        memory = Record.from_dict(found["memory"])
        return cls(memory, found["reason"], memory.created_at)

    def to_dict(self) -> dict[str, Any]:
        """Give the item as JSON-ready values."""
        return {
            "memory": self.memory.to_dict(),
            "reason": self.reason,
            "created_at": self.memory.to_dict()["created_at"],
        }


@dataclass(frozen=True, slots=True)
class Change:
    """What changed of one attribute at one instant: what held or was believed before and after."""

    instant: Instant
    person: str | None
    subject: str | None
    attribute: str | None
    before: tuple[Record, ...]
    after: tuple[Record, ...]

    @property
    def at(self) -> dt.datetime:
        """When it changed, on the axis that was asked for."""
        return to_datetime(self.instant)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(
            instant_of(found["at"]), found["person_id"], found["subject"], found["attribute"],
            tuple(Record.from_dict(record) for record in found["before"]),
            tuple(Record.from_dict(record) for record in found["after"]),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Give the change as JSON-ready values."""
        return {
            "at": iso(self.instant),
            "person_id": self.person,
            "subject": self.subject,
            "attribute": self.attribute,
            "before": [record.to_dict() for record in self.before],
            "after": [record.to_dict() for record in self.after],
        }
