"""Stores: making, listing, and their settings by section."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow
from vigent.domain.text import check_id
from vigent.domain.time import iso
from vigent.edges.http.answers.governance import (
    ErasureAnswer,
    NewStoreAnswer,
    StoreAnswer,
    StoresAnswer,
)
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.bodies import Body
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.errors import InvalidInput
from vigent.govern.documents import StoreDocument
from vigent.govern.extraction import learned_in
from vigent.govern.keeping import erased_state
from vigent.govern.nominated import nominated_in
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


@router.post("", status_code=201, response_model=NewStoreAnswer, responses=problems_of(409))
@writes
def create(caller: Called, body: NewStore, idempotency_key: Idempotency = None) -> Response:
    """Make a store; memory is written into stores alone."""
    caller.require("knowledge", "management")
    if check_id(body.name, "name").startswith("idx_"):
        raise InvalidInput("name", "must not begin like an id of the service")
    registry, actor = caller.host.registry, caller.actor
    made = registry.once(
        actor, "stores", idempotency_key, body.model_dump(),
        lambda tx: shown(registry.enter(tx, actor, "store", StoreDocument(), name=body.name)),
    )  # fmt: skip
    return answer(made, 201)


@router.get("", response_model=StoresAnswer, responses=problems_of())
@reads
def listed(caller: Called, limit: Limit = 50, next: Next = None) -> Response:  # noqa: A002
    """Give the stores that the key sees, in the order in which they were made."""
    caller.require("knowledge", "memory", "management")
    after = place(caller, "stores", next) or ""
    rows = list(islice(caller.stores(after), limit + 1))
    more = cursor(caller, "stores", rows[limit - 1].id) if len(rows) > limit else None
    return answer({"stores": [shown(row) for row in rows[:limit]], "next": more})


@router.get("/{index_id}", response_model=StoreAnswer, responses=problems_of())
@reads
def get(caller: Called, index_id: str) -> Response:
    """Give a store with its settings."""
    caller.require("memory", "management")
    return answer(_with_settings(caller.store(index_id, "read")))


@router.patch("/{index_id}", response_model=StoreAnswer, responses=problems_of(409))
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


@router.delete("/{index_id}", response_model=ErasureAnswer, responses=problems_of())
@writes
def delete(caller: Called, index_id: str, *, dry_run: bool = False, wait: bool = False) -> Response:
    """Remove a store with all that is in it, whosesoever, and give a receipt.

    That stops its extraction too. It needs management, and the right to write in the store.
    """
    caller.require("management")
    store, host = caller.store(index_id, "write"), caller.host
    with host.registry.writing(caller.tenant) as transaction:
        name = store.name or store.id
        nominated = nominated_in(transaction, caller.tenant, name)
        counts = transaction.erase_store(caller.tenant, name, dry_run=dry_run)
        if nominated:
            counts = {**counts, "candidates": len(nominated)}
        if not dry_run:
            learned = learned_in(transaction, caller.tenant, store.id)
            removed = ResourceChanges(removed=[*nominated, *learned])
            transaction.apply(ChangeSet(caller.tenant, resources=removed))
            host.registry.drop(transaction, caller.actor, "store", store.id, {"counts": counts})
    if not dry_run:
        host.forget(caller.tenant)
    state = erased_state(host.storage, dry_run=dry_run, wait=wait)
    return answer({"state": state, "counts": counts, "at": iso(host.clock.now())})


def _with_settings(row: ResourceRow) -> dict[str, Any]:
    sections = StoreSections.model_validate(settings_of(row))
    return {**shown(row), "version": row.version, **sections.model_dump(mode="json")}
