"""What a model is shown: the items of a conversation, and the state that they concern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self, TypeGuard

from vigent.domain.records import Record
from vigent.domain.schema import Schema
from vigent.errors import InvalidInput

__all__ = ["DEFAULT_TYPES", "SELF", "Bounds", "StateLine", "Window", "WindowItem"]

SELF: Final = "user"
"""What the model calls the person whose memory it is."""
DEFAULT_TYPES: Final = ("fact", "preference", "commitment", "behaviour")
_MOST: Final = 400
"""Items that a window may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowItem:
    """One item. ``at`` is the wall clock of who spoke, as text for the model to read.

    ``evidence`` is False for what is shown to be understood and never to be learned from: items
    that an earlier window had, and text of our own.
    """

    episode_id: str
    role: str
    text: str
    at: str = ""
    who: str | None = None
    evidence: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLine:
    """What is in force now, as it is shown: a key and its value, or a text without an attribute."""

    memory_id: str
    value: str
    subject: str | None = None
    attribute: str | None = None
    type: str = "fact"
    since: str = ""

    @classmethod
    def of(cls, record: Record) -> Self:
        """Give the line of a memory that is in force."""
        return cls(
            memory_id=record.memory_id,
            value=str(record.value if record.text is None else record.text),
            subject=record.subject, attribute=record.attribute, type=record.memory_type,
            since=record.valid_from.date().isoformat(),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The most characters of each part of the prompt; what is longer is cut, and says so."""

    items: int = 24_000
    item: int = 4_000
    tool: int = 300
    state: int = 6_000
    attributes: int = 8_000
    instructions: int = 2_000
    candidates: int = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window of a conversation, and what it may be held against.

    Items and lines of state are known to the model by numbers from 1, as they stand here.
    ``subject`` is the name under which the person's own memory stands; None where the window
    belongs to nobody. ``types`` are those that may be proposed.
    """

    items: tuple[WindowItem, ...]
    schema: Schema
    state: tuple[StateLine, ...] = ()
    subject: str | None = None
    types: tuple[str, ...] = DEFAULT_TYPES
    instructions: str = ""
    bounds: Bounds = Bounds()

    def __post_init__(self) -> None:
        if not 0 < len(self.items) <= _MOST:
            raise InvalidInput("items", f"a window has 1 to {_MOST} of them, not {len(self.items)}")
        if not self.types:
            raise InvalidInput("types", "must name at least one")

    def item(self, number: object) -> WindowItem | None:
        """Give the item of a number, or None."""
        return self.items[number - 1] if _is_place(number, len(self.items)) else None

    def line(self, number: object) -> StateLine | None:
        """Give the line of state of a number, or None."""
        return self.state[number - 1] if _is_place(number, len(self.state)) else None


def _is_place(number: object, count: int) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= count
