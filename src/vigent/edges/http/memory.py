"""Records: writing, listing, and one by its id."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from vigent.domain.statements import KeyId
from vigent.domain.strictjson import strict_json
from vigent.domain.text import check_id
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import (
    Forgotten,
    MemoriesAnswer,
    MemoriesPage,
    MemoryAnswer,
    ProvenanceAnswer,
    VisibilityAnswer,
    WriteAnswer,
)
from vigent.edges.http.bodies import (
    Attribute,
    Body,
    Confidence,
    Filters,
    IndexId,
    Instantlike,
    Jsonlike,
    Numberlike,
    RecordId,
    Timezone,
    ValueKind,
    Wordlike,
    dated,
    given,
    settled,
    valued,
    written,
)
from vigent.edges.http.calling import (
    Called,
    Idempotency,
    Route,
    answer,
    open_query,
    reads,
    writes,
)
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.edges.http.describing import METADATA
from vigent.edges.http.repeats import once
from vigent.errors import InvalidInput
from vigent.govern.keyring import key_of
from vigent.service.caller import Caller

__all__ = ["NewMemory", "router"]

router = APIRouter(prefix="/v1/memory", tags=["memory"], route_class=Route)

_MADE = ("stored", "superseded", "corrected")
_DATES = ("valid_from", "valid_to")
_UNMADE: dict[int | str, dict[str, Any]] = {
    200: {"model": WriteAnswer, "description": "Nothing new is in force: confirmed, held, …"}
}


class NewMemory(Body):
    """What holds: a value of an attribute, or a memory in free text."""

    index_id: IndexId
    type: Annotated[str, Field(description="1 to 64 characters")] = "fact"
    text: Wordlike = None
    subject: Attribute = None
    attribute: Attribute = None
    value: Jsonlike = None
    value_kind: ValueKind = None
    valid_from: Instantlike = None
    valid_to: Instantlike = None
    mode: Literal["change", "correction", "replace"] = "change"
    confidence: Confidence = None
    importance: Numberlike = None
    due: Instantlike = None
    metadata: Filters = None
    supersedes: Attribute = None
    corrects: Attribute = None
    expect: Attribute = None
    source: Wordlike = None
    trust: Attribute = None
    source_episode_id: Attribute = None
    quote: Wordlike = None
    timezone: Timezone = None
    retention_policy: Attribute = None
    expires_at: Instantlike = None
    ttl_days: Numberlike = None


class Amendment(Body):
    """What is to change; text, value and valid times make a correction, the rest is in place."""

    text: Wordlike = None
    value: Jsonlike = None
    value_kind: ValueKind = None
    valid_from: Instantlike = None
    valid_to: Instantlike = None
    confidence: Confidence = None
    importance: Numberlike = None
    metadata: Filters = None
    due: Instantlike = None
    state: Attribute = None
    expires_at: Instantlike = None
    ttl_days: Numberlike = None
    retention_policy: Attribute = None
    source: Wordlike = None
    source_episode_id: Attribute = None
    quote: Wordlike = None
    timezone: Timezone = None


class Retraction(Body):
    """How something ended: ``change`` is "no longer", ``correction`` is "never was"."""

    mode: Literal["change", "correction"] = "change"
    valid_from: Instantlike = None
    source: Wordlike = None
    source_episode_id: Attribute = None
    quote: Wordlike = None
    trust: Attribute = None
    timezone: Timezone = None


@router.post(
    "", status_code=201, response_model=WriteAnswer, responses={**_UNMADE, **problems_of(409, 410)}
)
@writes
def write(caller: Called, body: NewMemory, idempotency_key: Idempotency = None) -> Response:
    """Say what holds: a value of an attribute, or a memory in free text.

    The outcome is any of: stored, superseded, confirmed, corrected, retracted, noop, buffered,
    pending_review, rejected. ``trust`` can only lower that of the caller.
    """
    memory = caller.memory(body.index_id, "write")
    fields = written(caller, given(body, "index_id"))
    result = memory.write(**fields, idempotency_key=idempotency_key, person=caller.person)
    return answer(result.to_dict(), 201 if result.outcome in _MADE else 200)


# ----------------------------------------------------------------------------------- lists


@router.get(
    "", response_model=MemoriesPage, responses=problems_of(),
    openapi_extra={"parameters": [METADATA]},
)  # fmt: skip
@reads
@open_query("metadata.")
def listed(
    caller: Called,
    *,
    request: Request,
    index_id: Annotated[IndexId, Query()],
    person: Annotated[str | None, Query(max_length=200, description="needs management")] = None,
    type: Annotated[str | None, Query(max_length=64)] = None,
    subject: Annotated[str | None, Query(max_length=200)] = None,
    attribute: Annotated[str | None, Query(max_length=200)] = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1, description="effective")] = None,
    after: Annotated[str | None, Query(max_length=64, description="made then or later")] = None,
    before: Annotated[str | None, Query(max_length=64, description="made before")] = None,
    as_of: Annotated[str | None, Query(max_length=64)] = None,
    known_at: Annotated[str | None, Query(max_length=64)] = None,
    status: Annotated[str | None, Query(max_length=64)] = None,
    include: Literal["current", "history"] = "current",
    timezone: Annotated[Timezone, Query()] = None,
    limit: Limit = 50,
    next: Next = None,  # noqa: A002 - what the parameter is called
) -> Response:
    """Give the memories that fit, by default those in force now, in order of recording.

    ``metadata.FIELD`` filters: its value is JSON where it can be read as that (``8``, ``true``,
    ``"30"`` for text, ``{"gte": 30}``), else text.
    """
    memory = caller.memory(index_id, "read")
    whose = _whose(caller, person)
    times = settled(caller, {"as_of": as_of, "known_at": known_at}, timezone)
    made = settled(caller, {"after": after, "before": before}, timezone, ends=False)
    wanted = {
        "type": type, "subject": subject, "attribute": attribute, "status": status,
        "min_confidence": min_confidence, "include": include, "metadata": _filters(request),
        **times, **made,
    }  # fmt: skip
    query = ["memory", index_id, whose, wanted]
    beyond = place(caller, query, next)
    records, last = memory.records.page(**wanted, beyond=beyond, limit=limit, person=whose)
    return answer(
        {
            "memories": [record.to_dict() for record in records],
            "next": None if last is None else cursor(caller, query, list(last)),
        }
    )


def _whose(caller: Caller, person: str | None) -> str | None:
    """Give whose memory is listed; to look at another's takes management, and is audited."""
    if person is None or person == caller.person:
        return caller.person
    check_id(person, "person")
    caller.require("management")
    caller.note_admin_read(person, "person_read")
    return person


