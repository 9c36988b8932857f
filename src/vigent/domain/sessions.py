"""Sessions: the stretches of a thread, and what its own records say of how one went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from vigent.domain.derivation import lowest
from vigent.domain.gate.sources import source_of, trust_of
from vigent.domain.sections import without_injected
from vigent.domain.threads import ThreadItem
from vigent.domain.time import Instant

__all__ = ["GAP", "MOST", "Session", "last_failed", "response_ids", "sessions_of", "tools_of"]

GAP: Final[Instant] = 6 * 3_600 * 1_000_000
"""Microseconds without an item after which another session begins."""
MOST: Final = 400
"""Items that a session has at most; what goes on after them is another."""

_NEVER_READ: Final = frozenset({"reasoning", "system"})
_TOOLS: Final = frozenset({"tool_call", "tool_result"})
_FAILED: Final = frozenset({"failed", "failure", "error", "errored", "timeout", "timed_out"})
_STOPPED: Final = _FAILED | {
    "incomplete", "cancelled", "canceled", "aborted", "interrupted", "length", "max_tokens",
    "content_filter",
}  # fmt: skip
_DONE: Final = frozenset({"ok", "done", "success", "succeeded", "completed", "complete", "stop"})
_NAMES: Final = ("tool", "name", "tool_name", "function")
_CALLS: Final = ("tool_call_id", "call_id", "tool_use_id", "id")
_MOST_TOOLS: Final = 50
_LONGEST_NAME: Final = 200


class Session:
    """A settled stretch of a thread: its items in order, those that may be read and all others."""

    __slots__ = ("items", "readable")

    def __init__(self, items: Sequence[ThreadItem]) -> None:
        self.items = tuple(items)
        self.readable = tuple(item for item in items if _may_be_read(item))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all its items."""
        return tuple(item.id for item in self.items)

    @property
    def said(self) -> tuple[str, ...]:
        """The ids of the items that may be read: those that a record of it rests on."""
        return tuple(item.id for item in self.readable)

    @property
    def begins(self) -> Instant:
        """When its first item happened."""
        return self.items[0].row.occurred_at

    @property
    def ends(self) -> Instant:
        """When its latest item happened."""
        return max(item.row.occurred_at for item in self.items)

    @property
    def last_heard(self) -> Instant:
        """When its latest item was captured."""
        return max(item.row.recorded_at for item in self.items)

    @property
    def trust(self) -> str:
        """The lowest trust among what may be read."""
        return lowest(trust_of(source_of(i.row.role, i.row.kind)) for i in self.readable)


def sessions_of(items: Sequence[ThreadItem], since: Instant) -> list[Session]:
    """Part items, in order, into sessions; what was captured before an instant is left out."""
    found: list[Session] = []
    taken: list[ThreadItem] = []
    for item in items:
        if item.row.recorded_at < since:
            continue
        apart = taken and item.row.occurred_at - taken[-1].row.occurred_at > GAP
        if apart or len(taken) >= MOST:
            found.append(Session(taken))
            taken = []
        taken.append(item)
    return [*found, Session(taken)] if taken else found


def _may_be_read(item: ThreadItem) -> bool:
    """Whether a model may read an item: not what is sealed, thought, injected, or told by us."""
    content = item.content
    if content is None or item.sealed or item.kind in _NEVER_READ:
        return False
    if source_of(item.row.role, item.row.kind) == "never":
        return False
    return bool(without_injected(content).strip())


# --------------------------------------------------------------------- what records say


def last_failed(session: Session) -> bool:
    """Whether the last answer failed or stopped early, by what was recorded with it.

    That is its metadata, or a tool call or result at the end that no answer follows.
    """
    answers = [i for i in session.items if i.kind not in {"user", "system", "reasoning", "plan"}]
    if not answers:
        return False
    last = answers[-1]
    if _status(last.metadata) in _STOPPED or bool(last.metadata.get("error")):
        return True
    if last.kind == "tool_call":
        return last is session.items[-1]
    return last.kind == "tool_result" and _result(last) == "failed" and last is session.items[-1]


def response_ids(session: Session) -> tuple[str, ...]:
    """Give the ids of the responses that a session holds, in order."""
    found = (item.metadata.get("response_id") for item in session.items)
    return tuple(dict.fromkeys(id for id in found if isinstance(id, str) and id))


class _Call(NamedTuple):
    place: int
    name: str


def tools_of(session: Session) -> tuple[dict[str, str], ...]:
    """Give the tools that were called, by name, with the status of each: as recorded, or unknown.

    A result belongs to the call that it names, else to the earliest that has none yet.
    """
    told: list[dict[str, str]] = []
    waiting: dict[str, _Call] = {}
    for item in session.items:
        if item.kind not in _TOOLS or item.sealed or len(told) >= _MOST_TOOLS:
            continue
        spoken = _spoken(item)
        id = next((str(v) for k in _CALLS if (v := spoken.get(k)) is not None), "")
        name = next((v for v in _named(spoken)), item.speaker or "")[:_LONGEST_NAME]
        if item.kind == "tool_call":
            waiting[id or f"#{len(told)}"] = _Call(len(told), name)
            told.append({"name": name or "tool", "status": "unknown"})
            continue
        mine = id if id in waiting else next(iter(waiting), "")
        call = waiting.pop(mine, None)
        if call is not None:
            told[call.place]["status"] = _result(item)
        else:
            told.append({"name": name or "tool", "status": _result(item)})
    return tuple(told)


def _named(spoken: Mapping[str, Any]) -> Iterator[str]:
    for key in _NAMES:
        value = spoken.get(key)
        if isinstance(value, Mapping):
            value = cast("Mapping[str, Any]", value).get("name")
        if isinstance(value, str) and value:
            yield value


def _spoken(item: ThreadItem) -> dict[str, Any]:
    """Give what an item of a tool says of itself: its metadata, then its content where JSON."""
    try:
        found = json.loads(item.content or "")
    except (ValueError, RecursionError):
        found = None
    inner = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return {**inner, **item.metadata}


def _result(item: ThreadItem) -> str:
    spoken = _spoken(item)
    status = _status(spoken)
    if status in _STOPPED or spoken.get("is_error") or spoken.get("error"):
        return "failed"
    return "succeeded" if status in _DONE or not status else status[:_LONGEST_NAME]


def _status(told: Mapping[str, Any]) -> str:
    for key in ("status", "finish", "finish_reason", "stop_reason"):
        value = told.get(key)
        if isinstance(value, str) and value:
            return value.strip().casefold()
    return ""
