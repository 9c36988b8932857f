"""Exact state: what is in force of a subject, what was, and what was believed when."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from fastapi import APIRouter, Query, Response

from vigent.domain.records import Record
from vigent.edges.http.bodies import Timezone, dated
from vigent.edges.http.calling import Called, Route, answer, reads

__all__ = ["router"]

router = APIRouter(prefix="/v1/stores/{index_id}", tags=["state"], route_class=Route)

When = Annotated[str | None, Query(max_length=64)]


@router.get("/state/{subject}/{attribute}")
@reads
def current(
    caller: Called,
    index_id: str,
    subject: str,
    attribute: str,
    as_of: When = None,
    known_at: When = None,
    timezone: Annotated[Timezone, Query()] = None,
) -> Response:
    """Give what is in force of one attribute."""
    memory = caller.memory(index_id, "read")
    at = {"as_of": as_of, "known_at": known_at}
    if as_of is not None or known_at is not None:
        at = dated(caller, at, timezone, ends=True)
    found = memory.current(subject, attribute, timezone=timezone, person=caller.person, **at)
    if isinstance(found, tuple):
        many = cast("tuple[Record, ...]", found)
        return answer({"memory": None, "memories": [record.to_dict() for record in many]})
    return answer({"memory": None if found is None else found.to_dict()})


@router.get("/diff")
@reads
def diff(
    caller: Called,
    index_id: str,
    since: Annotated[str, Query(max_length=64)],
    until: Annotated[str, Query(max_length=64)],
    axis: Literal["valid", "recorded"] = "valid",
    subject: str | None = None,
    timezone: Annotated[Timezone, Query()] = None,
) -> Response:
    """Give what changed in ``(since, until]``."""
    memory = caller.memory(index_id, "read")
    span = dated(caller, {"since": since, "until": until}, timezone, ends=True)
    found = memory.diff(**span, axis=axis, subject=subject, timezone=timezone, person=caller.person)
    return answer({"changes": [change.to_dict() for change in found]})
