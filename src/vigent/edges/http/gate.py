"""The gate: what is proposed, and its verdict."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import ProposeAnswer
from vigent.edges.http.bodies import (
    Body,
    Confidence,
    IndexId,
    Instantlike,
    Jsonlike,
    Timezone,
    ValueKind,
    dated,
    given,
    valued,
)
from vigent.edges.http.calling import Called, Idempotency, Route, answer, writes
from vigent.edges.http.repeats import once
from vigent.proposals import MemoryDelta
from vigent.write.result import WriteResult

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["gate"], route_class=Route)

_HELD = ("buffered", "pending_review", "rejected")
_Name = Annotated[str, Field(max_length=200)] | None
_Words = Annotated[str, Field(max_length=8_000)] | None


class Candidate(Body):
    """A proposed change (``MemoryDelta``); without value and text it proposes a retraction."""

    index_id: IndexId
    tenant_id: Annotated[_Name, Field(description="the key's: another one is refused")] = None
    type: Annotated[str, Field(max_length=64)] = "fact"
    subject: _Name = None
    attribute: _Name = None
    value: Jsonlike = None
    value_kind: ValueKind = None
    text: _Words = None
    mode: str = "change"
    valid_from: Instantlike = None
    valid_to: Instantlike = None
    confidence: Confidence = None
    source_episode_id: _Name = None
    quote: _Words = None
    trust: _Name = None
    due: Instantlike = None
    supersedes: _Name = None
    held: Annotated[_Words, Field(description="why a person should decide, if one should")] = None
    timezone: Timezone = None


@router.post("/memory/propose", response_model=ProposeAnswer, responses=problems_of(409))
@writes
def propose(caller: Called, body: Candidate, idempotency_key: Idempotency = None) -> Response:
    """Hand a candidate to the gate; the answer has its verdict and its reasons.

    ``trust`` is ``assistant`` unless it says otherwise, and never above the caller's own.
    """
    memory = caller.memory(body.index_id, "write")
    fields = valued(given(body, "index_id", "tenant_id"))
    dates = {n: fields[n] for n in ("valid_from", "valid_to") if n in fields}
    fields |= dated(caller, dates, body.timezone)
    fields["trust"] = caller.lowered(body.trust, "assistant")
    delta = MemoryDelta(tenant_id=body.tenant_id or caller.tenant, **fields)
    told = once(
        memory, caller, "propose", idempotency_key, fields,
        lambda: _judged(memory.propose(delta, person=caller.person)),
    )  # fmt: skip
    return answer(told)


def _judged(result: WriteResult) -> dict[str, Any]:
    verdict = result.outcome if result.outcome in _HELD else "accepted"
    reasons = [] if result.reason is None else [result.reason]
    return {**result.to_dict(), "verdict": verdict, "reasons": reasons}
