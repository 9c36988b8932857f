"""The verbs of recall: what a model is given to see."""

from __future__ import annotations

from typing import Any

from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.messages import ContextAnswer
from vigent.domain.query import SearchAnswer
from vigent.domain.records import Record
from vigent.domain.text import canonical_subject, check_id
from vigent.domain.threads import Thread
from vigent.parts import Blocks
from vigent.read.context import Asked, Contexts
from vigent.read.finding import find_by_words
from vigent.read.plainly import by_words
from vigent.read.reading import Reading
from vigent.write.context import scope_token
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline

__all__ = ["Recall"]


class Recall:
    """Finding, and putting together what a model sees; part of ``Memory``."""

    def __init__(
        self,
        pipeline: WritePipeline,
        reading: Reading,
        person: str | None,
        injection: InjectionBlock,
        settings: StoreSettings,
    ) -> None:
        self._pipeline, self._reading, self._person = pipeline, reading, person
        self._contexts = Contexts(reading, injection, settings, pipeline.note_retrieved)
        self.blocks = Blocks(pipeline, reading, settings.blocks, self._whose)

    def _whose(self, person: Any) -> str:
        if person is UNSET:
            return self._person or ""
        return "" if person is None else check_id(person, "person")

    def context(
        self,
        query: str | None = None,
        *,
        thread: Thread | str | None = None,
        system_prompt: str | None = None,
        budget_tokens: int = 8_000,
        memory_share: float = 0.2,
        recent_turns: int = 5,
        limit: int = 10,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> ContextAnswer:
        """Give the messages for a model: system prompt, memory, recent turns verbatim, query.

        Without a query the last user item of the thread is what is asked; one of the two is
        needed. The memory block takes at most ``memory_share`` of the budget in tokens, and less
        where the block's or the store's settings say so or the turns leave less. At least 3
        ``recent_turns``; a user item and what follows it is one.
        """
        if isinstance(thread, Thread):
            if person is UNSET and thread.person is not None:
                person = thread.person
            thread = thread.id
        asked = Asked(
            query, thread, system_prompt, budget_tokens, memory_share, recent_turns, limit,
            timezone,
        )  # fmt: skip
        return self._contexts.answer(self._whose(person), asked, self._found)

    def _found(self, query: str, **asked: Any) -> SearchAnswer:
        """Find what a context is chosen from."""
        return by_words(self.words, self._reading, query, **asked)

    def words(
        self,
        query: str,
        *,
        subject: str | None = None,
        limit: int = 10,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Record, ...]:
        """Find memories in force by words; most of the words first, then the newest."""
        reading, whose = self._reading, self._whose(person)
        with reading.storage.snapshot() as snapshot:
            salt = snapshot.ledger(reading.tenant).salt or b""
        scopes = [
            scope_token(salt, reading.tenant, reading.store, p)
            for p in reading.scope(whose).readable
        ]
        about = None if subject is None else canonical_subject(subject)[1]
        return find_by_words(reading, scopes, query, subject=about, limit=limit)
