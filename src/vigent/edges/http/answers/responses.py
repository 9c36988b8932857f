"""What the routes of answered turns answer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

__all__ = ["ChatAnswer", "ResponseAnswer"]


class ToolTrace(BaseModel):
    """A tool that ran in a turn, and what came of it in a word."""

    name: str
    call_id: str
    status: str


class ResponseUsage(BaseModel):
    """What the turn came to: requests to the model, those in vain, and tokens both ways."""

    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class ResponseAnswer(BaseModel):
    """An answered turn with its trace.

    ``memory`` says which memories were injected under which label. ``output`` is all that was
    said and done, in order, and null where the response is looked at again; ``output_text`` is
    what the model said, and null without a thread to read it from. ``timing`` is in milliseconds.
    """

    id: str
    object: Literal["response"]
    status: Literal["in_progress", "completed", "failed", "cancelled"]
    model: str
    answered_by: str
    key_id: str
    agent_id: str | None
    agent_version: int | None
    thread: str | None
    person: str | None
    memory: dict[str, Any]
    tools: list[ToolTrace]
    items: list[str]
    usage: ResponseUsage
    timing: dict[str, int]
    finish: str | None
    error: str | None
    output_text: str | None
    output: list[dict[str, Any]] | None
    created_at: str
    changed_at: str


class ChatFunction(BaseModel):
    """The function that a call names, with its arguments as JSON text."""

    name: str
    arguments: str


class ChatCall(BaseModel):
    """A tool of the caller's own that the model asks for."""

    id: str
    type: Literal["function"]
    function: ChatFunction


class ChatAnswerMessage(BaseModel):
    """What the model said."""

    role: Literal["assistant"]
    content: str | None
    refusal: str | None = None
    tool_calls: list[ChatCall] | None = None


class ChatChoice(BaseModel):
    """The one answer there is."""

    index: int
    message: ChatAnswerMessage
    finish_reason: Literal["stop", "length", "tool_calls"]
    logprobs: None = None


class ChatUsage(BaseModel):
    """Tokens of all requests to the model together."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatAnswer(BaseModel):
    """An answer in the shape of OpenAI's chat completions; ``id`` names the response."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChatChoice]
    usage: ChatUsage
