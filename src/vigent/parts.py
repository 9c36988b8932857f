"""The smaller parts of the façade: review, persons, threads, and blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from vigent.domain.blocks import Block
from vigent.domain.injection import BlockLimits
from vigent.domain.records import Record
from vigent.domain.text import canonical_subject, check_id
from vigent.domain.threads import Thread, ThreadItem, ThreadState, stored_as
from vigent.errors import InvalidInput, VigentError
from vigent.read.blocks import block, block_history, blocks
from vigent.read.reading import Reading
from vigent.read.threads import items, thread, thread_state, threads
from vigent.write.blocks import BlockWriter
from vigent.write.capture import Capture
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline
from vigent.write.result import ReviewItem, WriteResult
from vigent.write.review import Reviewer
from vigent.write.threads import ThreadWriter
from vigent.write.verbs import Writer

__all__ = ["Blocks", "Persons", "Review", "Threads"]


class Review:
    """What the gate holds, and its decisions; each is in the audit trail."""

    def __init__(self, reviewer: Reviewer, person: str) -> None:
        self._reviewer = reviewer
        self._person = person

    def list(self, reason: str | None = None) -> tuple[ReviewItem, ...]:
        """Give the candidates that wait, oldest first, or those held for one reason."""
        return self._reviewer.list(self._person, reason)

    def accept(
        self,
        memory_id: str,
        trust: str = "reviewer",
        *,
        edits: Mapping[str, Any] | None = None,
    ) -> WriteResult:
        """Let a candidate in, with the trust of who accepts it; raises NotFound, ConflictError.

        ``edits`` put it right first: subject, attribute, value, text, type, valid_from, valid_to,
        timezone, importance, metadata.
        """
        return self._reviewer.accept(self._person, memory_id, trust, edits)

    def reject(self, memory_id: str, reason: str | None = None) -> Record:
        """Turn a candidate down; it stays on record as rejected."""
        return self._reviewer.reject(self._person, memory_id, reason)

    def decide(
        self,
        memory_ids: Iterable[str],
        decision: Literal["accept", "reject"],
        *,
        reason: str | None = None,
    ) -> tuple[WriteResult | Record | VigentError, ...]:
        """Accept or reject many, each by itself; one that cannot be decided gives its error."""
        decided: list[WriteResult | Record | VigentError] = []
        if decision not in {"accept", "reject"}:
            raise InvalidInput("decision", "must be accept or reject")
        for id in memory_ids:
            try:
                decided.append(self.accept(id) if decision == "accept" else self.reject(id, reason))
            except VigentError as error:
                decided.append(error)
        return tuple(decided)


class Persons:
    """What is known of persons as such."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def link(self, person: str, subject: str) -> None:
        """Note which entity a person is; erasing them then takes shared facts about it along."""
        self._writer.link(check_id(person, "person"), canonical_subject(subject)[1])


