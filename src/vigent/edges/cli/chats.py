"""Reads conversations out of the data exports of chat services: ChatGPT's and Claude's."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, cast

from vigent.errors import InvalidInput

__all__ = ["Conversation", "Turn", "chatgpt", "claude", "format_of"]

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MOST_ID: Final = 200
_TEXTS: Final = (
    "text", "result", "content", "user_profile", "user_instructions", "model_set_context",
)  # fmt: skip
_REASONING: Final = ("thoughts", "reasoning_recap")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, in the words of ``threads.append``; without content it has no text."""

    content: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of an export, its turns in order."""

    id: str
    metadata: dict[str, Any]
    turns: list[Turn] = field(default_factory=list[Turn])


def format_of(document: list[Any]) -> str:
    """Say whose export a document is; raises InvalidInput."""
    known = {"mapping": "chatgpt", "chat_messages": "claude"}
    for one in document:
        for name, form in known.items():
            if name in (_mapping(one) or {}):
                return form
    if not document:
        return "claude"  # nothing to read: either will do
    raise InvalidInput("file", "is no chat export that is known; name its --format")


def _mapping(given: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", given) if isinstance(given, dict) else None


def _list(given: Any) -> list[Any]:
    return cast("list[Any]", given) if isinstance(given, list) else []


def _text(given: Any) -> str:
    return given if isinstance(given, str) else ""


def _named(conversation: dict[str, Any], *names: str) -> str:
    for name in names:
        found = conversation.get(name)
        if isinstance(found, str) and found:
            return found
    raise InvalidInput(names[0], "is missing: a conversation without an id cannot be known again")


def _id(*parts: str) -> str:
    """Join an id; one that would be too long is known by its digest."""
    text = ":".join(parts)
    if len(text) <= _MOST_ID:
        return text
    return f"{parts[0]}:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _metadata(title: Any, source: str) -> dict[str, Any]:
    named = _text(title).strip()
    return {"source": source, **({"title": named[:1000]} if named else {})}


# ---------------------------------------------------------------------------------- ChatGPT


def chatgpt(conversation: Any) -> Conversation:
    """Read one conversation of a ChatGPT export: the branch that leads to its current node.

    Raises InvalidInput where it is none.
    """
    found = _mapping(conversation)
    if found is None:
        raise InvalidInput("conversation", "must be a JSON object")
    id = _named(found, "conversation_id", "id")
    read = Conversation(_id("chatgpt", id), _metadata(found.get("title"), "chatgpt"))
    at = found.get("create_time")
    for node, message in _branch(found):
        told = message.get("create_time")
        at = at if told is None else told  # else as old as the one before
        fields: dict[str, Any] = {
            **_chatgpt_kind(message),
            "external_id": _id("chatgpt", id, node),
        }
        if at is not None:
            fields["occurred_at"] = _instant(at)
        model = (_mapping(message.get("metadata")) or {}).get("model_slug")
        if isinstance(model, str):
            fields["metadata"] = {"model": model}
        read.turns.append(Turn(_chatgpt_text(message), fields))
    return read


def _branch(conversation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the messages from the root to the current node."""
    nodes = _mapping(conversation.get("mapping"))
    if nodes is None:
        raise InvalidInput("mapping", "must be a JSON object")
    path: list[str] = []
    seen: set[str] = set()
    at = conversation.get("current_node")
    while at is not None:
        if not isinstance(at, str) or at not in nodes:
            where = "current_node" if not path else "parent"
            raise InvalidInput(where, f"names no message of the conversation: {at!r:.80}")
        if at in seen:
            raise InvalidInput("parent", "the branch runs in a circle")
        seen.add(at)
        path.append(at)
        at = (_mapping(nodes[at]) or {}).get("parent")
    if nodes and not path:
        raise InvalidInput("current_node", "is missing")
    for name in reversed(path):
        message = _mapping((_mapping(nodes[name]) or {}).get("message"))
        if message is not None:
            yield name, message


