"""What goes over the wire between a client and a server of models, in four ways of speaking."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, cast

from vigent.domain.answerjson import read_answer
from vigent.domain.tokens import estimate_tokens

__all__ = ["Answer", "Failure", "ModelRequest", "sample_of", "spoken", "streamed", "written"]

Failure = Literal["refuse", "cut_off", "malformed", "hang", "drop", "echo_key", "ignore"]
"""How an answer goes wrong.

The model will not answer; ends at its limit; writes broken JSON. The server never answers; closes
the connection; says the key it was sent; takes a schema and pays no heed to it.
"""

Speech: TypeAlias = Literal["chat", "responses", "anthropic", "google"]
_PROMPTED: Final = "JSON schema:"
_BROKEN: Final = '{"candidates": [{"item": 1, "quote": "half of'


@dataclass(frozen=True)
class Answer:
    """What is answered: ``value`` as JSON in the form asked for, or ``text`` as it is.

    ``calls`` are tools that the model asks for, each a name and its arguments. ``pause`` is in
    seconds, between the parts of a stream, and ``breaks`` ends one after so many parts.

    ``status`` other than 200 is an error of the server with ``message``, and ``retry_after`` in
    its header; ``delay`` is in seconds, before anything is sent. ``usage`` are tokens in and out;
    where it is None they are estimated, and left out where it is ().
    """

    value: Any = None
    text: str | None = None
    failure: Failure | None = None
    status: int | None = None
    message: str = ""
    retry_after: float | str | None = None
    delay: float = 0.0
    usage: tuple[int, ...] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    calls: tuple[tuple[str, Any], ...] = ()
    pause: float = 0.0
    breaks: int | None = None


@dataclass(frozen=True)
class ModelRequest:
    """A request as the server got it."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    speech: Speech

    @property
    def model(self) -> str:
        """The model that was asked."""
        if self.speech == "google":
            return self.path.rpartition("/")[2].partition(":")[0]
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Every message as role and text, the system's first."""
        body = self.body
        found = [("system", _text(body[n])) for n in ("system", "instructions") if body.get(n)]
        if body.get("systemInstruction"):
            found.append(("system", _text(body["systemInstruction"].get("parts"))))
        told: Any = body.get("messages") or body.get("contents") or body.get("input") or []
        if isinstance(told, str):
            return [*found, ("user", told)]
        for each in cast("list[dict[str, Any]]", told):
            role = str(each.get("role", "user"))
            said = each.get("content", each.get("parts"))
            found.append(("assistant" if role == "model" else role, _text(said)))
        return found

    @property
    def text(self) -> str:
        """All that was said, a message after the other."""
        return "\n".join(text for _, text in self.messages)

    @property
    def key(self) -> str:
        """The key that came with it."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        named = self.headers.get("x-api-key") or self.headers.get("x-goog-api-key")
        return named or bearer

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model may ask for."""
        names: list[str] = []
        for one in cast("list[dict[str, Any]]", self.body.get("tools") or []):
            inner: list[dict[str, Any]] = one.get("functionDeclarations") or [one]
            names += [str(each.get("function", each).get("name", "")) for each in inner]
        return names

    @property
    def form(self) -> Literal["json_schema", "tool", "prompted"] | None:
        """How a schema was asked for; None where none was."""
        if _schema_in(self.body) is not None:
            return "json_schema"
        if self.body.get("tools") and not _is_free(self.body):
            return "tool"
        return "prompted" if _PROMPTED in self.text else None

    @property
    def schema(self) -> dict[str, Any] | None:
        """The schema that was asked for, in whichever form."""
        if self.form == "tool":
            return _tool_of(self.body)[1]
        if self.form == "prompted":
            found = read_answer(self.text.partition(_PROMPTED)[2])
            return cast("dict[str, Any]", found) if isinstance(found, dict) else None
        return _schema_in(self.body)


