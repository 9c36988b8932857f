"""The tools that stores give a model: listed as the key is offered them, and run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.threads import ToolAnswer, ToolPage
from vigent.edges.http.bodies import Body, Timezone
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.service.offering import described, use_tool

__all__ = ["router"]

router = APIRouter(prefix="/v1/tools", tags=["tools"], route_class=Route)


class ToolUse(Body):
    """A call of a tool as a model made it; with a thread, both stand on it."""

    arguments: dict[str, Any]
    thread: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    timezone: Timezone = None


@router.get("", response_model=ToolPage, responses=problems_of())
@reads
def listed(
    caller: Called,
    source: Annotated[Literal["memory"], Query()] = "memory",
    timezone: Annotated[Timezone, Query()] = None,
    limit: Limit = 200,
    next_: Next = None,
) -> Response:
    """Give both tools of every store that the key sees, each with whether it is offered.

    The description is that of this moment: it has today's date in the zone of ``timezone``, else
    the tenant's, else UTC.
    """
    query = ["tools", source, timezone]
    at = place(caller, query, next_)
    every = described(caller, timezone)
    after = "" if at is None else str(at[0])
    found = [tool for tool in every if tool["name"] > after]
    more = cursor(caller, query, [found[limit - 1]["name"]]) if len(found) > limit else None
    return answer({"tools": found[:limit], "next": more})


@router.post("/{name}", response_model=ToolAnswer, responses=problems_of(409))
@writes
def run(
    caller: Called,
    name: Annotated[str, Path(min_length=1, max_length=200)],
    body: ToolUse,
    idempotency_key: Idempotency = None,
) -> Response:
    """Run a tool and give what the model reads; arguments that do not fit are told to the model.

    The write tool proposes and the gate decides: the thread's last user item is what it rests on.
    """
    text = use_tool(
        caller, name, body.arguments, thread=body.thread, timezone=body.timezone,
        idempotency_key=idempotency_key,
    )  # fmt: skip
    return Response(text, media_type="application/json")