def _chatgpt_kind(message: dict[str, Any]) -> dict[str, Any]:
    author = _mapping(message.get("author")) or {}
    role = author.get("role")
    content_type = (_mapping(message.get("content")) or {}).get("content_type")
    if role == "tool":
        name = author.get("name")
        return {"kind": "tool_result", **({"speaker": name} if isinstance(name, str) else {})}
    if role == "assistant" and content_type in _REASONING:
        return {"kind": "reasoning"}
    if role == "assistant" and message.get("recipient") not in (None, "all"):
        return {"kind": "tool_call"}
    if content_type in ("user_editable_context", "model_editable_context"):
        return {"kind": "system"}
    return {"role": role}


def _chatgpt_text(message: dict[str, Any]) -> str:
    content = _mapping(message.get("content")) or {}
    parts = [
        _text(part) or _text((_mapping(part) or {}).get("text"))
        for part in _list(content.get("parts"))
    ]
    parts += [
        _text((_mapping(thought) or {}).get("content"))
        for thought in _list(content.get("thoughts"))
    ]
    parts += [_text(content.get(name)) for name in _TEXTS]
    return "\n".join(part for part in parts if part.strip())


def _instant(seconds: Any) -> Any:
    """Give seconds since 1970 as a datetime; anything else is for the engine to judge."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | Decimal):
        return seconds
    try:
        return _EPOCH + dt.timedelta(microseconds=int(Decimal(seconds) * 1_000_000))
    except (ArithmeticError, ValueError) as error:
        raise InvalidInput("create_time", f"is no instant of the calendar: {seconds}") from error


# ----------------------------------------------------------------------------------- Claude


def claude(conversation: Any) -> Conversation:
    """Read one conversation of a Claude export; raises InvalidInput where it is none."""
    found = _mapping(conversation)
    if found is None:
        raise InvalidInput("conversation", "must be a JSON object")
    if not isinstance(found.get("chat_messages"), list):
        raise InvalidInput("chat_messages", "must be a list")
    id = _named(found, "uuid")
    read = Conversation(_id("claude", id), _metadata(found.get("name"), "claude"))
    for number, given in enumerate(_list(found["chat_messages"]), start=1):
        message = _mapping(given)
        if message is None:
            raise InvalidInput("chat_messages", f"message {number} is no JSON object")
        name = message.get("uuid")
        known = name if isinstance(name, str) and name else str(number)
        shared = {} if message.get("created_at") is None else {"occurred_at": message["created_at"]}
        files = _file_names(message)
        for part, (kind, text) in enumerate(_blocks(message)):
            fields: dict[str, Any] = {
                "kind": kind,
                "external_id": _id("claude", id, known, *([str(part + 1)] if part else [])),
                **shared,
            }
            if files and part == 0:
                fields["metadata"] = {"files": files}
            read.turns.append(Turn(text, fields))
    return read


def _blocks(message: dict[str, Any]) -> list[tuple[str, str]]:
    """Give what a message is made of: a kind and a text; texts side by side are one."""
    sender = message.get("sender")
    own = "user" if sender == "human" else _text(sender)
    found: list[tuple[str, str]] = []
    for given in _list(message.get("content")):
        block = _mapping(given) or {}
        kind, text = _block(own, block)
        if not text.strip():
            continue
        if found and found[-1][0] == kind == own:
            found[-1] = (kind, f"{found[-1][1]}\n{text}")
        else:
            found.append((kind, text))
    return found or [(own, _text(message.get("text")))]


def _block(own: str, block: dict[str, Any]) -> tuple[str, str]:
    match block.get("type"):
        case "thinking":
            return "reasoning", _text(block.get("thinking"))
        case "tool_use":
            call = {"name": block.get("name"), "input": block.get("input")}
            return "tool_call", json.dumps(call, ensure_ascii=False, default=str)
        case "tool_result":
            inner = block.get("content")
            texts = [_text((_mapping(each) or {}).get("text")) for each in _list(inner)]
            return "tool_result", _text(inner) or "\n".join(t for t in texts if t.strip())
        case _:
            return own, _text(block.get("text"))


def _file_names(message: dict[str, Any]) -> list[str]:
    every: Iterable[Any] = (*_list(message.get("attachments")), *_list(message.get("files")))
    names = [_text((_mapping(each) or {}).get("file_name")) for each in every]
    return [name[:200] for name in names if name][:20]
