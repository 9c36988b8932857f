"""What a reader gives: operations, questions and their answers, as plain frozen data."""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "Change",
    "Dialogue",
    "GoldError",
    "GoldSet",
    "HistoryQuestion",
    "Question",
    "Refusal",
    "Slot",
    "SourceQuestion",
    "Stretch",
    "Utterance",
    "ValueQuestion",
    "distinct_subject",
    "folded",
    "instant_of",
    "unused_name",
]

_FIRST_TURN: Final = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class GoldError(ValueError):
    """The file is not what a reader of this set can read; the message says where."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One property a set speaks of, and what it may hold.

    ``choices`` is None where any text goes; ``many`` says that several values hold at once.
    """

    service: str | None
    name: str
    choices: tuple[str, ...] | None = None
    many: bool = False

    @property
    def attribute(self) -> str:
        """``service.slot``, or the slot alone in a set that has no services."""
        return self.name if self.service is None else f"{self.service}.{self.name}"


@dataclass(frozen=True, slots=True)
class Utterance:
    """The words that a change rests on."""

    turn: int
    speaker: str
    text: str
    at: dt.datetime

    @classmethod
    def of(cls, turn: int, speaker: str, text: str) -> Utterance:
        """The words of this turn, at the turn's instant; silence is named, for it has no text."""
        return cls(turn, speaker, text if text.strip() else "(silence)", instant_of(turn))


@dataclass(frozen=True, slots=True)
class Change:
    """From ``valid_from`` on the slot holds ``value`` (None: it holds nothing any more)."""

    slot: Slot
    value: str | None
    source: Utterance
    valid_from: dt.datetime
    valid_to: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A write that the schema does not allow and the memory must refuse."""

    slot: Slot
    value: str
    source: Utterance


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """Which value holds at ``at`` (``current``: now)?

    ``accepted`` has one group of accepted spellings for each value that must be answered, so
    an empty tuple means that nothing may be.
    """

    kind: Literal["current", "as_of"]
    turn: int
    slot: Slot
    at: dt.datetime | None
    accepted: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, order=True)
class Stretch:
    """A value and the time over which it holds, half-open; ``end`` None: still open."""

    begin: dt.datetime
    end: dt.datetime | None
    value: str


@dataclass(frozen=True, slots=True)
class HistoryQuestion:
    """What is the whole life of this slot?"""

    turn: int
    slot: Slot
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class SourceQuestion:
    """Which words does the memory that holds ``value`` at ``at`` (None: now) rest on?"""

    turn: int
    slot: Slot
    value: str
    at: dt.datetime | None
    source: Utterance


Question = ValueQuestion | HistoryQuestion | SourceQuestion


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue: its changes in order of time, and all that can be asked about it.

    ``subject`` is ``id``, unless an earlier dialogue of the same run bears that id. ``said`` is
    every turn in order, where the set has turns that are read.
    """

    id: str
    subject: str
    changes: tuple[Change, ...]
    refusals: tuple[Refusal, ...]
    questions: tuple[Question, ...]
    said: tuple[Utterance, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A whole file (or folder) of one data set."""

    name: str
    slots: tuple[Slot, ...]
    dialogues: tuple[Dialogue, ...]

    @property
    def asked_at(self) -> dt.datetime:
        """A "now" for the questions: after everything the set speaks of."""
        instants = [
            end
            for dialogue in self.dialogues
            for change in dialogue.changes
            for end in (change.valid_from, change.valid_to, change.source.at)
            if end is not None
        ]
        return max([_FIRST_TURN, *instants]) + dt.timedelta(minutes=1)


def instant_of(turn: int) -> dt.datetime:
    """The instant of the turn with this index: a minute a turn from the start of 2026, UTC."""
    return _FIRST_TURN + dt.timedelta(minutes=turn)


def folded(text: str) -> str:
    """The text as spellings are compared: NFC, outer and repeated white space folded."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def distinct_subject(dialogue_id: str, taken: set[str]) -> str:
    """A subject of its own for this dialogue, also where several files use one id.

    Letter case does not make two subjects; ``taken`` is added to.
    """
    subject, copy = dialogue_id, 1
    while _name_key(subject) in taken:
        copy += 1
        subject = f"{dialogue_id} ({copy})"
    taken.add(_name_key(subject))
    return subject


def unused_name(wanted: str, taken: Iterable[str]) -> str:
    """``wanted``, made longer until it is none of ``taken``."""
    known = {name.casefold() for name in taken}
    while wanted.casefold() in known:
        wanted += " x"
    return wanted


def _name_key(name: str) -> str:
    return folded(unicodedata.normalize("NFKC", name).casefold())
