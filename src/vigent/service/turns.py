"""One turn that the service answers: who asks which model, with which memory and which tools.

A turn is begun, prepared, and in the end kept; between that somebody asks the model. Every step
here is short and works on the store; none waits for a model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from vigent.domain.changes import ChangeSet
from vigent.domain.resources import ResourceRow
from vigent.domain.text import MAX_EPISODE, check_id, clean_text
from vigent.domain.threads import Thread, ThreadRow
from vigent.domain.time import SECOND, named_zone
from vigent.domain.tokens import estimate_tokens
from vigent.domain.toolspecs import Verb, read_tool_name
from vigent.domain.usage import Account, Parked
from vigent.errors import (
    InvalidInput,
    SubjectConflict,
    TokensUsedUp,
    ToolNotOffered,
    UnavailableError,
)
from vigent.govern.documents import AgentVersion, InjectionSpec
from vigent.govern.responses import ResponseDocument, Status, keep_response
from vigent.memory import Memory
from vigent.once import Once
from vigent.ports.models import Conversed, LanguageModel, ModelUsage, Spoken, ToolAsked, ToolOffered
from vigent.service.agents import agent, check_model, injection_for, versions
from vigent.service.caller import Caller
from vigent.service.offering import offered, tools_of
from vigent.service.threads import home_of
from vigent.service.tools import StoreTools

__all__ = ["Turn", "Wanted", "begin"]

Role: TypeAlias = Literal["system", "user", "assistant"]

_HOME: Final = "default"
_UNDER_WAY: Final = 600 * SECOND
"""After which a turn that has no end is one whose process is gone."""


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


class _Tool(NamedTuple):
    """A tool of memory that the model is offered in this turn."""

    tools: StoreTools
    verb: Verb
    store: str


class _Agent(NamedTuple):
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
    _agent: _Agent | None = None
    _place: tuple[Memory, ThreadRow] | None = None
    _source: ResourceRow | None = None
    _tools: dict[str, _Tool] = field(default_factory=dict[str, _Tool])
    _ran: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _items: list[str] = field(default_factory=list[str])

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
        _afford(self.caller, wanted)

    # ------------------------------------------------------------------------ meanwhile

    def said(self, done: Conversed) -> None:
        """Put what the model said on the thread, and what it asks the caller to run."""
        if done.text.strip():
            self._put("assistant", done.text)
        for call in done.calls:
            if not self.runs(call):
                self._put("tool_call", call.arguments, tool=call.name, call=call.id)

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
            metadata={"response": self.id, **metadata},
        )  # fmt: skip
        self._items.append(item.id)

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
            keep_response(registry, transaction, actor, self.id, self.document)

    def heard(self) -> None:
        """Put what was said on the thread: what came after the model's last word."""
        said = list(self.wanted.said)
        after = max((n for n, m in enumerate(said) if m.role == "assistant"), default=-1)
        names = {call.id: call.name for m in said for call in m.calls}
        for one in said[after + 1 :]:
            if one.role == "user":
                self._put("user", one.text)
            elif one.role == "tool":
                id = one.call_id or ""
                self._put("tool_result", one.text, tool=names.get(id, ""), call=id)


# ------------------------------------------------------------------------------ beginning


def begin(caller: Caller, wanted: Wanted) -> Turn:
    """Check what is asked for, and enter it: the words on the thread, and a trace to be filled.

    Nothing is entered of a turn that is refused. Under an idempotency key a turn whose answer
    stands on a thread is not answered again. Raises Forbidden, NotFound, InvalidInput,
    SubjectConflict, ToolNotOffered, TokensUsedUp, UnavailableError.
    """
    caller.require("responses")
    _name_person(caller, wanted.user)
    if caller.document.pii.hide:
        raise UnavailableError("personal data cannot be hidden from models here: nothing was sent")
    for one in wanted.said:
        if one.role == "user":
            clean_text(one.text, "input", MAX_EPISODE)
    chosen = None if wanted.agent is None else agent(caller, wanted.agent)
    known = () if chosen is None else versions(chosen)
    answering = _Agent(chosen.id, len(known), known[-1]) if chosen and known else None
    name = wanted.model or (answering.version.model if answering else "")
    check_model(caller, name)
    models = caller.host.models
    if models is None:
        raise InvalidInput("model", f"{name[:64]} is not offered")
    model = models.get(name)
    named_zone(caller.zone(wanted.timezone))
    place = None if wanted.thread is None else caller.thread(wanted.thread, "write")
    tools = {
        name: _tool(caller, name, where, wanted.timezone) for name, where in wanted.tools
    }  # fmt: skip
    source = _source(caller, answering, place)
    _afford(caller, sum(estimate_tokens(one.text) for one in wanted.said))
    stores = [] if source is None else [source.id]
    document = ResponseDocument(
        key_id=caller.row.id, model=name, thread=wanted.thread,
        agent_id=None if answering is None else answering.id,
        agent_version=None if answering is None else answering.number,
        stores=tuple(dict.fromkeys([*stores, *(tool.store for tool in tools.values())])),
    )  # fmt: skip
    turn = Turn(
        caller, wanted, "", model, document, caller.host.clock.now() // SECOND,
        _agent=answering, _place=place, _source=source, _tools=tools,
    )  # fmt: skip
    _enter(turn)
    if not turn.again:
        turn.heard()
    return turn


