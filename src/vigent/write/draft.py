"""A request, checked: what the rest of the write path works with."""

from __future__ import annotations

from dataclasses import dataclass

from vigent.domain.schema import AttributeDefinition
from vigent.domain.time import Instant
from vigent.domain.unset import UNSET, unset
from vigent.domain.values import Value

__all__ = ["UNSET", "Draft", "unset"]


@dataclass(slots=True)
class Draft:
    """One request, checked.

    ``values`` has one value, or those of a replacement; none for a retraction that names none.
    ``held`` is why it is held, if it is, and ``hold_as`` whether it waits for a decision or is
    buffered until it recurs.
    """

    person: str
    subject: str
    name: str
    attribute: str
    definition: AttributeDefinition | None
    type: str
    retract: bool
    mode: str
    values: tuple[Value, ...]
    text: str | None
    flagged: bool
    valid_from: Instant | None
    valid_to: Instant
    corrects: str | None
    supersedes: str | None
    confidence: float | None
    importance: int
    fields: str
    source_episode: str | None
    quote: str | None
    source: str | None
    trust: str
    trust_rank: int
    expires_at: Instant | None
    ttl_days: int | None
    retention: str | None
    metadata: str | None
    expect: str | None
    held: str | None = None
    end_given: bool = False
    hold_as: str = "pending_review"

    @property
    def multi(self) -> bool:
        """Whether each value has a timeline of its own."""
        return not self.attribute or (self.definition is not None and self.definition.multi)
