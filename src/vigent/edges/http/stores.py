"""Stores: making, listing, and their settings by section."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.domain.resources import ResourceRow
from vigent.domain.time import iso
from vigent.edges.http.bodies import Body
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.edges.http.governed import ErasureAnswer, StoreAnswer, problems
from vigent.govern.documents import StoreDocument
from vigent.govern.storesettings import (
    MANAGED,
    PROMOTED,
    BlocksSection,
    CommitmentsSection,
    GateSection,
    InjectionSection,
    LessonsSection,
    MaintenanceSection,
    PromotionSection,
    RetentionSection,
    StoreSections,
    Unknown,
    settings_of,
)

__all__ = ["router"]

router = APIRouter(prefix="/v1/memory/stores", tags=["stores"], route_class=Route)


class NewStore(Body):
    """A store to be made."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


class ChangedStore(Body):
    """Sections of a store's settings."""

    injection: InjectionSection | None = None
    commitments: CommitmentsSection | None = None
    blocks: BlocksSection | None = None
    lessons: LessonsSection | None = None
    promotion: PromotionSection | None = None
    maintenance: MaintenanceSection | None = None
    retention: RetentionSection | None = None
    gate: GateSection | None = None
    unknown_attributes: Unknown | None = None
    unknown_types: Unknown | None = None
    audit_reads: bool | None = None
    expect: int | None = None


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
def listed(caller: Called, limit: Limit = 50, next: Next = None) -> Response:  # noqa: A002
    """Give the stores that the key sees, in the order in which they were made."""
    caller.require("knowledge", "memory", "management")
    after = place(caller, "stores", next) or ""
    rows = [row for row in caller.stores() if row.id > after]
    more = cursor(caller, "stores", rows[limit - 1].id) if len(rows) > limit else None
    return answer({"stores": [shown(row) for row in rows[:limit]], "next": more})


@router.get("/{index_id}", response_model=StoreAnswer, responses=problems(404))
@reads
def get(caller: Called, index_id: str) -> Response:
    """Give a store with its settings."""
    caller.require("memory", "management")
    return answer(_with_settings(caller.store(index_id, "read")))


@router.patch("/{index_id}", response_model=StoreAnswer, responses=problems(404, 409))
@writes
def change(caller: Called, index_id: str, body: ChangedStore) -> Response:
    """Set sections of a store's settings: each that is sent is replaced whole, null resets it."""
    caller.require("memory", "management")
    sent = body.model_fields_set - {"expect"}
    if sent - MANAGED:
        caller.require("memory")
    if sent & (MANAGED | {PROMOTED}):
        caller.require("management")
    store = caller.store(index_id, "write")
    if PROMOTED in sent and not caller.host.tenant(caller.tenant).settings.improvements.enabled:
        caller.refuse("the tenant has no improvements", store.id)
    if body.retention is not None and body.retention.default is not None:
        caller.host.schema.retention(body.retention.default, "retention.default")
    given = body.model_dump(mode="json", include=sent)

    def edit(document: StoreDocument) -> StoreDocument:
        settings = {**document.settings, **given}
        kept = {name: section for name, section in settings.items() if section is not None}
        return document.model_copy(update={"settings": kept})

    row = caller.host.registry.change(
        caller.actor, "store", store.id, StoreDocument, edit, expect=body.expect
    )
    return answer(_with_settings(row))


@router.delete("/{index_id}", response_model=ErasureAnswer, responses=problems(404))
@writes
def delete(caller: Called, index_id: str, *, dry_run: bool = False, wait: bool = False) -> Response:
    """Remove a store with all that is in it, whosesoever, and give a receipt.

    That stops its extraction too. It needs management, and the right to write in the store.
    """
    caller.require("management")
    store, host = caller.store(index_id, "write"), caller.host
    with host.registry.writing(caller.tenant) as transaction:
        name = store.name or store.id
        counts = transaction.erase_store(caller.tenant, name, dry_run=dry_run)
        if not dry_run:
            host.registry.drop(transaction, caller.actor, "store", store.id, {"counts": counts})
    state = "dry_run"
    if not dry_run:
        host.forget(caller.tenant)
        state = "purged" if wait and host.storage.purge() else "removed"
    return answer({"state": state, "counts": counts, "at": iso(host.clock.now())})


def _with_settings(row: ResourceRow) -> dict[str, Any]:
    sections = StoreSections.model_validate(settings_of(row))
    return {**shown(row), "version": row.version, **sections.model_dump(mode="json")}
