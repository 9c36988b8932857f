"""Raw records of what happened, and what readers are told about where a memory comes from."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from vigent.domain.jsontext import check_metadata
from vigent.domain.records import Record
from vigent.domain.time import OPEN, Instant, instant_of, iso, to_datetime

__all__ = ["Episode", "EpisodeRow", "Evidence", "Provenance", "Visibility", "row_of"]


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


_KEPT = EpisodeRow._fields.index("expires_at")


def row_of(found: Mapping[str, Any]) -> EpisodeRow:
    """Give the row of an episode that was written as a dict, but for how long it is kept."""
    return EpisodeRow(
        0, found["tenant_id"], found["episode_id"], found["store_id"], found["person_id"] or "",
        found["role"], found["kind"], found["content"], instant_of(found["occurred_at"]),
        instant_of(found["recorded_at"]), found["speaker"], found["thread"],
        found["external_id"], check_metadata(found["metadata"]), OPEN, 0, int(found["stub"]),
    )  # fmt: skip


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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Episode:
        """Give back what ``to_dict`` wrote."""
        return Episode(row_of(found))

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

    @property
    def _said(self) -> tuple[Any, ...]:
        # The row number and for how long it is kept are how it is stored, not what it says.
        return self.row[1:_KEPT] + self.row[-1:]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Episode) and self._said == other._said

    def __hash__(self) -> int:
        return hash(self._said)

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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        said = dict(found)
        if found["episode"] is not None:
            said["episode"] = Episode.from_dict(found["episode"])
        for name in ("valid_from", "recorded_from"):
            said[name] = to_datetime(instant_of(found[name]))
        return cls(**said)

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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        evidence = tuple(Evidence.from_dict(one) for one in found["evidence"])
        return cls(Record.from_dict(found["memory"]), evidence)

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

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(
            found["memory_id"], found["tenant_id"], found["store_id"], found["person_id"],
            tuple(found["policies"]),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Give the visibility as JSON-ready values."""
        return {
            "memory_id": self.memory_id,
            "tenant_id": self.tenant,
            "store_id": self.store,
            "person_id": self.person,
            "policies": list(self.policies),
        }
