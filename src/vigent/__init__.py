"""Long-term memory for AI agents that knows what is in force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vigent.aio import AsyncMemory
from vigent.domain.blocks import Block
from vigent.domain.episodes import Episode, Provenance
from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.messages import ContextAnswer
from vigent.domain.query import Hit, IndexState, SearchAnswer
from vigent.domain.records import Record
from vigent.domain.state import State
from vigent.domain.threads import Thread, ThreadItem, ThreadState
from vigent.errors import VigentError
from vigent.memory import Memory
from vigent.proposals import Accept, Hold, MemoryDelta, Refuse
from vigent.read.past import Change
from vigent.schema import Attribute, MemorySchema
from vigent.write.result import WriteResult

if TYPE_CHECKING:
    from vigent.client import AsyncClient, Client

__all__ = [
    "Accept",
    "AsyncClient",
    "AsyncMemory",
    "Attribute",
    "Block",
    "Change",
    "Client",
    "ContextAnswer",
    "Episode",
    "Hit",
    "Hold",
    "IndexState",
    "InjectionBlock",
    "Memory",
    "MemoryDelta",
    "MemorySchema",
    "Provenance",
    "Record",
    "Refuse",
    "SearchAnswer",
    "State",
    "StoreSettings",
    "Thread",
    "ThreadItem",
    "ThreadState",
    "VigentError",
    "WriteResult",
]


def __getattr__(name: str) -> Any:
    """Give the clients, which a program that uses no service need not load."""
    if name in {"AsyncClient", "Client"}:
        from vigent import client  # noqa: PLC0415 - only where it is asked for

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
