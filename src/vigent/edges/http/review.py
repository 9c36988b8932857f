"""Review: what the gate holds is decided, and what was proposed is looked at."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import (
    BatchAnswer,
    CandidateAnswer,
    CandidatePage,
    MemoryAnswer,
    ReviewPage,
    WriteAnswer,
)
from vigent.edges.http.bodies import Body, IndexId, RecordId
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.edges.http.repeats import once
from vigent.errors import IdempotencyMismatch, UnavailableError, VigentError
from vigent.memory import Memory
from vigent.parts import Review
from vigent.service.caller import Caller
from vigent.service.reviewing import candidate, readable, require_review, seen, waiting

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["gate"], route_class=Route)

_MOST = 200
"""How many candidates one request decides at most."""
Told = Annotated[str, Field(max_length=200, description="A candidate, by its id")]
Why = Annotated[str | None, Field(max_length=2_000)]


class Rejection(Body):
    """Why a candidate is turned down."""

    reason: Why = None


class Acceptance(Body):
    """What is put right in a candidate before it is let in."""

    edits: Annotated[dict[str, Any], Field(max_length=20)] | None = None


class Decisions(Body):
    """What is decided of candidates of a store; ``reason`` is why they are rejected."""

    index_id: IndexId
    decision: Literal["accept", "reject"]
    memory_ids: Annotated[list[Told], Field(min_length=1, max_length=_MOST)]
    reason: Why = None


@router.get("/review", response_model=ReviewPage, responses=problems_of())
@reads
def waits(
    caller: Called,
    index_id: Annotated[IndexId | None, Query()] = None,
    reason: Annotated[str | None, Query(max_length=200)] = None,
    limit: Limit = 50,
    next: Next = None,  # noqa: A002 - what the parameter is called
) -> Response:
    """Give the candidates that wait, oldest first, of one store or of all that the key sees.

    With ``management`` everyone's, or those that a person sees who is named; a person with a
    token sees their own. ``reason`` is why they were held.
    """
    require_review(caller)
    stores = readable(caller, index_id)
    query = ["review", index_id, reason]
    beyond = place(caller, query, next)
    persons = seen(caller, "review_read", index_id)
    found, last = waiting(caller, persons, stores, reason, beyond, limit)
    more = None if last is None else cursor(caller, query, last)
    return answer({"items": found, "next": more})


@router.post("/review/decide", response_model=BatchAnswer, responses=problems_of(409))
@writes
def decide(caller: Called, body: Decisions, idempotency_key: Idempotency = None) -> Response:
    """Let many candidates in, or turn them down, each by itself and in order.

    One that cannot be decided has its error in its place.
    """
    require_review(caller)
    store = caller.store(body.index_id, "write")
    told: list[dict[str, Any]] = []
    for number, id in enumerate(body.memory_ids):
        name = None if idempotency_key is None else f"{idempotency_key} {number}"
        try:
            told.append(_decided_one(caller, body, store.name or store.id, id, name))
        except IdempotencyMismatch:
            raise
        except VigentError as error:
            if isinstance(error, UnavailableError) and not told:
                raise  # nothing was done
            caller.note_refusal(error)
            wrong = {"code": error.code, "detail": error.message, "field": error.field}
            told.append({"error": wrong})
    return answer({"results": told, "failed": sum("error" in one for one in told)})


def _decided_one(
    caller: Caller, body: Decisions, store: str, id: str, name: str | None
) -> dict[str, Any]:
    review, trust, memory, whose = _decided(caller, id, store)

    def make() -> dict[str, Any]:
        if body.decision == "accept":
            return review.accept(id, trust).to_dict()
        return {"outcome": "rejected", "memory": review.reject(id, body.reason).to_dict()}

    return once(memory, caller, "review_decide", name, body.model_dump(), make, whose)


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


def _decided(
    caller: Caller, memory_id: str, store: str | None = None
) -> tuple[Review, str, Memory, str | None]:
    """Give the review that decides a candidate, the trust, the memory it is in, and whose it is.

    A person decides their own by token; another's is absent, a shared one theirs not to decide.
    With ``store`` what is in another one is absent.
    """
    manages = caller.can("management")
    if not manages and not caller.by_token:
        caller.require("management")
    everyone = manages and caller.person is None
    memory, key = caller.holding(memory_id, "write", anyone=everyone)
    if store not in (None, key.store):
        caller.miss("memory_id", memory_id)
    if manages:
        return memory.records.review(caller.person), "reviewer", memory, key.person or None
    if key.person != caller.person:
        caller.refuse("what is shared is decided by management", memory_id)
    return memory.records.review(caller.person), "person", memory, key.person


# ------------------------------------------------------------------------------ candidates


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
    require_review(caller)
    store = caller.store(index_id, "read")
    query = ["candidates", index_id, episode_id, outcome]
    beyond = place(caller, query, next)
    persons = seen(caller, "candidates_read", store.id)
    found = caller.host.memory(store, caller).candidates.list(
        episode_id, outcome=outcome, after=None if beyond is None else str(beyond[0]),
        limit=limit + 1, shared="" in persons, person=caller.person,
    )  # fmt: skip
    last = [found[limit - 1].candidate_id] if len(found) > limit else None
    return answer(
        {
            "items": [{**one.to_dict(), "index_id": store.id} for one in found[:limit]],
            "next": None if last is None else cursor(caller, query, last),
        }
    )


@router.get("/candidates/{candidate_id}", response_model=CandidateAnswer, responses=problems_of())
@reads
def proposed(caller: Called, candidate_id: str) -> Response:
    """Give what a model proposed, with the gate's verdict; another's is absent for a person."""
    require_review(caller)
    store, memory, shared = candidate(caller, candidate_id, "read")
    found = memory.candidates.get(candidate_id, shared=shared, person=caller.person)
    return answer({**found.to_dict(), "index_id": store.id})


@router.post(
    "/candidates/{candidate_id}/judge", response_model=CandidateAnswer, responses=problems_of(409)
)
@writes
def judge(caller: Called, candidate_id: str, idempotency_key: Idempotency = None) -> Response:
    """Judge it again, by the store's policy and schema as they are now; needs ``management``.

    What is in force stays, and so does what somebody decided.
    """
    caller.require("management")
    store, memory, _ = candidate(caller, candidate_id, "write")
    person = caller.person
    found = memory.records.once(
        "candidate_judge", idempotency_key, candidate_id,
        partial(memory.candidates.judge, candidate_id, person=person),
        kept=lambda _: {"candidate": candidate_id},
        again=lambda _: memory.candidates.get(candidate_id, person=person),
        person=person,
    )  # fmt: skip
    return answer({**found.to_dict(), "index_id": store.id})
