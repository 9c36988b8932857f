"""What the routes of records answer."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = [
    "AliasChanged",
    "AliasesAnswer",
    "AttributeAnswer",
    "BatchAnswer",
    "BlockAnswer",
    "BlocksAnswer",
    "ChangesAnswer",
    "ContextAnswerBody",
    "EpisodeAnswer",
    "Forgotten",
    "MemoriesAnswer",
    "MemoriesPage",
    "MemoryAnswer",
    "NamesAnswer",
    "ProposeAnswer",
    "ProvenanceAnswer",
    "ReviewPage",
    "SearchAnswerBody",
    "StateAnswer",
    "VisibilityAnswer",
    "WriteAnswer",
]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


class MemoryAnswer(_Answer):
    """One memory over one stretch of time; a type's own fields stand beside these."""

    tenant_id: str
    memory_id: str
    store_id: str
    person_id: str | None
    memory_type: str
    subject: str | None
    attribute: str | None
    value: Any
    text: str | None
    schema_version: int
    valid_from: str
    valid_to: str | None
    valid_from_basis: str
    recorded_from: str
    recorded_to: str | None
    supersedes_memory_id: str | None
    superseded_by: str | None
    source_episode_id: str | None
    source: str | None
    quote: str | None
    speaker: str | None
    trust: str
    confidence: float | None
    effective_confidence: float | None
    importance: int
    evidence_count: int
    retrieved_count: int
    contested: bool
    status: str
    retention_policy: str | None
    expires_at: str | None
    created_at: str
    last_changed_at: str
    confirmed_at: str | None
    metadata: dict[str, Any]


class WriteAnswer(BaseModel):
    """What came of a write: the outcome, the memory it concerns, what it ended, and why."""

    outcome: str
    memory: MemoryAnswer | None
    ended: list[MemoryAnswer]
    reason: str | None


class ProposeAnswer(WriteAnswer):
    """What the gate decided of a candidate: accepted, buffered, pending_review or rejected."""

    verdict: str
    reasons: list[str]


class BatchItemAnswer(_Answer):
    """What came of one item: a write's answer, or ``error`` alone."""

    outcome: str | None = None
    memory: MemoryAnswer | None = None
    ended: list[MemoryAnswer] | None = None
    reason: str | None = None
    error: dict[str, Any] | None = None


class BatchAnswer(BaseModel):
    """What came of each item, in order, and how many were refused."""

    results: list[BatchItemAnswer]
    failed: int


class MemoriesAnswer(BaseModel):
    """Several memories."""

    memories: list[MemoryAnswer]


class MemoriesPage(MemoriesAnswer):
    """A page of memories; ``next`` is the cursor of the page after it, null on the last."""

    next: str | None


class Forgotten(BaseModel):
    """A memory that was removed for good."""

    memory_id: str
    forgotten: bool


class EpisodeAnswer(BaseModel):
    """A raw record; of a stub only id, time and kind are left."""

    episode_id: str
    tenant_id: str
    store_id: str
    person_id: str | None
    role: str
    kind: str
    content: str | None
    occurred_at: str
    recorded_at: str
    speaker: str | None
    thread: str | None
    external_id: str | None
    metadata: dict[str, Any]
    stub: bool


class EvidenceAnswer(BaseModel):
    """One statement that supports a memory."""

    statement_id: str
    source_episode_id: str | None
    episode: EpisodeAnswer | None
    quote: str | None
    speaker: str | None
    source: str | None
    trust: str
    writer: str | None
    valid_from: str
    recorded_from: str


class ProvenanceAnswer(BaseModel):
    """A memory with all that supports it, in order of recording."""

    memory: MemoryAnswer
    evidence: list[EvidenceAnswer]


class PolicyAnswer(BaseModel):
    """A key whose policy names the store of a record, and what it allows there."""

    key_id: str
    label: str | None
    rights: list[str]


class VisibilityAnswer(BaseModel):
    """To whom a memory belongs, and which keys can see it."""

    memory_id: str
    tenant_id: str
    store_id: str
    index_id: str
    person_id: str | None
    policies: list[PolicyAnswer]


class ReviewItemAnswer(BaseModel):
    """A candidate that waits, why it was held, and in which store."""

    memory: MemoryAnswer
    reason: str | None
    created_at: str
    index_id: str


class ReviewPage(BaseModel):
    """A page of candidates, oldest first."""

    items: list[ReviewItemAnswer]
    next: str | None


class CandidateAnswer(BaseModel):
    """What a model proposed of an episode, and what the gate made of it."""

    candidate_id: str
    episode_id: str
    index_id: str
    store_id: str
    person_id: str | None
    outcome: str
    reason: str | None
    reasons: list[str]
    detail: str | None
    trust: str
    memory_id: str | None
    delta: dict[str, Any]
    created_at: str
    judged_at: str
    judged: int


class CandidatePage(BaseModel):
    """A page of candidates, by their ids: those of one episode stand together."""

    items: list[CandidateAnswer]
    next: str | None


class AttributeAnswer(_Answer):
    """What is in force of one attribute; ``memories`` instead where it is multi-valued."""

    memory: MemoryAnswer | None
    memories: list[MemoryAnswer] | None = None
    as_of: str
    known_at: str


class StateAnswer(BaseModel):
    """All that is in force of a subject: attribute to memory, or memories if multi-valued."""

    subject: str
    as_of: str
    known_at: str
    attributes: dict[str, MemoryAnswer | list[MemoryAnswer]]


class ChangeAnswer(BaseModel):
    """What held or was believed of an attribute before and after one instant."""

    at: str
    person_id: str | None
    subject: str | None
    attribute: str | None
    before: list[MemoryAnswer]
    after: list[MemoryAnswer]


class ChangesAnswer(BaseModel):
    """What changed, in order of time."""

    changes: list[ChangeAnswer]


class HitAnswer(_Answer):
    """One thing found; ``parts`` of the score come with ``explain``."""

    kind: str
    id: str
    score: float
    exact: bool
    in_force: bool
    text: str
    record: MemoryAnswer | None
    episode: EpisodeAnswer | None
    parts: dict[str, float] | None = None


class SearchAnswerBody(BaseModel):
    """What a search found, best first, and how the question was understood."""

    hits: list[HitAnswer]
    plan: dict[str, Any]
    index: dict[str, Any]
    known_at: str
    estimated_tokens: int
    dropped_by_budget: int


class MessageAnswer(BaseModel):
    """One message for the model."""

    role: str
    content: str
    metadata: dict[str, Any]


class ContextAnswerBody(BaseModel):
    """The messages for a model, the memory block among them, and how they came about."""

    messages: list[MessageAnswer]
    block: str
    trace: dict[str, Any]


class AliasAnswer(BaseModel):
    """Another name of a subject."""

    name: str
    subject: str
    person_id: str | None
    created_at: str


class AliasChanged(BaseModel):
    """What came of making or removing an alias: joined, removed or noop."""

    outcome: str
    alias: AliasAnswer | None


class AliasesAnswer(BaseModel):
    """Aliases, by name."""

    aliases: list[AliasAnswer]


class NamesAnswer(BaseModel):
    """What a subject is called."""

    subject: str
    written: list[str]
    aliases: list[str]
    name: list[str]


class BlockAnswer(BaseModel):
    """An always-visible block over one stretch of time."""

    name: str
    text: str
    person_id: str | None
    memory_id: str
    valid_from: str
    valid_to: str | None
    recorded_from: str
    recorded_to: str | None
    expires_at: str | None


class BlocksAnswer(BaseModel):
    """Blocks, by name or by time."""

    blocks: list[BlockAnswer]