def spoken(request: ModelRequest, answer: Answer) -> str:
    """Give the text of an answer: JSON for what was asked for by a schema."""
    if answer.failure == "malformed":
        return _BROKEN
    if answer.failure == "ignore":
        return "Sure, I will gladly do that for you."
    text = answer.text
    if text is None:
        value = answer.value
        if value is None:
            value = "ok" if request.schema is None else sample_of(request.schema)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[: len(text) // 2] if answer.failure == "cut_off" else text


def written(request: ModelRequest, answer: Answer) -> dict[str, Any]:
    """Give the body of an answer in the request's way of speaking."""
    text = spoken(request, answer)
    usage = answer.usage
    if usage is None:
        usage = (estimate_tokens(request.text), estimate_tokens(text))
    if answer.calls:
        return _CALLERS[request.speech](request, answer.text or "", answer.calls, usage)
    return _WRITERS[request.speech](request, text, answer.failure, usage)


def _chat(
    request: ModelRequest, text: str, failure: Failure | None, usage: tuple[int, ...]
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    finish = {"cut_off": "length"}.get(failure or "", "stop")
    if failure == "refuse":
        message = {"role": "assistant", "content": None, "refusal": "I will not answer that."}
    elif request.form == "tool" and failure != "ignore":
        called = {"name": _tool_of(request.body)[0], "arguments": text}
        calls = [{"id": f"call_{request.number}", "type": "function", "function": called}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    answer: dict[str, Any] = {
        "id": f"chatcmpl-{request.number}", "object": "chat.completion", "created": 0,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }  # fmt: skip
    if usage:
        names = ("prompt_tokens", "completion_tokens", "total_tokens")
        answer["usage"] = dict(zip(names, (*usage, sum(usage)), strict=True))
    return answer


def _responses(
    request: ModelRequest, text: str, failure: Failure | None, usage: tuple[int, ...]
) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": list[Any]()}
    if failure == "refuse":
        part = {"type": "refusal", "refusal": "I will not answer that."}
    cut = failure == "cut_off"
    return {
        "id": f"resp_{request.number}", "object": "response", "created_at": 0,
        "status": "incomplete" if cut else "completed", "model": request.model,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [
            {"type": "message", "id": f"msg_{request.number}", "role": "assistant",
             "status": "completed", "content": [part]},
        ],
        "usage": dict(zip(("input_tokens", "output_tokens"), usage, strict=False)),
    }  # fmt: skip


def _anthropic(
    request: ModelRequest, text: str, failure: Failure | None, usage: tuple[int, ...]
) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "text", "text": text}
    stop = {"cut_off": "max_tokens", "refuse": "refusal"}.get(failure or "", "end_turn")
    value = read_answer(text)
    if request.form == "tool" and failure is None and value is not None:
        part = {
            "type": "tool_use", "id": f"toolu_{request.number}",
            "name": _tool_of(request.body)[0], "input": value,
        }  # fmt: skip
        stop = "tool_use"
    return {
        "id": f"msg_{request.number}", "type": "message", "role": "assistant",
        "model": request.model, "content": [part], "stop_reason": stop,
        "usage": dict(zip(("input_tokens", "output_tokens"), usage, strict=False)),
    }  # fmt: skip


def _google(
    request: ModelRequest, text: str, failure: Failure | None, usage: tuple[int, ...]
) -> dict[str, Any]:
    part: dict[str, Any] = {"text": text}
    stop = {"cut_off": "MAX_TOKENS", "refuse": "SAFETY"}.get(failure or "", "STOP")
    value = read_answer(text)
    if request.form == "tool" and failure is None and value is not None:
        part = {"functionCall": {"name": _tool_of(request.body)[0], "args": value}}
    names = ("promptTokenCount", "candidatesTokenCount")
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [part]}, "finishReason": stop, "index": 0}
        ],
        "usageMetadata": dict(zip(names, usage, strict=False)),
        "modelVersion": request.model,
    }  # fmt: skip


_WRITERS: Final = {
    "chat": _chat, "responses": _responses, "anthropic": _anthropic, "google": _google,
}  # fmt: skip


def _chat_calls(
    request: ModelRequest, text: str, calls: Sequence[tuple[str, Any]], usage: tuple[int, ...]
) -> dict[str, Any]:
    whole = _chat(request, text, None, usage)
    asked = [
        {"id": f"call_{request.number}_{n}", "type": "function",
         "function": {"name": name, "arguments": _arguments(given)}}
        for n, (name, given) in enumerate(calls)
    ]  # fmt: skip
    message = {"role": "assistant", "content": text or None, "tool_calls": asked}
    whole["choices"][0] |= {"message": message, "finish_reason": "tool_calls"}
    return whole


def _anthropic_calls(
    request: ModelRequest, text: str, calls: Sequence[tuple[str, Any]], usage: tuple[int, ...]
) -> dict[str, Any]:
    whole = _anthropic(request, text, None, usage)
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    parts += [
        {"type": "tool_use", "id": f"toolu_{request.number}_{n}", "name": name, "input": given}
        for n, (name, given) in enumerate(calls)
    ]
    return {**whole, "content": parts, "stop_reason": "tool_use"}


