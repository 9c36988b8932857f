"""One turn that the service answers: who asks which model, with which memory and which tools.

A turn is begun, prepared, and in the end kept; between that somebody asks the model. Every step
here is short and works on the store; none waits for a model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from vigent.domain.resources import ResourceRow
from vigent.domain.text import MAX_EPISODE
from vigent.domain.threads import Thread, ThreadRow
from vigent.domain.time import SECOND
from vigent.domain.tokens import estimate_tokens
from vigent.domain.toolspecs import Verb
from vigent.domain.usage import Account, Parked
from vigent.errors import (
    TokensUsedUp,
)
from vigent.govern.documents import AgentVersion, InjectionSpec
from vigent.govern.responses import ResponseDocument, Status, keep_response
from vigent.memory import Memory
from vigent.ports.models import Conversed, LanguageModel, ModelUsage, Spoken, ToolAsked, ToolOffered
from vigent.service.agents import injection_for
from vigent.service.caller import Caller
from vigent.service.threads import home_of, note_turn
from vigent.service.tools import StoreTools

__all__ = ["Answering", "OfferedTool", "Turn", "Wanted", "afford"]

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A turn as it was asked for.

    ``said`` are the messages that came; with ``whole`` they are all of the conversation, else
    the thread has what was before. ``tools`` are memory's, by name, each with its field in the
    request; ``functions`` are the caller's own, which the caller runs.
    """

    endpoint: str
    said: tuple[Spoken, ...]
    whole: bool = False
    model: str | None = None
    agent: str | None = None
    tools: tuple[tuple[str, str], ...] = ()
    functions: tuple[ToolOffered, ...] = ()
    thread: str | None = None
    user: str | None = None
    timezone: str | None = None
    max_tokens: int | None = None
    idempotency_key: str | None = None
    request: Any = None


class OfferedTool(NamedTuple):
    """A tool of memory that the model is offered in this turn."""

    tools: StoreTools
    verb: Verb
    store: ResourceRow


class Answering(NamedTuple):
    """The agent of a turn, and the version that answers."""

    id: str
    number: int
    version: AgentVersion


