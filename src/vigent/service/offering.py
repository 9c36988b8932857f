"""The memory tools that a key is offered: of which stores, and whether each may be used."""

from __future__ import annotations

from typing import Any, Final

from vigent.domain.resources import ResourceRow
from vigent.domain.time import named_zone
from vigent.domain.toolspecs import Verb, read_tool_name
from vigent.errors import ToolNotOffered
from vigent.govern.documents import StoreDocument
from vigent.service.caller import Caller
from vigent.service.tools import InThread, StoreTools

__all__ = ["described", "offered", "tools_of", "types_of", "use_tool"]

_VERBS: Final[tuple[Verb, Verb]] = ("search", "write")


def offered(caller: Caller, store: ResourceRow, verb: Verb) -> bool:
    """Whether the key's settings and rights let it use a tool of a store it sees."""
    settings = caller.document.memory
    rights = caller.document.policy.rights(store.id) or ()
    if verb == "search":
        return caller.can("memory") and settings.retrieval_tool and "read" in rights
    return caller.can("memory") and settings.write_tool and "write" in rights


def tools_of(caller: Caller, store: ResourceRow, timezone: str | None) -> StoreTools:
    """Give the tools of a store, for a turn in a zone: the request's, the tenant's, or UTC."""
    zone = caller.zone(timezone)
    named_zone(zone)
    return StoreTools(
        caller.host.memory(store, caller), index_id=store.id, store=store.name or store.id,
        clock=caller.host.clock, types=types_of(store), timezone=zone,
        trust_envelope=caller.document.memory.trust_envelope,
    )  # fmt: skip


def types_of(store: ResourceRow) -> tuple[str, ...] | None:
    """Give the types that a model may write in a store, where it says so."""
    switch = StoreDocument.model_validate_json(store.document).extraction or {}
    return tuple(switch.get("types") or ()) or None


def described(caller: Caller, timezone: str | None) -> list[dict[str, Any]]:
    """Give both tools of every store that the key sees, and whether each is offered."""
    found: list[dict[str, Any]] = []
    for store in caller.stores():
        tools = tools_of(caller, store, timezone)
        for verb in _VERBS:
            spec = tools.spec(verb)._asdict()
            more = {"source": "memory", "index_id": store.id}
            found.append({**spec, **more, "offered": offered(caller, store, verb)})
    return found


def use_tool(
    caller: Caller,
    name: str,
    arguments: dict[str, Any],
    *,
    thread: str | None = None,
    timezone: str | None = None,
    idempotency_key: str | None = None,
) -> str:
    """Run a tool, and give what the model reads: the text of a JSON object.

    Raises NotFound for what is no tool of a store that the key sees, and ToolNotOffered.
    """
    known = read_tool_name(name)
    store = None if known is None else caller.host.registry.find(caller.tenant, "store", known[0])
    if known is None or store is None or not caller.document.policy.rights(store.id):
        return caller.miss("tool", name)
    verb = known[1]
    if not offered(caller, store, verb):
        told = {"reason": "not offered", "tool": name}
        caller.host.registry.note(caller.actor, "refusal", "not_offered", store.id, told)
        raise ToolNotOffered(f"tool: {name} is not offered to this key", field="tool")
    place: InThread | None = None if thread is None else caller.thread(thread, "write")
    if verb == "search":
        caller.note_memory_read(store)
    return tools_of(caller, store, timezone).run(
        verb, arguments, person=caller.person, thread=place, idempotency_key=idempotency_key
    )
