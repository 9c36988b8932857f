"""The gate: candidates are proposed, and what it holds is decided."""

from __future__ import annotations

from operator import itemgetter
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from vigent.domain.resources import ResourceRow
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import (
    CandidatePage,
    MemoryAnswer,
    ProposeAnswer,
    ReviewPage,
    WriteAnswer,
)
from vigent.edges.http.bodies import (
    Body,
    Confidence,
    IndexId,
    Instantlike,
    Jsonlike,
    RecordId,
    Timezone,
    ValueKind,
    dated,
    given,
    valued,
)
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.edges.http.repeats import once
from vigent.memory import Memory
from vigent.parts import Review
from vigent.proposals import MemoryDelta
from vigent.service.caller import Caller
from vigent.write.result import ReviewItem, WriteResult

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


class Rejection(Body):
    """Why a candidate is turned down."""

    reason: Annotated[str, Field(max_length=2_000)] | None = None


class Acceptance(Body):
    """What is put right in a candidate before it is let in."""

    edits: Annotated[dict[str, Any], Field(max_length=20)] | None = None


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


# ---------------------------------------------------------------------------------- review


@router.get("/review", response_model=ReviewPage, responses=problems_of())
@reads
def waiting(
    caller: Called,
    index_id: Annotated[IndexId | None, Query()] = None,
    reason: Annotated[str | None, Query(max_length=200)] = None,
    limit: Limit = 50,
    next: Next = None,  # noqa: A002 - what the parameter is called
) -> Response:
    """Give the candidates that wait, oldest first, of one store or of all that the key sees.

    With ``management`` everyone's, or those that a person sees who is named; a person with a
    token sees their own.
    """
    _may_review(caller)
    query = ["review", index_id, reason]
    beyond = place(caller, query, next)
    found = sorted(
        (
            ((one.memory.stretch.recorded_from, one.memory.memory_id), one, store.id)
            for store in _stores(caller, index_id)
            for one in _of_store(caller, store, reason)
        ),
        key=itemgetter(0),
    )
    left = [one for one in found if beyond is None or one[0] > tuple(beyond)]
    if caller.can("management") and caller.person is None:
        caller.host.registry.note(caller.actor, "review_read", "read", index_id, {})
    last = left[limit - 1][0] if len(left) > limit else None
    return answer(
        {
            "items": [{**one.to_dict(), "index_id": id} for _, one, id in left[:limit]],
            "next": None if last is None else cursor(caller, query, last),
        }
    )


@router.get("/candidates", response_model=CandidatePage, responses=problems_of())
@reads
def candidates(
    caller: Called,
    index_id: Annotated[IndexId, Query()],
    episode_id: Annotated[str | None, Query(max_length=200)] = None,
    outcome: Annotated[str | None, Query(max_length=32)] = None,
    limit: Limit = 50,
    next: Next = None,  # noqa: A002 - what the parameter is called
) -> Response:
    """Give what models proposed in a store, accepted or not, each with the gate's verdict.

    With ``management`` everyone's, or those that a person sees who is named; a person with a
    token sees their own. ``outcome`` is accepted, buffered, pending_review or rejected.
    """
    _may_review(caller)
    store = caller.store(index_id, "read")
    query = ["candidates", index_id, episode_id, outcome]
    beyond = place(caller, query, next)
    memory = caller.host.memory(store, caller)
    after = None if beyond is None else str(beyond[0])
    own = not caller.can("management")
    found: list[dict[str, Any]] = []
    while len(found) <= limit:
        some = memory.candidates.list(
            episode_id, outcome=outcome, after=after, limit=limit + 1, person=caller.person
        )
        found += [c.to_dict() for c in some if not own or c.person_id == caller.person]
        if len(some) <= limit:
            break
        after = some[-1].candidate_id
    if caller.can("management") and caller.person is None:
        caller.host.registry.note(caller.actor, "candidates_read", "read", index_id, {})
    last = [found[limit - 1]["candidate_id"]] if len(found) > limit else None
    return answer(
        {
            "items": [{**one, "index_id": store.id} for one in found[:limit]],
            "next": None if last is None else cursor(caller, query, last),
        }
    )


def _may_review(caller: Caller) -> None:
    """Refuse who may neither manage what waits nor is shown to be the person whose it is."""
    caller.require("memory")
    if not caller.by_token:
        caller.require("management")


def _stores(caller: Caller, index_id: str | None) -> list[ResourceRow]:
    if index_id is not None:
        return [caller.store(index_id, "read")]
    rights = caller.document.policy.rights
    return [row for row in caller.stores() if "read" in (rights(row.id) or ())]


def _of_store(caller: Caller, store: ResourceRow, reason: str | None) -> list[ReviewItem]:
    review = caller.host.memory(store, caller).records.review(caller.person)
    own = not caller.can("management")
    every = review.list(reason)
    return [one for one in every if not own or one.memory.person_id == caller.person]


@router.post("/review/{memory_id}/accept", response_model=WriteAnswer, responses=problems_of(409))
@writes
def accept(
    caller: Called,
    memory_id: RecordId,
    body: Acceptance | None = None,
    idempotency_key: Idempotency = None,
) -> Response:
    """Let a candidate in, with the trust of who accepts it: reviewer, or the person.

    ``edits`` put it right first: subject, attribute, value, text, type, dates, importance.
    """
    review, trust, memory, whose = _decided(caller, memory_id)
    edits = None if body is None else body.edits
    asked = memory_id if not edits else [memory_id, edits]
    told = once(
        memory, caller, "review_accept", idempotency_key, asked,
        lambda: review.accept(memory_id, trust, edits=edits).to_dict(), whose,
    )  # fmt: skip
    return answer(told)


@router.post("/review/{memory_id}/reject", response_model=MemoryAnswer, responses=problems_of(409))
@writes
def reject(
    caller: Called,
    memory_id: RecordId,
    body: Rejection | None = None,
    idempotency_key: Idempotency = None,
) -> Response:
    """Turn a candidate down; it stays on record as rejected."""
    review, _, memory, whose = _decided(caller, memory_id)
    reason = None if body is None else body.reason
    told = once(
        memory, caller, "review_reject", idempotency_key, [memory_id, reason],
        lambda: {"memory": review.reject(memory_id, reason).to_dict()}, whose,
    )  # fmt: skip
    return answer(told["memory"])


def _decided(caller: Caller, memory_id: str) -> tuple[Review, str, Memory, str | None]:
    """Give the review that decides a candidate, the trust, the memory it is in, and whose it is.

    A person decides their own by token; another's is absent, a shared one theirs not to decide.
    """
    manages = caller.can("management")
    if not manages and not caller.by_token:
        caller.require("management")
    everyone = manages and caller.person is None
    memory, key = caller.holding(memory_id, "write", anyone=everyone)
    if manages:
        return memory.records.review(caller.person), "reviewer", memory, key.person or None
    if key.person != caller.person:
        caller.refuse("what is shared is decided by management", memory_id)
    return memory.records.review(caller.person), "person", memory, key.person
