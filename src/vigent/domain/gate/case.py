"""What the gate is asked about: a nomination, the item it rests on, and what surrounds both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from vigent.domain.gate.codes import CODES, OUTCOMES, Outcome
from vigent.domain.gate.passage import Passage, passage_of
from vigent.domain.gate.policy import GatePolicy
from vigent.domain.gate.sources import Source, source_of
from vigent.domain.schema import AttributeDefinition
from vigent.domain.text import canonical_subject
from vigent.domain.time import Instant
from vigent.errors import InvalidInput

__all__ = [
    "WISHES",
    "Case",
    "Finding",
    "Item",
    "Nomination",
    "Standing",
    "Verdict",
    "finding",
    "gravest",
]

WISHES: Final = frozenset({"preference", "behaviour"})
"""Types that are the person's to say, and nobody else's."""


_SPEAKERS: Final = frozenset({"user", "the user", "i", "me", "myself", "self", "the person"})
"""What models call whoever speaks, where they do not use the id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nomination:
    """What a model proposes, in the order in which it reasoned; nothing of it is believed.

    A ``value`` of None without ``text`` proposes a retraction.
    """

    subject: str | None = None
    attribute: str | None = None
    value: Any = None
    text: str | None = None
    type: str = "fact"
    mode: str = "change"
    valid_from: Any = None
    valid_to: Any = None
    due: Any = None
    confidence: Any = None
    quote: str | None = None
    time_words: str | None = None
    assertion: str | None = None
    durable: bool | None = None
    speaker: str | None = None

    @property
    def retracts(self) -> bool:
        """Whether it says that something ended, or never was."""
        return self.value is None and self.text is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item of an episode, as it was captured."""

    text: str
    role: str = "user"
    kind: str = "message"
    person: str = ""
    speaker: str | None = None
    at: Instant = 0
    flagged: bool = False
    sealed: bool = False
    recalled: bool = False
    """Whether it is the result of a look into our own memory."""


class Standing(NamedTuple):
    """What stands at the key of a nomination: whether it is the same value, and its trust rank.

    ``told`` is the value or the text as it is shown.
    """

    same: bool
    rank: int
    told: str = ""


@dataclass(frozen=True, kw_only=True)
class Case:
    """All that the rules may look at.

    ``selves`` are the canonical names of the person: the id, the linked subject, its aliases.
    ``before`` is what the assistant said just before the item, ``earlier`` all that was said a few
    items back, ``after`` what the person answered to it. ``others`` are canonical names of other
    persons; ``namesakes`` the subjects that bear the name of the nominated one, where they are
    several. ``recurred`` counts independent episodes that nominated the same, this one with them.
    """

    nomination: Nomination
    item: Item
    person: str = ""
    selves: frozenset[str] = frozenset()
    before: str = ""
    earlier: str = ""
    after: str = ""
    timezone: str = "UTC"
    others: frozenset[str] = frozenset()
    namesakes: tuple[str, ...] = ()
    definition: AttributeDefinition | None = None
    standing: tuple[Standing, ...] = ()
    recurred: int = 1
    policy: GatePolicy = field(default_factory=GatePolicy)

    @cached_property
    def source(self) -> Source:
        """Whose word the item is."""
        return source_of(self.item.role, self.item.kind, recalled=self.item.recalled)

    @cached_property
    def passage(self) -> Passage | None:
        """Where the quote stands, and the words around it; None where it does not."""
        quote = self.nomination.quote
        return None if quote is None else passage_of(self.item.text, quote)

    @cached_property
    def subject(self) -> str:
        """The canonical subject; empty where there is none, or none that can be."""
        if self.nomination.subject is None:
            return ""
        try:
            return canonical_subject(self.nomination.subject)[1]
        except InvalidInput:
            return ""

    @property
    def of_self(self) -> bool:
        """Whether the nomination is about the person whose memory it is."""
        return not self.subject or self.subject in self.selves or self.subject in _SPEAKERS

    @property
    def of_task(self) -> bool:
        """Whether it is of the state of a task, in a store that keeps what was asked for."""
        of_other = bool(self.subject) and not self.of_self and self.subject not in self.others
        known = self.definition is not None and self.nomination.type not in WISHES
        return self.policy.requests == "accept" and self.own and of_other and known

    @property
    def own(self) -> bool:
        """Whether the item is a message of the person."""
        return self.source == "person"


class Finding(NamedTuple):
    """What a rule found: a reason code, what follows, and what is to be shown of it."""

    code: str
    outcome: Outcome
    detail: str | None = None


def finding(code: str, detail: str | None = None, *, outcome: Outcome | None = None) -> Finding:
    """Give a finding with the outcome of its code, or another."""
    return Finding(code, outcome or CODES[code].outcome, detail)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decides: the outcome, all that was found, and what the words are worth.

    ``quote`` and dates are as they may be kept: a start that is the message's own is left out, and
    a correction that the words do not deny the past for is a change.
    """

    outcome: Outcome
    findings: tuple[Finding, ...]
    trust: str
    mode: str
    valid_from: Any
    valid_to: Any
    words: str

    @property
    def codes(self) -> tuple[str, ...]:
        """The reason codes, the one that decided first."""
        first = [f.code for f in self.findings if f.outcome == self.outcome]
        return tuple(dict.fromkeys([*first, *(f.code for f in self.findings)]))

    @property
    def reason(self) -> str | None:
        """The reason code that decided; None where nothing was found."""
        return self.codes[0] if self.findings else None

    @property
    def detail(self) -> str | None:
        """What is to be shown of the reason: a count, candidates, a field."""
        return next((f.detail for f in self.findings if f.code == self.reason), None)


def gravest(findings: Iterable[Finding]) -> Outcome:
    """Give the outcome that stands."""
    found: set[Outcome] = {f.outcome for f in findings}
    stands: Outcome = "accepted"
    for one in OUTCOMES:
        stands = one if one in found else stands
    return stands
