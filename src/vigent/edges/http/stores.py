"""Stores: making, listing, and their settings by section."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.caller import Caller
from vigent.domain.resources import ResourceRow
from vigent.domain.time import iso
from vigent.edges.http.bodies import Body
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.govern.documents import StoreDocument
from vigent.govern.storesettings import StoreSections

__all__ = ["router"]

router = APIRouter(prefix="/v1/memory/stores", tags=["stores"], route_class=Route)


class NewStore(Body):
    """A store to be made."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


def shown(row: ResourceRow) -> dict[str, Any]:
    """Give a store as it is answered."""
    return {"id": row.id, "name": row.name, "created_at": iso(row.created_at)}


@router.post("", status_code=201)
@writes
def create(caller: Called, body: NewStore, idempotency_key: Idempotency = None) -> Response:
    """Make a store; memory is written into stores alone."""
    caller.require("knowledge", "management")
    registry, actor = caller.host.registry, caller.actor
    made = registry.once(
        actor, "stores", idempotency_key, body.model_dump(),
        lambda tx: shown(registry.enter(tx, actor, "store", StoreDocument(), name=body.name)),
    )  # fmt: skip
    return answer(made, 201)


@router.get("")
@reads
def listed(caller: Called) -> Response:
    """Give the stores that the key sees."""
    caller.require("knowledge", "memory", "management")
    return answer({"stores": [shown(row) for row in caller.stores()]})


@router.get("/{index_id}")
@reads
def get(caller: Called, index_id: str) -> Response:
    """Give a store with its settings."""
    caller.require("memory", "management")
    return answer(_with_settings(caller, caller.store(index_id, "read")))


def _with_settings(_: Caller, row: ResourceRow) -> dict[str, Any]:
    document = StoreDocument.model_validate_json(row.document)
    sections = StoreSections.model_validate(document.settings)
    return {**shown(row), **sections.model_dump(mode="json")}
