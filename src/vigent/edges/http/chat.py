"""Turns for clients that speak OpenAI's chat protocol: as ``/responses``, in their form."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any, Final, Literal, cast

from fastapi import APIRouter, Request, Response
from pydantic import Field, WithJsonSchema

from vigent.crossing import Crossing
from vigent.domain.toolspecs import read_tool_name
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.responses import ChatAnswer
from vigent.edges.http.bodies import Body, Timezone
from vigent.edges.http.calling import Asking, Idempotency, Route, answer
from vigent.edges.http.responses import begun, unheard
from vigent.edges.http.streaming import DONE, GONE, STREAM, EventStream, Push, event, unless_gone
from vigent.errors import InvalidInput, VigentError
from vigent.ports.models import Conversed, ModelUsage, Spoken, ToolAsked, ToolOffered
from vigent.service.answering import Emit, Event, Said
from vigent.service.answering import answer as answered
from vigent.service.responses import find_response
from vigent.service.turns import Turn, Wanted

__all__ = ["router"]

router = APIRouter(prefix="/v1/chat", tags=["responses"], route_class=Route)

Text = Annotated[str, Field(max_length=1_000_000)]
Name = Annotated[str | None, Field(min_length=1, max_length=200)]
Ignored = Annotated[Any, WithJsonSchema({"description": "taken, and not looked at"})]
_ENDS: Final = {"stop": "stop", "length": "length", "tools": "tool_calls"}


class TextPart(Body):
    """A part of a message; text is what is understood."""

    type: Literal["text"]
    text: Text


class CalledFunction(Body):
    """The function of a call, with its arguments as JSON text."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: Text


class Call(Body):
    """A call of a tool, as an earlier answer had it."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    type: Literal["function"] = "function"
    function: CalledFunction
    index: int | None = None


class ChatMessage(Body):
    """A message; what an earlier answer bore beside its text and calls is not looked at."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Text | list[TextPart] | None = None
    name: Name = None
    tool_calls: Annotated[list[Call], Field(max_length=64)] | None = None
    tool_call_id: Name = None
    refusal: Ignored = None
    annotations: Ignored = None
    audio: Ignored = None
    function_call: Ignored = None

    def spoken(self) -> Spoken:
        """Give it as a model's conversation has it."""
        parts = self.content
        text = "".join(p.text for p in parts) if isinstance(parts, list) else parts or ""
        calls = tuple(
            ToolAsked(call.id, call.function.name, call.function.arguments)
            for call in self.tool_calls or ()
        )
        role = "system" if self.role == "developer" else self.role
        return Spoken(role, text, calls, self.tool_call_id)


class Function(Body):
    """A function of the caller's own; ``parameters`` are a JSON Schema."""

    name: Annotated[str, Field(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$")]
    description: Text | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class ChatTool(Body):
    """A function of the caller's own, or with type ``tool`` one of memory, by name.

    A function whose name is that of a tool of memory is that tool, and runs here.
    """

    type: Literal["function", "tool"]
    function: Function | None = None
    name: Name = None


class StreamOptions(Body):
    """What a stream bears besides."""

    include_usage: bool | None = None
    include_obfuscation: bool | None = None


class ChatMetadata(Body):
    """Where the turn belongs: to an agent, a thread, a zone."""

    agent: Name = None
    thread: Name = None
    timezone: Timezone = None


class Chat(Body):
    """A conversation to be answered, as OpenAI's chat completions take it."""

    model: Annotated[str, Field(min_length=1, max_length=200)]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=2_000)]
    tools: Annotated[list[ChatTool], Field(max_length=128)] | None = None
    tool_choice: Literal["auto", "none"] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    user: Name = None
    metadata: ChatMetadata | None = None
    store: bool | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    parallel_tool_calls: bool | None = None


