"""Typed state read as a graph: subjects as entities, facts as observations and relations.

An entity is a subject. ``entity:type`` is one text; ``entity:observation`` has many values; a
relation is an attribute of many values, each the name of an entity, named ``relation:TYPE``. Every
schema has these, so that any other surface reads them as they were meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from vigent.domain.attributes import ENTITY_TYPE, OBSERVATION, RELATION
from vigent.domain.records import Record
from vigent.domain.text import canonical_subject
from vigent.edges.mcp.bound import Bound
from vigent.errors import InvalidInput
from vigent.standing import record_text

__all__ = [
    "Entity",
    "Graph",
    "More",
    "Node",
    "Relation",
    "canon",
    "graph_of",
    "node",
    "nodes",
    "relation_of",
    "searched",
]

_UNKNOWN: Final = "unknown"


class Entity(BaseModel):
    """A thing, as the reference memory server has it."""

    name: str = Field(description="The name of the entity")
    entityType: str = Field(description="The type of the entity")  # noqa: N815  the original's
    observations: list[str] = Field(
        description="An array of observation contents associated with the entity"
    )


class Relation(BaseModel):
    """A directed relation between two entities."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    from_: str = Field(alias="from", description="The name of the entity where it starts")
    to: str = Field(description="The name of the entity where the relation ends")
    relationType: str = Field(description="The type of the relation")  # noqa: N815


class More(BaseModel):
    """What was left out of a graph that is too large for one answer."""

    entities_in_all: int
    relations_in_all: int
    after: str | None = Field(None, description="Hand this to read_graph for the next entities.")


class Graph(BaseModel):
    """Entities and the relations that touch them; ``more`` stands only where some are left out."""

    entities: list[Entity]
    relations: list[Relation]
    more: More | None = None


@dataclass(slots=True)
class Node:
    """What is in force of one subject, each fact under the words that show it."""

    name: str
    type: Record | None = None
    observations: dict[str, Record] = field(default_factory=dict[str, Record])
    relations: list[Record] = field(default_factory=list[Record])

    @property
    def entity(self) -> Entity:
        """The node in the shape of the reference server."""
        kind = _UNKNOWN if self.type is None else str(self.type.value)
        return Entity(name=self.name, entityType=kind, observations=list(self.observations))

    def take(self, record: Record) -> None:
        """Add a fact."""
        if record.attribute == ENTITY_TYPE:
            self.type = self.type or record
        elif record.value_kind == "entity":
            self.relations.append(record)
        else:
            self.observations.setdefault(_shown(record), record)


def _shown(record: Record) -> str:
    """Give a fact as an observation: its own words, or its attribute and value."""
    if record.attribute == OBSERVATION:
        return str(record.value)
    return record_text(record).removeprefix(f"{record.name} · ")


def relation_of(bound: Bound, type: str) -> str:
    """Give the attribute that holds relations of a type.

    That is the declared one of this name, where its values are entities.
    """
    declared = bound.schema.attribute(type)
    if declared is not None and declared.kind == "entity":
        return declared.name
    return RELATION + type


def canon(name: str) -> str:
    """Give what two names of one entity have in common."""
    return canonical_subject(name)[1]


def nodes(bound: Bound) -> dict[str, Node]:
    """Give what is in force of every subject, by its canonical name, oldest first."""
    return _gathered(bound.memory.list(person=bound.person))


def node(bound: Bound, name: str) -> Node | None:
    """Give what is in force of one subject."""
    return _gathered(bound.memory.list(subject=name, person=bound.person)).get(canon(name))


def _gathered(records: Iterable[Record]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for record in records:
        if record.attribute is not None and record.subject is not None:
            key = record.key.subject
            found.setdefault(key, Node(record.subject)).take(record)
    return found


# -------------------------------------------------------------------------------- answers


def graph_of(
    every: dict[str, Node], chosen: Iterable[str], *, limit: int, after: str | None = None
) -> Graph:
    """Give the chosen entities with the relations that begin or end at one of them.

    At most ``limit`` entities and ten times as many relations; what is left out is told.
    """
    wanted = set(chosen)
    names = [name for name in every if name in wanted]
    if after is not None:
        start = canon(after)
        if start not in names:
            raise InvalidInput("after", "is no entity of this graph")
        names = names[names.index(start) + 1 :]
    shown = dict.fromkeys(names[:limit])
    touching = [
        record
        for name, each in every.items()
        for record in each.relations
        if name in shown or canon(str(record.value)) in shown
    ]
    relations = touching[: 10 * limit]
    left_out = len(shown) < len(names) or len(relations) < len(touching)
    more = More(
        entities_in_all=len(names), relations_in_all=len(touching),
        after=every[names[limit - 1]].name if len(shown) < len(names) else None,
    )  # fmt: skip
    return Graph(
        entities=[every[name].entity for name in shown],
        relations=[_relation(record) for record in relations],
        more=more if left_out else None,
    )


def _relation(record: Record) -> Relation:
    return Relation.model_validate(
        {
            "from": record.subject or "",
            "to": str(record.value),
            "relationType": (record.attribute or "").removeprefix(RELATION),
        }
    )


def searched(bound: Bound, every: dict[str, Node], query: str) -> list[str]:
    """Give the entities that have the words somewhere, and those that a search finds besides."""
    words = query.casefold()
    found = [
        name
        for name, each in every.items()
        if any(
            words in text.casefold()
            for text in (each.name, each.entity.entityType, *each.observations)
        )
    ]
    hits = bound.memory.search(query, person=bound.person).records
    return [*found, *(record.key.subject for record in hits if record.key.subject in every)]
