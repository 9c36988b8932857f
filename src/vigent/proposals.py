"""Candidates for memory, and the verdicts of a caller's own checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from vigent.domain.state import State
from vigent.errors import InvalidInput

__all__ = [
    "REASONED",
    "Accept",
    "Assertion",
    "Check",
    "Hold",
    "MemoryDelta",
    "Refuse",
    "Verdict",
    "judged",
]


Assertion = Literal["asserted", "asked", "supposed", "denied", "joked", "past"]
"""How a model says that something was said."""
REASONED: Final = frozenset({"speaker", "assertion", "durable", "time_words"})
"""Fields of a candidate that say how a model came to it; only the gate looks at them."""


class MemoryDelta(BaseModel):
    """A proposed change: what a model, or anyone, thinks should be remembered.

    A ``value`` of None without ``text`` proposes a retraction. ``tenant_id`` must be the tenant
    it is handed to. ``quote`` stands word for word in the episode ``source_episode_id``. What a
    model found on its way is told beside it: who spoke (``speaker``), whether it was asserted,
    asked, supposed, denied, joked or past (``assertion``), whether it outlasts the session
    (``durable``), and the words of time that its dates come from (``time_words``). ``held`` is why
    whoever hands it in wants a person to decide.
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
    importance: int | None = None
    speaker: str | None = None
    assertion: Assertion | None = None
    durable: bool | None = None
    time_words: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Make a candidate of what was given; raises InvalidInput naming the first wrong field."""
        try:
            return cls(**given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, first["loc"])) or "delta"
            raise InvalidInput(field, str(first["msg"])) from None

    @classmethod
    def kept(cls, tenant: str, given: Mapping[str, Any]) -> Self:
        """Give a candidate back as ``nomination`` gave it, for a tenant."""
        return cls(tenant_id=tenant, **given)

    def request(self) -> dict[str, Any]:
        """Give what is asked for, without who asks, how it was found and why it is held."""
        return self.model_dump(exclude={"tenant_id", "held", *REASONED})

    def nomination(self) -> dict[str, Any]:
        """Give what the gate judges: all that is proposed, and how it was found.

        Trust is not part of it: the gate finds that itself. A confidence of None that was given
        is no number, as any other that is none; one that was left out was not asked for.
        """
        every = self.model_dump(exclude={"tenant_id", "trust"})
        told = {name: value for name, value in every.items() if value is not None}
        if self.confidence is None and "confidence" in self.model_fields_set:
            told["confidence"] = "unknown"
        return told


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
