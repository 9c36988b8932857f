"""Candidates for memory, and the verdicts of a caller's own checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

from vigent.domain.state import State

__all__ = [
    "Accept",
    "Check",
    "Hold",
    "MemoryDelta",
    "Refuse",
    "Verdict",
    "judged",
]


class MemoryDelta(BaseModel):
    """A proposed change: what a model, or anyone, thinks should be remembered.

    A ``value`` of None without ``text`` proposes a retraction. ``tenant_id`` must be the tenant
    it is handed to. ``held`` is why whoever hands it in wants a person to decide.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    tenant_id: str
    subject: str | None = None
    attribute: str | None = None
    value: Any = None
    type: str = "fact"
    mode: str = "change"
    valid_from: Any = None
    valid_to: Any = None
    confidence: Any = None
    source_episode_id: str | None = None
    quote: str | None = None
    text: str | None = None
    trust: str = "assistant"
    due: Any = None
    supersedes: str | None = None
    timezone: str | None = None
    held: str | None = None

    def request(self) -> dict[str, Any]:
        """Give what is asked for, without who asks and why it is held."""
        return self.model_dump(exclude={"tenant_id", "held"})


@dataclass(frozen=True, slots=True)
class Accept:
    """The check has nothing against the candidate."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A person should decide, for this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """The candidate must not become memory, for this reason."""

    reason: str


Verdict: TypeAlias = "Accept | Hold | Refuse | None"
Check: TypeAlias = Callable[[MemoryDelta, "State | None"], Verdict]


def judged(checks: Iterable[Check], delta: MemoryDelta, seen: Any) -> tuple[str | None, str | None]:
    """Ask the checks about a candidate: why the first holds it, and why one refuses it.

    Checks after one that refuses are not asked.
    """
    held: str | None = delta.held
    for check in checks:
        verdict = check(delta, seen)
        if isinstance(verdict, Refuse):
            return held, verdict.reason
        if isinstance(verdict, Hold):
            held = held or verdict.reason
    return held, None
