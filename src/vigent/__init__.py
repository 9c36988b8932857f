"""Long-term memory for AI agents that knows what is in force."""

from __future__ import annotations

from vigent.aio import AsyncMemory
from vigent.client import AsyncClient, Client
from vigent.domain.blocks import Block
from vigent.domain.candidates import Candidate
from vigent.domain.episodes import Episode, Provenance
from vigent.domain.gate.policy import GatePolicy
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

__all__ = [
    "Accept",
    "AsyncClient",
    "AsyncMemory",
    "Attribute",
    "Block",
    "Candidate",
    "Change",
    "Client",
    "ContextAnswer",
    "Episode",
    "GatePolicy",
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
