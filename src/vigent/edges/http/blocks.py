"""Always-visible blocks: short notes under a name that stand in every context."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import BlockAnswer, BlocksAnswer
from vigent.edges.http.bodies import Body, Timezone, settled
from vigent.edges.http.calling import Called, Route, answer, reads, writes

__all__ = ["router"]

router = APIRouter(prefix="/v1/stores/{index_id}/blocks", tags=["blocks"], route_class=Route)

When = Annotated[str | None, Query(max_length=64)]


class BlockText(Body):
    """What a block is to say."""

    text: Annotated[str, Field(max_length=8_000)]


class Replacement(Body):
    """One text for another that stands in the block exactly once."""

    old: Annotated[str, Field(max_length=8_000)]
    new: Annotated[str, Field(max_length=8_000)]


@router.get("", response_model=BlocksAnswer, responses=problems_of())
@reads
def listed(
    caller: Called,
    index_id: str,
    as_of: When = None,
    known_at: When = None,
    timezone: Annotated[Timezone, Query()] = None,
) -> Response:
    """Give the blocks that the caller sees, by name."""
    memory = caller.memory(index_id, "read")
    at = settled(caller, {"as_of": as_of, "known_at": known_at}, timezone)
    found = memory.blocks.list(**at, person=caller.person)
    return answer({"blocks": [block.to_dict() for block in found]})


@router.get("/{name}", response_model=BlockAnswer, responses=problems_of())
@reads
def get(
    caller: Called,
    index_id: str,
    name: str,
    as_of: When = None,
    known_at: When = None,
    timezone: Annotated[Timezone, Query()] = None,
) -> Response:
    """Give one block, as it stands or stood at an instant."""
    memory = caller.memory(index_id, "read")
    at = settled(caller, {"as_of": as_of, "known_at": known_at}, timezone)
    return answer(memory.blocks.get(name, **at, person=caller.person).to_dict())


@router.get("/{name}/history", response_model=BlocksAnswer, responses=problems_of())
@reads
def history(caller: Called, index_id: str, name: str) -> Response:
    """Give all that an owner's block ever said, in order of time."""
    memory = caller.memory(index_id, "read")
    found = memory.blocks.history(name, person=caller.person)
    return answer({"blocks": [block.to_dict() for block in found]})


@router.put("/{name}", response_model=BlockAnswer, responses=problems_of(409))
@writes
def put(caller: Called, index_id: str, name: str, body: BlockText) -> Response:
    """Let a block say this."""
    memory = caller.memory(index_id, "write")
    return answer(memory.blocks.set(name, body.text, person=caller.person).to_dict())


@router.patch("/{name}", response_model=BlockAnswer, responses=problems_of(409))
@writes
def patch(caller: Called, index_id: str, name: str, body: Replacement) -> Response:
    """Put one text for another that stands in the block exactly once."""
    memory = caller.memory(index_id, "write")
    done = memory.blocks.replace(name, body.old, body.new, person=caller.person)
    return answer(done.to_dict())


@router.delete("/{name}", status_code=204, responses=problems_of(409))
@writes
def delete(caller: Called, index_id: str, name: str) -> Response:
    """End a block; its history stays."""
    memory = caller.memory(index_id, "write")
    memory.blocks.delete(name, person=caller.person)
    return Response(status_code=204)