def _google_calls(
    request: ModelRequest, text: str, calls: Sequence[tuple[str, Any]], usage: tuple[int, ...]
) -> dict[str, Any]:
    whole = _google(request, text, None, usage)
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": name, "args": given}} for name, given in calls]
    whole["candidates"][0]["content"]["parts"] = parts
    return whole


_CALLERS: Final = {
    "chat": _chat_calls, "responses": _chat_calls, "anthropic": _anthropic_calls,
    "google": _google_calls,
}  # fmt: skip


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def streamed(request: ModelRequest, answer: Answer) -> Iterator[str]:
    """Give an answer of chat/completions as the events of a stream, a few words in each."""
    whole = written(request, answer)
    choice = whole["choices"][0]
    words = str(choice["message"].get("content") or "").split(" ")
    pieces = [" ".join(words[n : n + 3]) for n in range(0, len(words), 3)]
    deltas: list[dict[str, Any]] = [
        {"content": piece if number == 0 else f" {piece}"} for number, piece in enumerate(pieces)
    ]
    if choice["message"].get("content") is None:
        deltas = []
    for place, call in enumerate(choice["message"].get("tool_calls") or []):
        # As providers do: the name first, then the arguments, cut anywhere.
        written_out: str = call["function"]["arguments"]
        half = len(written_out) // 2
        first = {**call, "function": {**call["function"], "arguments": written_out[:half]}}
        deltas.append({"tool_calls": [{"index": place, **first}]})
        rest = {"index": place, "function": {"arguments": written_out[half:]}}
        deltas.append({"tool_calls": [rest]})
    if choice["message"].get("refusal"):
        deltas.append({"refusal": choice["message"]["refusal"]})
    for delta in [{"role": "assistant"}, *deltas, None]:
        finish = choice["finish_reason"] if delta is None else None
        chunk = {
            **{name: whole[name] for name in ("id", "created", "model")},
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}],
        }
        if delta is None and "usage" in whole:
            chunk["usage"] = whole["usage"]
        yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
    yield "data: [DONE]\n\n"


def sample_of(schema: Mapping[str, Any]) -> Any:
    """Give the smallest value that fits a schema, as far as plain schemas go."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for name in ("anyOf", "oneOf"):
        if schema.get(name):
            return sample_of(schema[name][0])
    kinds: Any = schema.get("type", "object")
    kind = str(cast("list[Any]", kinds)[0] if isinstance(kinds, list) else kinds)
    if kind == "object":
        parts = cast("Mapping[str, Any]", schema.get("properties", {}))
        wanted = schema.get("required", parts)
        return {name: sample_of(part) for name, part in parts.items() if name in wanted}
    if kind == "array":
        return [sample_of(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
    number = schema.get("minimum", 0)
    plain = {"string": "", "integer": number, "number": number, "boolean": False}
    return plain.get(kind)


# ------------------------------------------------------------------------------- reading


def _is_free(body: Mapping[str, Any]) -> bool:
    """Whether the model may choose between a tool and text."""
    chosen = body.get("tool_choice")
    if isinstance(chosen, Mapping):
        chosen = cast("Mapping[str, Any]", chosen).get("type")
    configured = body.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode")
    declared = any("functionDeclarations" in one for one in body["tools"])
    return chosen in ("auto", "none") or (declared and configured in (None, "AUTO"))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = cast("list[dict[str, Any]]", content) if isinstance(content, list) else []
    return "".join(str(part.get("text") or "") for part in parts)


def _schema_in(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the schema that the body asks for by a setting of its own."""
    asked: dict[str, Any] = body.get("response_format") or {}
    asked = asked or body.get("text", {}).get("format") or {}
    named: dict[str, Any] = asked.get("json_schema", asked)
    google: dict[str, Any] = body.get("generationConfig") or {}
    return named.get("schema") or google.get("responseJsonSchema")


def _tool_of(body: Mapping[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Give name and schema of the first tool."""
    first: dict[str, Any] = body["tools"][0]
    if "functionDeclarations" in first:
        first = first["functionDeclarations"][0]
    first = first.get("function", first)
    names = ("parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema")
    return str(first.get("name", "")), next((first[n] for n in names if n in first), None)
