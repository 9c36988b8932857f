"""What can be done to keys: what they may be given, rotated to, and when one must stay."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from vigent.domain.resources import ResourceRow
from vigent.domain.time import SECOND, Instant, iso
from vigent.errors import InvalidInput, ResourceInUse
from vigent.govern.documents import ALL_STORES, KeyDocument, Policy, Secret
from vigent.govern.keys import prefix_of, secret_digest
from vigent.govern.registry import Actor, Registry
from vigent.ports.storage import Snapshot, Transaction

__all__ = [
    "MAX_OVERLAP",
    "beyond",
    "keep_a_manager",
    "key_of",
    "named_stores",
    "revoked",
    "rotated",
    "shown_key",
]

MAX_OVERLAP: Final = 30 * 86_400
"""Seconds for which an old secret is good at most after a rotation."""
_SECRETS: Final = 5
_PAGE: Final = 1_000


def key_of(row: ResourceRow) -> KeyDocument:
    """Give what a key's row says; read once for each version of it."""
    return _key_of(row.version, row.tenant, row.id, row.document)


@lru_cache(maxsize=10_000)
def _key_of(version: int, tenant: str, id: str, document: str) -> KeyDocument:
    del version, tenant, id
    return KeyDocument.model_validate_json(document)


def shown_key(row: ResourceRow, now: Instant) -> dict[str, Any]:
    """Give a key as it may be shown: no secret, and no digest of one."""
    d = key_of(row)
    ending = [s.until for s in d.secrets if s.until is not None and s.until > now]
    return {
        "id": row.id, "prefix": prefix_of(row.id), "label": d.label, "state": d.state(now),
        "capabilities": list(d.capabilities), "policy": d.policy.model_dump(mode="json"),
        "memory": d.memory.model_dump(mode="json"), "pii": d.pii.model_dump(mode="json"),
        "created_at": iso(row.created_at), "changed_at": iso(row.changed_at),
        "expires_at": None if d.expires_at is None else iso(d.expires_at),
        "revoked_at": None if d.revoked_at is None else iso(d.revoked_at),
        "old_secret_until": iso(max(ending)) if ending else None, "version": row.version,
    }  # fmt: skip


def beyond(own: KeyDocument, wanted: KeyDocument, before: KeyDocument | None) -> str | None:
    """Say what a key would be given that the acting key has not; what it had already may stay."""
    had = before or KeyDocument()
    for capability in wanted.capabilities:
        if capability not in (*own.capabilities, *had.capabilities):
            return f"the capability {capability}"
    stores = {*wanted.policy.stores, *own.policy.stores, *had.policy.stores}
    for store in sorted(stores):
        mine, theirs = own.policy.rights(store) or (), had.policy.rights(store) or ()
        for right in wanted.policy.rights(store) or ():
            if right not in (*mine, *theirs):
                return f"the right to {right} in {store}"
    return None


def named_stores(snapshot: Snapshot, tenant: str, policy: Policy) -> Policy:
    """Give a policy with ids for names; raises InvalidInput for a store that is not there."""
    stores: dict[str, Any] = {}
    for name, rights in policy.stores.items():
        if name == ALL_STORES:
            stores[name] = rights
            continue
        row = snapshot.resource(tenant, "store", name)
        row = row or snapshot.resource_named(tenant, "store", name)
        if row is None:
            raise InvalidInput("policy.stores", f"there is no store {name[:200]}")
        stores[row.id] = tuple(dict.fromkeys(rights))
    return Policy(stores=stores)


def keep_a_manager(snapshot: Snapshot, tenant: str, without: str, now: Instant) -> None:
    """Raise ResourceInUse where no other key could manage the tenant."""
    after = ""
    while rows := snapshot.resources(tenant, "key", after=after, limit=_PAGE):
        for row in rows:
            d = key_of(row)
            if row.id != without and "management" in d.capabilities and d.state(now) == "active":
                return
        after = rows[-1].id
    raise ResourceInUse("it is the last key with management; make another one first", field="key")


def rotated(document: KeyDocument, secret: str, overlap: int, now: Instant) -> KeyDocument:
    """Give a key with a new secret; the old ones are good for so many seconds more."""
    end = now + overlap * SECOND
    old = [
        Secret(digest=s.digest, until=end if s.until is None else min(s.until, end))
        for s in document.secrets
        if s.until is None or s.until > now
    ]
    kept = old[-(_SECRETS - 1) :] if overlap else []
    secrets = (*kept, Secret(digest=secret_digest(secret)))
    return document.model_copy(update={"secrets": secrets})


def revoked(
    registry: Registry, transaction: Transaction, actor: Actor, id: str, *, always: bool = False
) -> ResourceRow:
    """Revoke a key at once; raises NotFound, and ResourceInUse for the last that manages."""
    now = registry.clock.now()

    def end(document: KeyDocument) -> KeyDocument:
        if document.revoked_at is not None:
            return document
        if not always and "management" in document.capabilities:
            keep_a_manager(transaction, actor.tenant, id, now)
        return document.model_copy(update={"revoked_at": now})

    return registry.alter(transaction, actor, "key", id, KeyDocument, end, action="key_revoke")
