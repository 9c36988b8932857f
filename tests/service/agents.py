"""A service behind a real server, and clients of the protocol that call it over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.integration.agents import Agent


@asynccontextmanager
async def agent_at(url: str, headers: dict[str, str], mode: str = "auto") -> AsyncIterator[Agent]:
    """Talk to the service at an address."""
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield Agent(client)


def played(url: str, headers: dict[str, str], scene: Any, mode: str = "auto") -> Any:
    """Play a scene with an agent, and give what it gives."""

    async def play() -> Any:
        async with agent_at(url, headers, mode) as agent:
            return await scene(agent)

    return anyio.run(play)


def asked(url: str, headers: dict[str, str], tool: str, **arguments: Any) -> Any:
    """Call one tool that works."""
    return played(url, headers, lambda agent: agent.call(tool, **arguments))


def refused(url: str, headers: dict[str, str], tool: str, **arguments: Any) -> str:
    """Call one tool that is refused; gives what a model is told."""
    return played(url, headers, lambda agent: agent.refused(tool, **arguments))


def sent(url: str, headers: dict[str, str], **more: Any) -> httpx2.Response:
    """Send one message of the protocol by hand."""
    every = {"accept": "application/json, text/event-stream", **headers}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    return httpx2.request(
        "POST", f"{url}/mcp", headers=every, timeout=30, **{"json": message, **more}
    )