@router.post(
    "/completions", response_model=ChatAnswer,
    responses={**problems_of(409, 410), 200: {"content": STREAM}},
)  # fmt: skip
async def completions(
    pending: Asking, body: Chat, request: Request, idempotency_key: Idempotency = None
) -> Response:
    """Answer a conversation as ``/responses`` does, in the form of OpenAI's chat completions.

    ``metadata`` names the agent, the thread and the zone; ``user`` the person. Functions of the
    caller are passed on, and their calls are answered for the caller to run. ``temperature``,
    ``top_p``, ``store`` and ``parallel_tool_calls`` are taken and have no effect. An error bears a
    member ``error`` in OpenAI's form beside those of a problem.
    """
    with ExitStack() as held:
        held.enter_context(pending.turns.one())
        turn = await begun(pending, _wanted(body, idempotency_key))
        if body.stream:
            work = partial(_streamed, turn, pending.crossing, body)
            return EventStream(work, held.pop_all())
        said = await unless_gone(request.receive, _said(turn, pending.crossing, unheard))
    if said is None:
        return Response(status_code=GONE)
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.calls:
        message["tool_calls"] = [_call(call) for call in said.calls]
    return answer(
        {
            **_head(turn, "chat.completion"), "usage": _usage(turn.usage),
            "choices": [
                {"index": 0, "message": message, "finish_reason": _finish(said), "logprobs": None}
            ],
        }
    )  # fmt: skip


def _wanted(body: Chat, idempotency_key: str | None) -> Wanted:
    """Read what is asked for; raises InvalidInput naming the field."""
    said = tuple(message.spoken() for message in body.messages)
    if said[-1].role not in ("user", "tool"):
        raise InvalidInput("messages", "must end with what the user says, or a tool gave")
    tools, functions = list[tuple[str, str]](), list[ToolOffered]()
    for n, tool in enumerate(body.tools or () if body.tool_choice != "none" else ()):
        one, name = tool.function, tool.name
        if (tool.type == "function") != (one is not None) or (one is None) != (name is not None):
            raise InvalidInput(f"tools.{n}", "must have a function, or be a tool with its name")
        if one is None or read_tool_name(one.name) is not None:
            where = f"tools.{n}.name" if one is None else f"tools.{n}.function.name"
            tools.append((cast("str", name if one is None else one.name), where))
        else:
            schema = one.parameters or {"type": "object", "properties": {}}
            functions.append(ToolOffered(one.name, one.description or "", schema))
    more = body.metadata or ChatMetadata()
    return Wanted(
        endpoint="chat/completions", said=said, whole=True, model=body.model, agent=more.agent,
        tools=tuple(tools), functions=tuple(functions), thread=more.thread, user=body.user,
        timezone=more.timezone, max_tokens=body.max_completion_tokens or body.max_tokens,
        idempotency_key=idempotency_key,
        request=body.model_dump(exclude={"stream", "stream_options"}),
    )  # fmt: skip


async def _said(turn: Turn, crossing: Crossing, emit: Emit) -> Said:
    """Have the turn answered, or give what its thread has of the first time."""
    if not turn.again:
        return await answered(turn, crossing, emit)
    found = await crossing.read(partial(find_response, turn.caller, turn.id))
    text, usage = found["output_text"] or "", ModelUsage(**turn.document.usage)
    turn.usage = usage
    if text:
        await emit(Event("text", text))
    finish = "length" if turn.document.finish == "length" else "stop"
    return Said(text, [], Conversed(text, (), usage, finish), ())


async def _streamed(turn: Turn, crossing: Crossing, body: Chat, push: Push) -> None:
    begun = False

    async def chunk(delta: dict[str, Any], finish: str | None = None) -> None:
        nonlocal begun
        if not begun:
            begun = True
            await chunk({"role": "assistant", "content": ""})
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        await push(event({**_head(turn, "chat.completion.chunk"), "choices": [choice]}))

    async def emit(one: Event) -> None:
        if one.kind == "text":
            await chunk({"content": one.text})

    try:
        said = await _said(turn, crossing, emit)
    except VigentError as error:
        if not begun:
            raise
        told = {"message": error.message, "type": "server_error", "param": None}
        await push(event({"error": {**told, "code": error.code}}))
        return
    if said.calls:
        calls = [{"index": n, **_call(call)} for n, call in enumerate(said.calls)]
        await chunk({"tool_calls": calls})
    await chunk({}, _finish(said))
    if body.stream_options is not None and body.stream_options.include_usage:
        last = {"choices": list[Any](), "usage": _usage(turn.usage)}
        await push(event({**_head(turn, "chat.completion.chunk"), **last}))
    await push(DONE)


def _head(turn: Turn, kind: str) -> dict[str, Any]:
    return {"id": turn.id, "object": kind, "created": turn.created, "model": turn.document.model}


def _usage(spent: ModelUsage) -> dict[str, int]:
    sent, got = spent.input_tokens, spent.output_tokens
    return {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got}


def _call(call: ToolAsked) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _finish(said: Said) -> str:
    return "tool_calls" if said.calls else "stop" if said.last.calls else _ENDS[said.last.finish]
