"""What a reader of a recall set gives: conversations turn by turn, and questions with evidence."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

__all__ = ["Ask", "Conversation", "RecallSet", "Turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said; ``session`` tells the sittings of a conversation apart."""

    id: str
    session: str
    role: str
    speaker: str | None
    text: str
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and the ids of the turns that answer it; ``at`` is when it is asked."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is searched as one scope."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class RecallSet:
    """A whole set; ``core`` are the categories that are also counted by themselves."""

    name: str
    conversations: tuple[Conversation, ...]
    core: frozenset[str]
