"""What the routes of threads, agents and tools answer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

__all__ = [
    "Agent",
    "AgentPage",
    "AgentVersions",
    "Item",
    "ItemPage",
    "Removed",
    "State",
    "Thread",
    "ThreadPage",
    "Tool",
    "ToolAnswer",
    "ToolPage",
]


class Removed(BaseModel):
    """A thread that is gone, and how many items it had."""

    thread_id: str
    items: int


class AgentFields(BaseModel):
    """One version of an agent."""

    version: int
    name: str
    model: str
    instructions: str | None
    memory_injection: dict[str, Any] | None


class Agent(AgentFields):
    """An agent: its latest version."""

    id: str
    created_at: str
    changed_at: str


class AgentPage(BaseModel):
    """A page of agents."""

    agents: list[Agent]
    next: str | None


class AgentVersions(BaseModel):
    """A page of the versions of an agent."""

    id: str
    versions: list[AgentFields]
    next: str | None


class Thread(BaseModel):
    """A thread."""

    id: str
    thread_id: str
    index_id: str
    tenant_id: str
    store_id: str
    person_id: str | None
    agent: str | None
    metadata: dict[str, Any]
    created_at: str
    ttl_days: int
    expires_at: str
    last_position: int


class ThreadPage(BaseModel):
    """A page of threads."""

    threads: list[Thread]
    next: str | None


class Item(BaseModel):
    """An item of a thread; it can be cited as an episode."""

    id: str
    episode_id: str
    thread: str | None
    position: int | None
    kind: str
    role: str
    content: str | None
    occurred_at: str
    recorded_at: str
    speaker: str | None
    agent: str | None
    external_id: str | None
    metadata: dict[str, Any]
    sealed: bool
    stub: bool
    tenant_id: str
    store_id: str
    person_id: str | None


class ItemPage(BaseModel):
    """A page of the items of a thread."""

    items: list[Item]
    next: str | None


class State(BaseModel):
    """The state of a thread; version 0 where none was set."""

    thread_id: str
    version: int
    updated_at: str | None
    state: dict[str, Any]


class Tool(BaseModel):
    """One tool of a store, as a model is told of it."""

    name: str
    description: str
    parameters: dict[str, Any]
    source: Literal["memory"]
    index_id: str
    offered: bool


class ToolPage(BaseModel):
    """A page of tools."""

    tools: list[Tool]
    next: str | None


class ToolAnswer(BaseModel):
    """What a model reads: of a write its outcome, of a search its results.

    ``memory_id`` is what to undo the write by, ``ended`` are the ids of what it ended.
    """

    outcome: str | None = None
    memory_id: str | None = None
    ended: list[str] | None = None
    trust: str | None = None
    reason: str | None = None
    field: str | None = None
    message: str | None = None
    allowed: list[str] | None = None
    notice: str | None = None
    results: list[dict[str, Any]] | None = None
    end: str | None = None
    error: str | None = None
