"""Candidates as they are kept: what was proposed of an episode, and what the gate said of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, cast

from vigent.domain.resources import ResourceRow
from vigent.domain.results import WriteResult
from vigent.domain.time import iso

__all__ = ["Candidate", "beyond_episode", "episode_of", "id_of", "of_episode", "words_of"]

_BETWEEN: Final = ":"


def id_of(episode: str, digest: str) -> str:
    """Give the id of a candidate: its episode's, and a digest of what was proposed."""
    return f"{episode}{_BETWEEN}{digest}"


def of_episode(episode: str) -> str:
    """Give what the ids of an episode's candidates begin with."""
    return f"{episode}{_BETWEEN}"


def beyond_episode(episode: str) -> str:
    """Give what is greater than all ids of an episode's candidates, and less than all behind."""
    return f"{episode}{chr(ord(_BETWEEN) + 1)}"


def words_of(store: str, outcome: str | None) -> str:
    """Give words that the document of each candidate of a store holds, of one outcome or of any.

    Others may hold them too: in what they propose.
    """
    more = "" if outcome is None else f', "outcome": {_text(outcome)}'
    return f'"store": {_text(store)}{more}'


def _text(given: str) -> str:
    return json.dumps(given, ensure_ascii=False)


def episode_of(id: str) -> str:
    """Give the episode that the candidate of an id rests on."""
    return id.rpartition(_BETWEEN)[0]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a model proposed of an episode, with the verdict of the gate and its reasons.

    ``outcome`` is accepted, buffered, pending_review or rejected. ``reasons`` are codes, the one
    that decided first, and ``detail`` what is shown of that: a count, names, a field. ``memory_id``
    is the memory, or what waits for review. ``delta`` is what was proposed; what the gate refused
    as secret is named in it and not shown. ``judged`` counts verdicts. ``result`` is what came of
    it where it was just handed in.
    """

    candidate_id: str
    episode_id: str
    store_id: str
    person_id: str | None
    outcome: str
    reasons: tuple[str, ...]
    detail: str | None
    trust: str
    memory_id: str | None
    delta: Mapping[str, Any]
    created_at: str
    judged_at: str
    judged: int = 1
    result: WriteResult | None = field(default=None, compare=False)

    @property
    def reason(self) -> str | None:
        """The code that decided; None where nothing was found."""
        return self.reasons[0] if self.reasons else None

    @classmethod
    def of_row(cls, row: ResourceRow) -> Self:
        """Give the candidate that a row keeps."""
        kept = json.loads(row.document)
        return cls(
            row.id, kept["episode"], kept["store"], row.person or None, kept["outcome"],
            tuple(kept["reasons"]), kept["detail"], kept["trust"], kept["memory"], kept["delta"],
            iso(row.created_at), iso(row.changed_at), row.version,
        )  # fmt: skip

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        said = {name: value for name, value in found.items() if name != "reason"}
        said["reasons"] = tuple(cast("list[str]", said["reasons"]))
        return cls(**said)

    def document(self) -> str:
        """Give what the row of the candidate keeps; see ``words_of``."""
        return json.dumps(
            {
                "episode": self.episode_id, "store": self.store_id, "outcome": self.outcome,
                "reasons": list(self.reasons), "detail": self.detail, "trust": self.trust,
                "memory": self.memory_id, "delta": dict(self.delta),
            },
            ensure_ascii=False, default=str,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Give the candidate as JSON-ready values."""
        return {
            "candidate_id": self.candidate_id,
            "episode_id": self.episode_id,
            "store_id": self.store_id,
            "person_id": self.person_id,
            "outcome": self.outcome,
            "reason": self.reason,
            "reasons": list(self.reasons),
            "detail": self.detail,
            "trust": self.trust,
            "memory_id": self.memory_id,
            "delta": dict(self.delta),
            "created_at": self.created_at,
            "judged_at": self.judged_at,
            "judged": self.judged,
        }
