"""The extraction switch of a store: its resource, its rules and its rights."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from vigent.domain.resources import ResourceRow
from vigent.edges.http.answers.governance import RunAnswer, SwitchAnswer
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.bodies import Body
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.errors import ConflictError, NotFound
from vigent.govern.documents import StoreDocument
from vigent.govern.extraction import KeptSwitch, Switch, ask_run, checked, shown_switch
from vigent.ports.storage import Transaction
from vigent.service.caller import Caller

__all__ = ["router"]

router = APIRouter(
    prefix="/v1/memory/stores/{index_id}/extraction", tags=["extraction"], route_class=Route
)


class Run(Body):
    """Nothing need be said of a run."""


@router.get("", response_model=SwitchAnswer, responses=problems_of())
@reads
def get(caller: Called, index_id: str) -> Response:
    """Give the switch, and how it stands."""
    caller.require("memory", "threads", "management")
    return answer(_shown(caller, caller.store(index_id, "read")))


@router.put("", response_model=SwitchAnswer, responses=problems_of())
@writes
def put(caller: Called, index_id: str, body: Switch) -> Response:
    """Set the switch whole; the key that sends it is its author."""
    caller.require("threads")
    caller.require("memory")
    store = caller.store(index_id, "write")
    host = caller.host
    settings = host.tenant(caller.tenant).settings

    def edit(document: StoreDocument) -> StoreDocument:
        with host.storage.snapshot() as snapshot:
            kept = checked(
                snapshot, caller.tenant, settings, body, document, author=caller.row.id,
                now=host.clock.now(),
            )  # fmt: skip
        return document.model_copy(update={"extraction": kept.model_dump(mode="json")})

    row = host.registry.change(
        caller.actor, "store", store.id, StoreDocument, edit, action="extraction_set"
    )
    return answer(_shown(caller, row))


@router.post("/run", status_code=202, response_model=RunAnswer, responses=problems_of(409))
@writes
def run(
    caller: Called, index_id: str, body: Run | None = None, idempotency_key: Idempotency = None
) -> Response:
    """Start a run now, which reads what failed again too; 409 while the switch is not active."""
    del body
    caller.require("threads")
    caller.require("memory")
    store = caller.store(index_id, "write")

    def begin(transaction: Transaction) -> dict[str, Any]:
        state = _shown(caller, store)["state"]
        if state != "active":
            raise ConflictError(f"extraction is not active here: {state}", field="state")
        ask_run(transaction, store, caller.host.clock.now())
        return {"index_id": store.id, "status": "queued"}

    done = caller.host.registry.once(
        caller.actor, "extraction/run", idempotency_key, store.id, begin
    )
    caller.host.learn_now()
    return answer(done, 202)


@router.delete("/connector", status_code=204, responses=problems_of())
@writes
def disconnect(caller: Called, index_id: str) -> Response:
    """Remove the switch's connector, which stops extraction until the switch is sent again."""
    caller.require("memory", "management")
    store = caller.store(index_id, "write")

    def edit(document: StoreDocument) -> StoreDocument:
        if document.extraction is None or not document.extraction.get("connector"):
            raise NotFound("connector: the store has none", field="connector")
        kept = KeptSwitch.model_validate(document.extraction)
        cut = kept.model_copy(update={"connector": False}).model_dump(mode="json")
        return document.model_copy(update={"extraction": cut})

    caller.host.registry.change(
        caller.actor, "store", store.id, StoreDocument, edit, action="extraction_disconnect"
    )
    return Response(status_code=204)


def _shown(caller: Caller, row: ResourceRow) -> dict[str, Any]:
    settings = caller.host.tenant(caller.tenant).settings
    with caller.host.storage.snapshot() as snapshot:
        return shown_switch(snapshot, settings, row, caller.host.clock.now())
