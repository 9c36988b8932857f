"""Tenants: their settings, what their model calls came to, and their end."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from vigent.domain.time import DAY, iso, parse_instant
from vigent.edges.http.answers.governance import (
    ErasureAnswer,
    SettingsAnswer,
    TenantAnswer,
    UsageAnswer,
)
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.bodies import Body, Timezone, changed, dated
from vigent.edges.http.calling import Called, Route, answer, reads, writes
from vigent.errors import InvalidInput
from vigent.govern.documents import Improvements, Name, TenantDocument, TenantSettings
from vigent.govern.keeping import erased_state

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["tenants"], route_class=Route)

_PARTS = ("store", "model", "kind")
_COUNTS = ("calls", "failed", "input_tokens", "output_tokens")


class ChangedSettings(Body):
    """What is to be changed of a tenant's settings; null resets."""

    timezone: Annotated[str, Field(max_length=100)] | None = None
    models_offered: Annotated[tuple[Name, ...], Field(max_length=200)] | None = None
    helper_model: Name | None = None
    analysis_model: Name | None = None
    improvements: Improvements | None = None
    monthly_token_limit: Annotated[int, Field(ge=0, le=10**15)] | None = None
    audit_retention_days: Annotated[int, Field(ge=1, le=36_500)] | None = None
    expect: int | None = None


@router.get("/tenants/{tenant_id}", response_model=TenantAnswer, responses=problems_of())
@reads
def get(caller: Called, tenant_id: str) -> Response:
    """Give the tenant of the key."""
    caller.require_tenant(tenant_id)
    row = caller.host.registry.get(caller.tenant, "tenant", caller.tenant)
    return answer({"id": row.id, "created_at": iso(row.created_at)})


@router.get("/tenants/{tenant_id}/settings", response_model=SettingsAnswer, responses=problems_of())
@reads
def settings(caller: Called, tenant_id: str) -> Response:
    """Give what the tenant sets."""
    caller.require_tenant(tenant_id)
    row = caller.host.registry.get(caller.tenant, "tenant", caller.tenant)
    found = TenantDocument.model_validate_json(row.document).settings
    return answer({**found.model_dump(mode="json"), "version": row.version})


@router.patch(
    "/tenants/{tenant_id}/settings", response_model=SettingsAnswer, responses=problems_of(409)
)
@writes
def change(caller: Called, tenant_id: str, body: ChangedSettings) -> Response:
    """Change what the tenant sets; what is not named stays, null resets."""
    caller.require_tenant(tenant_id)
    given = changed(body, TenantSettings(), "expect")

    def edit(document: TenantDocument) -> TenantDocument:
        fields = {**document.settings.model_dump(), **given}
        after = TenantSettings.model_validate(fields)
        for name in ("helper_model", "analysis_model"):
            model = getattr(after, name)
            if model is not None and not after.offers(model):
                raise InvalidInput(name, f"{model} is not offered in this tenant")
        return document.model_copy(update={"settings": after})

    row = caller.host.registry.change(
        caller.actor, "tenant", caller.tenant, TenantDocument, edit, expect=body.expect
    )
    found = TenantDocument.model_validate_json(row.document).settings
    return answer({**found.model_dump(mode="json"), "version": row.version})


@router.delete("/tenants/{tenant_id}", response_model=ErasureAnswer, responses=problems_of())
@writes
def delete(
    caller: Called, tenant_id: str, *, dry_run: bool = False, wait: bool = False
) -> Response:
    """Remove everything of the tenant, its keys and its audit trail too; gives a receipt.

    The key must be able to write in every store.
    """
    caller.require_tenant(tenant_id)
    caller.require_everywhere()
    storage, now = caller.host.storage, caller.host.clock.now()
    with storage.transaction(tenant_id) as transaction:
        counts = transaction.erase_tenant(tenant_id, dry_run=dry_run)
    if not dry_run:
        caller.host.forget(tenant_id)
    state = erased_state(storage, dry_run=dry_run, wait=wait)
    return answer({"state": state, "counts": counts, "at": iso(now)})


@router.get("/usage", tags=["usage"], response_model=UsageAnswer, responses=problems_of())
@reads
def usage(
    caller: Called,
    by: Annotated[str, Query(max_length=100, description="Any of store, model, kind")] = "store",
    since: Annotated[str | None, Query(max_length=64)] = None,
    until: Annotated[str | None, Query(max_length=64)] = None,
    timezone: Annotated[Timezone, Query()] = None,
) -> Response:
    """Give what model calls came to, failed ones too; without dates, of the last 30 days.

    Calls are counted by the day in UTC; those of stores in which the key may not read are not told.
    """
    caller.require("management")
    parts = tuple(dict.fromkeys(by.split(",")))
    if not set(parts) <= set(_PARTS):
        raise InvalidInput("by", f"must be some of {', '.join(_PARTS)}")
    now = caller.host.clock.now()
    span = dated(caller, {"since": since, "until": until}, timezone)
    begin = now - 30 * DAY if since is None else parse_instant(span["since"], "since")
    end = now if until is None else parse_instant(span["until"], "until")
    begin, end = begin // DAY * DAY, -(-end // DAY) * DAY
    with caller.host.storage.snapshot() as snapshot:
        every = snapshot.usage(caller.tenant, begin, end)
    seen = {store: caller.may_read(store) for store in {row.store for row in every}}
    rows = [row for row in every if seen[row.store]]
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    total = dict.fromkeys(_COUNTS, 0)
    for row in rows:
        named = {part: getattr(row, part) for part in parts}
        sums = found.setdefault(tuple(named.values()), {**named, **dict.fromkeys(_COUNTS, 0)})
        for name in _COUNTS:
            sums[name] += getattr(row, name)
            total[name] += getattr(row, name)
    listed = [found[key] for key in sorted(found)]
    return answer(
        {"by": parts, "since": iso(begin), "until": iso(end), "usage": listed, "total": total}
    )
