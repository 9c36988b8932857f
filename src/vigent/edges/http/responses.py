"""Turns that the service answers: memory is injected, its tools run here, the answer streams."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from vigent.crossing import Crossing
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.responses import ResponseAnswer
from vigent.edges.http.bodies import Body, Timezone
from vigent.edges.http.calling import (
    Asking,
    Called,
    Idempotency,
    Pending,
    Route,
    answer,
    noted,
    reads,
)
from vigent.edges.http.streaming import GONE, STREAM, EventStream, Push, event, unless_gone
from vigent.errors import InvalidInput, VigentError
from vigent.ports.models import Spoken
from vigent.service.answering import Event, Said
from vigent.service.answering import answer as answered
from vigent.service.beginning import begin
from vigent.service.responses import find_response
from vigent.service.turns import Turn, Wanted

__all__ = ["begun", "router", "unheard"]

router = APIRouter(prefix="/v1/responses", tags=["responses"], route_class=Route)

ResponseId = Annotated[str, Path(min_length=1, max_length=200, description="A response, by its id")]
Name = Annotated[str | None, Field(min_length=1, max_length=200)]


class NamedTool(Body):
    """A tool of memory that the model is offered."""

    type: Literal["tool"]
    name: Annotated[str, Field(min_length=1, max_length=200)]


class NewResponse(Body):
    """A turn to be answered, by a model or an agent; with a thread, it stands on it."""

    model: Name = None
    agent: Annotated[Name, Field(description="An agent, by id or name")] = None
    input: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    tools: Annotated[list[NamedTool], Field(max_length=64, default_factory=list[NamedTool])]
    thread: Name = None
    user: Annotated[Name, Field(description="The person of the turn")] = None
    timezone: Timezone = None
    stream: bool = False


@router.post(
    "", response_model=ResponseAnswer,
    responses={**problems_of(409, 410), 200: {"content": STREAM}},
)  # fmt: skip
async def respond(
    pending: Asking, body: NewResponse, request: Request, idempotency_key: Idempotency = None
) -> Response:
    """Answer a turn: memory of the key's or agent's block is injected, memory's tools run here.

    With ``stream`` the answer comes as events: ``response.created``,
    ``response.output_text.delta``, ``response.tool_call``, ``response.tool_result``, and last
    ``response.completed`` or ``response.failed``. With a thread,
    what was said and what tools gave stands on it, and is the answer again under an
    ``Idempotency-Key``. A client that goes away ends the turn.
    """
    wanted = Wanted(
        endpoint="responses", said=(Spoken("user", body.input),), model=body.model,
        agent=body.agent, thread=body.thread, user=body.user, timezone=body.timezone,
        tools=tuple((tool.name, f"tools.{n}.name") for n, tool in enumerate(body.tools)),
        idempotency_key=idempotency_key, request=body.model_dump(exclude={"stream"}),
    )  # fmt: skip
    crossing = pending.crossing
    with ExitStack() as held:
        held.enter_context(pending.turns.one())
        turn = await begun(pending, wanted)
        if body.stream:
            return EventStream(partial(_streamed, turn, crossing), held.pop_all())
        if turn.again:
            return answer(await crossing.read(partial(find_response, turn.caller, turn.id)))
        said = await unless_gone(request.receive, answered(turn, crossing, unheard))
    if said is None:
        return Response(status_code=GONE)
    return answer(await _told(turn, crossing, said))


async def begun(pending: Pending, wanted: Wanted) -> Turn:
    """Begin a turn in a worker thread; raises what refuses it."""
    if (wanted.model is None) == (wanted.agent is None) and not wanted.whole:
        await pending.crossing.read(pending.caller)
        raise InvalidInput("model", "must be given, or agent, and not both")

    def start() -> Turn:
        caller = pending.caller()
        return noted(caller, lambda: begin(caller, wanted))

    return await pending.crossing.write(start)


async def _told(turn: Turn, crossing: Crossing, said: Said) -> dict[str, Any]:
    """Give a turn that was answered, with all that was said: it may stand nowhere else."""
    found = await crossing.read(partial(find_response, turn.caller, turn.id))
    return {**found, "output_text": said.text, "output": said.output}


async def _streamed(turn: Turn, crossing: Crossing, push: Push) -> None:
    start = {"id": turn.id, "object": "response", "status": "in_progress"}
    await push(event({"response": start}, "response.created"))
    try:
        if turn.again:
            told = await crossing.read(partial(find_response, turn.caller, turn.id))
        else:
            said = await answered(turn, crossing, partial(_pushed, push))
            told = await _told(turn, crossing, said)
    except VigentError as error:
        problem = {"code": error.code, "message": error.message}
        await push(event({"id": turn.id, "error": problem}, "response.failed"))
        return
    await push(event({"response": told}, "response.completed"))


async def _pushed(push: Push, one: Event) -> None:
    if one.call is None:
        await push(event({"delta": one.text}, "response.output_text.delta"))
        return
    what = "arguments" if one.kind == "call" else "output"
    told = {"call_id": one.call.id, "name": one.call.name, what: one.text}
    await push(event(told, f"response.tool_{one.kind}"))


async def unheard(_: Event) -> None:
    """Tell nobody: the answer comes as a whole."""


@router.get("/{response_id}", response_model=ResponseAnswer, responses=problems_of())
@reads
def one(caller: Called, response_id: ResponseId) -> Response:
    """Give a response with its trace: what was injected, which tools ran, what it came to.

    That of another person, or of a thread that is gone, is not there. It is kept for 90 days.
    """
    return answer(find_response(caller, response_id))
