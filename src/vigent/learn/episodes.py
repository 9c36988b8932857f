"""Episodes: one record for each settled session of a thread, and the lessons of that session.

One call of a model a session, whatever the store's size. What it answers is checked against the
session here and against the store at the commit; nothing it says is an instruction to anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

import numpy as np

from vigent.domain.derivation import Derivation, Settled, digest_of, lowest, short_of
from vigent.domain.gate.sources import source_of
from vigent.domain.reasoning.prompt import question
from vigent.domain.reasoning.session import (
    LEAST,
    Lesson,
    LessonFault,
    SessionReading,
    read_session,
    session_instructions,
    session_schema,
)
from vigent.domain.reasoning.window import Window, WindowItem
from vigent.domain.records import Record
from vigent.domain.schema import Schema
from vigent.domain.sections import without_injected
from vigent.domain.sessions import (
    MOST,
    Session,
    last_failed,
    response_ids,
    sessions_of,
    tools_of,
)
from vigent.domain.text import canonical_text
from vigent.domain.threads import Thread, ThreadItem
from vigent.domain.time import Instant, iso
from vigent.domain.usage import Account, Parked
from vigent.errors import InvalidModelOutput, ModelUnavailable, NotFound
from vigent.learn.remembering import Conversations, Hiding, Remembering
from vigent.ports.models import Embedder, LanguageModel, MeteredModels, ModelUsage, Told

__all__ = ["EpisodeDone", "episode_of"]

_READ: Final = 3 * MOST
"""Items read of a thread at once: the last session that has a record, and what follows it."""
_TEXT: Final = 2_000
_NEAR: Final = 0.95
"""The cosine from which two lessons say the same."""
_COMPARED: Final = 200
"""How many lessons, the newest, one is compared with by meaning."""
_NOTHING: Final = ModelUsage()


@dataclass(frozen=True, slots=True)
class EpisodeDone:
    """What became of a thread.

    ``done``: a record was written. ``partial``: it was, and some of its lessons are left out, with
    ``faults``. ``nothing``: no session of it is settled and without a record. ``parked``: nothing
    was sent; it waits for the next month. ``cancelled``: what was read was gone before it was
    written. ``more`` says that another session of the thread waits: call again.
    """

    status: Literal["done", "partial", "nothing", "parked", "cancelled"]
    episode: Record | None = None
    lessons: tuple[Record, ...] = ()
    dropped: tuple[str, ...] = ()
    faults: tuple[LessonFault, ...] = ()
    more: bool = False
    usage: ModelUsage = _NOTHING
    parked: Parked | None = None


def episode_of(
    memory: Remembering,
    thread: str,
    *,
    person: str | None,
    model: LanguageModel,
    metered: MeteredModels,
    account: Account,
    since: Instant,
    now: Instant,
    quiet: Instant,
    lessons: bool = False,
    instructions: str = "",
    threads: Conversations | None = None,
    embedder: Embedder | None = None,
    hiding: Hiding | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
) -> EpisodeDone:
    """Write the record of the earliest session of a thread that is settled and has none, or grew.

    ``person`` is the thread's, None for a shared one; ``since`` the instant at which the switch
    was set: what was captured before is not read. A session is settled once nothing was captured
    for ``quiet`` microseconds, or another has begun. Called again it writes nothing twice. At most
    one call of the model. Raises what is below ModelFailed; then nothing was written.
    """
    found = _Thread(memory, threads or memory.threads, thread, person)
    waiting = found.waiting(since, now, quiet)
    if not waiting:
        return EpisodeDone("nothing")
    session, more = waiting[0], len(waiting) > 1
    asks = lessons and person is not None
    items = tuple(_shown(item) for item in session.readable)
    messages = _messages(items, person, instructions, hiding, lessons=asks)
    schema = session_schema(len(items), lessons=asks)
    done = metered.complete(
        account, model, messages, schema=schema, least=LEAST, max_tokens=max_tokens,
        timeout=timeout,
    )  # fmt: skip
    if isinstance(done, Parked):
        return EpisodeDone("parked", more=True, parked=done)
    answer = done.parsed if hiding is None else _revealed(done.parsed, hiding)
    reading = read_session(answer, items, lessons=asks)
    if not reading.parts[0]:
        raise InvalidModelOutput("model: the answer says nothing of the session").spent(*done.usage)
    learned = [_lesson(one, session, reading) for one in reading.lessons]
    if learned:
        learned = _as_known(learned, memory.derived.of("lesson", person=person), embedder)
    episode = _episode(session, reading, found.thread)
    settled = memory.derived.session(episode, learned, person=person)
    return _told(settled, reading, done.usage, more=more)


def _told(
    settled: Settled, reading: SessionReading, usage: ModelUsage, *, more: bool
) -> EpisodeDone:
    if settled.outcome == "cancelled":
        return EpisodeDone("cancelled", usage=usage)
    if settled.outcome != "done":
        return EpisodeDone("nothing", more=more, usage=usage)
    return EpisodeDone(
        "partial" if reading.faults else "done", settled.records[0], settled.records[1:],
        settled.dropped, reading.faults, more, usage,
    )  # fmt: skip


class _Thread:
    """A thread, as far as it has to be read, and the records of its sessions."""

    def __init__(
        self, memory: Remembering, threads: Conversations, id: str, person: str | None
    ) -> None:
        self._threads, self._person = threads, person
        self.thread: Thread | None = None
        try:
            self.thread = threads.get(id, person=person)
        except NotFound:
            return
        self._derived = memory.derived
        records = self._derived.of("episode", person=person)
        self._records = [r for r in records if r.fields.get("thread") == id]

    def waiting(self, since: Instant, now: Instant, quiet: Instant) -> list[Session]:
        """Give the settled sessions that have no record of all that may be read of them."""
        if self.thread is None or self.thread.person != self._person:
            return []
        items = self._items()
        every = sessions_of(items, since)
        if len(items) >= _READ:
            every = every[:-1]  # it may go on beyond what was read
        settled = {
            digest_of(one.ids): one
            for place, one in enumerate(every)
            if one.said and (place + 1 < len(every) or now - one.last_heard >= quiet)
        }
        if not settled:
            return []
        known = self._derived.recorded(list(settled), person=self._person)
        return [one for lineage, one in settled.items() if lineage not in known]

    def _items(self) -> tuple[ThreadItem, ...]:
        """Give the items from the last session that has a record on."""
        assert self.thread is not None  # noqa: S101 - asked only where there is one
        for record in reversed(self._records[:-1]):
            last = (record.fields.get("items") or [None])[-1]
            try:
                return self._threads.items(
                    self.thread, after=last, limit=_READ, person=self._person
                )
            except NotFound:  # that item is not there any more
                continue
        return self._threads.items(self.thread, limit=_READ, person=self._person)


def _shown(item: ThreadItem) -> WindowItem:
    """Give an item as the model is shown it."""
    source = source_of(item.row.role, item.row.kind)
    role = item.kind if item.kind in {"tool_call", "tool_result", "plan"} else source
    return WindowItem(
        episode_id=item.id, role={"person": "user"}.get(role, role),
        text=without_injected(item.content or ""), at=iso(item.row.occurred_at), who=item.speaker,
    )  # fmt: skip


def _messages(
    items: Sequence[WindowItem],
    person: str | None,
    own: str,
    hiding: Hiding | None,
    *,
    lessons: bool,
) -> tuple[Told, Told]:
    if hiding is not None:
        items = [
            replace(i, text=hiding.hide(i.text), who=None if i.who is None else hiding.hide(i.who))
            for i in items
        ]
        person = None
    window = Window(items=tuple(items), schema=Schema(), subject=person)
    return (
        Told("system", session_instructions(lessons=lessons, own=own)),
        Told("user", question(window)),
    )


def _revealed(answer: Any, hiding: Hiding) -> Any:
    if isinstance(answer, str):
        return hiding.reveal(answer)
    if isinstance(answer, list):
        return [_revealed(one, hiding) for one in cast("list[Any]", answer)]
    if isinstance(answer, dict):
        found = cast("dict[str, Any]", answer)
        return {name: _revealed(one, hiding) for name, one in found.items()}
    return answer


def _episode(session: Session, reading: SessionReading, thread: Thread | None) -> Derivation:
    result, basis = reading.settled(last_failed=last_failed(session))
    agents = [item.agent for item in session.items if item.agent]
    versions = [v for i in session.items if (v := i.metadata.get("agent_version")) is not None]
    structured = {
        "intent": reading.intent, "result": result, "result_basis": basis,
        "response_ids": list(response_ids(session)),
        "agent_id": agents[-1] if agents else (thread.agent if thread else None),
        "agent_version": versions[-1] if versions else None, "tools": list(tools_of(session)),
    }  # fmt: skip
    fields = {
        "span": [iso(session.begins), iso(session.ends)],
        "thread": thread.id if thread else None, "items": [session.ids[0], session.ids[-1]],
        "intent": reading.intent, "result": result, "result_basis": basis,
        "structured": {name: value for name, value in structured.items() if value is not None},
        "count": len(session.ids), "lineage": digest_of(session.ids),
    }  # fmt: skip
    return Derivation(
        type="episode", text=short_of(reading.parts, _TEXT), trust=session.trust,
        rests_on=session.said, fields=fields, importance=reading.importance,
        source_episode=session.said[0], metadata=thread.metadata if thread else {},
    )  # fmt: skip


def _lesson(lesson: Lesson, session: Session, reading: SessionReading) -> Derivation:
    item = session.readable[lesson.item - 1]
    return Derivation(
        type="lesson", text=lesson.text, trust=lowest([session.trust], "assistant"),
        rests_on=session.said, importance=reading.importance, source_episode=item.id,
        quote=lesson.quote, fields={"kind": lesson.kind, "basis": lesson.basis},
    )  # fmt: skip


def _as_known(
    learned: Sequence[Derivation], known: Sequence[Record], embedder: Embedder | None
) -> list[Derivation]:
    """Put the words of a known lesson where a new one says nearly the same: it confirms that.

    Only where texts have vectors: without, nearly the same is something else.
    """
    there = {canonical_text(r.text or ""): r for r in known}
    others = [r for r in known if r.text][-_COMPARED:]
    fresh = [one for one in learned if canonical_text(one.text) not in there]
    if embedder is None or not others or not fresh:
        return list(learned)
    texts = [*(one.text for one in fresh), *(r.text or "" for r in others)]
    try:
        rows = embedder.embed_passages(texts)
    except ModelUnavailable:
        return list(learned)
    likeness = np.asarray(rows[: len(fresh)] @ rows[len(fresh) :].T)
    instead: dict[str, str] = {}
    for place, one in enumerate(fresh):
        best = _nearest(likeness[place], one, others)
        if best is not None:
            instead[one.text] = best
    return [_worded(one, instead.get(one.text, one.text)) for one in learned]


def _nearest(row: Iterable[float], one: Derivation, others: Sequence[Record]) -> str | None:
    """Give the words of the nearest lesson of the same kind, if it is near enough."""
    near = [
        (float(likeness), record.text)
        for likeness, record in zip(row, others, strict=True)
        if likeness >= _NEAR and record.fields.get("kind") == one.fields["kind"]
    ]
    return max(near, key=lambda pair: pair[0])[1] if near else None


def _worded(one: Derivation, text: str) -> Derivation:
    return one if text == one.text else replace(one, text=text)