def _filters(request: Request) -> dict[str, Any] | None:
    """Read the filters on metadata; the same field twice is refused."""
    found: dict[str, Any] = {}
    for name, text in request.query_params.multi_items():
        if name.startswith("metadata."):
            field = name.removeprefix("metadata.")
            if field in found:
                raise InvalidInput(name, "stands twice")
            try:
                found[field] = strict_json(text)
            except ValueError:
                found[field] = text
    return found or None


# -------------------------------------------------------------------------------- one by id


@router.get("/{memory_id}", response_model=MemoryAnswer, responses=problems_of())
@reads
def get(caller: Called, memory_id: RecordId) -> Response:
    """Give one memory over its last believed stretch."""
    memory, _ = caller.holding(memory_id, "read")
    return answer(memory.get(memory_id, person=caller.person).to_dict())


@router.get("/{memory_id}/history", response_model=MemoriesAnswer, responses=problems_of())
@reads
def history(caller: Called, memory_id: RecordId) -> Response:
    """Give every stretch that the memory was ever believed over, on both axes."""
    memory, _ = caller.holding(memory_id, "read")
    found = memory.records.history(memory_id, person=caller.person)
    return answer({"memories": [record.to_dict() for record in found]})


@router.get("/{memory_id}/provenance", response_model=ProvenanceAnswer, responses=problems_of())
@reads
def provenance(caller: Called, memory_id: RecordId) -> Response:
    """Say who said it, and where: the memory with all that supports it."""
    memory, _ = caller.holding(memory_id, "read")
    return answer(memory.provenance(memory_id, person=caller.person).to_dict())


@router.get("/{memory_id}/visibility", response_model=VisibilityAnswer, responses=problems_of())
@reads
def visibility(caller: Called, memory_id: RecordId) -> Response:
    """Say to whom the memory belongs, and which keys' policies can see it."""
    memory, key = caller.holding(memory_id, "read")
    told = memory.visibility(memory_id, person=caller.person).to_dict()
    return answer({**told, **_seen_by(caller, key)})


def _seen_by(caller: Caller, key: KeyId) -> dict[str, Any]:
    registry, now = caller.host.registry, caller.host.clock.now()
    store = registry.named(caller.tenant, "store", key.store)
    index_id = "" if store is None else store.id
    policies: list[dict[str, Any]] = []
    after = ""
    while rows := registry.page(caller.tenant, "key", after=after):
        after = rows[-1].id
        for row in rows:
            document = key_of(row)
            rights = document.policy.rights(index_id)
            active = document.state(now) == "active"
            if rights and active and "memory" in document.capabilities:
                told = {"key_id": row.id, "label": document.label, "rights": list(rights)}
                policies.append(told)
    return {"index_id": index_id, "policies": policies}


@router.patch("/{memory_id}", response_model=WriteAnswer, responses=problems_of(409))
@writes
def amend(caller: Called, memory_id: RecordId, body: Amendment) -> Response:
    """Correct text, value or valid times (a new memory), change the other fields in place.

    Both in one transaction. After a correction the old id reads as ``corrected``, with
    ``superseded_by``. In place alone the outcome is ``updated``.
    """
    memory, _ = caller.holding(memory_id, "write")
    changes = valued(given(body))
    dates = {name: changes[name] for name in _DATES if name in changes}
    changes |= dated(caller, dates, body.timezone)
    changes["trust"] = caller.trust
    result = memory.records.amend(memory_id, **changes, person=caller.person)
    return answer(result.to_dict())


@router.delete("/{memory_id}", response_model=Forgotten, responses=problems_of())
@writes
def forget(caller: Called, memory_id: RecordId) -> Response:
    """Remove what a memory said, for good; what it had ended does not come back."""
    memory, _ = caller.holding(memory_id, "write")
    done = memory.forget(memory_id, person=caller.person)
    if not done.forgotten:
        caller.miss("memory_id", memory_id)
    return answer(done.to_dict())


@router.post("/{memory_id}/retract", response_model=WriteAnswer, responses=problems_of(409))
@writes
def retract(
    caller: Called, memory_id: RecordId, body: Retraction, idempotency_key: Idempotency = None
) -> Response:
    """Say that a memory no longer holds, or with ``correction`` that it never did."""
    memory, _ = caller.holding(memory_id, "write")
    fields = written(caller, given(body))
    told = once(
        memory, caller, "retract", idempotency_key, [memory_id, fields],
        lambda: memory.records.retract(memory_id, **fields, person=caller.person).to_dict(),
    )  # fmt: skip
    return answer(told)
