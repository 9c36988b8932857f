"""Commands of an operator of the service: tenants, keys, and the audit trail."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.text import Text

from vigent.domain.time import to_datetime
from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.command import Call, command, group, no_answer
from vigent.edges.cli.tables import moment, rows, visible
from vigent.errors import InvalidInput, NotFound
from vigent.govern.documents import (
    ALL_STORES,
    CAPABILITIES,
    KeyDocument,
    Policy,
    Secret,
)
from vigent.govern.keyring import MAX_OVERLAP, named_stores, revoked, rotated, shown_key
from vigent.govern.keys import new_secret, secret_digest, show_key
from vigent.govern.people import shown_entries
from vigent.govern.registry import Actor
from vigent.service import Service

__all__ = ["register"]

_PAGE = 1_000

KeyId = Annotated[str, typer.Argument(metavar="KEY", help="The id of the key, key_….")]


def tenants_list(call: Call) -> None:
    """List the tenants of the store."""
    with call.serve() as service, service.storage.snapshot() as snapshot:
        found: list[dict[str, Any]] = [
            {
                "tenant_id": tenant,
                "stores": len(snapshot.resources(tenant, "store", limit=_PAGE)),
                "keys": len(snapshot.resources(tenant, "key", limit=_PAGE)),
            }
            for tenant in snapshot.tenants()
        ]
    if call.as_json:
        call.out.document(found)
        return
    table = rows("tenant", "stores", "keys")
    for each in found:
        table.add_row(visible(each["tenant_id"]), str(each["stores"]), str(each["keys"]))
    call.out.show(table)


def tenants_create(
    call: Call, tenant_id: Annotated[str, typer.Argument(metavar="TENANT", help="Its id.")]
) -> None:
    """Make a tenant with one store and an admin key, which is shown this once."""
    with call.serve(create=True) as service:
        made = service.new_tenant(tenant_id, call.store)
    told = {"tenant_id": made.tenant, "index_id": made.index_id, "key": made.key}
    if call.as_json:
        call.out.document(told)
    else:
        call.out.verbatim(Text(f"{made.key}\nThe key of {visible(made.tenant)}, shown this once."))


def keys_create(
    call: Call,
    label: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    capability: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="memory, knowledge, threads, responses, management."),
    ] = None,
    read: Annotated[
        list[str] | None, typer.Option(metavar="STORE", help="A store it may read; * for all.")
    ] = None,
    write: Annotated[
        list[str] | None, typer.Option(metavar="STORE", help="A store it may write too.")
    ] = None,
) -> None:
    """Make a key and show it this once; without options, one that may do everything."""
    unknown = sorted(set(capability or ()) - set(CAPABILITIES))
    if unknown:
        raise InvalidInput("capability", f"must be one of {', '.join(CAPABILITIES)}")
    stores: dict[str, Any] = dict.fromkeys(read or (), ("read",))
    stores |= dict.fromkeys(write or (), ("read", "write"))
    if not (read or write or capability):
        stores = {ALL_STORES: ("read", "write")}
    secret = new_secret()
    with call.serve() as service:
        with service.storage.snapshot() as snapshot:
            policy = named_stores(snapshot, call.tenant, Policy(stores=stores))
        document = KeyDocument(
            label=label, capabilities=tuple(capability or CAPABILITIES),  # type: ignore[arg-type]
            policy=policy, secrets=(Secret(digest=secret_digest(secret)),),
        )  # fmt: skip
        _known(service, call.tenant)
        row = service.registry.create(Actor(call.tenant), "key", document)
        told = shown_key(row, service.clock.now())
    _tell(call, told, show_key(call.tenant, row.id, secret))


def keys_list(call: Call) -> None:
    """List the keys of a tenant; their text is not kept."""
    found: list[dict[str, Any]] = []
    with call.serve() as service:
        now, after = service.clock.now(), ""
        while page := service.registry.page(call.tenant, "key", after=after):
            found += [shown_key(row, now) for row in page]
            after = page[-1].id
    if call.as_json:
        call.out.document(found)
        return
    if not found:
        no_answer(call, [], "The tenant has no keys.")
    table = rows("key", "state", "label", "capabilities")
    for key in found:
        table.add_row(
            key["id"], key["state"], visible(key["label"] or ""), ", ".join(key["capabilities"])
        )
    call.out.show(table)


def keys_rotate(
    call: Call,
    key_id: KeyId,
    overlap_seconds: Annotated[
        int,
        typer.Option(min=0, max=MAX_OVERLAP, help="How long the old text stays good."),
    ] = 0,
) -> None:
    """Give a key a new text and show it this once."""
    secret = new_secret()
    with call.serve() as service:
        now = service.clock.now()
        row = service.registry.change(
            Actor(call.tenant), "key", key_id, KeyDocument,
            lambda document: rotated(document, secret, overlap_seconds, now), action="key_rotate",
        )  # fmt: skip
    _tell(call, shown_key(row, now), show_key(call.tenant, row.id, secret))


def keys_revoke(call: Call, key_id: KeyId) -> None:
    """Let a key open nothing from now on, also the last one of a tenant."""
    with call.serve() as service:
        registry = service.registry
        with registry.writing(call.tenant) as transaction:
            row = revoked(registry, transaction, Actor(call.tenant), key_id, always=True)
        told = shown_key(row, service.clock.now())
    if call.as_json:
        call.out.document(told)
    else:
        call.out.show(Text(f"Revoked {row.id}."))


def audit_verify(
    call: Call,
    anchor: Annotated[
        str | None,
        typer.Option(metavar="N:HASH", help="A head told before, which must still be there."),
    ] = None,
) -> None:
    """Verify the audit trail: every entry, every seal, and that none is missing.

    Keep the head it prints elsewhere: with --anchor it is found if the end was cut off. Ends with
    exit code 5 when something does not add up.
    """
    with call.serve() as service:
        found = service.storage.audit(call.tenant, anchor=anchor)
    told = {
        "sealed": found.sealed, "unsealed": found.unsealed, "broken": len(found.broken),
        "emptied": found.emptied, "removed_to_seal": found.removed, "head": found.head,
        "problems": list(found.broken),
    }  # fmt: skip
    if call.as_json:
        call.out.document(told)
    else:
        for problem in found.broken:
            call.out.show(Text(visible(problem), style="red"))
        counts = ", ".join(f"{told[name]} {name}" for name in ("sealed", "unsealed", "broken"))
        call.out.verbatim(Text(f"{counts}. Head: {found.head or 'none'}"))
    if found.broken:
        raise typer.Exit(ExitCode.BUG)


def audit_list(
    call: Call,
    action: Annotated[str | None, typer.Option(help="Entries of one action only.")] = None,
    target: Annotated[str | None, typer.Option(help="Entries about one record only.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
) -> None:
    """List what happened in a tenant, newest first."""
    with call.serve() as service, service.storage.snapshot() as snapshot:
        found = snapshot.audit_entries(
            call.tenant, action=action, target=target, person=call.person, limit=limit
        )
        told = shown_entries(snapshot, call.tenant, found, service.clock.now())
    if call.as_json:
        call.out.document(told)
        return
    table = rows("at", "action", "outcome", "target")
    for row in found:
        table.add_row(
            moment(to_datetime(row.at)), row.action, row.outcome, visible(row.target or "")
        )
    call.out.show(table)


def _known(service: Service, tenant: str) -> None:
    if service.registry.find(tenant, "tenant", tenant) is None:
        raise NotFound(f"tenant: there is none {tenant} here; make it first", field="tenant")


def _tell(call: Call, told: dict[str, Any], key: str) -> None:
    if call.as_json:
        call.out.document({**told, "key": key})
    else:
        call.out.verbatim(Text(f"{key}\nThe text of {told['id']}, shown this once."))
        if not told["policy"]["stores"] and told["capabilities"] != ["management"]:
            call.out.verbatim(Text("It sees no store: name some by --read or --write."))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    tenants = group(app, "tenants", "Tenants of the service.")
    command(tenants, "list")(tenants_list)
    command(tenants, "create")(tenants_create)
    keys = group(app, "keys", "Keys of a tenant of the service.")
    command(keys, "create")(keys_create)
    command(keys, "list")(keys_list)
    command(keys, "rotate")(keys_rotate)
    command(keys, "revoke")(keys_revoke)
    audit = group(app, "audit", "The audit trail.")
    command(audit, "verify")(audit_verify)
    command(audit, "list")(audit_list)
