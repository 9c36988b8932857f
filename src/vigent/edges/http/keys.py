"""Keys of a tenant: made, changed, rotated, revoked. Their text is shown once."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.domain.resources import ResourceRow
from vigent.domain.time import parse_instant
from vigent.edges.http.answers.governance import KeyAnswer, KeysAnswer, NewKeyAnswer
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.bodies import Body, changed
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.errors import ConflictError, InvalidInput
from vigent.govern.documents import Capability, KeyDocument, KeyMemory, KeyPii, Name, Policy, Secret
from vigent.govern.injecting import check_block
from vigent.govern.keyring import (
    MAX_OVERLAP,
    beyond,
    keep_a_manager,
    key_of,
    named_stores,
    revoked,
    rotated,
    shown_key,
)
from vigent.govern.keys import new_secret, secret_digest, show_key
from vigent.ports.storage import Transaction
from vigent.service.caller import Caller

__all__ = ["router"]

router = APIRouter(prefix="/v1/tenants/{tenant_id}/keys", tags=["keys"], route_class=Route)

Until = Annotated[str | None, Field(max_length=64, description="An instant with its offset")]


class NewKey(Body):
    """A key to be made."""

    label: Name | None = None
    capabilities: tuple[Capability, ...]
    policy: Policy
    memory: KeyMemory = KeyMemory()
    pii: KeyPii = KeyPii()
    expires_at: Until = None


class ChangedKey(Body):
    """What is to be changed of a key; null resets."""

    label: Name | None = None
    capabilities: tuple[Capability, ...] | None = None
    policy: Policy | None = None
    memory: KeyMemory | None = None
    pii: KeyPii | None = None
    expires_at: Until = None
    expect: int | None = None


class Rotation(Body):
    """For how many seconds the old secret stays good."""

    overlap_seconds: Annotated[int, Field(ge=0, le=MAX_OVERLAP)] = 0


@router.post("", status_code=201, response_model=NewKeyAnswer, responses=problems_of(409))
@writes
def create(
    caller: Called, tenant_id: str, body: NewKey, idempotency_key: Idempotency = None
) -> Response:
    """Make a key; nobody can give rights that their own key has not."""
    caller.require_tenant(tenant_id)
    fields = {**body.model_dump(), "expires_at": _until(caller, body.expires_at)}
    document = _granted(caller, KeyDocument.model_validate(fields), None)
    secret = new_secret()
    document = document.model_copy(update={"secrets": (Secret(digest=secret_digest(secret)),)})
    shown: list[str] = []

    def make(transaction: Transaction) -> dict[str, Any]:
        row = caller.host.registry.enter(transaction, caller.actor, "key", document)
        shown.append(show_key(tenant_id, row.id, secret))
        return shown_key(row, caller.host.clock.now())

    made = caller.host.registry.once(
        caller.actor, "keys", idempotency_key, body.model_dump(mode="json"), make
    )  # the text of the key is not in what is kept for a repeated request
    return answer({**made, "key": shown[0] if shown else None}, 201)


@router.get("", response_model=KeysAnswer, responses=problems_of())
@reads
def listed(caller: Called, tenant_id: str, limit: Limit = 50, next: Next = None) -> Response:  # noqa: A002
    """Give the keys of the tenant in the order in which they were made."""
    caller.require_tenant(tenant_id)
    after = place(caller, "keys", next) or ""
    rows = caller.host.registry.page(caller.tenant, "key", after=after, limit=limit + 1)
    now = caller.host.clock.now()
    more = cursor(caller, "keys", rows[limit - 1].id) if len(rows) > limit else None
    return answer({"keys": [shown_key(row, now) for row in rows[:limit]], "next": more})


@router.get("/{key_id}", response_model=KeyAnswer, responses=problems_of())
@reads
def get(caller: Called, tenant_id: str, key_id: str) -> Response:
    """Give one key."""
    caller.require_tenant(tenant_id)
    return _answered(caller, caller.host.registry.get(caller.tenant, "key", key_id))


@router.patch("/{key_id}", response_model=KeyAnswer, responses=problems_of(409))
@writes
def change(caller: Called, tenant_id: str, key_id: str, body: ChangedKey) -> Response:
    """Change a key; what is not named stays."""
    caller.require_tenant(tenant_id)
    registry = caller.host.registry
    before = key_of(registry.get(caller.tenant, "key", key_id))
    fields = changed(body, KeyDocument(), "expect", "expires_at")
    if "expires_at" in body.model_fields_set:
        fields["expires_at"] = _until(caller, body.expires_at)
    wanted = before.model_copy(update=fields)
    wanted = _granted(caller, KeyDocument.model_validate(wanted.model_dump()), before)
    fields = {name: getattr(wanted, name) for name in fields}

    def edit(document: KeyDocument) -> KeyDocument:
        after = document.model_copy(update=fields)
        if "management" in document.capabilities and "management" not in after.capabilities:
            keep_a_manager(transaction, caller.tenant, key_id, caller.host.clock.now())
        return after

    with registry.writing(caller.tenant) as transaction:
        row = registry.alter(
            transaction, caller.actor, "key", key_id, KeyDocument, edit, expect=body.expect
        )
    return _answered(caller, row)


@router.post("/{key_id}/rotate", response_model=NewKeyAnswer, responses=problems_of(409))
@writes
def rotate(
    caller: Called,
    tenant_id: str,
    key_id: str,
    body: Rotation,
    idempotency_key: Idempotency = None,
) -> Response:
    """Give a key a new secret; the old one is good until the overlap ends."""
    caller.require_tenant(tenant_id)
    registry, now, secret = caller.host.registry, caller.host.clock.now(), new_secret()
    # Whoever gets the new text has the rights of the key.
    _granted(caller, key_of(registry.get(caller.tenant, "key", key_id)), None)
    shown: list[str] = []

    def make(transaction: Transaction) -> dict[str, Any]:
        def edit(document: KeyDocument) -> KeyDocument:
            if document.revoked_at is not None:
                raise ConflictError("the key is revoked; make a new one")
            return rotated(document, secret, body.overlap_seconds, now)

        row = registry.alter(
            transaction, caller.actor, "key", key_id, KeyDocument, edit, action="key_rotate"
        )  # fmt: skip
        shown.append(show_key(tenant_id, row.id, secret))
        return shown_key(row, now)

    asked = [key_id, body.overlap_seconds]
    made = registry.once(caller.actor, "keys/rotate", idempotency_key, asked, make)
    return answer({**made, "key": shown[0] if shown else None})


@router.post("/{key_id}/revoke", response_model=KeyAnswer, responses=problems_of(409))
@writes
def revoke(
    caller: Called, tenant_id: str, key_id: str, idempotency_key: Idempotency = None
) -> Response:
    """Let a key open nothing from now on; the last one that manages stays."""
    caller.require_tenant(tenant_id)
    registry, now = caller.host.registry, caller.host.clock.now()

    def make(transaction: Transaction) -> dict[str, Any]:
        return shown_key(revoked(registry, transaction, caller.actor, key_id), now)

    return answer(registry.once(caller.actor, "keys/revoke", idempotency_key, key_id, make))


@router.delete("/{key_id}", status_code=204, responses=problems_of(409))
@writes
def delete(caller: Called, tenant_id: str, key_id: str) -> Response:
    """Remove a key; the audit trail still knows that it was."""
    caller.require_tenant(tenant_id)
    registry, now = caller.host.registry, caller.host.clock.now()
    with registry.writing(caller.tenant) as transaction:
        row = transaction.resource(caller.tenant, "key", key_id)
        if row is not None and "management" in key_of(row).capabilities:
            keep_a_manager(transaction, caller.tenant, key_id, now)
        registry.drop(transaction, caller.actor, "key", key_id)
    return Response(status_code=204)


def _answered(caller: Caller, row: ResourceRow) -> Response:
    return answer(shown_key(row, caller.host.clock.now()))


def _until(caller: Caller, given: str | None) -> int | None:
    if given is None:
        return None
    at = parse_instant(given, "expires_at")
    if at <= caller.host.clock.now():
        raise InvalidInput("expires_at", "must lie ahead")
    return at


def _granted(caller: Caller, wanted: KeyDocument, before: KeyDocument | None) -> KeyDocument:
    """Check what a key would be given; names of stores become ids."""
    if before is None or wanted.memory != before.memory:
        check_block(wanted.memory.injection, "memory.injection")
    with caller.host.storage.snapshot() as snapshot:
        policy = named_stores(snapshot, caller.tenant, wanted.policy)
        injection = wanted.memory.injection
        if injection is not None and injection.index_id is not None:
            store = caller.seen(injection.index_id)
            if store is None:
                raise InvalidInput("memory.injection.index_id", "there is no such store here")
            injection = injection.model_copy(update={"index_id": store.id})
    memory = wanted.memory.model_copy(update={"injection": injection})
    wanted = wanted.model_copy(update={"policy": policy, "memory": memory})
    more = beyond(caller.document, wanted, before)
    if more is not None:
        caller.refuse(f"the acting key has not itself {more}")
    return wanted
