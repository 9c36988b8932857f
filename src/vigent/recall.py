"""The verbs of recall: what is found and listed, and what a model is given to see."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from vigent.domain.episodes import Provenance, Visibility
from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.messages import ContextAnswer
from vigent.domain.query import SearchAnswer
from vigent.domain.records import Record
from vigent.domain.text import check_id
from vigent.domain.threads import Thread
from vigent.domain.time import Instantlike
from vigent.errors import NotFound
from vigent.learn.worker import EmbeddingWorker
from vigent.parts import Blocks
from vigent.ports.models import Embedder
from vigent.read.context import Asked, Contexts
from vigent.read.finding import get, provenance, visibility
from vigent.read.listing import Wanted, listed
from vigent.read.planning import asked_of
from vigent.read.reading import Reading
from vigent.read.search import Narrowed, Searcher, check_types
from vigent.records import Records
from vigent.searchindex import SearchIndex
from vigent.write.draft import UNSET
from vigent.write.pipeline import WritePipeline

__all__ = ["Recall"]

T = TypeVar("T")


class Recall:
    """Finding, and putting together what a model sees; part of ``Memory``."""

    def __init__(
        self,
        pipeline: WritePipeline,
        reading: Reading,
        person: str | None,
        embedder: Embedder | None,
        injection: InjectionBlock,
        settings: StoreSettings,
        beside: Recall | None = None,
        worker: EmbeddingWorker | None = None,
    ) -> None:
        self._pipeline, self._reading, self._person = pipeline, reading, person
        if beside is None:
            self.index = SearchIndex(reading.storage, reading, embedder, worker)
            self._searcher = Searcher(reading, self.index)
        else:  # the same store, seen by another caller: what is kept in memory is kept once
            self.index = beside.index
            self._searcher = Searcher(reading, self.index)
            self._searcher.names = beside._searcher.names  # noqa: SLF001 - of the same class
        self._contexts = Contexts(reading, injection, settings, pipeline.note_retrieved)
        self.records = Records(pipeline, reading, self._whose)
        self.blocks = Blocks(pipeline, reading, settings.blocks, self._whose)

    def _for(self, person: Any, answer: Callable[[str], T]) -> T:
        """Answer for a person; where nobody was named, that a memory is not found says so."""
        whose = self._whose(person)
        try:
            return answer(whose)
        except NotFound as error:
            if whose:
                raise
            told = f"{error.message} (of nobody in particular; give person=)"
            raise NotFound(told, field=error.field) from error

    def _whose(self, person: Any) -> str:
        if person is UNSET:
            return self._person or ""
        return "" if person is None else check_id(person, "person")

    def flush_retrieved(self) -> None:
        """Write down how often memories were given to readers, as far as it is not."""
        self._pipeline.flush_retrieved()

    def _forget_found(self) -> None:
        """Let go of what searches keep in memory: names, passages, questions."""
        self._searcher.names.forget(self._reading.tenant)
        self.index.forget()

    def search(
        self,
        query: str,
        *,
        types: Sequence[str] | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        after: Instantlike = None,
        before: Instantlike = None,
        include: Literal["current", "history", "episodes"] = "current",
        expand: Literal["auto", "always", "never"] = "auto",
        recipe: str = "relevance",
        timezone: str | None = None,
        limit: int = 10,
        budget_tokens: int | None = None,
        explain: bool = False,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> SearchAnswer:
        """Find what answers a question: exact state first, then by words and by meaning.

        By default only memories in force are found; ``include="history"`` admits former ones,
        each marked, and "episodes" what was said besides. Filters hold before the limit, and a
        hit that does not fit the question is not handed out to fill it, unless ``expand`` is
        "always". What is found counts as retrieved.
        """
        asked = asked_of(
            query, recipe=recipe, include=include, expand=expand, timezone=timezone, limit=limit,
            budget_tokens=budget_tokens, as_of=as_of, known_at=known_at, after=after,
            before=before, subject=subject, attribute=attribute, metadata=metadata,
        )  # fmt: skip
        narrowed = Narrowed(check_types(types))
        found = self._searcher.search(asked, self._whose(person), narrowed, explain=explain)
        self._pipeline.note_retrieved([record.memory_id for record in found.records])
        return found

    def concerning(
        self,
        words: str,
        *,
        limit: int = 20,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> tuple[Record, ...]:
        """Give what is in force and that some words concern, the best first.

        That is no recall: what is given does not count as retrieved.
        """
        found = self._found(words, person=self._whose(person) or None, limit=limit)
        return tuple(found.records)

    def provenance(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Provenance:
        """Say who said it, and where: the memory with all that supports it."""
        return self._for(person, lambda whose: provenance(self._reading, memory_id, whose))

    def visibility(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Visibility:
        """Say to whom a memory belongs and who may see it."""
        return self._for(person, lambda whose: visibility(self._reading, memory_id, whose))

    def get(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Record:
        """Give one memory over its last believed stretch; raises NotFound."""
        return self._for(person, lambda whose: get(self._reading, memory_id, whose))

    def list(
        self,
        *,
        type: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        status: str | None = None,
        min_confidence: float | None = None,
        include: Literal["current", "history"] = "current",
        order: Literal["recorded", "confidence"] = "recorded",
        after: Instantlike = None,
        before: Instantlike = None,
        metadata: Mapping[str, Any] | None = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Iterator[Record]:
        """Give the memories that fit, by default those in force now, in order of recording.

        ``after`` and ``before`` bound when they were made: ``[after, before)``. ``metadata``
        takes the filters of ``search``.
        """
        wanted = Wanted.of(
            self._reading, type=type, subject=subject, attribute=attribute, as_of=as_of,
            known_at=known_at, status=status, min_confidence=min_confidence, include=include,
            after=after, before=before, metadata=metadata, timezone=timezone,
        )  # fmt: skip
        return listed(self._reading, self._whose(person), wanted, order=order)

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

    def _found(
        self,
        query: str,
        *,
        person: str | None,
        limit: int,
        include: str = "current",
        timezone: str | None = None,
        types: Collection[str] = (),
        without: Collection[str] = (),
        metadata: Mapping[str, Any] | None = None,
        min_confidence: float | None = None,
    ) -> SearchAnswer:
        """Find what a context is chosen from; what it gives is counted, not what is found."""
        asked = asked_of(query, include=include, timezone=timezone, limit=limit, metadata=metadata)
        narrowed = Narrowed(frozenset(types) or None, frozenset(without), min_confidence)
        return self._searcher.search(asked, person or "", narrowed, explain=False)
