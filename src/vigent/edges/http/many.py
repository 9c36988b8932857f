"""Many writes in one request: an answer for each item, or with ``atomic`` all or none."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import BatchAnswer
from vigent.edges.http.bodies import Body, IndexId, written
from vigent.edges.http.calling import Called, Idempotency, Route, answer, writes
from vigent.edges.http.repeats import kept, recalled
from vigent.errors import InvalidInput, VigentError
from vigent.memory import Memory
from vigent.service.caller import Caller
from vigent.write.result import WriteResult

__all__ = ["router"]

router = APIRouter(prefix="/v1/memory", tags=["memory"], route_class=Route)


class Batch(Body):
    """Writes in order; an item has the fields of a write, ``"op": "retract"`` makes it one."""

    index_id: IndexId
    items: Annotated[list[dict[str, Any]], Field(max_length=1_000)]
    atomic: bool = False


@router.post("/batch", response_model=BatchAnswer, responses=problems_of(409))
@writes
def batch(caller: Called, body: Batch, idempotency_key: Idempotency = None) -> Response:
    """Take many writes and retractions in, in order.

    An item that is refused has its error in its place; with ``atomic`` the first one is the
    problem of the whole, its ``field`` begins with the item (``items.3.value``), and nothing is
    written.
    """
    memory = caller.memory(body.index_id, "write")
    asked = body.model_dump()
    told = memory.records.once(
        "batch", idempotency_key, asked, lambda: _entered(caller, memory, body),
        kept=lambda results: {"results": [kept(one) for one in results]},
        again=lambda told: [recalled(memory, caller.person, one) for one in told["results"]],
        person=caller.person,
    )  # fmt: skip
    return answer({"results": told, "failed": sum("error" in one for one in told)})


def _entered(caller: Caller, memory: Memory, body: Batch) -> list[dict[str, Any]]:
    """Enter the items whose fields fit; the others have their errors in place."""
    items = [_checked(caller, item) for item in body.items]
    good = [item for item in items if not isinstance(item, VigentError)]
    if body.atomic:
        for number, item in enumerate(items):
            if isinstance(item, VigentError):
                raise item.within(f"items.{number}")
    results = iter(memory.write_many(good, atomic=body.atomic, person=caller.person))
    return [_told(i if isinstance(i, VigentError) else next(results)) for i in items]


def _checked(caller: Caller, item: dict[str, Any]) -> dict[str, Any] | VigentError:
    try:
        for name in ("person", "tenant", "tenant_id", "index_id"):
            if name in item:
                raise InvalidInput(name, "is not a field of an item")
        return written(caller, item)
    except VigentError as error:
        return error


def _told(one: WriteResult | VigentError) -> dict[str, Any]:
    if isinstance(one, WriteResult):
        return one.to_dict()
    return {"error": {"code": one.code, "detail": one.message, "field": one.field}}