class Threads:
    """Conversations in order, and the state of a session; apart from what was learned in them.

    A thread is named by its id or by the ``Thread`` that was given; left out, ``person`` is the
    one of that thread, else the one the memory was opened for. A person sees their own threads
    and the shared, their own first where both have one id.
    """

    def __init__(
        self, pipeline: WritePipeline, reading: Reading, whose: Callable[[Any], str]
    ) -> None:
        self._pipeline = pipeline
        self._writer = ThreadWriter(pipeline)
        self._reading = reading
        self._whose = whose

    def _named(self, given: Thread | str, person: Any) -> tuple[str, str]:
        """Give whose thread is meant, and its id."""
        if isinstance(given, Thread):
            own = given.person if person is UNSET and given.person is not None else person
            return self._whose(own), given.id
        return self._whose(person), check_id(given, "thread")

    def create(
        self,
        person: str | None = UNSET,  # type: ignore[assignment]
        agent: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        id: str | None = None,
        *,
        ttl_days: int | None = None,
        idempotency_key: str | None = None,
    ) -> Thread:
        """Make a thread; raises ThreadExists where the person has one of this id.

        It is kept for ``ttl_days`` (90) after its last item. The same idempotency key again,
        within a day, gives the first one.
        """
        return self._writer.create(
            self._whose(person), id=id, agent=agent, metadata=metadata, ttl_days=ttl_days,
            idempotency_key=idempotency_key,
        )  # fmt: skip

    def get(
        self,
        id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Thread:
        """Give one thread; raises NotFound."""
        whose, name = self._named(id, person)
        return thread(self._reading, whose, name)

    def list(
        self,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Thread, ...]:
        """Give a person's threads and the shared, in the order in which they were made."""
        return threads(self._reading, self._whose(person))

    def append(
        self,
        thread: Thread | str,
        content: str,
        *,
        role: str | None = None,
        kind: str | None = None,
        occurred_at: Any = None,
        speaker: str | None = None,
        agent: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        sealed: bool = False,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> ThreadItem:
        """Add an item to a thread; the same external id gives the first one again.

        ``kind`` is user, assistant, system, tool_call, tool_result, reasoning or plan; ``role``
        alone (user, assistant, system, tool) says as much. From what is ``sealed`` nothing is
        ever learned. In a shared thread the item is the person's who adds it.
        """
        whose, name = self._named(thread, person)
        said_by, kept_as = stored_as(role, kind)
        asked = Capture(
            content, role=said_by, kind=kept_as, occurred_at=occurred_at, speaker=speaker,
            thread=name, external_id=external_id, metadata=metadata, agent=agent,
            sealed=sealed, known_thread=True,
        )  # fmt: skip
        return asked.item(self._pipeline, whose, idempotency_key)

    def items(
        self,
        thread: Thread | str,
        *,
        after: str | ThreadItem | None = None,
        last: int | None = None,
        limit: int | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[ThreadItem, ...]:
        """Give the items of a thread in order: all, what follows one of them, or the last few.

        ``limit`` gives no more than the first so many of what follows.
        """
        whose, name = self._named(thread, person)
        begin = after.id if isinstance(after, ThreadItem) else after
        return items(self._reading, whose, name, begin, last, limit)

    def state(
        self,
        thread: Thread | str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> ThreadState:
        """Give the state of a thread; empty and of version 0 where none was set."""
        whose, name = self._named(thread, person)
        return thread_state(self._reading, whose, name)

    def set_state(
        self,
        thread: Thread | str,
        state: Mapping[str, Any],
        *,
        expect: int | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> ThreadState:
        """Set the state of a thread: a JSON object of at most 64,000 bytes.

        Each set raises the version. With ``expect`` it is set only where the state is at that
        version; raises UnexpectedVersion.
        """
        whose, name = self._named(thread, person)
        return self._writer.set_state(whose, name, state, expect)

    def delete(
        self,
        thread: Thread | str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> int:
        """Remove a thread, its items' content and its state; gives how many items it had.

        What was learned from it stays: memories, and the quotes that they rest on.
        """
        whose, name = self._named(thread, person)
        return self._writer.delete(whose, name)


class Blocks:
    """Always-visible blocks: short notes under a name that stand in every context.

    A block is a person's or shared; a person sees their own and the shared, their own where both
    have one name. It is versioned like any memory and is kept until it is deleted.
    """

    def __init__(
        self,
        pipeline: WritePipeline,
        reading: Reading,
        limits: BlockLimits,
        whose: Callable[[Any], str],
    ) -> None:
        self._writer = BlockWriter(pipeline, limits)
        self._reading = reading
        self._whose = whose

    def set(
        self,
        name: str,
        text: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Block:
        """Let a block say this; raises LimitExceeded where it is too long, or one too many.

        At most 2,000 characters and 8 blocks an owner, unless the settings say otherwise.
        """
        return self._writer.set(self._whose(person), name, text)

    def get(
        self,
        name: str,
        *,
        as_of: Any = None,
        known_at: Any = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Block:
        """Give one block, as it stands or stood at an instant; raises NotFound."""
        at = self._reading.instants(as_of, known_at, timezone)
        return block(self._reading, name, self._whose(person), at)

    def list(
        self,
        *,
        as_of: Any = None,
        known_at: Any = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Block, ...]:
        """Give the blocks that a person sees, by name."""
        at = self._reading.instants(as_of, known_at, timezone)
        return blocks(self._reading, self._whose(person), at)

    def replace(
        self,
        name: str,
        old: str,
        new: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Block:
        """Put one text for another that stands in a block exactly once; raises UnexpectedText."""
        return self._writer.replace(self._whose(person), name, old, new)

    def delete(
        self,
        name: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> None:
        """End a block; its history stays. Raises NotFound, or Forbidden for one that is shared."""
        self._writer.delete(self._whose(person), name)

    def history(
        self,
        name: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Block, ...]:
        """Give all that an owner's block ever said, in order of time."""
        return block_history(self._reading, name, self._whose(person))
