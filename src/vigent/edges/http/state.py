"""Exact state: what is in force of a subject, what was, and what was believed when.

A subject or attribute with a slash is written ``%2F`` in a path, or given as a parameter.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Query, Response

from vigent.domain.records import Record
from vigent.domain.time import iso, parse_instant
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import (
    AttributeAnswer,
    ChangesAnswer,
    MemoriesAnswer,
    StateAnswer,
)
from vigent.edges.http.bodies import Timezone, dated
from vigent.edges.http.calling import Called, Route, answer, reads
from vigent.service.caller import Caller

__all__ = ["router"]

router = APIRouter(prefix="/v1/stores/{index_id}", tags=["state"], route_class=Route)

When = Annotated[str | None, Query(max_length=64)]
Named = Annotated[str, Query(max_length=200)]
Zone = Annotated[Timezone, Query()]


@router.get("/state/{subject}/{attribute}", response_model=AttributeAnswer, responses=problems_of())
@reads
def current(
    caller: Called,
    index_id: str,
    subject: str,
    attribute: str,
    as_of: When = None,
    known_at: When = None,
    timezone: Zone = None,
) -> Response:
    """Give what is in force of one attribute; ``memory`` is null where nothing is."""
    return _current(caller, index_id, subject, attribute, (as_of, known_at, timezone))


@router.get("/state/{subject}", response_model=StateAnswer, responses=problems_of())
@reads
def state(
    caller: Called,
    index_id: str,
    subject: str,
    as_of: When = None,
    known_at: When = None,
    timezone: Zone = None,
) -> Response:
    """Give all that is in force of a subject."""
    return _state(caller, index_id, subject, (as_of, known_at, timezone))


@router.get(
    "/state/{subject}/{attribute}/history", response_model=MemoriesAnswer, responses=problems_of()
)
@reads
def history(caller: Called, index_id: str, subject: str, attribute: str) -> Response:
    """Give every stretch ever believed, by ``valid_from``, then ``recorded_from``."""
    return _history(caller, index_id, subject, attribute)


@router.get("/state", response_model=AttributeAnswer | StateAnswer, responses=problems_of())
@reads
def named(
    caller: Called,
    index_id: str,
    subject: Named,
    attribute: Named | None = None,
    as_of: When = None,
    known_at: When = None,
    timezone: Zone = None,
) -> Response:
    """Give what is in force of a subject, or of one attribute, named by parameters."""
    when = (as_of, known_at, timezone)
    if attribute is None:
        return _state(caller, index_id, subject, when)
    return _current(caller, index_id, subject, attribute, when)


@router.get("/history", response_model=MemoriesAnswer, responses=problems_of())
@reads
def named_history(caller: Called, index_id: str, subject: Named, attribute: Named) -> Response:
    """Give every stretch ever believed of an attribute that is named by parameters."""
    return _history(caller, index_id, subject, attribute)


@router.get("/diff", response_model=ChangesAnswer, responses=problems_of())
@reads
def diff(
    caller: Called,
    index_id: str,
    since: Annotated[str, Query(max_length=64)],
    until: Annotated[str, Query(max_length=64)],
    axis: Literal["valid", "recorded"] = "valid",
    subject: Named | None = None,
    timezone: Zone = None,
) -> Response:
    """Give what changed in ``(since, until]``, in the world or in what was believed."""
    memory = caller.memory(index_id, "read")
    span = dated(caller, {"since": since, "until": until}, timezone, ends=True)
    found = memory.diff(**span, axis=axis, subject=subject, timezone=timezone, person=caller.person)
    return answer({"changes": [change.to_dict() for change in found]})


_Asked = tuple[str | None, str | None, str | None]


def _at(caller: Caller, when: _Asked) -> dict[str, Any]:
    as_of, known_at, timezone = when
    at: dict[str, Any] = {"as_of": as_of, "known_at": known_at, "timezone": timezone}
    if as_of is None and known_at is None:
        return at
    return {**at, **dated(caller, {"as_of": as_of, "known_at": known_at}, timezone, ends=True)}


def _current(caller: Caller, index_id: str, subject: str, attribute: str, when: _Asked) -> Response:
    memory = caller.memory(index_id, "read")
    at = _at(caller, when)
    found = memory.current(subject, attribute, person=caller.person, **at)
    if isinstance(found, Record):
        stood = {"as_of": iso(found.valid_at), "known_at": iso(found.known)}
        return answer({"memory": found.to_dict(), **stood})
    told: dict[str, Any] = {"memory": None}
    if isinstance(found, tuple):
        many = cast("tuple[Record, ...]", found)
        told["memories"] = [record.to_dict() for record in many]
    now = caller.host.clock.now()
    instants = {
        name: now if at[name] is None else parse_instant(at[name], name, timezone=at["timezone"])
        for name in ("as_of", "known_at")
    }
    told |= {"as_of": iso(instants["as_of"]), "known_at": iso(min(now, instants["known_at"]))}
    return answer(told)


def _state(caller: Caller, index_id: str, subject: str, when: _Asked) -> Response:
    memory = caller.memory(index_id, "read")
    found = memory.current(subject, person=caller.person, **_at(caller, when))
    return answer(found.to_dict())


def _history(caller: Caller, index_id: str, subject: str, attribute: str) -> Response:
    memory = caller.memory(index_id, "read")
    found = memory.history(subject, attribute, person=caller.person)
    return answer({"memories": [record.to_dict() for record in found]})
