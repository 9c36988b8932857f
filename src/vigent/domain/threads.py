"""Threads: conversations in order, the items in them, and the small state kept beside them."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple, Self

from vigent.domain.episodes import Episode, EpisodeRow, row_of
from vigent.domain.jsontext import check_json, check_metadata
from vigent.domain.passages import kind_of
from vigent.domain.time import DAY, Instant, instant_of, iso, to_datetime
from vigent.errors import InvalidInput, LimitExceeded

__all__ = [
    "ITEM_KINDS",
    "MAX_STATE",
    "Place",
    "StateRow",
    "Thread",
    "ThreadItem",
    "ThreadRow",
    "ThreadState",
    "check_state",
    "stored_as",
    "stub_of",
]

ITEM_KINDS: Final = (
    "user",
    "assistant",
    "system",
    "tool_call",
    "tool_result",
    "reasoning",
    "plan",
)
"""What an item of a thread can be."""
MAX_STATE: Final = 64_000
"""Bytes of a thread's state as JSON text in UTF-8."""

_SPEAKERS: Final = ("user", "assistant", "system")
_ROLE_OF: Final = {
    "tool_call": "assistant",
    "tool_result": "tool",
    "reasoning": "assistant",
    "plan": "assistant",
}


class ThreadRow(NamedTuple):
    """A thread as stored."""

    no: int
    tenant: str
    store: str
    person: str
    id: str
    agent: str | None
    metadata: str
    created_at: Instant
    ttl_days: int
    last_position: int
    expires_at: Instant

    @property
    def spoken_at(self) -> Instant:
        """When its latest item came, or where there is none, when it was made."""
        return self.expires_at - self.ttl_days * DAY


class Place(NamedTuple):
    """Where an episode stands in a thread; ``episode`` is its row number."""

    thread: int
    position: int
    episode: int
    agent: str | None
    sealed: int


class StateRow(NamedTuple):
    """The state of a thread as stored: JSON text and its version."""

    thread: int
    tenant: str
    version: int
    document: str
    at: Instant


