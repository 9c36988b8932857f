"""The context for a model: what is remembered, the recent turns, and the question, in a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from vigent.domain.injection import (
    MAX_LIMIT,
    MAX_TOKENS,
    InjectionBlock,
    StoreSettings,
    check_share,
    check_whole,
)
from vigent.domain.messages import ContextAnswer, ContextTrace, Message
from vigent.domain.query import NOTHING_THEN, SearchAnswer
from vigent.domain.records import Record
from vigent.domain.sections import (
    LABELS,
    Assembled,
    Candidates,
    Part,
    Room,
    assemble,
    block_label,
    line_of,
    session_line,
)
from vigent.domain.text import MAX_EPISODE, MAX_TEXT, check_id, clean_text
from vigent.domain.time import named_zone
from vigent.domain.tokens import estimate_tokens
from vigent.errors import InvalidInput
from vigent.ports.storage import Snapshot
from vigent.read.blocks import block_records
from vigent.read.choosing import Past, Search, Topic, behaviours, commitments, sessions, topical
from vigent.read.reading import Reading
from vigent.read.turns import Conversation, recent_turns

__all__ = ["Asked", "Contexts"]

_BEHAVIOURS: Final = 10
_PER_MESSAGE: Final = 4
"""Tokens that the form of a message takes beside its words."""
_NOTHING: Final = Conversation((), None, stands=False, turns=0)


@dataclass(frozen=True, slots=True)
class Asked:
    """A context as it was asked for, checked when it is made."""

    query: Any
    thread: Any
    system_prompt: Any
    budget_tokens: Any
    memory_share: Any
    recent_turns: Any
    limit: Any
    timezone: Any

    def __post_init__(self) -> None:
        if self.query is None and self.thread is None:
            raise InvalidInput("query", "must be given, or thread")
        for name in ("query", "system_prompt"):
            if getattr(self, name) is not None:
                clean = clean_text(getattr(self, name), name, MAX_EPISODE)[0]
                object.__setattr__(self, name, clean)
        check_whole(self.budget_tokens, "budget_tokens", 0, MAX_TOKENS)
        check_share(self.memory_share, "memory_share")
        check_whole(self.recent_turns, "recent_turns", 3, 1_000)
        check_whole(self.limit, "limit", 0, MAX_LIMIT)
        if self.thread is not None:
            check_id(self.thread, "thread")
        named_zone(self.timezone)


@dataclass(frozen=True, slots=True)
class Contexts:
    """Puts contexts together; ``note`` is told which memories were given."""

    reading: Reading
    block: InjectionBlock
    settings: StoreSettings
    note: Callable[[Iterable[str]], None]

    def count(self, text: str) -> int:
        """Give the tokens of a text: as the caller counts them, else estimated."""
        exact = self.settings.count_tokens
        return estimate_tokens(text) if exact is None else max(0, int(exact(text)))

    def answer(self, person: str, asked: Asked, search: Search) -> ContextAnswer:
        """Give the messages for one turn; raises NotFound for a thread that is not there."""
        talk = _NOTHING._replace(question=asked.query)
        if asked.thread is not None:
            talk = recent_turns(self.reading, person, asked.thread, asked.recent_turns, asked.query)
        around = [] if asked.system_prompt is None else [Message("system", asked.system_prompt)]
        after = list(talk.messages)
        if talk.question is not None and not talk.stands:
            after.append(Message("user", talk.question))
        around_tokens = sum(self.count(m.text) + _PER_MESSAGE for m in (*around, *after))
        budget = self._budget(asked, around_tokens)
        notes: list[str] = []
        if around_tokens > asked.budget_tokens:
            notes.append(f"the messages alone take {around_tokens} tokens of {asked.budget_tokens}")
        now = self.reading.clock.now()
        written, found = Assembled(), None
        if not self.block.enabled:
            notes.append("injection is not enabled")
        else:
            written, found = self._remember(person, asked, search, talk.question, budget, notes)
        memory = [Message("memory", written.text)] if written.text else []
        given = [id for label, ids in written.sections.items() if label in LABELS for id in ids]
        if given:
            self.note(given)
        trace = ContextTrace(
            query=talk.question,
            known_at=now if found is None else found.known_at,
            budget_tokens=asked.budget_tokens,
            memory_budget=budget,
            estimated_tokens=written.tokens,
            total_tokens=around_tokens + sum(written.tokens + _PER_MESSAGE for _ in memory),
            sections=written.sections,
            dropped_by_count=written.dropped_by_count,
            dropped_by_budget=written.dropped_by_budget,
            turns=talk.turns,
            notes=tuple(notes),
            search=None if found is None else found.plan.to_dict(),
        )
        return ContextAnswer((*around, *memory, *after), written.text, trace)

    def _budget(self, asked: Asked, taken: int) -> int:
        """Give the tokens that the block may take: the least bound, and what the turns leave."""
        bounds = [
            int(asked.memory_share * asked.budget_tokens + 1e-9),
            asked.budget_tokens - taken - _PER_MESSAGE,
            self.block.budget_tokens,
            self.settings.injection.budget_tokens,
        ]
        return max(0, min(bound for bound in bounds if bound is not None))

    def _remember(
        self,
        person: str,
        asked: Asked,
        search: Search,
        question: str | None,
        budget: int,
        notes: list[str],
    ) -> tuple[Assembled, SearchAnswer | None]:
        settings, topic, past = self.settings.injection, None, Past([], 0)
        choose: Callable[..., Topic] | None = None
        limit = min(asked.limit, MAX_LIMIT if self.block.limit is None else self.block.limit)
        if question is None:
            notes.append("there is no question, so nothing was chosen by its topic")
        else:
            if len(question) > MAX_TEXT:
                notes.append(f"only the first {MAX_TEXT} characters of the question choose")
                question = question[:MAX_TEXT]
            if asked.timezone is not None:
                search = partial(search, timezone=asked.timezone)
            choose = partial(
                topical, self.reading, search, question, person, self.block, limit, settings.rank
            )
            topic = choose()
            if settings.episodes_limit and self.block.wants("episode"):
                past = sessions(search, question, person, self.block, settings.episodes_limit)
        written = self._written(person, asked, topic, limit, past, budget)
        if choose and topic and topic.more and written.lacks(topic.records, limit):
            # What fits may stand behind all that was looked at, and that was too large.
            topic = choose(far=True)
            written = self._written(person, asked, topic, limit, past, budget)
        notes += [
            f"the block {record.key.attribute[1:]} does not fit"
            for record in written.too_large
            if record.memory_type == "block"
        ]
        if topic is not None and topic.doubtful:
            notes.append(NOTHING_THEN)
        if written.dropped_by_budget and not written.text:
            notes.append(f"nothing fits the memory budget of {budget} tokens")
        return written, None if topic is None else topic.answer

    def _written(
        self,
        person: str,
        asked: Asked,
        topic: Topic | None,
        limit: int,
        past: Past,
        budget: int,
    ) -> Assembled:
        """Write the block of what stands there always and what the question chose."""
        room = Room(budget, self.count)
        if person:
            room.shared = self.settings.injection.shares.shared * budget
        with self.reading.storage.snapshot() as snapshot:
            parts = [
                *self._always(snapshot, person, asked),
                *self._by_topic(asked, topic, limit, past, budget),
            ]
            return assemble(parts, room)

    def _always(self, snapshot: Snapshot, person: str, asked: Asked) -> list[Part]:
        """Give the walks over what stands there whatever the topic."""
        line = partial(line_of, zone=named_zone(asked.timezone))
        fixed = Candidates.of(block_records(self.reading, snapshot, person))
        due = commitments(self.reading, snapshot, person, self.block, asked.timezone)
        rules = behaviours(self.reading, snapshot, person, self.block)
        return [
            Part(fixed, _block, line, outside_share=True),
            Part(due, _labelled(0), line, self.settings.commitments.inject_limit),
            Part(rules, _labelled(1), line, _BEHAVIOURS),
        ]

    def _by_topic(
        self, asked: Asked, topic: Topic | None, limit: int, past: Past, budget: int
    ) -> list[Part]:
        """Give the walks over what the question chose."""
        zone, settings = named_zone(asked.timezone), self.settings.injection
        chosen = Candidates.of(()) if topic is None else Candidates.of(topic.records)
        doubtful = frozenset[str]() if topic is None else topic.doubtful
        cap = settings.shares.past_sessions * budget
        session = partial(session_line, zone=zone)
        return [
            Part(chosen, _owner, partial(line_of, zone=zone, doubtful=doubtful), limit),
            Part(Candidates(*past), _labelled(4), session, settings.episodes_limit, cap),
        ]


def _block(record: Record) -> str:
    return block_label(record.key.attribute[1:])


def _labelled(which: int) -> Callable[[Record], str]:
    return lambda _: LABELS[which]


def _owner(record: Record) -> str:
    return LABELS[2] if record.key.person else LABELS[3]
