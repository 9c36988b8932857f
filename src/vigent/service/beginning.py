"""How a turn begins: what is asked for is checked, and entered with its trace."""

from __future__ import annotations

from typing import Final, cast

from vigent.domain.changes import ChangeSet
from vigent.domain.resources import ResourceRow
from vigent.domain.text import MAX_EPISODE, check_id, clean_text
from vigent.domain.threads import ThreadRow
from vigent.domain.time import SECOND, named_zone
from vigent.domain.tokens import estimate_tokens
from vigent.domain.toolspecs import read_tool_name
from vigent.errors import InvalidInput, SubjectConflict, ToolNotOffered, UnavailableError
from vigent.govern.responses import ResponseDocument, keep_response
from vigent.memory import Memory
from vigent.once import Once
from vigent.service.agents import agent, check_model, versions
from vigent.service.caller import Caller
from vigent.service.offering import offered, tools_of
from vigent.service.turns import Answering, OfferedTool, Turn, Wanted, afford

__all__ = ["begin"]

_HOME: Final = "default"
_UNDER_WAY: Final = 600 * SECOND
"""After which a turn that has no end is one whose process is gone."""


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
    answering = Answering(chosen.id, len(known), known[-1]) if chosen and known else None
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
    afford(caller, sum(estimate_tokens(one.text) for one in wanted.said))
    stores = [] if source is None else [source.id]
    document = ResponseDocument(
        key_id=caller.row.id, model=name, thread=wanted.thread,
        agent_id=None if answering is None else answering.id,
        agent_version=None if answering is None else answering.number,
        stores=tuple(dict.fromkeys([*stores, *(tool.store.id for tool in tools.values())])),
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
        keep_response(registry, transaction, actor, turn.id, turn.document, store=turn.store)
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


def _tool(caller: Caller, name: str, where: str, timezone: str | None) -> OfferedTool:
    """Give a tool of memory by its name; raises NotFound and ToolNotOffered on its entry."""
    known = read_tool_name(name)
    store = None if known is None else caller.host.registry.find(caller.tenant, "store", known[0])
    if known is None or store is None or not caller.document.policy.rights(store.id):
        return cast("OfferedTool", caller.miss(where, name))
    if not offered(caller, store, known[1]):
        told = {"reason": "not offered", "tool": name}
        caller.host.registry.note(caller.actor, "refusal", "not_offered", store.id, told)
        raise ToolNotOffered(f"{where}: {name} is not offered to this key", field=where)
    return OfferedTool(tools_of(caller, store, timezone), known[1], store)


def _source(
    caller: Caller, answering: Answering | None, place: tuple[Memory, ThreadRow] | None
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
