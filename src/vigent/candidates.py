"""The part of the façade that learns: candidates through the gate, ``memory.candidates``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vigent.domain.candidates import Candidate
from vigent.domain.gate.codes import OUTCOMES
from vigent.domain.gate.policy import GatePolicy
from vigent.domain.state import State
from vigent.errors import InvalidInput, TenantMismatch
from vigent.proposals import Check, MemoryDelta, judged
from vigent.write.candidates import Candidates as Judge
from vigent.write.draft import UNSET
from vigent.write.verbs import Writer

__all__ = ["Candidates"]

StateOf = Callable[[str, "str | None"], State]


class Candidates:
    """What models propose of what was said, and what the gate makes of it.

    Each is kept with its verdict beside the episode that it rests on, and can be judged again.
    """

    def __init__(
        self,
        writer: Writer,
        policy: GatePolicy,
        checks: Sequence[Check],
        whose: Callable[[Any], str],
        state_of: StateOf,
    ) -> None:
        self._judge = Judge(writer, policy)
        self._tenant = writer.context.tenant
        self._checks, self._whose, self._state_of = tuple(checks), whose, state_of

    def learn(
        self,
        delta: MemoryDelta,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Candidate:
        """Put a candidate through the gate, and enter what comes of it, in one transaction.

        Its ``source_episode_id`` and ``quote`` say what it rests on; how far that is trusted the
        gate finds itself. The same candidate again gives the first answer. Raises TenantMismatch,
        InvalidInput without an episode, NotFound where it is not there.
        """
        if not isinstance(delta, MemoryDelta):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("delta", "must be a MemoryDelta")
        if delta.tenant_id != self._tenant:
            raise TenantMismatch("tenant_id: is not the tenant of this memory", field="tenant_id")
        whose = self._whose(person)
        return self._judge.learn(whose, delta.nomination(), self._checked(delta, whose))

    def list(
        self,
        episode_id: str | None = None,
        *,
        outcome: str | None = None,
        after: str | None = None,
        limit: int | None = None,
        shared: bool = True,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Candidate, ...]:
        """Give the candidates of an episode, or all, with their verdicts; of one outcome.

        They come by their ids: those behind ``after``, at most ``limit``. Without ``shared`` those
        of the person alone.
        """
        if outcome is not None and outcome not in OUTCOMES:
            raise InvalidInput("outcome", f"must be one of {', '.join(OUTCOMES)}")
        if limit is not None and limit < 1:
            raise InvalidInput("limit", "must be at least 1")
        return self._judge.list(
            self._whose(person), episode_id, outcome, after, limit, shared=shared
        )

    def get(
        self,
        candidate_id: str,
        *,
        shared: bool = True,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Candidate:
        """Give one candidate with its verdict; raises NotFound.

        Without ``shared`` it must be the person's own.
        """
        return self._judge.get(self._whose(person), candidate_id, shared=shared)

    def judge(
        self,
        candidate_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Candidate:
        """Judge a candidate again, by the policy, the schema and the checks as they are now.

        What is in force stays, and so does what somebody decided. Raises NotFound.
        """
        whose = self._whose(person)
        return self._judge.judge(whose, candidate_id, self._checked_as_kept(whose))

    def _checked_as_kept(self, whose: str) -> Callable[[Mapping[str, Any]], Any]:
        return lambda kept: self._checked(MemoryDelta.kept(self._tenant, kept), whose)

    def _checked(self, delta: MemoryDelta, whose: str) -> Any:
        seen = None
        if self._checks and delta.subject is not None:
            seen = self._state_of(delta.subject, whose or None)

        def ask(trust: str) -> tuple[str | None, str | None]:
            return judged(self._checks, delta.model_copy(update={"trust": trust}), seen)

        return ask
