"""What the nine graph tools do: each names facts in force, and proposes or retracts them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from vigent.domain.attributes import ENTITY_TYPE, OBSERVATION
from vigent.domain.modelword import MODELS_WORD
from vigent.domain.records import Record
from vigent.edges.mcp.bound import Bound
from vigent.edges.mcp.graph import (
    Entity,
    Graph,
    Relation,
    canon,
    graph_of,
    node,
    nodes,
    relation_of,
    searched,
)
from vigent.errors import NotFound
from vigent.proposals import MemoryDelta

__all__ = [
    "Adding",
    "Deleting",
    "Done",
    "Entities",
    "Observed",
    "Relations",
    "add_observations",
    "create_entities",
    "create_relations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "open_nodes",
    "read_graph",
    "search_nodes",
]

_NEW: Final = {"stored", "superseded", "corrected"}
_MOST: Final = 100


class Adding(BaseModel):
    """Observations to add to one entity."""

    entityName: str = Field(description="The name of the entity")  # noqa: N815  the original's
    contents: list[str] = Field(description="An array of observation contents to add")


class Deleting(BaseModel):
    """Observations to delete from one entity."""

    entityName: str = Field(description="The name of the entity")  # noqa: N815
    observations: list[str] = Field(description="An array of observations to delete")


class Added(BaseModel):
    """Which observations were new."""

    entityName: str  # noqa: N815
    addedObservations: list[str]  # noqa: N815


class Entities(BaseModel):
    """The entities that were created."""

    entities: list[Entity]


class Relations(BaseModel):
    """The relations that were created."""

    model_config = ConfigDict(serialize_by_alias=True)

    relations: list[Relation]


class Observed(BaseModel):
    """What was added to each entity."""

    results: list[Added]


class Done(BaseModel):
    """Whether all of it was done."""

    success: bool
    message: str


# -------------------------------------------------------------------------------- creating


def create_entities(bound: Bound, entities: list[Entity]) -> Entities:
    """Create entities that are not there yet."""
    made: list[Entity] = []
    for each in entities:
        before = node(bound, each.name)
        if before is not None and before.type is not None:
            continue
        if not _propose(bound, each.name, ENTITY_TYPE, each.entityType):
            continue
        held = {} if before is None else before.observations
        added = _observe(bound, each.name, each.observations, held)
        made.append(each.model_copy(update={"observations": added}))
    return Entities(entities=made)


def create_relations(bound: Bound, relations: list[Relation]) -> Relations:
    """Create relations that are not there yet; answers with those."""
    return Relations(
        relations=[
            each
            for each in relations
            if _propose(bound, each.from_, relation_of(bound, each.relationType), each.to)
        ]
    )


def add_observations(bound: Bound, observations: list[Adding]) -> Observed:
    """Add observations; raises NotFound for an entity of which nothing is known."""
    found = [(each, node(bound, each.entityName)) for each in observations]
    for each, there in found:
        if there is None:
            raise NotFound(f"Entity with name {each.entityName} not found", field="entityName")
    return Observed(
        results=[
            Added(
                entityName=each.entityName,
                addedObservations=_observe(
                    bound, each.entityName, each.contents, there.observations if there else {}
                ),
            )
            for each, there in found
        ]
    )


def _observe(bound: Bound, name: str, contents: list[str], held: dict[str, Record]) -> list[str]:
    return [
        content
        for content in dict.fromkeys(contents)
        if content not in held and _propose(bound, name, OBSERVATION, content)
    ]


def _propose(bound: Bound, subject: str, attribute: str, value: str) -> bool:
    """Propose a fact; says whether it is in force now and was not before."""
    delta = MemoryDelta(
        tenant_id=bound.tenant, subject=subject, attribute=attribute, value=value,
        confidence=MODELS_WORD, trust=bound.trust,
    )  # fmt: skip
    return bound.memory.propose(delta, person=bound.person).outcome in _NEW


# -------------------------------------------------------------------------------- deleting


def delete_entities(bound: Bound, names: list[str]) -> Done:
    """End all that is known of entities, and the relations to them."""
    every = nodes(bound)
    gone = {canon(name) for name in names}
    records: list[Record] = []
    for name, each in every.items():
        own = [] if each.type is None else [each.type]
        if name in gone:
            records += [*own, *each.observations.values(), *each.relations]
        else:
            records += [r for r in each.relations if canon(str(r.value)) in gone]
    return _done("Entities", _end(bound, records))


def delete_observations(bound: Bound, deletions: list[Deleting]) -> Done:
    """End observations of entities."""
    records: list[Record] = []
    for each in deletions:
        there = node(bound, each.entityName)
        held = {} if there is None else there.observations
        records += [held[words] for words in dict.fromkeys(each.observations) if words in held]
    return _done("Observations", _end(bound, records))


def delete_relations(bound: Bound, relations: list[Relation]) -> Done:
    """End relations."""
    records: list[Record] = []
    for each in relations:
        there = node(bound, each.from_)
        attribute = relation_of(bound, each.relationType)
        records += [
            record
            for record in ([] if there is None else there.relations)
            if record.attribute == attribute and canon(str(record.value)) == canon(each.to)
        ]
    return _done("Relations", _end(bound, records))


def _end(bound: Bound, records: Iterable[Record]) -> list[str]:
    """Retract facts of the caller's own; gives those that stand all the same, with the reason."""
    left: list[str] = []
    for record in records:
        if record.person_id != bound.person:
            left.append(f"{record.memory_id} is shared")
            continue
        done = bound.memory.retract(
            subject=record.subject or "", attribute=record.attribute or "", value=record.value,
            trust=bound.trust, person=bound.person,
        )  # fmt: skip
        if done.outcome not in {"retracted", "noop"}:
            left.append(f"{record.memory_id}: {done.outcome}, {done.reason or 'trusted more'}")
    return left


def _done(what: str, left: list[str]) -> Done:
    if not left:
        return Done(success=True, message=f"{what} deleted successfully")
    return Done(success=False, message=f"{what} not all deleted: {'; '.join(left)}")


# -------------------------------------------------------------------------------- reading


def read_graph(bound: Bound, limit: int, after: str | None) -> Graph:
    """Give the whole graph, or the next part of it."""
    every = nodes(bound)
    return graph_of(every, every, limit=limit, after=after)


def search_nodes(bound: Bound, query: str) -> Graph:
    """Give the entities that a query finds."""
    every = nodes(bound)
    return graph_of(every, searched(bound, every, query), limit=_MOST)


def open_nodes(bound: Bound, names: list[str]) -> Graph:
    """Give the entities of these names."""
    every = nodes(bound)
    return graph_of(every, map(canon, names), limit=_MOST)


def said(shape: BaseModel) -> Any:
    """Give what the original has as the text of an answer: the list alone, or the message."""
    content = shape.model_dump(mode="json", by_alias=True, exclude_none=True)
    return content["message"] if isinstance(shape, Done) else next(iter(content.values()))
