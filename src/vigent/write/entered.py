"""What a write came to, before it is shown as records."""

from __future__ import annotations

from dataclasses import dataclass

from vigent.domain.time import Instant
from vigent.write.answering import Standing

__all__ = ["Entered"]


@dataclass(slots=True)
class Entered:
    """The outcome, the memory concerned, what it ended, and why where that needs saying.

    What was ended stands in order of recording, because a write comes upon the values of a
    multi-valued attribute in the order of salted digests, which another store has otherwise. Of a
    correction it stands in the order of the timeline, what was corrected first.
    """

    outcome: str
    memory: Standing | None = None
    ended: tuple[Standing, ...] = ()
    reason: str | None = None

    def __post_init__(self) -> None:
        if len(self.ended) > 1 and self.outcome != "corrected":
            self.ended = tuple(sorted(self.ended, key=_by_recording))


def _by_recording(one: Standing) -> tuple[Instant, str]:
    return one.statement.recorded_from, one.statement.id