class Thread:
    """A conversation or session: items in order, and a small state.

    ``last_position`` is the position of its latest item, 0 where there was none. Past
    ``expires_at`` it is out of every read; each new item moves that instant on.
    """

    __slots__ = ("row",)

    def __init__(self, row: ThreadRow) -> None:
        self.row = row

    @property
    def id(self) -> str:
        """The thread's id: the caller's own, or ``th_…``."""
        return self.row.id

    @property
    def person(self) -> str | None:
        """The person whose thread it is; None when shared."""
        return self.row.person or None

    @property
    def agent(self) -> str | None:
        """The agent that the thread is with."""
        return self.row.agent

    @property
    def metadata(self) -> dict[str, Any]:
        """The caller's own fields."""
        return json.loads(self.row.metadata)

    @property
    def created_at(self) -> dt.datetime:
        """When it was made."""
        return to_datetime(self.row.created_at)

    @property
    def ttl_days(self) -> int:
        """For how many days it is kept after its last item."""
        return self.row.ttl_days

    @property
    def expires_at(self) -> dt.datetime:
        """When it goes out of every read, unless an item comes before that."""
        return to_datetime(self.row.expires_at)

    @property
    def last_position(self) -> int:
        """The position of the latest item; 0 where there was none."""
        return self.row.last_position

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(
            ThreadRow(
                0, found["tenant_id"], found["store_id"], found["person_id"] or "",
                found["thread_id"], found["agent"], check_metadata(found["metadata"]),
                instant_of(found["created_at"]), found["ttl_days"], found["last_position"],
                instant_of(found["expires_at"]),
            )
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Give the thread as JSON-ready values."""
        row = self.row
        return {
            "thread_id": row.id,
            "tenant_id": row.tenant,
            "store_id": row.store,
            "person_id": row.person or None,
            "agent": row.agent,
            "metadata": self.metadata,
            "created_at": iso(row.created_at),
            "ttl_days": row.ttl_days,
            "expires_at": iso(row.expires_at),
            "last_position": row.last_position,
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thread) and self.row[1:] == other.row[1:]

    def __hash__(self) -> int:
        return hash(self.row[1:])

    def __repr__(self) -> str:
        return f"<Thread {self.row.id} {self.row.last_position}>"


class ThreadItem(Episode):
    """An episode with its place in a thread; it can be cited like any other episode.

    ``position`` rises in the order of capture, and is None once the episode has left its thread.
    """

    __slots__ = ("place",)

    def __init__(self, row: EpisodeRow, place: Place | None) -> None:
        super().__init__(row)
        self.place = place

    @property
    def kind(self) -> str:
        """What it is: user, assistant, system, tool_call, tool_result, reasoning or plan.

        What was captured as another kind of record (an event, a mail) keeps that kind.
        """
        return kind_of(self.row)

    @property
    def position(self) -> int | None:
        """Its place in the order of the thread."""
        return None if self.place is None else self.place.position

    @property
    def agent(self) -> str | None:
        """The agent that it comes from."""
        return None if self.place is None else self.place.agent

    @property
    def sealed(self) -> bool:
        """Whether it is kept for the thread alone: nothing is ever learned from it."""
        return self.place is not None and bool(self.place.sealed)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> ThreadItem:
        """Give back what ``to_dict`` wrote."""
        speaks = found["kind"] in _SPEAKERS and found["kind"] == found["role"]
        row = row_of({**found, "kind": "message"} if speaks else found)
        position = found["position"]
        if position is None:
            return cls(row, None)
        return cls(row, Place(0, position, 0, found["agent"], int(found["sealed"])))

    def to_dict(self) -> dict[str, Any]:
        """Give the item as JSON-ready values."""
        own = {"position": self.position, "agent": self.agent, "sealed": self.sealed}
        return {**super().to_dict(), "kind": self.kind, **own}

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ThreadItem):
            mine, theirs = self.to_dict(), other.to_dict()
            return mine == theirs
        return super().__eq__(other)

    def __hash__(self) -> int:
        return super().__hash__()

    def __repr__(self) -> str:
        return f"<ThreadItem {self.row.id} {self.position} {self.kind}>"


class ThreadState:
    """What is kept of a session between turns; version 0 and empty before the first set."""

    __slots__ = ("row", "thread")

    def __init__(self, thread: str, row: StateRow | None) -> None:
        self.thread = thread
        self.row = row

    @property
    def document(self) -> dict[str, Any]:
        """The state itself. Numbers that no float holds exactly come as ``Decimal``."""
        return {} if self.row is None else json.loads(self.row.document, parse_float=_exact)

    @property
    def version(self) -> int:
        """How often it was set."""
        return 0 if self.row is None else self.row.version

    @property
    def updated_at(self) -> dt.datetime | None:
        """When it was last set."""
        return None if self.row is None else to_datetime(self.row.at)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        if not found["version"]:
            return cls(found["thread_id"], None)
        exact = found.get("state_json")
        text = check_state(found["state"]) if exact is None else exact
        at = instant_of(found["updated_at"])
        return cls(found["thread_id"], StateRow(0, "", found["version"], text, at))

    def to_dict(self) -> dict[str, Any]:
        """Give the state as JSON-ready values; numbers that no float holds exactly as text.

        Where there are such, the whole stands there once more, as JSON text under ``state_json``.
        """
        row = self.row
        return {
            "thread_id": self.thread,
            "version": self.version,
            "updated_at": None if row is None else iso(row.at),
            "state": {} if row is None else json.loads(row.document, parse_float=_exact_text),
            **({} if row is None else _beyond_json(row.document)),
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ThreadState) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.thread, self.version))

    def __repr__(self) -> str:
        return f"<ThreadState {self.thread} version {self.version}>"


def _exact(text: str) -> float | Decimal:
    exact, near = Decimal(text), float(text)
    return near if Decimal(repr(near)) == exact else exact


def _exact_text(text: str) -> float | str:
    found = _exact(text)
    return str(found) if isinstance(found, Decimal) else found


def _beyond_json(document: str) -> dict[str, str]:
    told = json.loads(document, parse_float=_exact_text)
    return {} if check_state(told) == document else {"state_json": document}


def check_state(state: object) -> str:
    """Check a thread's state, and give it as JSON text: an object of at most 64,000 bytes."""
    text = check_json(state, "state", MAX_STATE)
    if not text.startswith("{"):
        raise InvalidInput("state", "must be a JSON object")
    size = len(text.encode())
    if size > MAX_STATE:
        raise LimitExceeded("state", f"has {size} bytes as JSON; the limit is {MAX_STATE}")
    return text


def stored_as(role: object, kind: object) -> tuple[str, str]:
    """Give the role and the kind under which an item of a thread is kept as an episode.

    One of the two is enough: ``kind`` is one of ``ITEM_KINDS``; ``role`` alone is user,
    assistant, system or tool.
    """
    if kind is None:
        if role is None:
            raise InvalidInput("kind", "must be given, or role")
        if role == "tool":
            return "tool", "tool_result"
        if role not in _SPEAKERS:
            raise InvalidInput("role", f"must be one of {', '.join(_SPEAKERS)}, tool")
        return str(role), "message"
    if kind not in ITEM_KINDS:
        raise InvalidInput("kind", f"must be one of {', '.join(ITEM_KINDS)}")
    if kind in _SPEAKERS:
        if role not in (None, kind):
            raise InvalidInput("role", f"does not go with the kind {kind}")
        return str(kind), "message"
    if role not in (None, *_SPEAKERS, "tool"):
        raise InvalidInput("role", f"must be one of {', '.join(_SPEAKERS)}, tool")
    return str(role or _ROLE_OF[str(kind)]), str(kind)


def stub_of(row: EpisodeRow) -> EpisodeRow:
    """Give what is left of an episode past its time: id, time and kind."""
    return row._replace(content=None, speaker=None, metadata="{}", stub=1)
