"""The server over streamable HTTP inside an application of its own, each key with its person."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route

from tests.integration.agents import Agent
from vigent import Memory
from vigent.edges.mcp import Bound, HttpEndpoint

KEYS = {"Bearer key-mira": "mira", "Bearer key-otto": "otto"}
URL = "http://localhost:8000/mcp"


@asynccontextmanager
async def served(memory: Memory, **more: Any) -> AsyncIterator[Starlette]:
    async def authenticate(headers: Mapping[str, str]) -> Bound | None:
        person = KEYS.get(headers.get("authorization", ""))
        return None if person is None else Bound(memory=memory, person=person)

    endpoint = HttpEndpoint(authenticate, **more)
    async with endpoint.running():
        yield Starlette(routes=[Route("/mcp", endpoint=endpoint)])


def speaking(app: Starlette, key: str | None) -> httpx2.AsyncClient:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), headers=headers)


@asynccontextmanager
async def agent_of(app: Starlette, key: str, mode: str) -> AsyncIterator[Agent]:
    async with (
        speaking(app, key) as http,
        Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
    ):
        yield Agent(client)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_each_key_reads_and_writes_its_own_person(mode):
    async def scene() -> None:
        with Memory.open(":memory:") as memory:
            memory.write(subject="desk", attribute="closes", value="17:00")
            async with (
                served(memory) as app,
                agent_of(app, "key-mira", mode) as mira,
                agent_of(app, "key-otto", mode) as otto,
            ):
                about = {"subject": "me", "attribute": "city"}
                await mira.call("memory_write", **about, value="Madrid")
                await otto.call("memory_write", **about, value="Oslo")
                for agent, city in ((mira, "Madrid"), (otto, "Oslo")):
                    found = await agent.call("memory_current", **about)
                    assert [each["value"] for each in found["memories"]] == [city]
                    shared = await agent.call("memory_current", subject="desk")
                    assert [each["shared"] for each in shared["memories"]] == [True]
                    read = await agent.client.read_resource("vigent://state/me")
                    assert f'"value":"{city}"' in read.contents[0].text
            assert memory.current("me", "city", person="otto").value == "Oslo"

    anyio.run(scene)


def test_many_writes_at_once_over_http_are_all_kept():
    async def scene() -> None:
        with Memory.open(":memory:") as memory:
            async with (
                served(memory) as app,
                agent_of(app, "key-mira", "auto") as agent,
                anyio.create_task_group() as group,
            ):
                for n in range(20):
                    fields = {"subject": "me", "attribute": f"f{n}", "value": str(n)}
                    group.start_soon(lambda f=fields: agent.call("memory_write", **f))
            assert len(list(memory.list(person="mira"))) == 20

    anyio.run(scene)


@pytest.mark.parametrize("key", [None, "key-nobody"])
def test_without_a_key_nothing_is_answered(key):
    async def scene() -> None:
        with Memory.open(":memory:") as memory:
            async with served(memory) as app, speaking(app, key) as http:
                told = await http.post(
                    URL, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                )
                assert told.status_code == 401
                assert told.headers["www-authenticate"] == "Bearer"
                assert told.json()["error"] == "unauthorized"

    anyio.run(scene)


def test_a_page_elsewhere_cannot_reach_it_through_a_name_of_its_own():
    """The header Host is checked, so that a rebound name does not get through."""

    async def scene() -> None:
        with Memory.open(":memory:") as memory:
            async with served(memory) as app, speaking(app, "key-mira") as http:
                told = await http.post(
                    "http://evil.example/mcp",
                    json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                    headers={"accept": "application/json, text/event-stream"},
                )
                assert told.status_code == 421

    anyio.run(scene)
