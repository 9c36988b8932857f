"""Agents of a tenant: their versions, and which memory is injected for one of them."""

from __future__ import annotations

from typing import Any, cast

from vigent.domain.resources import ResourceRow
from vigent.domain.text import check_id
from vigent.domain.time import iso
from vigent.errors import InvalidInput, ResourceInUse
from vigent.govern.documents import (
    AgentDocument,
    AgentVersion,
    InjectionSpec,
)
from vigent.govern.extraction import naming_agent
from vigent.govern.injecting import check_block
from vigent.ports.storage import Transaction
from vigent.service.caller import Caller

__all__ = [
    "agent",
    "check_model",
    "injection_for",
    "remove_agent",
    "save_agent",
    "shown",
    "shown_version",
    "versions",
]


def agent(caller: Caller, id: str) -> ResourceRow:
    """Give an agent by id or name; raises NotFound."""
    found = caller.host.registry.look_up(caller.tenant, "agent", id)
    return found or cast("ResourceRow", caller.miss("agent", id))


def versions(row: ResourceRow) -> tuple[AgentVersion, ...]:
    """Give the versions of an agent, the latest last; they are counted from 1."""
    return AgentDocument.model_validate_json(row.document).versions


def shown(caller: Caller, row: ResourceRow) -> dict[str, Any]:
    """Give an agent as it is answered: its latest version."""
    every = versions(row)
    times = {"created_at": iso(row.created_at), "changed_at": iso(row.changed_at)}
    return {"id": row.id, **shown_version(caller, len(every), every[-1]), **times}


def shown_version(caller: Caller, number: int, version: AgentVersion) -> dict[str, Any]:
    """Give one version of an agent as it is answered.

    A block about a store that the caller does not see is told as what it is to them: off.
    """
    block = version.memory_injection
    if block is not None and block.index_id is not None and caller.seen(block.index_id) is None:
        version = version.model_copy(update={"memory_injection": InjectionSpec(enabled=False)})
    return {"version": number, **version.model_dump(mode="json")}


def check_model(caller: Caller, model: str) -> None:
    """Raise InvalidInput for a model that the tenant does not offer; no list offers all."""
    if not caller.host.tenant(caller.tenant).settings.offers(model):
        raise InvalidInput("model", f"{model[:64]} is not offered")


def save_agent(caller: Caller, wanted: AgentVersion, idempotency_key: str | None) -> dict[str, Any]:
    """Make an agent, or the next version of the one of this name; gives it as it is answered.

    Raises InvalidInput on ``model`` where it is not offered, and on ``memory_injection`` where
    that does not fit, or names a store that is not there for the caller.
    """
    check_model(caller, wanted.model)
    spec = _checked(caller, wanted.memory_injection)
    version = wanted.model_copy(update={"memory_injection": spec})
    registry, actor = caller.host.registry, caller.actor

    def make(transaction: Transaction) -> dict[str, Any]:
        old = transaction.resource_named(caller.tenant, "agent", version.name)
        if old is None:
            first = AgentDocument(versions=(version,), made_by=actor.key)
            made = registry.enter(transaction, actor, "agent", first, name=version.name)
        else:
            made = registry.alter(
                transaction, actor, "agent", old.id, AgentDocument,
                lambda before: before.model_copy(
                    update={"versions": (*before.versions, version)}
                ),
                action="agent_version",
            )  # fmt: skip
        return shown(caller, made)

    request = wanted.model_dump(mode="json")
    return registry.once(actor, "agents", idempotency_key, request, make)


def _checked(caller: Caller, spec: InjectionSpec | None) -> InjectionSpec | None:
    """Check an injection block; the store stands in it by its id from now on."""
    if spec is None:
        return None
    check_block(spec, "memory_injection")
    if spec.index_id is None:
        return spec
    row = caller.seen(check_id(spec.index_id, "memory_injection.index_id"))
    if row is None:
        raise InvalidInput("memory_injection.index_id", "names no store here")
    return spec.model_copy(update={"index_id": row.id})


def remove_agent(caller: Caller, id: str) -> None:
    """Let an agent go; raises NotFound, and ResourceInUse where an extraction switch names it.

    Raises Forbidden for a key that neither made it nor manages the tenant.
    """
    row = agent(caller, id)
    if AgentDocument.model_validate_json(row.document).made_by != caller.row.id:
        caller.require("management")

    def unless(transaction: Transaction) -> None:
        store = naming_agent(transaction, caller.tenant, row.id)
        if store is not None:
            which = f"the store {store}" if caller.seen(store) else "a store"
            raise ResourceInUse(f"agent: the extraction switch of {which} names it", field="agent")

    caller.host.registry.remove(caller.actor, "agent", row.id, unless=unless)


def injection_for(caller: Caller, store: ResourceRow, agent_id: str | None) -> InjectionSpec:
    """Say which memory of a store stands in the context of a turn, with an agent or without.

    An agent's block replaces the key's whole; an agent that is not known has none, and where
    there is no block all that the store has is meant. None is injected for a key without the
    capability ``memory``, nor by a block that names another store: there is no error.
    """
    if not caller.can("memory"):
        return InjectionSpec(enabled=False)
    registry, own = caller.host.registry, None
    if agent_id is not None:
        row = registry.look_up(caller.tenant, "agent", agent_id)
        own = None if row is None else versions(row)[-1].memory_injection
    block = own or caller.document.memory.injection or InjectionSpec()
    if block.index_id is None:
        return block
    named = registry.look_up(caller.tenant, "store", block.index_id)
    here = named is not None and named.id == store.id
    return block if here else block.model_copy(update={"enabled": False})
