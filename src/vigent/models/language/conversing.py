"""A conversation with tools over the wire of OpenAI: what goes, and what comes in a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from vigent.domain.tokens import estimate_tokens
from vigent.errors import ModelRefusal
from vigent.models.vectors import embeddable
from vigent.ports.models import Conversed, ModelUsage, Spoken, ToolAsked, ToolOffered

__all__ = ["Gathered", "estimated", "messages_of", "tools_of"]

_MOST_CALLS: Final = 64
_LONGEST: Final = 1_000_000
"""Characters of the arguments of one call."""


def messages_of(messages: Sequence[Spoken]) -> list[dict[str, Any]]:
    """Give messages as they go over the wire."""
    return [_message(one) for one in messages]


def _message(one: Spoken) -> dict[str, Any]:
    text = embeddable(one.text)
    if one.role == "tool":
        return {"role": "tool", "tool_call_id": one.call_id or "", "content": text}
    told: dict[str, Any] = {"role": one.role, "content": text}
    if one.calls:
        told["content"] = text or None
        told["tool_calls"] = [
            {"id": call.id, "type": "function",
             "function": {"name": call.name, "arguments": embeddable(call.arguments)}}
            for call in one.calls
        ]  # fmt: skip
    return told


def tools_of(tools: Sequence[ToolOffered]) -> list[dict[str, Any]]:
    """Give tools as they go over the wire."""
    return [
        {"type": "function",
         "function": {"name": one.name, "description": one.description,
                      "parameters": dict(one.parameters)}}
        for one in tools
    ]  # fmt: skip


def estimated(messages: Sequence[Spoken], tools: Sequence[ToolOffered] = ()) -> int:
    """Give about how many tokens a request comes to."""
    said = sum(
        estimate_tokens(one.text) + sum(estimate_tokens(call.arguments) for call in one.calls)
        for one in messages
    )
    return said + sum(estimate_tokens(f"{one.description}{one.parameters}") for one in tools)


@dataclass(slots=True)
class Gathered:
    """An answer that is put together of the parts of a stream."""

    model: str
    wanted: int
    text: list[str] = field(default_factory=list[str])
    finish: str = ""
    refused: bool = False
    _calls: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    _usage: dict[str, Any] = field(default_factory=dict[str, Any])

    def take(self, event: dict[str, Any]) -> str:
        """Take in one part; gives the text that it adds."""
        self.model = str(event.get("model") or self.model)[:200]
        self._usage = _mapping(event.get("usage")) or self._usage
        choices = event.get("choices")
        choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
        # A server that does not stream gives it whole, as a message.
        delta = _mapping(choice.get("delta")) or _mapping(choice.get("message"))
        self.finish = str(choice.get("finish_reason") or self.finish)
        self.refused = self.refused or bool(delta.get("refusal"))
        calls = delta.get("tool_calls")
        for number, call in enumerate(cast("list[Any]", calls) if isinstance(calls, list) else []):
            self._add(number, _mapping(call))
        piece = delta.get("content")
        if not isinstance(piece, str) or not piece:
            return ""
        self.text.append(piece)
        return piece

    def _add(self, number: int, call: dict[str, Any]) -> None:
        at, function = call.get("index"), _mapping(call.get("function"))
        place = at if isinstance(at, int) else number
        if place not in self._calls and len(self._calls) >= _MOST_CALLS:
            return
        parts = self._calls.setdefault(place, ["", "", ""])
        parts[0] = parts[0] or str(call.get("id") or "")
        parts[1] = parts[1] or str(function.get("name") or "")[:200]
        if len(parts[2]) < _LONGEST:
            parts[2] += str(function.get("arguments") or "")

    @property
    def empty(self) -> bool:
        """Whether nothing came that says anything."""
        return not (self.text or self._calls or self.finish or self.refused)

    def whole(self, calls: int) -> Conversed:
        """Give what it came to, in so many requests; raises ModelRefusal."""
        text = "".join(self.text)
        asked = tuple(
            ToolAsked(id or f"call_{place}", name, arguments or "{}")
            for place, (id, name, arguments) in sorted(self._calls.items())
        )
        told = estimate_tokens(text) + sum(estimate_tokens(c.arguments) for c in asked)
        spent = (
            _count(self._usage.get("prompt_tokens"), self.wanted),
            _count(self._usage.get("completion_tokens"), told),
        )
        if self.refused or self.finish == "content_filter":
            error = ModelRefusal("the model, or a filter of its provider, would not answer")
            raise error.spent(calls, calls, *spent)
        finish: Literal["stop", "length", "tools"] = "tools" if asked else "stop"
        if self.finish == "length":
            finish, asked = "length", ()  # the last of them is cut off, and that may be any
        return Conversed(text, asked, ModelUsage(calls, calls - 1, *spent), finish, self.model)


def _mapping(found: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _count(told: Any, estimate: int) -> int:
    is_count = isinstance(told, int) and not isinstance(told, bool) and 0 <= told < 10**12
    return told if is_count else estimate
