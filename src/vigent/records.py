"""The part of the façade for services: memories by their ids, in pages, and requests done once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from vigent.domain.changes import ChangeSet
from vigent.domain.episodes import Episode
from vigent.domain.records import Record
from vigent.domain.statements import Key, Statement
from vigent.errors import UnavailableError
from vigent.once import Once
from vigent.parts import Review
from vigent.read.finding import episode, stretches
from vigent.read.listing import Place, Wanted, page
from vigent.read.reading import Reading
from vigent.write.byid import ById
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline
from vigent.write.result import ReviewItem, WriteResult
from vigent.write.review import Reviewer
from vigent.write.verbs import Writer

__all__ = ["Records"]

A = TypeVar("A")


class Records:
    """Memories named by their ids, lists of them in pages, and requests that may come twice."""

    def __init__(
        self, pipeline: WritePipeline, reading: Reading, whose: Callable[[Any], str]
    ) -> None:
        self._pipeline = pipeline
        self._reading = reading
        self._whose = whose
        self._by_id = ById(Writer(pipeline))

    def amend(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
        **changes: Any,
    ) -> WriteResult:
        """Correct what a memory says, and change its fields in place, in one transaction.

        ``text`` or ``value``, ``valid_from`` and ``valid_to`` (None: no end is stated any more)
        make a correction, a new memory that passes on what is not named; the other fields are
        those of ``update``. Raises NotFound, and Forbidden for a shared one where a person is
        named.
        """
        return self._by_id.amend(self._whose(person), memory_id, changes)

    def retract(
        self,
        memory_id: str,
        *,
        mode: str = "change",
        valid_from: Any = None,
        source_episode_id: str | None = None,
        quote: str | None = None,
        source: str | None = None,
        trust: str = "application",
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> WriteResult:
        """Say that a memory no longer holds, or (``mode="correction"``) that it never did."""
        return self._by_id.retract(
            self._whose(person), memory_id, mode=mode, valid_from=valid_from,
            source_episode_id=source_episode_id, quote=quote, source=source, trust=trust,
            timezone=timezone,
        )  # fmt: skip

    def page(
        self,
        *,
        beyond: tuple[int, str, int] | None = None,
        limit: int = 50,
        person: str | None = UNSET,  # type: ignore[assignment]
        **wanted: Any,
    ) -> tuple[list[Record], tuple[int, str, int] | None]:
        """Give a few of what ``list`` gives, from after a place on.

        Also gives the place to go on from; None where nothing follows.
        """
        asked = Wanted.of(self._reading, **wanted)
        place = None if beyond is None else Place(*beyond)
        return page(self._reading, self._whose(person), asked, beyond=place, limit=limit)

    def history(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Record, ...]:
        """Give every stretch that a memory was ever believed over; raises NotFound."""
        return stretches(self._reading, memory_id, self._whose(person))

    def episode(
        self,
        episode_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Episode:
        """Give one raw record; raises NotFound."""
        return episode(self._reading, episode_id, self._whose(person))

    def review(self, person: str | None) -> Review:
        """Give the candidates that one person sees, or everyone's."""
        return Review(Reviewer(self._pipeline), person or "")

    def waits(self, key: Key, held: Statement) -> ReviewItem:
        """Give what waits in this store as it is shown to who decides."""
        return Reviewer(self._pipeline).item(key, held)

    def asked(
        self,
        endpoint: str,
        name: str | None,
        request: object,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> None:
        """Take an idempotency key that comes with a question, which may be answered anew.

        Raises IdempotencyMismatch where the key was used for another one. Where the store cannot
        be written now, the key is not kept: a question is answered all the same.
        """
        if name is None:
            return
        whose, context = self._whose(person), self._pipeline.context

        def named(salt: bytes) -> Once:
            return Once.of(
                context.tenant, context.caller, endpoint, name, context.store, whose, request,
                salt=salt,
            )  # fmt: skip

        now = context.clock.now()
        with self._pipeline.storage.snapshot() as snapshot:
            salt = snapshot.ledger(context.tenant).salt
            if named(salt or b"").before(snapshot, now) is not None:
                return
        with suppress(UnavailableError), self._pipeline.together() as session:
            wanted = named(session.salt)
            if wanted.before(session.transaction, now) is None:
                kept = wanted.kept(whose, {}, now)
                session.transaction.apply(ChangeSet(context.tenant, answered=[kept]))

    def once(
        self,
        endpoint: str,
        name: str | None,
        request: object,
        make: Callable[[], A],
        *,
        kept: Callable[[A], Mapping[str, Any]],
        again: Callable[[Mapping[str, Any]], A],
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> A:
        """Do something in one transaction, and under an idempotency key only once in a day.

        ``make`` does it; ``kept`` says what is remembered of its answer (ids, so that what is
        forgotten later does not stay there), from which ``again`` gives it anew. Raises
        IdempotencyMismatch where the key was used for another request.
        """
        if name is None:
            return make()
        whose, context = self._whose(person), self._pipeline.context
        with self._pipeline.together() as session:
            asked = Once.of(
                context.tenant, context.caller, endpoint, name, context.store, whose, request,
                salt=session.salt,
            )  # fmt: skip
            now = context.clock.now()
            before = asked.before(session.transaction, now)
            if before is not None:
                return again(before)
            made = make()
            answered = asked.kept(whose, kept(made), now)
            session.transaction.apply(ChangeSet(context.tenant, answered=[answered]))
            return made
