"""A real client of the protocol, talking to the server in a process of its own or in this one."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

from tests.integration.command_line import process_environment
from vigent import Memory
from vigent.edges.mcp import Bound, server_of
from vigent.schema import load_schema


@dataclass
class Agent:
    """A client with its answers taken apart."""

    client: Client

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that works; gives the structured answer."""
        given = await self.client.call_tool(tool, arguments)
        assert not given.is_error, given.content
        return given.structured_content

    async def said(self, tool: str, **arguments: Any) -> str:
        """Call a tool that works; gives the text of its answer."""
        given = await self.client.call_tool(tool, arguments)
        assert not given.is_error, given.content
        return given.content[0].text

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool that fails; gives what a model is told."""
        given = await self.client.call_tool(tool, arguments)
        assert given.is_error, given.structured_content
        return given.content[0].text


@asynccontextmanager
async def over_stdio(*words: str, mode: str = "auto") -> AsyncIterator[Agent]:
    """Start ``vigent mcp`` with these options and talk to it."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "vigent", "mcp", *words], env=process_environment()
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield Agent(client)


@asynccontextmanager
async def in_process(
    path: Any = ":memory:", *, schema: Any = None, person: str | None = "mira", **more: Any
) -> AsyncIterator[tuple[Agent, Memory]]:
    """Talk to a server in this process, with the memory behind it at hand."""
    declared = load_schema(schema)
    with Memory.open(path, schema=declared, person=person, **more) as memory:
        bound = Bound(memory=memory, schema=declared, person=person)
        async with Client(server_of(lambda: bound)) as client:
            yield Agent(client), memory
