"""Agents of a tenant: their versions, and which memory is injected for one of them."""

from __future__ import annotations

from typing import Any, cast

from vigent.caller import Caller
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
    registry = caller.host.registry
    found = registry.find(caller.tenant, "agent", id) or registry.named(caller.tenant, "agent", id)
    return found or cast("ResourceRow", caller.miss("agent", id))


def versions(row: ResourceRow) -> tuple[AgentVersion, ...]:
    """Give the versions of an agent, the latest last; they are counted from 1."""
    return AgentDocument.model_validate_json(row.document).versions


def shown(row: ResourceRow) -> dict[str, Any]:
    """Give an agent as it is answered: its latest version."""
    every = versions(row)
    times = {"created_at": iso(row.created_at), "changed_at": iso(row.changed_at)}
    return {"id": row.id, **shown_version(len(every), every[-1]), **times}


def shown_version(number: int, version: AgentVersion) -> dict[str, Any]:
    """Give one version of an agent as it is answered."""
    return {"version": number, **version.model_dump(mode="json")}


def check_model(caller: Caller, model: str) -> None:
    """Raise InvalidInput for a model that the tenant does not offer; no list offers all."""
    offered = caller.host.tenant(caller.tenant).settings.models_offered
    if offered and model not in offered:
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
            first = AgentDocument(versions=(version,))
            return shown(registry.enter(transaction, actor, "agent", first, name=version.name))
        return shown(registry.alter(
            transaction, actor, "agent", old.id, AgentDocument,
            lambda before: AgentDocument(versions=(*before.versions, version)),
            action="agent_version",
        ))  # fmt: skip

    request = wanted.model_dump(mode="json")
    return registry.once(actor, "agents", idempotency_key, request, make)


def _checked(caller: Caller, spec: InjectionSpec | None) -> InjectionSpec | None:
    """Check an injection block; the store stands in it by its id from now on."""
    if spec is None:
        return None
    check_block(spec, "memory_injection")
    if spec.index_id is None:
        return spec
    row = _store(caller, check_id(spec.index_id, "memory_injection.index_id"))
    if row is None:
        raise InvalidInput("memory_injection.index_id", "names no store here")
    return spec.model_copy(update={"index_id": row.id})


def _store(caller: Caller, index_id: str) -> ResourceRow | None:
    """Give a store that the caller's policy names; without a note where there is none."""
    registry = caller.host.registry
    row = registry.find(caller.tenant, "store", index_id)
    row = row or registry.named(caller.tenant, "store", index_id)
    return row if row is not None and caller.document.policy.rights(row.id) else None


def remove_agent(caller: Caller, id: str) -> None:
    """Let an agent go; raises NotFound, and ResourceInUse where an extraction switch names it."""
    row = agent(caller, id)

    def unless(transaction: Transaction) -> None:
        store = naming_agent(transaction, caller.tenant, row.id)
        if store is not None:
            raise ResourceInUse(
                f"agent: the extraction switch of the store {store} names it", field="agent"
            )

    caller.host.registry.remove(caller.actor, "agent", row.id, unless=unless)


def injection_for(caller: Caller, agent_id: str | None = None) -> InjectionSpec | None:
    """Say which memory stands in the context of a turn; None for none at all.

    An agent's block replaces the key's whole; one that is not enabled means none. A key without
    the capability ``memory`` gets none, and one without a block gets all that the store asked for
    has. Where the block names a store, it is memory of that store alone; a caller who may not
    read it gets nothing, without an error. An agent that is not known has no block.
    """
    if not caller.can("memory"):
        return None
    spec = caller.document.memory.injection
    if agent_id is not None:
        registry = caller.host.registry
        row = registry.find(caller.tenant, "agent", agent_id)
        row = row or registry.named(caller.tenant, "agent", agent_id)
        own = None if row is None else versions(row)[-1].memory_injection
        spec = own or spec
    if spec is None:
        return InjectionSpec()
    if not spec.enabled:
        return None
    if spec.index_id is not None:
        store = _store(caller, spec.index_id)
        rights = None if store is None else caller.document.policy.rights(store.id)
        if not rights or "read" not in rights:
            return None
    return spec
