"""The smaller parts of the façade: review, and persons."""

from __future__ import annotations

from vigent.domain.records import Record
from vigent.domain.text import canonical_subject, check_id
from vigent.write.result import ReviewItem, WriteResult
from vigent.write.review import Reviewer
from vigent.write.verbs import Writer

__all__ = ["Persons", "Review"]


class Review:
    """What the gate holds, and its decisions."""

    def __init__(self, reviewer: Reviewer, person: str) -> None:
        self._reviewer = reviewer
        self._person = person

    def list(self, reason: str | None = None) -> tuple[ReviewItem, ...]:
        """Give the candidates that wait, oldest first, or those held for one reason."""
        return self._reviewer.list(self._person, reason)

    def accept(self, memory_id: str, trust: str = "reviewer") -> WriteResult:
        """Let a candidate in, with the trust of who accepts it; raises NotFound, ConflictError."""
        return self._reviewer.accept(self._person, memory_id, trust)

    def reject(self, memory_id: str, reason: str | None = None) -> Record:
        """Turn a candidate down; it stays on record as rejected."""
        return self._reviewer.reject(self._person, memory_id, reason)


class Persons:
    """What is known of persons as such."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def link(self, person: str, subject: str) -> None:
        """Note which entity a person is; erasing them then takes shared facts about it along."""
        self._writer.link(check_id(person, "person"), canonical_subject(subject)[1])
