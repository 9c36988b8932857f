"""Raw records of what happened, and what readers are told about where a memory comes from."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from vigent.domain.records import Record
from vigent.domain.time import Instant, iso, to_datetime

__all__ = ["Episode", "EpisodeRow", "Evidence", "Provenance", "Visibility"]


class EpisodeRow(NamedTuple):
    """An episode as stored; ``content`` is None once only a stub is left."""

    no: int
    tenant: str
    id: str
    store: str
    person: str
    role: str
    kind: str
    content: str | None
    occurred_at: Instant
    recorded_at: Instant
    speaker: str | None
    thread: str | None
    external_id: str | None
    metadata: str
    expires_at: Instant
    flagged: int
    stub: int


class Episode:
    """An immutable raw record of something that happened; instants are datetimes in UTC.

    A stub has lost its content to retention: id, time and kind are left.
    """

    __slots__ = ("row",)

    def __init__(self, row: EpisodeRow) -> None:
        self.row = row

    @property
    def id(self) -> str:
        """The episode's id, ``ep_…``."""
        return self.row.id

    @property
    def person(self) -> str | None:
        """The person whose memory it belongs to; None when shared."""
        return self.row.person or None

    @property
    def content(self) -> str | None:
        """What was said or happened; None in a stub."""
        return self.row.content

    @property
    def role(self) -> str:
        """Who spoke: user, assistant, system, tool and so on."""
        return self.row.role

    @property
    def kind(self) -> str:
        """What kind of record it is: message, tool_result, event and so on."""
        return self.row.kind

    @property
    def occurred_at(self) -> dt.datetime:
        """When it happened."""
        return to_datetime(self.row.occurred_at)

    @property
    def recorded_at(self) -> dt.datetime:
        """When it was captured."""
        return to_datetime(self.row.recorded_at)

    @property
    def speaker(self) -> str | None:
        """The name of who spoke, where it is known."""
        return self.row.speaker

    @property
    def thread(self) -> str | None:
        """The thread it belongs to."""
        return self.row.thread

    @property
    def external_id(self) -> str | None:
        """The caller's own id for it; capturing the same one again returns the first."""
        return self.row.external_id

    @property
    def metadata(self) -> dict[str, Any]:
        """The caller's own fields."""
        return json.loads(self.row.metadata)

    @property
    def stub(self) -> bool:
        """Whether only id, time and kind are left."""
        return bool(self.row.stub)

    def to_dict(self) -> dict[str, Any]:
        """Give the episode as JSON-ready values."""
        row = self.row
        return {
            "episode_id": row.id,
            "tenant_id": row.tenant,
            "store_id": row.store,
            "person_id": row.person or None,
            "role": row.role,
            "kind": row.kind,
            "content": row.content,
            "occurred_at": iso(row.occurred_at),
            "recorded_at": iso(row.recorded_at),
            "speaker": row.speaker,
            "thread": row.thread,
            "external_id": row.external_id,
            "metadata": self.metadata,
            "stub": self.stub,
        }

    def __eq__(self, other: object) -> bool:
        # The row number is how it is stored, not what it says.
        return isinstance(other, Episode) and self.row[1:] == other.row[1:]

    def __hash__(self) -> int:
        return hash(self.row[1:])

    def __repr__(self) -> str:
        return f"<Episode {self.row.id} {self.row.role} {iso(self.row.occurred_at)}>"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One statement that supports a memory: what it rests on, and who said it."""

    statement_id: str
    source_episode_id: str | None
    episode: Episode | None
    quote: str | None
    speaker: str | None
    source: str | None
    trust: str
    writer: str | None
    valid_from: dt.datetime
    recorded_from: dt.datetime

    def to_dict(self) -> dict[str, Any]:
        """Give the evidence as JSON-ready values."""
        return {
            "statement_id": self.statement_id,
            "source_episode_id": self.source_episode_id,
            "episode": None if self.episode is None else self.episode.to_dict(),
            "quote": self.quote,
            "speaker": self.speaker,
            "source": self.source,
            "trust": self.trust,
            "writer": self.writer,
            "valid_from": self.valid_from.isoformat().replace("+00:00", "Z"),
            "recorded_from": self.recorded_from.isoformat().replace("+00:00", "Z"),
        }


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory comes from: the record, and all that supports it in order of recording."""

    memory: Record
    evidence: tuple[Evidence, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give the provenance as JSON-ready values."""
        return {
            "memory": self.memory.to_dict(),
            "evidence": [found.to_dict() for found in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class Visibility:
    """To whom a memory belongs and who may see it."""

    memory_id: str
    tenant: str
    store: str
    person: str | None
    policies: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give the visibility as JSON-ready values."""
        return {
            "memory_id": self.memory_id,
            "tenant_id": self.tenant,
            "store_id": self.store,
            "person_id": self.person,
            "policies": list(self.policies),
        }
