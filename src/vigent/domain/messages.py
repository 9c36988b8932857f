"""What a model is sent: messages in order, and the account of how they came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

from vigent.domain.time import Instant, instant_of, iso

__all__ = ["ContextAnswer", "ContextTrace", "Kind", "Message"]

Kind = Literal["system", "memory", "user", "assistant", "tool_call", "tool_result"]

_ROLES: Final = {
    "system": "system",
    "memory": "user",
    "user": "user",
    "assistant": "assistant",
    "tool_call": "assistant",
    "tool_result": "user",
}
_SAID: Final = {"tool_call": "[tool call]\n", "tool_result": "[tool result]\n"}


def _item_of(metadata: Mapping[str, Any]) -> str | None:
    return metadata.get("episode_id")


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``kind`` says what it is; ``item_id`` names the thread's item it repeats.

    What is remembered is of kind ``memory`` and bears ``"vigent": "memory"`` in its metadata: it is
    data, given in the role of a user so that nothing in it speaks with the voice of the system,
    and never evidence of anything.
    """

    kind: Kind
    content: str
    item_id: str | None = None

    @property
    def role(self) -> str:
        """The role it has for a model: system, user or assistant."""
        return _ROLES[self.kind]

    @property
    def metadata(self) -> dict[str, Any]:
        """What tells our own text and the thread's items from what is new."""
        if self.kind == "memory":
            return {"vigent": "memory"}
        if self.item_id is None:
            return {}
        return {"vigent": "item", "kind": self.kind, "episode_id": self.item_id}

    @property
    def text(self) -> str:
        """What a model reads: the content, a call or result of a tool under a line that says so."""
        return _SAID.get(self.kind, "") + self.content

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        kind: Kind = found["kind"]
        content: str = found["content"]
        return cls(kind, content.removeprefix(_SAID.get(kind, "")), _item_of(found["metadata"]))

    def to_dict(self) -> dict[str, Any]:
        """Give the message as JSON-ready values."""
        return {
            "role": self.role, "kind": self.kind, "content": self.text, "metadata": self.metadata,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextTrace:
    """How a context came about.

    ``memory_budget`` is what the memory block might take, ``estimated_tokens`` what it takes, and
    ``total_tokens`` what all messages take. ``sections`` names the memories under each label.
    ``dropped_by_count`` and ``dropped_by_budget`` count what was left out because of the numbers
    allowed and because it did not fit; ``turns`` counts the turns of the thread that are sent.
    ``notes`` say in words what a caller should know. ``known_at`` is in microseconds since 1970
    UTC; ``to_dict`` gives it as ISO 8601 text.
    """

    query: str | None
    known_at: Instant
    budget_tokens: int
    memory_budget: int
    estimated_tokens: int = 0
    total_tokens: int = 0
    sections: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    dropped_by_count: int = 0
    dropped_by_budget: int = 0
    turns: int = 0
    notes: tuple[str, ...] = ()
    search: dict[str, Any] | None = None

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        said = dict(found)
        said["known_at"] = instant_of(found["known_at"])
        said["sections"] = {label: tuple(ids) for label, ids in found["sections"].items()}
        said["notes"] = tuple(found["notes"])
        return cls(**said)

    def to_dict(self) -> dict[str, Any]:
        """Give the trace as JSON-ready values."""
        return {
            "query": self.query,
            "known_at": iso(self.known_at),
            "budget_tokens": self.budget_tokens,
            "memory_budget": self.memory_budget,
            "estimated_tokens": self.estimated_tokens,
            "total_tokens": self.total_tokens,
            "sections": {label: list(ids) for label, ids in self.sections.items()},
            "dropped_by_count": self.dropped_by_count,
            "dropped_by_budget": self.dropped_by_budget,
            "turns": self.turns,
            "notes": list(self.notes),
            "search": self.search,
        }


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """Messages for a model: system prompt, memory, recent turns verbatim, query; and the trace.

    ``block`` is the text of the memory message, empty where nothing is remembered that fits.
    """

    messages: tuple[Message, ...]
    block: str
    trace: ContextTrace

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories that the block cites, in its order."""
        return tuple(id for ids in self.trace.sections.values() for id in ids)

    def to_openai(self) -> list[dict[str, Any]]:
        """Give the messages in the shape of OpenAI's chat completions.

        The memory message is a user message of the name ``vigent_memory``. Calls and results of
        tools are text under a line that says so: what a thread keeps of them has not the ids that
        the API's own form demands.
        """
        out: list[dict[str, Any]] = []
        for message in self.messages:
            named = {"name": "vigent_memory"} if message.kind == "memory" else {}
            out.append({"role": message.role, **named, "content": message.text})
        return out

    def to_anthropic(self) -> dict[str, Any]:
        """Give the arguments ``system`` and ``messages`` of Anthropic's Messages API.

        Messages of one role that follow each other are one message of several text parts.
        ``system`` is left out where there is none. Calls and results of tools are as for OpenAI.
        """
        system = [m.text for m in self.messages if m.kind == "system"]
        merged: list[dict[str, Any]] = []
        for message in self.messages:
            if message.kind == "system":
                continue
            part = {"type": "text", "text": message.text}
            if merged and merged[-1]["role"] == message.role:
                merged[-1]["content"].append(part)
            else:
                merged.append({"role": message.role, "content": [part]})
        return {**({"system": system[0]} if system else {}), "messages": merged}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        messages = tuple(Message.from_dict(message) for message in found["messages"])
        return cls(messages, found["block"], ContextTrace.from_dict(found["trace"]))

    def to_dict(self) -> dict[str, Any]:
        """Give the answer as JSON-ready values."""
        return {
            "messages": [message.to_dict() for message in self.messages],
            "block": self.block,
            "trace": self.trace.to_dict(),
        }