def _enter(turn: Turn) -> None:
    """Give the turn its id and its trace; under a key, those of the first time."""
    caller, wanted = turn.caller, turn.wanted
    registry, actor = caller.host.registry, caller.actor
    with registry.writing(actor.tenant) as transaction:
        asked, now = None, registry.clock.now()
        if wanted.idempotency_key is not None:
            salt = transaction.ledger(actor.tenant).salt or b""
            asked = Once.of(
                actor.tenant, actor.key, wanted.endpoint, wanted.idempotency_key, actor.person,
                wanted.request, salt=salt,
            )  # fmt: skip
            before = asked.before(transaction, now)
            if before is not None:
                turn.id = before["response"]
                row = transaction.resource(actor.tenant, "response", turn.id)
                if row is not None and wanted.thread is not None:
                    kept = ResponseDocument.model_validate_json(row.document)
                    if kept.status == "in_progress" and row.changed_at > now - _UNDER_WAY:
                        raise UnavailableError("this turn is being answered", retry_after=2.0)
                    if kept.status == "completed" and kept.finish != "tools":
                        turn.document, turn.again = kept, True
                        turn.created = row.created_at // SECOND
                        return
        turn.id = turn.id or registry.ids.new("rsp")
        keep_response(registry, transaction, actor, turn.id, turn.document)
        if asked is not None:
            kept_once = asked.kept(actor.person, {"response": turn.id}, now)
            transaction.apply(ChangeSet(actor.tenant, answered=[kept_once]))


def _name_person(caller: Caller, user: str | None) -> None:
    """Let the turn be for its ``user``; raises SubjectConflict where the request names another."""
    if user is None:
        return
    check_id(user, "user")
    if caller.person not in (None, user):
        raise SubjectConflict("user", "is not the person of the request")
    caller.person = user


def _afford(caller: Caller, wanted: int) -> None:
    waiting = caller.host.metering.parked(caller.tenant, wanted)
    if isinstance(waiting, Parked):
        left = (waiting.until - caller.host.clock.now()) / SECOND
        raise TokensUsedUp(f"nothing was sent: {waiting.reason}", retry_after=max(1.0, left))


def _tool(caller: Caller, name: str, where: str, timezone: str | None) -> _Tool:
    """Give a tool of memory by its name; raises NotFound and ToolNotOffered on its entry."""
    known = read_tool_name(name)
    store = None if known is None else caller.host.registry.find(caller.tenant, "store", known[0])
    if known is None or store is None or not caller.document.policy.rights(store.id):
        return cast("_Tool", caller.miss(where, name))
    if not offered(caller, store, known[1]):
        told = {"reason": "not offered", "tool": name}
        caller.host.registry.note(caller.actor, "refusal", "not_offered", store.id, told)
        raise ToolNotOffered(f"{where}: {name} is not offered to this key", field=where)
    return _Tool(tools_of(caller, store, timezone), known[1], store.id)


def _source(
    caller: Caller, answering: _Agent | None, place: tuple[Memory, ThreadRow] | None
) -> ResourceRow | None:
    """Say from which store memory is injected; None for a store that the key does not read.

    The one that the block names, of the agent or else of the key; else the thread's, else
    ``default``.
    """
    registry, tenant = caller.host.registry, caller.tenant
    own = None if answering is None else answering.version.memory_injection
    if own is None and answering is None and place is not None and place[1].agent is not None:
        row = registry.look_up(tenant, "agent", place[1].agent)
        own = None if row is None else versions(row)[-1].memory_injection
    block = own or caller.document.memory.injection
    if block is not None and block.index_id is not None:
        found = registry.look_up(tenant, "store", block.index_id)
    elif place is not None:
        found = registry.named(tenant, "store", place[1].store)
    else:
        found = registry.named(tenant, "store", _HOME)
    if found is None or "read" not in (caller.document.policy.rights(found.id) or ()):
        return None
    return found


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
