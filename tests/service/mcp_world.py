"""A world over the Model Context Protocol: its own client, the service's app at ``/mcp``."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Final

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.service.refusals import Refused, refusing
from vigent.edges.http.app import create_app
from vigent.service import Service
from vigent.settings import Settings, UpkeepSettings

Json = dict[str, Any]

BEYOND: Final = {
    # What no tool does.
    "write_many": "no tool takes several memories",
    "retract": "memory_write retracts by subject and attribute, not by id",
    "capture": "a quote is all that a model reports",
    "get": "no tool gives a memory by its id",
    "amend": "no tool edits a memory by its id",
    # What no tool is told.
    "write.timezone": "a model says times with their offset",
    "write.expires_at": "how long a memory is kept is not a model's to say",
    "write.ttl_days": "how long a memory is kept is not a model's to say",
    "write.metadata": "metadata are the application's",
    "write.idempotency_key": "a model has no key for a call that is sent again",
    "current.timezone": "a model says times with their offset",
    "list.include": "what is in force can be listed, and no more",
    "list.metadata": "metadata are the application's",
    "list.min_confidence": "what is in force can be listed, and no more",
    "search.expand": "how a search goes on is not a model's to say",
    "search.metadata": "metadata are the application's",
    # What no tool tells.
    "record.recorded_from": "when a memory was believed stands in memory_history alone",
    # What the protocol's client does not send.
    "nan": "JSON has no NaN, and the client sends none",
    "surrogate": "the client sends no halves of characters",
    # Claims that are other ones of a model's word.
    "test_c70_confidences_come_back_as_written": "a model's word has a default of its own: 50 %",
}
"""What this surface cannot express, by verb, field or test, and why: that is skipped."""

_FIELDS: Final = {
    "write": {"subject", "attribute", "value", "text", "type", "valid_from", "valid_to", "mode",
              "confidence", "quote", "source_episode_id"},
    "current": {"as_of", "known_at"},
    "list": {"subject"},
    "search": {"subject", "attribute", "types", "as_of", "known_at", "include", "limit"},
    "context": {"budget_tokens"},
}  # fmt: skip


def beyond(claim: str) -> Any:
    """Skip what the table names; anything else that is missing is a fault of a test or of us."""
    if claim not in BEYOND:
        raise KeyError(claim)
    pytest.skip(BEYOND[claim])


class Told(dict[str, Any]):
    """A memory as a tool tells of it, under the names of the other surfaces."""

    def __init__(self, known: Json) -> None:
        super().__init__(known)
        self["memory_id"] = known["id"]
        if "confidence" in known:
            self["confidence"] = int(known["confidence"].rstrip("%")) / 100

    def __missing__(self, name: str) -> Any:
        return beyond(f"record.{name}")


class McpWorld:
    """The service in this process, with a client for each tenant and person."""

    def __init__(self, path: Any, clock: Any) -> None:
        self._path, self._clock = path, clock
        self.keys: dict[str, str] = {}
        self._start()

    def _start(self) -> None:
        self.service = Service.open(self._path, clock=self._clock)
        self._places: dict[tuple[str, str | None], McpPlace] = {}
        settings = Settings(upkeep=UpkeepSettings(enabled=False))
        self.app = create_app(self.service, settings=settings)
        self._stack = ExitStack()
        self.portal = self._stack.enter_context(start_blocking_portal())
        self.enter(self.app.router.lifespan_context(self.app))

    def enter(self, context: Any) -> Any:
        """Keep something open until the end."""
        return self._stack.enter_context(self.portal.wrap_async_context_manager(context))

    def place(self, tenant: str = "t1", person: str | None = None) -> McpPlace:
        if tenant not in self.keys:
            with refusing():
                self.keys[tenant] = self.service.new_tenant(tenant).key
        if (tenant, person) not in self._places:
            client = self.enter(self._client(self.keys[tenant], person))
            self._places[tenant, person] = McpPlace(self, client)
        return self._places[tenant, person]

    @asynccontextmanager
    async def _client(self, key: str, person: str | None) -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        if person is not None:
            headers["X-Vigent-Subject"] = person.encode().decode("latin-1")
        transport = httpx2.ASGITransport(app=self.app)
        url = "http://localhost:8080/mcp"
        async with (
            httpx2.AsyncClient(transport=transport, headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield client

    def erase(self, tenant: str, person: str) -> Any:
        store = self.service.registry.named(tenant, "store", "default")
        with refusing():
            return self.service.base(store).erase_person(person).counts

    def restart(self) -> None:
        self.close()
        self._start()

    def close(self) -> None:
        self._stack.close()
        self.service.close()


class McpPlace:
    def __init__(self, world: McpWorld, client: Client) -> None:
        self._world, self._client = world, client

    def ask(self, tool: str, arguments: Json) -> Json:
        """Call a tool; raises Refused with the code and the field that a model is told."""
        if not _sendable(arguments):
            beyond("surrogate")
        call: Callable[..., Any] = self._client.call_tool
        given = self._world.portal.call(call, tool, arguments)
        if not given.is_error:
            return given.structured_content
        told = given.content[0].text.removeprefix(f"Error executing tool {tool}: ")
        code, _, message = told.partition(": ")
        field, colon, rest = message.partition(": ")
        raise Refused(code, field if colon else None, rest or message)

    def write(self, **fields: Any) -> Json:
        _known("write", fields)
        if fields.get("confidence") is not None:
            fields["confidence"] = _percent(fields["confidence"])
        done = self.ask("memory_write", fields)
        told = {"outcome": done["outcome"], "ended": [Told(one) for one in done["ended"]]}
        return {**told, "memory": Told(done["memory"]) if "memory" in done else None}

    def write_many(self, *_: Any, **__: Any) -> Any:
        return beyond("write_many")

    def retract(self, *_: Any, **__: Any) -> Any:
        return beyond("retract")

    def capture(self, *_: Any, **__: Any) -> Any:
        return beyond("capture")

    def current(self, subject: str, attribute: str, **at: Any) -> Json | None:
        _known("current", at)
        about = {"subject": subject, "attribute": attribute}
        found = self.ask("memory_current", {**about, **at})["memories"]
        assert len(found) <= 1
        return Told(found[0]) if found else None

    def history(self, subject: str, attribute: str) -> list[Json]:
        about = {"subject": subject, "attribute": attribute}
        return [Told(one) for one in self.ask("memory_history", about)["stretches"]]

    def list(self, **filters: Any) -> list[Json]:
        """What is in force, by subject: there is a resource that names the subjects."""
        _known("list", filters)
        subjects = [filters["subject"]] if filters else self._subjects()
        return [
            Told(one)
            for subject in subjects
            for one in self.ask("memory_current", {"subject": subject})["memories"]
        ]

    def _subjects(self) -> list[str]:
        entities = self.ask("read_graph", {"limit": 1000})["entities"]
        return [entity["name"] for entity in entities]

    def get(self, *_: Any, **__: Any) -> Any:
        return beyond("get")

    def amend(self, *_: Any, **__: Any) -> Any:
        return beyond("amend")

    def forget(self, memory_id: str) -> None:
        self.ask("memory_forget", {"memory_id": memory_id})

    def search(self, query: Any, **asked: Any) -> list[Json]:
        _known("search", asked)
        hits = self.ask("memory_search", {"query": query, **asked})["hits"]
        return [{**hit, "record": Told(hit["memory"])} if "memory" in hit else hit for hit in hits]

    def context(self, query: str, **asked: Any) -> Json:
        _known("context", asked)
        return self.ask("memory_context", {"query": query, **asked})


def _known(verb: str, fields: Json) -> None:
    for name in fields:
        if name not in _FIELDS[verb]:
            beyond(f"{verb}.{name}")


def _percent(given: Any) -> Any:
    if not isinstance(given, int | float) or isinstance(given, bool):
        return given
    return round(given * 100) if math.isfinite(given) else beyond("nan")


def _sendable(given: Any) -> bool:
    if isinstance(given, dict):
        return all(_sendable(part) for pair in given.items() for part in pair)
    try:
        return not isinstance(given, str) or bool(given.encode()) or not given
    except UnicodeError:
        return False
