"""What a write came to, before it is shown as records."""

from __future__ import annotations

from dataclasses import dataclass

from vigent.write.answering import Standing

__all__ = ["Entered"]


@dataclass(slots=True)
class Entered:
    """The outcome, the memory concerned, what it ended, and why where that needs saying."""

    outcome: str
    memory: Standing | None = None
    ended: tuple[Standing, ...] = ()
    reason: str | None = None
