"""Reads conversations out of the data exports of chat services: ChatGPT's and Claude's."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, cast

from vigent.domain.time import parse_instant, to_datetime
from vigent.errors import InvalidInput

__all__ = ["Conversation", "Turn", "chatgpt", "claude", "format_of"]

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_LATEST: Final = 10**12  # seconds: far past the calendar, and short to write out
_MOST_ID: Final = 200
_TEXTS: Final = (
    "text", "result", "content", "user_profile", "user_instructions", "model_set_context",
)  # fmt: skip
_REASONING: Final = ("thoughts", "reasoning_recap")


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, in the words of ``threads.append``; without content it has no text.

    ``name`` says which it is of its conversation: its number, or its id. With ``error`` it cannot
    be taken.
    """

    name: int | str
    content: str = ""
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    at: dt.datetime | None = None
    error: InvalidInput | None = None


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
    raise InvalidInput(
        "file",
        "is no chat export that is known, neither ChatGPT's nor Claude's conversations.json; name"
        " its --format: chatgpt, claude or jsonl",
    )


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


def _given_time(given: Any, field: str) -> dt.datetime | None:
    """Give a time that stands in an export: seconds since 1970, or ISO 8601 text."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
        return to_datetime(parse_instant(given, field))
    try:
        exact = Decimal(given) if abs(given) < _LATEST else _LATEST
        return _EPOCH + dt.timedelta(microseconds=int(exact * 1_000_000))
    except ArithmeticError as error:
        raise InvalidInput(field, f"is no instant of the calendar: {given}") from error


def _dated(turns: list[Turn], given: Any) -> None:
    """Give each message without a time that of the one before.

    With none before, it has the conversation's own, else that of the first that has one.
    """
    try:
        at = _given_time(given, "time")
    except InvalidInput:  # as good as none: no message is lost by it
        at = None
    if at is None:
        at = next((turn.at for turn in turns if turn.at is not None), None)
    for turn in turns:
        at = at if turn.at is None else turn.at
        if at is not None:
            turn.fields["occurred_at"] = at


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
    for node, given in _branch(found):
        try:
            read.turns.append(_chatgpt_turn(id, node, given))
        except InvalidInput as error:
            read.turns.append(Turn(node, error=error))
    _dated(read.turns, found.get("create_time"))
    return read


def _chatgpt_turn(id: str, node: str, given: Any) -> Turn:
    if isinstance(given, InvalidInput):
        raise given
    message = _mapping(given)
    if message is None:
        raise InvalidInput("message", "must be a JSON object")
    fields: dict[str, Any] = {**_chatgpt_kind(message), "external_id": _id("chatgpt", id, node)}
    model = (_mapping(message.get("metadata")) or {}).get("model_slug")
    if isinstance(model, str):
        fields["metadata"] = {"model": model}
    at = _given_time(message.get("create_time"), "create_time")
    return Turn(node, _chatgpt_text(message), fields, at)


def _branch(conversation: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the messages from the root to the current node, each with the name of its node.

    Where the branch breaks off above, an InvalidInput stands in place of the message.
    """
    nodes = _mapping(conversation.get("mapping"))
    if nodes is None:
        raise InvalidInput("mapping", "must be a JSON object")
    path: list[tuple[str, Any]] = []
    seen: set[str] = set()
    at = conversation.get("current_node")
    if nodes and at is None:
        raise InvalidInput("current_node", "is missing")
    if at is not None and (not isinstance(at, str) or at not in nodes):
        raise InvalidInput("current_node", f"names no message of the conversation: {at!r:.80}")
    while at is not None:
        if not isinstance(at, str) or at not in nodes:
            lost = InvalidInput("parent", f"names no message of the conversation: {at!r:.80}")
            path.append((path[-1][0], lost))
            break
        if at in seen:
            raise InvalidInput("parent", "the branch runs in a circle")
        seen.add(at)
        node = _mapping(nodes[at])
        if node is None:
            path.append(
                (at, InvalidInput("mapping", "must be a JSON object; what is above is lost"))
            )
            break
        path.append((at, node.get("message")))
        at = node.get("parent")
    return ((name, message) for name, message in reversed(path) if message is not None)


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
        try:
            read.turns.extend(_claude_turns(id, number, given))
        except InvalidInput as error:
            read.turns.append(Turn(number, error=error))
    _dated(read.turns, found.get("created_at"))
    return read


def _claude_turns(id: str, number: int, given: Any) -> Iterable[Turn]:
    message = _mapping(given)
    if message is None:
        raise InvalidInput("message", "must be a JSON object")
    own, at = _own_name(message, number), _given_time(message.get("created_at"), "created_at")
    files = _file_names(message)
    turns: list[Turn] = []
    for part, (kind, text) in enumerate(_blocks(message)):
        parts = [str(part + 1)] if part else []
        fields: dict[str, Any] = {"kind": kind, "external_id": _id("claude", id, own, *parts)}
        if files and part == 0:
            fields["metadata"] = {"files": files}
        turns.append(Turn(number, text, fields, at))
    return turns


def _own_name(message: dict[str, Any], number: int) -> str:
    """Give the message's id as a part of a longer one, or one made of its place, as none is."""
    name = message.get("uuid")
    if not isinstance(name, str) or not name:
        return f"#{number}"
    for taken in "%:#":
        name = name.replace(taken, f"%{ord(taken):X}")
    return name


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
