"""One window on its way: shown to a model, read, judged, entered; and why what is not, is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from vigent.domain.candidates import Candidate
from vigent.domain.reasoning.answer import Fault, Proposed
from vigent.domain.reasoning.window import Window
from vigent.domain.usage import Account, Parked
from vigent.errors import ModelFailed, VigentError
from vigent.learn.asking import ask_about
from vigent.memory import Memory
from vigent.ports.models import Completion, LanguageModel, Told
from vigent.proposals import MemoryDelta

__all__ = ["Judged", "Learned", "Unmetered", "learn_window"]

_ACCOUNT: Final = Account("rehearsal", "rehearsal", "extraction")


class Unmetered:
    """Asks models on nobody's account: a rehearsal is no tenant's work."""

    def complete(
        self,
        account: Account,
        model: LanguageModel,
        messages: Sequence[Told],
        *,
        schema: Mapping[str, Any] | None = None,
        least: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> Completion | Parked:
        """Give the model's answer; nothing is counted, and nothing parked."""
        del account
        return model.complete(
            messages, schema=schema, least=least, max_tokens=max_tokens, timeout=timeout
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """One candidate that was read: what the gate made of it, or the error it ended in."""

    proposed: Proposed
    candidate: Candidate | None
    error: str | None = None

    @property
    def outcome(self) -> str:
        """The gate's outcome; rejected where it could not be handed in."""
        return "rejected" if self.candidate is None else self.candidate.outcome

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why: the gate's codes, or the error's."""
        if self.candidate is not None:
            return self.candidate.reasons
        return () if self.error is None else (self.error,)

    @property
    def in_force(self) -> bool:
        """Whether it was taken in, or ended something."""
        return self.outcome == "accepted"


@dataclass(slots=True)
class Learned:
    """What a window came to; ``problem`` is the code of the model's failure, in all or in part."""

    judged: list[Judged] = field(default_factory=list[Judged])
    faults: tuple[Fault, ...] = ()
    problem: str | None = None
    calls: int = 0


def learn_window(
    memory: Memory,
    window: Window,
    model: LanguageModel,
    *,
    tenant: str,
    person: str | None = None,
    zone: str | None = None,
) -> Learned:
    """Ask a model about a window and enter what the gate lets in, a candidate after the other.

    A model that fails is told by its code, and nothing is learned. Raises what the store raises.
    """
    try:
        asked = ask_about(window, model, Unmetered(), _ACCOUNT)
    except ModelFailed as error:
        return Learned(problem=error.code, calls=error.calls)
    if isinstance(asked, Parked):
        return Learned(problem="parked")
    judged = [_judged(memory, one, tenant, person, zone) for one in asked.reading.proposed]
    problem = None if asked.problem is None else asked.problem.code
    return Learned(judged, asked.reading.faults, problem, asked.usage.calls)


def _judged(
    memory: Memory, proposed: Proposed, tenant: str, person: str | None, zone: str | None
) -> Judged:
    given = {name: value for name, value in proposed.delta().items() if value is not None}
    given.setdefault("confidence", proposed.confidence)
    if zone is not None:
        given.setdefault("timezone", zone)
    try:
        delta = MemoryDelta.of({"tenant_id": tenant, **given})
        return Judged(proposed, memory.candidates.learn(delta, person=person))
    except VigentError as error:
        return Judged(proposed, None, error.code)
