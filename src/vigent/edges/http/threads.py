"""Threads: their items in order, and a small state; apart from what was learned in them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from vigent.domain.threads import Thread as EngineThread
from vigent.domain.time import iso, parse_instant
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.threads import (
    Item,
    ItemPage,
    Removed,
    State,
    Thread,
    ThreadPage,
)
from vigent.edges.http.bodies import Body, IndexId, Timezone
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.govern.responses import remove_responses
from vigent.service.threads import (
    home_of,
    make_thread,
    note_turn,
    own_thread,
    responses_on,
    shown,
    shown_item,
    threads_after,
)

__all__ = ["router"]

router = APIRouter(prefix="/v1/threads", tags=["threads"], route_class=Route)

ThreadId = Annotated[str, Path(min_length=1, max_length=200, description="A thread, by its id")]
Kind = Literal["user", "assistant", "system", "tool_call", "tool_result", "reasoning", "plan"]
Name = Annotated[str | None, Field(min_length=1, max_length=200)]


class NewThread(Body):
    """A thread to be made; without a store it is in ``default``, else the first that fits."""

    index_id: IndexId | None = None
    id: Annotated[Name, Field(description="the caller's own; else one is issued")] = None
    person: Name = None
    agent: Name = None
    metadata: Annotated[dict[str, Any], Field(default_factory=dict)]
    ttl_days: Annotated[int | None, Field(ge=1, le=36_500)] = None


class NewItem(Body):
    """An item to be added; ``kind``, or ``role`` alone, says what it is."""

    kind: Kind | None = None
    role: Literal["user", "assistant", "system", "tool"] | None = None
    content: Annotated[str, Field(max_length=1_000_000)]
    occurred_at: Annotated[str | None, Field(max_length=64)] = None
    speaker: Name = None
    agent: Name = None
    external_id: Name = None
    metadata: Annotated[dict[str, Any], Field(default_factory=dict)]
    sealed: bool = False
    timezone: Timezone = None


class NewState(Body):
    """A state to be set, where it is at the version ``expect``."""

    state: dict[str, Any]
    expect: Annotated[int | None, Field(ge=0)] = None


@router.post("", status_code=201, response_model=Thread, responses=problems_of(409))
@writes
def create(caller: Called, body: NewThread, idempotency_key: Idempotency = None) -> Response:
    """Make a thread, for the person of the request or the one named; nobody's is shared.

    A person named otherwise than in the header is refused, unless the key has management.
    """
    fields = body.model_dump(include={"id", "agent", "metadata", "ttl_days"})
    fields["idempotency_key"] = idempotency_key
    made = make_thread(caller, body.index_id, body.person, fields).row
    return answer(shown(home_of(caller, made), made), 201)


@router.get("", response_model=ThreadPage, responses=problems_of())
@reads
def listed(
    caller: Called,
    index_id: Annotated[IndexId | None, Query()] = None,
    limit: Limit = 50,
    next_: Next = None,
) -> Response:
    """Give the threads of the request's person, and the shared, in order of their ids."""
    query = ["threads", index_id]
    at = place(caller, query, next_)
    at = None if at is None else (str(at[0]), int(at[1]), str(at[2]))
    found, more = threads_after(caller, index_id, at, limit)
    following = None if more is None else cursor(caller, query, list(more))
    return answer({"threads": [shown(*one) for one in found], "next": following})


@router.get("/{thread_id}", response_model=Thread, responses=problems_of())
@reads
def one(caller: Called, thread_id: ThreadId) -> Response:
    """Give one thread; another person's is not there."""
    _, row = caller.thread(thread_id)
    return answer(shown(home_of(caller, row), row))


@router.delete("/{thread_id}", response_model=Removed, responses=problems_of())
@writes
def remove(caller: Called, thread_id: ThreadId) -> Response:
    """Remove a thread with its items and state, and say how many items; what was learned stays.

    A shared one is not removed in a request for a person.
    """
    memory, row = own_thread(caller, thread_id)
    traces = responses_on(memory, row, caller.person)
    items = memory.threads.delete(row.id, person=caller.person)
    remove_responses(caller.host.registry, caller.tenant, traces)
    return answer({"thread_id": row.id, "items": items})


@router.post("/{thread_id}/items", status_code=201, response_model=Item,
             responses=problems_of(409))  # fmt: skip
@writes
def append(
    caller: Called, thread_id: ThreadId, body: NewItem, idempotency_key: Idempotency = None
) -> Response:
    """Add an item; the same external id, or idempotency key, gives the first one again.

    From what is sealed nothing is ever learned. In a shared thread an item is the person's who
    adds it, and seen by them alone.
    """
    memory, row = caller.thread(thread_id, "write")
    fields = body.model_dump(exclude={"timezone", "occurred_at"})
    if body.occurred_at is not None:
        at = parse_instant(body.occurred_at, "occurred_at", timezone=body.timezone)
        fields["occurred_at"] = iso(at)
    note_turn(caller, row)
    item = memory.threads.append(
        EngineThread(row), person=caller.person, idempotency_key=idempotency_key, **fields
    )
    return answer(shown_item(item), 201)


@router.get("/{thread_id}/items", response_model=ItemPage, responses=problems_of())
@reads
def items(
    caller: Called,
    thread_id: ThreadId,
    after: Annotated[str | None, Query(min_length=1, max_length=200)] = None,
    limit: Limit = 50,
    next_: Next = None,
) -> Response:
    """Give the items of a thread in order, from the beginning or ``after`` one of them."""
    memory, row = caller.thread(thread_id)
    query = ["items", row.id, after]
    at = place(caller, query, next_)
    begin = after if at is None else str(at[0])
    found = memory.threads.items(row.id, after=begin, limit=limit + 1, person=caller.person)
    more = cursor(caller, query, [found[limit - 1].id]) if len(found) > limit else None
    return answer({"items": [shown_item(item) for item in found[:limit]], "next": more})


@router.get("/{thread_id}/state", response_model=State, responses=problems_of())
@reads
def state(caller: Called, thread_id: ThreadId) -> Response:
    """Give the state of a thread; empty and of version 0 where none was set."""
    memory, row = caller.thread(thread_id)
    return answer(memory.threads.state(row.id, person=caller.person).to_dict())


@router.put("/{thread_id}/state", response_model=State, responses=problems_of(409))
@writes
def set_state(caller: Called, thread_id: ThreadId, body: NewState) -> Response:
    """Set the state of a thread: a JSON object of at most 64,000 bytes.

    Each set raises the version; with ``expect`` it is 409 where the state is at another. That of
    a shared thread is not set in a request for a person.
    """
    memory, row = own_thread(caller, thread_id)
    done = memory.threads.set_state(
        row.id, body.state, expect=body.expect, person=caller.person
    )  # fmt: skip
    return answer(done.to_dict())
