"""Raw records of what happened: what memories rest on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from vigent.domain.time import iso, parse_instant
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.answers.records import EpisodeAnswer
from vigent.edges.http.bodies import (
    Attribute,
    Body,
    Filters,
    IndexId,
    Instantlike,
    RecordId,
    Timezone,
    given,
)
from vigent.edges.http.calling import Called, Idempotency, Route, answer, reads, writes
from vigent.service.threads import note_named

__all__ = ["router"]

router = APIRouter(prefix="/v1/episodes", tags=["episodes"], route_class=Route)


class NewEpisode(Body):
    """Something that happened: a message, a tool's result, an event, a file."""

    index_id: IndexId
    content: Annotated[str, Field(description="at most 1,000,000 characters")]
    role: Annotated[str, Field(max_length=200)] = "user"
    kind: Annotated[str, Field(max_length=200)] = "message"
    occurred_at: Instantlike = None
    speaker: Attribute = None
    thread: Attribute = None
    external_id: Attribute = None
    metadata: Filters = None
    timezone: Timezone = None


@router.post("", status_code=201, response_model=EpisodeAnswer, responses=problems_of(409, 410))
@writes
def capture(caller: Called, body: NewEpisode, idempotency_key: Idempotency = None) -> Response:
    """Keep a raw record; the same ``external_id`` gives the first one again."""
    memory = caller.memory(body.index_id, "write")
    fields = given(body, "index_id", "timezone", "content")
    if fields.get("occurred_at") is not None:
        at = parse_instant(fields["occurred_at"], "occurred_at", timezone=body.timezone)
        fields["occurred_at"] = iso(at)
    person = caller.person
    if body.thread is not None:
        note_named(caller, body.index_id, body.thread)
    episode = memory.records.once(
        "capture", idempotency_key, [body.content, fields],
        lambda: memory.capture(body.content, **fields, person=person),
        kept=lambda made: {"episode": made.id},
        again=lambda told: memory.records.episode(told["episode"], person=person),
        person=person,
    )  # fmt: skip
    if body.thread is not None:  # it may have sprung into being with that
        note_named(caller, body.index_id, body.thread)
    return answer(episode.to_dict(), 201)


@router.get("/{episode_id}", response_model=EpisodeAnswer, responses=problems_of())
@reads
def get(caller: Called, episode_id: RecordId) -> Response:
    """Give one raw record; past its time only id, time and kind are left."""
    memory = caller.holding_episode(episode_id)
    return answer(memory.records.episode(episode_id, person=caller.person).to_dict())
