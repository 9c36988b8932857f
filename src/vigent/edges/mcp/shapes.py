"""What the tools answer: short records as JSON, with what they rest on."""

from __future__ import annotations

import json
from typing import Any

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from vigent.domain.query import Hit, SearchAnswer
from vigent.domain.records import Record
from vigent.domain.sections import percent
from vigent.domain.time import OPEN, Instant, iso
from vigent.domain.values import jsonable

__all__ = [
    "Context",
    "Forgotten",
    "Found",
    "FoundHit",
    "History",
    "Known",
    "Past",
    "Source",
    "Standing",
    "Undo",
    "Written",
    "answer",
    "compact",
    "found",
    "known",
    "past",
]


class Source(BaseModel):
    """What a memory rests on."""

    trust: str = Field(description="How far the source is trusted: document up to reviewer.")
    episode: str | None = Field(None, description="The episode it was learned from.")
    quote: str | None = Field(None, description="The words that say so.")
    speaker: str | None = Field(None, description="Who said them.")
    source: str | None = Field(None, description="Where it comes from, in words.")
    statements: int = Field(1, description="How many statements support it.")


class Known(BaseModel):
    """One memory over the time it holds."""

    id: str = Field(description="Cite this.")
    type: str
    subject: str | None = None
    attribute: str | None = None
    value: Any = None
    text: str | None = Field(None, description="What it says, of a memory in free text.")
    valid_from: str
    valid_to: str | None = Field(None, description="The first instant it no longer holds.")
    confidence: str | None = Field(None, description="What is left of it today, in percent.")
    contested: bool = Field(description="Whether statements disagree.")
    shared: bool = Field(description="Whether it is the tenant's, not the person's own.")
    status: str
    source: Source


class Past(Known):
    """One memory over a stretch of valid time, and when that was believed."""

    recorded_from: str
    recorded_to: str | None = Field(None, description="When it ceased to be believed.")


class FoundHit(BaseModel):
    """One thing found; a memory, or an episode: what was said."""

    kind: str
    id: str = Field(description="Cite this.")
    text: str
    exact: bool = Field(description="Whether state answers it, and not likeness.")
    in_force: bool = Field(description="Whether it holds at the time asked about.")
    said_at: str | None = Field(None, description="When an episode happened.")
    memory: Known | None = None


class Found(BaseModel):
    """What a search found, best first."""

    hits: list[FoundHit]
    as_of: str | None = Field(None, description="The time the question was taken to name.")
    known_at: str
    notes: list[str] = Field(default_factory=list)


class Standing(BaseModel):
    """What is in force; no memories means that nothing is known to be."""

    subject: str
    attribute: str | None = None
    as_of: str | None = None
    known_at: str | None = None
    memories: list[Known]


class History(BaseModel):
    """Every stretch ever believed, by the time it holds."""

    subject: str
    attribute: str
    stretches: list[Past]
    total: int = Field(description="How many there are; more than shown when they are many.")


class Undo(BaseModel):
    """The call that takes a write back."""

    tool: str
    arguments: dict[str, Any]


class Written(BaseModel):
    """What became of a write."""

    outcome: str = Field(
        description="stored, superseded, confirmed, corrected, retracted, noop, pending_review "
        "(a person has to accept it: it is not in force), buffered (evidence only) or rejected."
    )
    memory: Known | None = None
    ended: list[Known] = Field(default_factory=list[Known], description="What it ended.")
    reason: str | None = None
    undo: Undo | None = None


class Forgotten(BaseModel):
    """Whether a memory was forgotten by this call."""

    memory_id: str
    forgotten: bool


class Context(BaseModel):
    """The smallest cited block for a turn; empty where nothing is remembered that fits."""

    block: str
    memory_ids: list[str]
    tokens: int
    notes: list[str] = Field(default_factory=list)


def compact(content: Any) -> str:
    """Give compact JSON; whole numbers may be of any size."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def answer(shape: BaseModel, said: Any = None) -> CallToolResult:
    """Give a result as compact JSON, as text and as structured content.

    ``said`` is the text, or its content, where the original of a tool says something else there.
    """
    content = shape.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = said if isinstance(said, str) else compact(content if said is None else said)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=content)


def known(record: Record) -> Known:
    """Give a record in short."""
    return Known(**_fields(record))


def past(record: Record) -> Past:
    """Give a record in short, with when it was believed."""
    stretch = record.stretch
    return Past(
        **_fields(record), recorded_from=iso(stretch.recorded_from),
        recorded_to=_ended(stretch.recorded_to),
    )  # fmt: skip


def _fields(record: Record) -> dict[str, Any]:
    kind, stored = record.value_kind, record.content[3]
    return {
        "id": record.memory_id,
        "type": record.memory_type,
        "subject": record.subject,
        "attribute": record.attribute,
        "value": None if kind is None else jsonable(kind, stored),
        "text": record.text,
        "valid_from": iso(record.stretch.valid_from),
        "valid_to": _ended(record.stretch.valid_to),
        "confidence": percent(record.effective_confidence),
        "contested": record.contested,
        "shared": record.person_id is None,
        "status": record.status,
        "source": Source(
            trust=record.trust, episode=record.source_episode_id, quote=record.quote,
            speaker=record.speaker, source=record.source, statements=record.evidence_count,
        ),
    }  # fmt: skip


def _ended(instant: Instant | None) -> str | None:
    return None if instant is None or instant >= OPEN else iso(instant)


def found(given: SearchAnswer) -> Found:
    """Give what a search found, in short."""
    plan = given.plan
    notes = list(plan.notes)
    if plan.time_words is not None:
        notes.append(f"“{plan.time_words.words}” was taken as a time")
    if given.dropped_by_budget:
        notes.append(f"{given.dropped_by_budget} left out: larger than the budget")
    return Found(
        hits=[_hit(hit) for hit in given.hits],
        as_of=None if plan.as_of is None else iso(plan.as_of),
        known_at=iso(given.known_at),
        notes=notes,
    )


def _hit(hit: Hit) -> FoundHit:
    episode = hit.episode
    return FoundHit(
        kind=hit.kind, id=hit.id, text=hit.text, exact=hit.exact, in_force=hit.in_force,
        said_at=None if episode is None else iso(episode.row.occurred_at),
        memory=None if hit.record is None else known(hit.record),
    )  # fmt: skip
