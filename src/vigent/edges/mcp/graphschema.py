"""How a graph of entities, observations and relations is had as typed state.

An entity is a subject. ``entity_type`` is one text; ``observation`` has many values; a relation is
an attribute of many values, each the name of an entity, under the name ``relation:TYPE``.
"""

from __future__ import annotations

from typing import Final

from vigent.domain.schema import AttributeDefinition, Schema
from vigent.errors import SchemaMismatch

__all__ = ["ENTITY_TYPE", "OBSERVATION", "GraphSchema", "relation_type"]

ENTITY_TYPE: Final = "entity_type"
OBSERVATION: Final = "observation"
_RELATION: Final = "relation:"

_GRAPH: Final = (
    AttributeDefinition(name=ENTITY_TYPE, description="What sort of thing it is."),
    AttributeDefinition(
        name=OBSERVATION, cardinality="multi", description="One thing noted about it, in words."
    ),
)


def relation_type(attribute: str) -> str:
    """Give the type of the relation that an attribute holds."""
    return attribute.removeprefix(_RELATION)


class GraphSchema(Schema):
    """A schema that also has what the graph tools need; everything in it stays as declared.

    Which relations there will be is not known beforehand, so any name that begins with
    ``relation:`` is an attribute of many entities. Raises SchemaMismatch where ``observation`` or
    ``entity_type`` is declared as something else.
    """

    __slots__ = ("_relations",)

    def __init__(self, own: Schema | None = None) -> None:
        own = own or Schema()
        super().__init__(
            own.version, unknown_attributes=own.unknown_attributes, unknown_types=own.unknown_types
        )
        self.policies, self.types = own.policies, own.types
        added = [graph for graph in _GRAPH if _lacks(own, graph)]
        self.attributes = (*own.attributes, *added)
        self._names = {
            name: each for each in self.attributes for name in (each.name, *each.aliases)
        }
        self._relations: dict[str, AttributeDefinition] = {}

    def attribute(self, name: str) -> AttributeDefinition | None:
        """Give the definition under this name or alias; one is made for any relation."""
        found = super().attribute(name)
        if found is not None or not name.startswith(_RELATION):
            return found
        known = self._relations.get(name)
        if known is None:
            known = AttributeDefinition(name=name, kind="entity", cardinality="multi")
            self._relations[name] = known
        return known

    def relation(self, type: str) -> str:
        """Give the attribute that holds relations of a type.

        That is the declared one of this name, where its values are entities.
        """
        declared = super().attribute(type)
        if declared is not None and declared.kind == "entity":
            return declared.name
        return _RELATION + type


def _lacks(own: Schema, graph: AttributeDefinition) -> bool:
    declared = own.attribute(graph.name)
    if declared is None:
        return True
    if (declared.kind, declared.multi) != (graph.kind, graph.multi):
        many = "several values" if graph.multi else "one value"
        raise SchemaMismatch(
            f"attributes.{graph.name}", f"must be text of {many}: the graph tools write it"
        )
    return False
