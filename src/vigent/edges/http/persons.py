"""Persons: what is set for them, their tokens, their export and their erasure."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.domain.changes import ChangeSet, PersonLink
from vigent.domain.text import canonical_subject, check_id
from vigent.domain.time import SECOND, iso
from vigent.edges.http.answers.governance import (
    ExportAnswer,
    PersonAnswer,
    ReceiptAnswer,
    TokenAnswer,
)
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.bodies import Body, changed
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.errors import UnexpectedVersion
from vigent.govern.documents import PersonDocument, Zone
from vigent.govern.keeping import Keeper
from vigent.govern.keys import mint_token
from vigent.govern.people import exported, settings_of
from vigent.govern.registry import Actor
from vigent.ports.storage import Transaction

__all__ = ["router"]

router = APIRouter(prefix="/v1/persons/{person_id}", tags=["persons"], route_class=Route)


class ChangedPerson(Body):
    """What is to be changed of a person; null resets. ``subject`` needs management."""

    helper_model: Literal["allow", "deny"] | None = None
    timezone: Zone | None = None
    subject: Annotated[str, Field(max_length=200)] | None = None
    expect: int | None = None


class NewToken(Body):
    """For how many seconds the token is good."""

    ttl_seconds: Annotated[int, Field(ge=1, le=3_600)] = 300


@router.get("", response_model=PersonAnswer, responses=problems_of())
@reads
def get(caller: Called, person_id: str) -> Response:
    """Give what is set for a person; their token or management."""
    caller.require_person(person_id)
    caller.note_admin_read(person_id)
    with caller.host.storage.snapshot() as snapshot:
        return answer(settings_of(snapshot, caller.tenant, person_id))


@router.patch("", response_model=PersonAnswer, responses=problems_of(409))
@writes
def change(caller: Called, person_id: str, body: ChangedPerson) -> Response:
    """Change what is set for a person; what is not named stays.

    Which entity they are decides what their erasure takes along, so that needs management.
    """
    caller.require_person(person_id)
    linking = "subject" in body.model_fields_set
    if linking:
        caller.require("management")
    subject = None if body.subject is None else canonical_subject(body.subject)[1]
    given = changed(body, PersonDocument(), "expect", "subject")
    registry, tenant = caller.host.registry, caller.tenant
    with registry.writing(tenant) as transaction:
        row = transaction.resource(tenant, "person", person_id)
        if row is None:
            if body.expect not in (None, 0):
                raise UnexpectedVersion("version: it is at 0", field="version")
            registry.enter(
                transaction, caller.actor, "person", PersonDocument(**given), id=person_id,
                person=person_id,
            )  # fmt: skip
        else:
            registry.alter(
                transaction, caller.actor, "person", person_id, PersonDocument,
                lambda document: document.model_copy(update=given), expect=body.expect,
            )  # fmt: skip
        if linking:
            entry = registry.entry(
                Actor(tenant, caller.row.id, person_id), "person_link", "stored", None,
                {"subject": subject},
            )  # fmt: skip
            link = PersonLink(tenant, person_id, subject)
            transaction.apply(ChangeSet(tenant, links=[link], audit=[entry]))
        found = settings_of(transaction, tenant, person_id)
    return answer(found)


@router.post("/tokens", status_code=201, response_model=TokenAnswer, responses=problems_of(409))
@writes
def mint(
    caller: Called, person_id: str, body: NewToken, idempotency_key: Idempotency = None
) -> Response:
    """Sign a token with which a request is this person's own; it goes with a key."""
    caller.require("management")
    check_id(person_id, "person_id")
    registry = caller.host.registry
    until = (caller.host.clock.now() // SECOND + body.ttl_seconds) * SECOND

    def make(transaction: Transaction) -> dict[str, Any]:
        whose = Actor(caller.tenant, caller.row.id, person_id)
        entry = registry.entry(whose, "token_mint", "stored", None, {"until": iso(until)})
        transaction.apply(ChangeSet(caller.tenant, audit=[entry]))
        return {"until": until}

    # Kept for a repeated request is the time alone: the same token is signed again from it.
    asked = [person_id, body.ttl_seconds]
    actor = Actor(caller.tenant, caller.row.id, person_id)
    kept = registry.once(actor, "tokens", idempotency_key, asked, make)["until"]
    token = mint_token(
        caller.host.tenant(caller.tenant).token_secret, tenant=caller.tenant, person=person_id,
        key=caller.row.id, until=kept,
    )  # fmt: skip
    return answer({"token": token, "person": person_id, "expires_at": iso(kept)}, 201)


@router.delete("/memory", response_model=ReceiptAnswer, responses=problems_of())
@writes
def erase(caller: Called, person_id: str, *, dry_run: bool = False, wait: bool = False) -> Response:
    """Remove everything of a person in every store of the tenant, and give a receipt.

    What is shared about the entity that they are goes along. With ``wait`` until it is out of the
    files too. The key must be able to write in each of them.
    """
    caller.require_person(person_id)
    caller.require_everywhere(person_id)
    if dry_run:  # it tells what there is of them, and changes nothing
        caller.note_admin_read(person_id)
    host = caller.host
    keeper = Keeper(host.storage, host.schema, host.clock, host.registry.ids, caller.tenant, "")
    done = keeper.erase(person_id, dry_run=dry_run, wait=wait, by=caller.row.id)
    if not dry_run:
        host.forget(caller.tenant)
    return answer(
        {
            "person_hash": done.person_hash, "state": done.state, "counts": done.counts,
            "shared": done.shared, "at": iso(done.at),
        }
    )  # fmt: skip


@router.get("/export", response_model=ExportAnswer, responses=problems_of())
@reads
def export(caller: Called, person_id: str) -> Response:
    """Give everything that is kept of a person, in every store in which the key may read.

    ``stores`` names those in which there is anything.
    """
    caller.require_person(person_id)
    caller.note_admin_read(person_id)
    with caller.host.storage.snapshot() as snapshot:
        found = exported(
            snapshot, caller.tenant, person_id, caller.host.clock.now(), caller.may_read
        )
    return answer(found)
