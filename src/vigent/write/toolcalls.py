"""Calls of a model's tools: what one did, its two items on the thread, and the answer kept.

All of it commits in one transaction or not at all: a memory that a tool wrote is never without
the result that told of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vigent.domain.changes import ChangeSet
from vigent.domain.gate.policy import GatePolicy
from vigent.domain.threads import ThreadItem, ThreadRow
from vigent.domain.time import iso
from vigent.errors import NotFound
from vigent.once import Once
from vigent.write.capture import Capture
from vigent.write.context import Context
from vigent.write.result import WriteResult
from vigent.write.session import Session
from vigent.write.toolgate import weighed
from vigent.write.verbs import Writer

__all__ = ["Source", "ToolCall", "ToolCalls"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, as it stands on a thread; ``arguments`` are JSON text."""

    name: str
    arguments: str
    thread: ThreadRow | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The item that a proposal rests on, and what of its words is needed elsewhere.

    ``quoted`` says that the model named those words, and they bear it out.
    """

    item: ThreadItem
    thread: ThreadRow
    words: str
    quoted: bool = False


class ToolCalls:
    """Takes in what tools of one tenant and store do; ``checks`` are the caller's own."""

    def __init__(
        self, writer: Writer, checks: Sequence[Callable[..., Any]], policy: GatePolicy
    ) -> None:
        self._writer = writer
        self._policy = policy
        self._context = writer.context
        self.checks = tuple(checks)

    def propose(
        self,
        person: str,
        call: ToolCall,
        request: Mapping[str, Any],
        verdict: tuple[str | None, str | None],
        source: Source | None,
        tell: Callable[[WriteResult], str],
    ) -> str:
        """Take a candidate in, and give what ``tell`` makes of the outcome.

        ``verdict`` is why it is held and why it is refused. Raises InvalidInput, ConflictError.
        """
        held, refused = verdict
        draft = self._writer.proposed(person, request, held)

        def answer(session: Session) -> str:
            if refused is not None:
                return tell(self._writer.refuse(session, draft, refused))
            against = weighed(
                session, self._context, person, request, source and source.item,
                words=source.words if source else "", quoted=bool(source and source.quoted),
                policy=self._policy,
            )  # fmt: skip
            if against is not None and against.outcome == "rejected":
                # What it is about may be the secret itself.
                return tell(self._writer.note_refused(session, person, {}, against.code))
            if against is not None:
                draft.held = draft.held or against.code
                buffered = against.outcome == "buffered" and draft.held == against.code
                draft.hold_as = "buffered" if buffered else "pending_review"
            if source is not None:
                draft.source_episode = self._cited(session, person, source)
            return tell(self._writer.enter_proposed(session, draft))

        return self.enter(person, call, answer)

    def refuse(self, person: str, call: ToolCall, reason: str, text: str) -> str:
        """Note in the audit that a proposal was refused before the gate; gives the text."""

        def answer(session: Session) -> str:
            entry = self._context.audit(
                person=person, key=None, at=self._context.clock.now(), action="memory_propose",
                outcome="rejected", target=None, content={"tool": call.name, "reason": reason},
            )  # fmt: skip
            session.transaction.apply(ChangeSet(self._context.tenant, audit=[entry]))
            return text

        return self.enter(person, call, answer)

    def enter(self, person: str, call: ToolCall, answer: Callable[[Session], str]) -> str:
        """Do what a call asks for, once under its idempotency key, and put it on its thread."""
        with self._writer.pipeline.session() as session:
            once, now = None, self._context.clock.now()
            if call.idempotency_key is not None:
                once = Once.of(
                    self._context.tenant, self._context.caller, "tools", call.idempotency_key,
                    person, call.name, call.arguments, call.thread and call.thread.id,
                    salt=session.salt,
                )  # fmt: skip
                before = once.before(session.transaction, now)
                if before is not None:
                    return self._told(session, before)
            text = answer(session)
            kept = {"text": text}
            if call.thread is not None:
                kept = {"item": self._on_thread(session, person, call, call.thread, text)}
            if once is not None:
                answered = once.kept(person, kept, now)
                session.transaction.apply(ChangeSet(self._context.tenant, answered=[answered]))
        return text

    def _told(self, session: Session, kept: Mapping[str, Any]) -> str:
        """Give an answer again; one that stands on a thread goes with the thread."""
        if "text" in kept:
            return str(kept["text"])
        rows = session.transaction.episodes(self._context.tenant, ids=[kept["item"]])
        if not rows or rows[0].content is None:
            raise NotFound("thread: the answer went with its thread", field="thread")
        return rows[0].content

    def _on_thread(
        self, session: Session, person: str, call: ToolCall, thread: ThreadRow, text: str
    ) -> str:
        context = self._context_of(thread)
        said = (("assistant", "tool_call", call.arguments), ("tool", "tool_result", text))
        last = ""
        for role, kind, content in said:
            item = Capture(
                content, role=role, kind=kind, thread=thread.id, agent=thread.agent,
                metadata={"tool": call.name, "source": "memory"}, known_thread=True,
            )  # fmt: skip
            last = item.entered(session, context, person).id
        return last

    def _context_of(self, thread: ThreadRow) -> Context:
        own = self._context
        if thread.store == own.store:
            return own
        return Context(
            own.tenant, thread.store, own.schema, own.clock, own.ids, own.writer, own.caller
        )

    def _cited(self, session: Session, person: str, source: Source) -> str:
        """Give the episode to cite: the item itself, or its words where it is in another store."""
        row = source.item.row
        if row.store == self._context.store:
            return row.id
        digest = hashlib.blake2b(source.words.encode(), digest_size=8).hexdigest()
        copied = Capture(
            source.words, role=row.role, kind=row.kind, occurred_at=iso(row.occurred_at),
            speaker=row.speaker, thread=source.thread.id, external_id=f"{row.id}:{digest}",
            metadata={"item": row.id}, apart=True,
        )  # fmt: skip
        return copied.entered(session, self._context, person).id
