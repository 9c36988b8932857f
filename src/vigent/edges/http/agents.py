"""Agents: each save of a name makes its next version."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.threads import Agent, AgentPage, AgentVersions
from vigent.edges.http.bodies import Body
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.govern.documents import AgentVersion, InjectionSpec
from vigent.service.agents import agent, remove_agent, save_agent, shown, shown_version, versions

__all__ = ["router"]

router = APIRouter(prefix="/v1/agents", tags=["agents"], route_class=Route)

AgentId = Annotated[str, Path(min_length=1, max_length=200, description="An agent, by id or name")]


class NewAgent(Body):
    """An agent to be saved; a block here takes the place of the key's, whole."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    model: Annotated[str, Field(min_length=1, max_length=200)]
    instructions: Annotated[str | None, Field(max_length=100_000)] = None
    memory_injection: InjectionSpec | None = None


@router.post("", status_code=201, response_model=Agent, responses=problems_of(409))
@writes
def save(caller: Called, body: NewAgent, idempotency_key: Idempotency = None) -> Response:
    """Make an agent, or the next version of the one of this name.

    Needs threads, responses or management. A model that the tenant does not offer is refused on
    ``model``, a store that is not there for this key on ``memory_injection.index_id``.
    """
    caller.require("threads", "responses", "management")
    wanted = AgentVersion.model_validate(body.model_dump())
    return answer(save_agent(caller, wanted, idempotency_key), 201)


@router.get("", response_model=AgentPage, responses=problems_of())
@reads
def listed(caller: Called, limit: Limit = 50, next_: Next = None) -> Response:
    """Give the agents of the tenant, in the order in which they were made."""
    caller.require("threads", "responses", "management")
    after = place(caller, "agents", next_)
    rows = caller.host.registry.page(
        caller.tenant, "agent", after=str(after[0]) if after else "", limit=limit + 1
    )
    more = cursor(caller, "agents", [rows[limit - 1].id]) if len(rows) > limit else None
    return answer({"agents": [shown(caller, row) for row in rows[:limit]], "next": more})


@router.get("/{agent_id}", response_model=Agent, responses=problems_of())
@reads
def one(caller: Called, agent_id: AgentId) -> Response:
    """Give an agent: its latest version."""
    caller.require("threads", "responses", "management")
    return answer(shown(caller, agent(caller, agent_id)))


@router.get("/{agent_id}/versions", response_model=AgentVersions, responses=problems_of())
@reads
def history(
    caller: Called, agent_id: AgentId, limit: Limit = 50, next_: Next = None
) -> Response:  # fmt: skip
    """Give the versions of an agent, the first one first."""
    caller.require("threads", "responses", "management")
    row = agent(caller, agent_id)
    asked = ["versions", row.id]
    at = place(caller, asked, next_)
    start, every = (int(at[0]) if at else 0), versions(row)
    told = [shown_version(caller, no, v) for no, v in enumerate(every, 1)][start : start + limit]
    more = cursor(caller, asked, [start + limit]) if len(every) > start + limit else None
    return answer({"id": row.id, "versions": told, "next": more})


@router.delete("/{agent_id}", status_code=204, response_class=Response,
               responses=problems_of(409))  # fmt: skip
@writes
def remove(caller: Called, agent_id: AgentId) -> Response:
    """Remove an agent with its versions; 409 while a store's extraction switch names it.

    Needs management, or the key that made it.
    """
    caller.require("threads", "responses", "management")
    remove_agent(caller, agent_id)
    return Response(status_code=204)
