"""Finding, and what a model is given to see: search and context."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import ContextAnswerBody, SearchAnswerBody
from vigent.edges.http.bodies import (
    Attribute,
    Body,
    Filters,
    IndexId,
    Instantlike,
    Timezone,
    given,
    settled,
)
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads
from vigent.service.agents import injection_for

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["search"], route_class=Route)

_LAST = ("as_of", "known_at")
_FIRST = ("after", "before")


class Question(Body):
    """What is asked of memory, and what narrows it."""

    index_id: IndexId
    query: Annotated[str, Field(max_length=100_000, description="at most 8,000 characters")]
    types: Annotated[list[str], Field(max_length=100)] | None = None
    subject: Attribute = None
    attribute: Attribute = None
    metadata: Filters = None
    as_of: Instantlike = None
    known_at: Instantlike = None
    after: Instantlike = None
    before: Instantlike = None
    include: Literal["current", "history", "episodes"] = "current"
    expand: Literal["auto", "always", "never"] = "auto"
    recipe: str = "relevance"
    timezone: Timezone = None
    limit: Annotated[int, Field(ge=1, le=200)] = 10
    budget_tokens: Annotated[int, Field(ge=0)] | None = None
    explain: bool = False


class Turn(Body):
    """A turn that a context is wanted for: a query, or a thread's last user item."""

    index_id: IndexId
    query: str | None = None
    thread: Annotated[str, Field(max_length=200)] | None = None
    system_prompt: str | None = None
    budget_tokens: Annotated[int, Field(ge=0, le=10_000_000)] = 8_000
    memory_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    recent_turns: Annotated[int, Field(ge=3, le=1_000)] = 5
    limit: Annotated[int, Field(ge=0, le=200)] = 10
    timezone: Timezone = None


@router.post("/memory/search", response_model=SearchAnswerBody, responses=problems_of(409))
@reads
def search(caller: Called, body: Question, idempotency_key: Idempotency = None) -> Response:
    """Find what answers a question: exact state first, then by words and by meaning.

    Under an ``Idempotency-Key`` it is answered anew; the key with another body is a 409.
    """
    memory = caller.memory(body.index_id, "read")
    memory.records.asked("search", idempotency_key, body.model_dump(), person=caller.person)
    fields = given(body, "index_id", "query", "timezone")
    for names, ends in ((_LAST, True), (_FIRST, False)):
        times = {name: fields[name] for name in names if name in fields}
        fields |= settled(caller, times, body.timezone, ends=ends)
    zone = caller.zone(body.timezone)
    found = memory.search(body.query, **fields, timezone=zone, person=caller.person)
    return answer(found.to_dict())


@router.post("/context", response_model=ContextAnswerBody, responses=problems_of(409))
@reads
def context(caller: Called, body: Turn, idempotency_key: Idempotency = None) -> Response:
    """Give the messages for a model: system prompt, memory, recent turns verbatim, query.

    The memory block is that of the key, or of the thread's agent where it has one; a key without
    ``memory`` gets none.
    """
    caller.require("memory", "threads")
    store = caller.store(body.index_id, "read")
    agent = None
    if body.thread is not None:
        _, row = caller.thread(body.thread)
        if row.store != (store.name or store.id):
            caller.miss("thread", body.thread)
        agent = row.agent
    caller.note_memory_read(store)
    memory = caller.host.memory(store, caller, injection_for(caller, store, agent))
    memory.records.asked("context", idempotency_key, body.model_dump(), person=caller.person)
    fields: dict[str, Any] = given(body, "index_id", "timezone")
    zone = caller.zone(body.timezone)
    return answer(memory.context(**fields, timezone=zone, person=caller.person).to_dict())
