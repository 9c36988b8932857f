"""The nine names of the reference memory server, for agents that know those."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from vigent.edges.mcp import graphing
from vigent.edges.mcp.bound import Door
from vigent.edges.mcp.graph import Entity, Graph, Relation
from vigent.edges.mcp.graphing import Adding, Deleting, Done, Entities, Observed, Relations, said
from vigent.edges.mcp.shapes import answer

__all__ = ["GraphTools"]


def _hints(*, reads: bool = False, removes: bool = False) -> ToolAnnotations:
    """Give the hints that the original has."""
    return ToolAnnotations(
        read_only_hint=reads, destructive_hint=removes, idempotent_hint=reads or removes,
        open_world_hint=False,
    )  # fmt: skip


_READS: Final = _hints(reads=True)
_WRITES: Final = _hints()
_REMOVES: Final = _hints(removes=True)


class GraphTools:
    """Entities, observations and relations, kept as typed state.

    Arguments and answers have the shapes of ``@modelcontextprotocol/server-memory``.
    """

    def __init__(self, door: Door) -> None:
        self._door = door

    def add_to(self, server: MCPServer[Any]) -> None:
        """Register the tools."""
        for tool, title, hints in (
            (self.create_entities, "Create Entities", _WRITES),
            (self.create_relations, "Create Relations", _WRITES),
            (self.add_observations, "Add Observations", _WRITES),
            (self.delete_entities, "Delete Entities", _REMOVES),
            (self.delete_observations, "Delete Observations", _REMOVES),
            (self.delete_relations, "Delete Relations", _REMOVES),
            (self.read_graph, "Read Graph", _READS),
            (self.search_nodes, "Search Nodes", _READS),
            (self.open_nodes, "Open Nodes", _READS),
        ):
            server.add_tool(tool, title=title, description=inspect.getdoc(tool), annotations=hints)

    async def create_entities(self, entities: list[Entity]) -> Annotated[CallToolResult, Entities]:
        """Create multiple new entities in the knowledge graph; those that are there are ignored."""
        made = await self._door.write(graphing.create_entities, entities)
        return answer(made, said(made))

    async def create_relations(
        self, relations: list[Relation]
    ) -> Annotated[CallToolResult, Relations]:
        """Create multiple new relations between entities. Relations should be in active voice."""
        made = await self._door.write(graphing.create_relations, relations)
        return answer(made, said(made))

    async def add_observations(
        self, observations: list[Adding]
    ) -> Annotated[CallToolResult, Observed]:
        """Add new observations to existing entities in the knowledge graph."""
        made = await self._door.write(graphing.add_observations, observations)
        return answer(made, said(made))

    async def delete_entities(
        self,
        entityNames: Annotated[  # noqa: N803  the original's
            list[str], Field(description="An array of entity names to delete")
        ],
    ) -> Annotated[CallToolResult, Done]:
        """Delete multiple entities and their associated relations; history keeps them."""
        done = await self._door.write(graphing.delete_entities, entityNames)
        return answer(done, said(done))

    async def delete_observations(
        self, deletions: list[Deleting]
    ) -> Annotated[CallToolResult, Done]:
        """Delete specific observations from entities; history keeps them."""
        done = await self._door.write(graphing.delete_observations, deletions)
        return answer(done, said(done))

    async def delete_relations(
        self, relations: Annotated[list[Relation], Field(description="The relations to delete")]
    ) -> Annotated[CallToolResult, Done]:
        """Delete multiple relations from the knowledge graph; history keeps them."""
        done = await self._door.write(graphing.delete_relations, relations)
        return answer(done, said(done))

    async def read_graph(
        self,
        limit: Annotated[int, Field(description="At most so many entities.", ge=1, le=1_000)] = 200,
        after: Annotated[
            str | None, Field(description="Go on after this entity: more.after of the answer.")
        ] = None,
    ) -> Annotated[CallToolResult, Graph]:
        """Read the knowledge graph as it is now; `more` says so where some of it is left out."""
        return answer(await self._door.read(graphing.read_graph, limit, after))

    async def search_nodes(
        self,
        query: Annotated[
            str, Field(description="Matched against entity names, types, and observation content")
        ],
    ) -> Annotated[CallToolResult, Graph]:
        """Search for nodes in the knowledge graph based on a query."""
        return answer(await self._door.read(graphing.search_nodes, query))

    async def open_nodes(
        self,
        names: Annotated[list[str], Field(description="An array of entity names to retrieve")],
    ) -> Annotated[CallToolResult, Graph]:
        """Open specific nodes in the knowledge graph by their names."""
        return answer(await self._door.read(graphing.open_nodes, names))
