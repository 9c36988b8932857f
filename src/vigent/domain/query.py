"""What a search asks, how it was understood, and what it found."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Self

from vigent.domain.episodes import Episode
from vigent.domain.records import Record
from vigent.domain.threads import ThreadItem
from vigent.domain.time import Instant, instant_of, iso

__all__ = ["NOTHING_THEN", "Hit", "IndexState", "Plan", "SearchAnswer", "TimeWords"]


NOTHING_THEN: Final = "nothing held then: text without a date is given, not as in force"
"""What an answer says where nothing held at the time that a question names."""


def _episode(found: Mapping[str, Any]) -> Episode:
    return (ThreadItem if "position" in found else Episode).from_dict(found)


def _times(found: Mapping[str, Any], *names: str) -> dict[str, Instant | None]:
    return {name: None if found[name] is None else instant_of(found[name]) for name in names}


class TimeWords(NamedTuple):
    """Words of a question that name a time, and the time they name.

    ``as_of`` for a day or instant; ``after`` and ``before`` for a window ``[after, before)``; all
    three where one point of a window is meant ("two weeks ago": that day, and its week).
    """

    words: str
    as_of: Instant | None
    after: Instant | None
    before: Instant | None

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> TimeWords:
        """Give back what ``to_dict`` wrote."""
        return cls(words=found["words"], **_times(found, "as_of", "after", "before"))

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON-ready values."""
        times = {"as_of": self.as_of, "after": self.after, "before": self.before}
        return {"words": self.words, **{k: None if v is None else iso(v) for k, v in times.items()}}


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question was understood.

    ``subjects`` are the canonical names it is about and ``attributes`` what it asks of them;
    ``exact`` says that state alone answers it; ``arms`` which ways of finding were used.
    """

    query: str
    recipe: str
    include: str
    timezone: str
    as_of: Instant | None = None
    known_at: Instant | None = None
    after: Instant | None = None
    before: Instant | None = None
    time_words: TimeWords | None = None
    subjects: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    exact: bool = False
    arms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        said: dict[str, Any] = {**found, **_times(found, "as_of", "known_at", "after", "before")}
        if found["time_words"] is not None:
            said["time_words"] = TimeWords.from_dict(found["time_words"])
        for name in ("subjects", "attributes", "arms", "notes"):
            said[name] = tuple(found[name])
        return cls(**said)

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as JSON-ready values."""
        times = {
            name: None if at is None else iso(at)
            for name, at in (
                ("as_of", self.as_of), ("known_at", self.known_at),
                ("after", self.after), ("before", self.before),
            )
        }  # fmt: skip
        return {
            "query": self.query, "recipe": self.recipe, "include": self.include,
            "timezone": self.timezone, **times,
            "time_words": None if self.time_words is None else self.time_words.to_dict(),
            "subjects": list(self.subjects), "attributes": list(self.attributes),
            "exact": self.exact, "arms": list(self.arms), "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far the index is, for what a search may see.

    ``pending`` passages have no vector by ``model`` yet: they are found by their words alone.
    """

    passages: int
    embedded: int
    pending: int
    model: str | None = None
    revision: str | None = None
    problem: str | None = None

    @property
    def partial(self) -> bool:
        """Whether some of what may be found has no vector yet, or none is made at all."""
        return self.model is None or self.pending > 0

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(**{name: value for name, value in found.items() if name != "partial"})

    def to_dict(self) -> dict[str, Any]:
        """Give the state as JSON-ready values."""
        return {
            "passages": self.passages, "embedded": self.embedded, "pending": self.pending,
            "model": self.model, "revision": self.revision, "partial": self.partial,
            "problem": self.problem,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing found: a memory or an episode.

    ``exact`` hits come from state and stand first; the others are ranked by ``score``, made of
    ``parts``. ``in_force`` is false for a memory that only history was asked for. ``excerpt`` is
    the passage that was found, of what may be a long text.
    """

    record: Record | None
    episode: Episode | None
    score: float
    exact: bool
    in_force: bool
    excerpt: str
    parts: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def kind(self) -> Literal["memory", "episode"]:
        """Whether it is a memory or a raw episode."""
        return "episode" if self.record is None else "memory"

    @property
    def id(self) -> str:
        """The id of the memory or the episode: what to cite."""
        if self.record is not None:
            return self.record.memory_id
        return "" if self.episode is None else self.episode.id

    @property
    def text(self) -> str:
        """What it says."""
        return self.excerpt

    @property
    def at(self) -> dt.datetime | None:
        """Since when it holds, or when it was said."""
        if self.record is not None:
            return self.record.valid_from
        return None if self.episode is None else self.episode.occurred_at

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote; without the parts of the score where it left them."""
        record, episode = found["record"], found["episode"]
        return cls(
            None if record is None else Record.from_dict(record),
            None if episode is None else _episode(episode),
            found["score"], found["exact"], found["in_force"], found["text"],
            dict(found.get("parts", ())),
        )  # fmt: skip

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Give the hit as JSON-ready values, with the parts of its score when asked."""
        found = {
            "kind": self.kind, "id": self.id, "score": self.score, "exact": self.exact,
            "in_force": self.in_force, "text": self.excerpt,
            "record": None if self.record is None else self.record.to_dict(),
            "episode": None if self.episode is None else self.episode.to_dict(),
        }  # fmt: skip
        return {**found, "parts": dict(self.parts)} if explain else found


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What a search found, best first, and how it was understood.

    ``dropped_by_budget`` hits were larger than what was left of the budget of tokens.
    """

    hits: tuple[Hit, ...]
    plan: Plan
    index: IndexState
    known_at: Instant
    estimated_tokens: int = 0
    dropped_by_budget: int = 0
    explained: bool = False

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]

    @property
    def records(self) -> tuple[Record, ...]:
        """The memories found, in the order of the hits."""
        return tuple(hit.record for hit in self.hits if hit.record is not None)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(
            tuple(Hit.from_dict(hit) for hit in found["hits"]), Plan.from_dict(found["plan"]),
            IndexState.from_dict(found["index"]), instant_of(found["known_at"]),
            found["estimated_tokens"], found["dropped_by_budget"], found["explained"],
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Give the answer as JSON-ready values."""
        return {
            "hits": [hit.to_dict(explain=self.explained) for hit in self.hits],
            "plan": self.plan.to_dict(), "index": self.index.to_dict(),
            "known_at": iso(self.known_at), "estimated_tokens": self.estimated_tokens,
            "dropped_by_budget": self.dropped_by_budget, "explained": self.explained,
        }  # fmt: skip