@dataclass(slots=True)
class Turn:
    """A turn under way. ``again`` says that it was answered before, and is not asked anew."""

    caller: Caller
    wanted: Wanted
    id: str
    model: LanguageModel
    document: ResponseDocument
    created: int
    again: bool = False
    usage: ModelUsage = ModelUsage()  # noqa: RUF009 - a tuple: it is never changed
    _agent: Answering | None = None
    _place: tuple[Memory, ThreadRow] | None = None
    _source: ResourceRow | None = None
    _tools: dict[str, OfferedTool] = field(default_factory=dict[str, OfferedTool])
    _ran: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _items: list[str] = field(default_factory=list[str])

    @property
    def store(self) -> str:
        """The store whose memory is injected, as its records name it; empty for none."""
        return "" if self._source is None else self._source.name or self._source.id

    # ------------------------------------------------------------------------ before

    @property
    def offers(self) -> tuple[ToolOffered, ...]:
        """What the model may ask for: tools of memory, then those of the caller."""
        own = [ToolOffered(*one.tools.spec(one.verb)) for one in self._tools.values()]
        return (*own, *self.wanted.functions)

    def prepare(self) -> list[Spoken]:
        """Give the messages for the model: instructions, memory, what was said; and note them."""
        block = self._injected()
        if self.wanted.whole or self._place is None:
            said = list(self.wanted.said)
        else:
            row, zone = self._place[1], self.caller.zone(self.wanted.timezone)
            plain = self.caller.host.memory(
                home_of(self.caller, row), self.caller, InjectionSpec(enabled=False)
            )
            turns = plain.context(thread=row.id, person=self.caller.person, timezone=zone)
            said = [Spoken(cast("Role", m.role), m.text) for m in turns.messages]
        first = 0
        while first < len(said) and said[first].role == "system":
            first += 1
        told = [] if self._agent is None else [self._agent.version.instructions]
        before = [Spoken("system", text) for text in told if text]
        between = [Spoken("user", block)] if block else []
        return [*before, *said[:first], *between, *said[first:]]

    def _injected(self) -> str:
        """Give the block of memory, and note in the trace what stands in it."""
        question = next((m.text for m in reversed(self.wanted.said) if m.role == "user"), None)
        if self._source is None or question is None:
            return ""
        caller, agent_id = self.caller, None if self._agent is None else self._agent.id
        spec = injection_for(caller, self._source, agent_id or self._agent_of_thread())
        if not spec.enabled:
            return ""
        caller.note_memory_read(self._source)
        memory = caller.host.memory(self._source, caller, spec)
        zone = caller.zone(self.wanted.timezone)
        found = memory.context(question, person=caller.person, timezone=zone)
        trace = found.trace.to_dict()
        names = ("sections", "estimated_tokens", "dropped_by_count", "dropped_by_budget", "notes")
        told = {"index_id": self._source.id, **{name: trace[name] for name in names}}
        self.document = self.document.model_copy(update={"memory": told})
        return found.block

    def _agent_of_thread(self) -> str | None:
        return None if self._place is None else self._place[1].agent

    def afford(self, messages: Sequence[Spoken]) -> None:
        """Raise TokensUsedUp where the tenant's limit for the month does not allow a call."""
        wanted = sum(estimate_tokens(one.text) for one in messages)
        afford(self.caller, wanted)

    # ------------------------------------------------------------------------ meanwhile

    def said(self, done: Conversed) -> None:
        """Put what the model said on the thread, and what it asks the caller to run."""
        if done.text.strip():
            self._put("assistant", done.text)
        for call in done.calls:
            if not self.runs(call):
                self._put("tool_call", call.arguments, tool=call.name, call_id=call.id)

    def runs(self, call: ToolAsked) -> bool:
        """Whether a tool is run here; what nobody offered is answered here too."""
        return not any(one.name == call.name for one in self.wanted.functions)

    def use(self, call: ToolAsked) -> str:
        """Run a tool of memory, and give what the model reads of it."""
        one = self._tools.get(call.name)
        arguments = _arguments(call.arguments)
        if one is None or arguments is None:
            error = "tool_not_offered" if one is None else "invalid_input"
            text = json.dumps({"error": error})
        else:
            if one.verb == "search":
                self.caller.note_memory_read(one.store)
            place = self._marked()
            # An own key for each call: who retries the turn does not write twice.
            text = one.tools.run(
                one.verb, arguments, person=self.caller.person, thread=place,
                idempotency_key=f"{self.id}:{len(self._ran)}" if self.wanted.idempotency_key
                else None,
            )  # fmt: skip
        status = _status_of(text)
        self._ran.append({"name": call.name[:200], "call_id": call.id[:200], "status": status})
        return text

    def _marked(self) -> tuple[Memory, ThreadRow] | None:
        """Give the thread of the turn, its items marked with the agent that answers."""
        if self._place is None or self._agent is None:
            return self._place
        return self._place[0], self._place[1]._replace(agent=self._agent.id)

    def _put(self, kind: str, content: str, **metadata: str) -> None:
        if self._place is None:
            return
        memory, row = self._place
        item = memory.threads.append(
            Thread(row), content[:MAX_EPISODE], kind=kind, person=self.caller.person,
            agent=None if self._agent is None else self._agent.id,
            external_id=f"{self.id}:{len(self._items)}",
            metadata={"response_id": self.id, **self._version(), **metadata},
        )  # fmt: skip
        self._items.append(item.id)

    def _version(self) -> dict[str, str]:
        return {} if self._agent is None else {"agent_version": str(self._agent.number)}

    # ------------------------------------------------------------------------ after

    def spent(self, usage: ModelUsage) -> None:
        """Count what a call came to; nothing is written before the turn is kept."""
        self.usage = ModelUsage._make(a + b for a, b in zip(self.usage, usage, strict=True))
        self.caller.host.metering.owe(self._account(), self.model.name, usage)

    def _account(self) -> Account:
        store = "" if self._source is None else self._source.id
        return Account(self.caller.tenant, store, "response")

    def keep(
        self,
        status: Status,
        timing: Mapping[str, int],
        done: Conversed | None = None,
        error: str | None = None,
    ) -> None:
        """Keep the trace of the turn as it ended, and write what it came to."""
        self.caller.host.metering.pay()
        self.document = self.document.model_copy(
            update={
                "status": status, "tools": tuple(self._ran), "items": tuple(self._items),
                "usage": dict(self.usage._asdict()), "timing": dict(timing), "error": error,
                "finish": None if done is None else done.finish,
                "answered_by": "" if done is None else done.model,
            }
        )  # fmt: skip
        registry, actor = self.caller.host.registry, self.caller.actor
        with registry.writing(actor.tenant) as transaction:
            keep_response(registry, transaction, actor, self.id, self.document, store=self.store)

    def heard(self) -> None:
        """Put what was said on the thread: what came after the model's last word."""
        if self._place is not None:
            note_turn(self.caller, self._place[1])
        said = list(self.wanted.said)
        after = max((n for n, m in enumerate(said) if m.role == "assistant"), default=-1)
        names = {call.id: call.name for m in said for call in m.calls}
        for one in said[after + 1 :]:
            if one.role == "user":
                self._put("user", one.text)
            elif one.role == "tool":
                id = one.call_id or ""
                self._put("tool_result", one.text, tool=names.get(id, ""), call_id=id)


def _arguments(text: str) -> dict[str, Any] | None:
    """Read what a model wrote as arguments; None where that is no JSON object."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _status_of(text: str) -> str:
    """Say in a word what came of a tool: its outcome, what was wrong, or that it is done."""
    told = json.loads(text)
    return str(told.get("outcome") or told.get("error") or "done")


def afford(caller: Caller, wanted: int) -> None:
    """Raise TokensUsedUp where the tenant's limit for the month does not allow so many."""
    waiting = caller.host.metering.parked(caller.tenant, wanted)
    if isinstance(waiting, Parked):
        left = (waiting.until - caller.host.clock.now()) / SECOND
        raise TokensUsedUp(f"nothing was sent: {waiting.reason}", retry_after=max(1.0, left))
