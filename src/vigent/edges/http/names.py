"""Aliases: other names of subjects, which are read as one with them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import AliasChanged, AliasesAnswer, NamesAnswer
from vigent.edges.http.bodies import Body
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes

__all__ = ["router"]

router = APIRouter(prefix="/v1/stores/{index_id}", tags=["aliases"], route_class=Route)

_Subject = Annotated[str, Query(max_length=200)]


class NewAlias(Body):
    """A name, and the subject that it is another name of."""

    name: Annotated[str, Field(max_length=200)]
    of: Annotated[str, Field(max_length=200)]


@router.post(
    "/aliases", status_code=201, response_model=AliasChanged,
    responses={200: {"model": AliasChanged, "description": "It was one already"},
               **problems_of(409)},
)  # fmt: skip
@writes
def make(
    caller: Called, index_id: str, body: NewAlias, idempotency_key: Idempotency = None
) -> Response:
    """Make a name an alias of a subject; the same again changes nothing."""
    memory = caller.memory(index_id, "write")
    told = memory.records.once(
        "alias", idempotency_key, [body.name, body.of],
        lambda: memory.alias(body.name, of=body.of, person=caller.person).to_dict(),
        kept=lambda made: made, again=dict, person=caller.person,
    )  # fmt: skip
    return answer(told, 201 if told["outcome"] == "joined" else 200)


@router.get("/aliases", response_model=AliasesAnswer, responses=problems_of())
@reads
def listed(caller: Called, index_id: str, subject: _Subject | None = None) -> Response:
    """Give the caller's aliases and the shared, of one subject or of all, by name."""
    memory = caller.memory(index_id, "read")
    found = memory.alias.list(subject, person=caller.person)
    return answer({"aliases": [alias.to_dict() for alias in found]})


@router.get("/names", response_model=NamesAnswer, responses=problems_of())
@reads
def names(caller: Called, index_id: str, subject: _Subject) -> Response:
    """Give what a subject is called: its id, its aliases, and what its ``name`` says."""
    memory = caller.memory(index_id, "read")
    return answer(memory.alias.names(subject, person=caller.person).to_dict())


@router.delete("/aliases/{name}", response_model=AliasChanged, responses=problems_of())
@writes
def remove(caller: Called, index_id: str, name: str) -> Response:
    """Let an alias go, which parts its names again; nothing happens where there is none."""
    memory = caller.memory(index_id, "write")
    return answer(memory.alias.remove(name, person=caller.person).to_dict())


@router.delete("/aliases", response_model=AliasChanged, responses=problems_of())
@writes
def remove_named(caller: Called, index_id: str, name: _Subject) -> Response:
    """Let an alias go that is named by a parameter, whatever characters it has."""
    memory = caller.memory(index_id, "write")
    return answer(memory.alias.remove(name, person=caller.person).to_dict())
