"""A service on a file, and a client that calls its app in process."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from vigent.domain.time import parse_instant
from vigent.edges.http.app import create_app
from vigent.govern.documents import KeyDocument, Policy, Secret
from vigent.govern.keys import new_secret, secret_digest, show_key
from vigent.govern.registry import Actor
from vigent.service import Service
from vigent.testing import FakeClock


class Client:
    """Calls the app over ASGI, one request after another."""

    def __init__(self, service: Service) -> None:
        self._app = create_app(service)
        self._loop = asyncio.new_event_loop()

    def request(self, method: str, path: str, **given: Any) -> httpx2.Response:
        return self._loop.run_until_complete(self._ask(method, path, given))

    async def _ask(self, method: str, path: str, given: dict[str, Any]) -> httpx2.Response:
        transport = httpx2.ASGITransport(app=self._app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, **given)

    def __getattr__(self, method: str):
        return lambda path, **given: self.request(method.upper(), path, **given)

    def close(self) -> None:
        self._loop.close()


@pytest.fixture
def clock():
    return FakeClock("2026-06-03T10:00:00Z")


@pytest.fixture
def service(tmp_path, clock):
    opened = Service.open(tmp_path / "vigent.db", clock=clock, embedder="none")
    yield opened
    opened.close()


@pytest.fixture
def start(service):
    return service.first_start()


@pytest.fixture
def first(start):
    return start


@pytest.fixture
def client(service):
    made = Client(service)
    yield made
    made.close()


@pytest.fixture
def admin(start):
    return {"Authorization": f"Bearer {start.key}"}


@pytest.fixture
def key(service, start):
    """A maker of keys: ``key("memory", stores={"*": ("read",)}, memory=…)`` gives headers."""

    def make(*capabilities: str, stores: dict[str, Any] | None = None, **more: Any):
        secret = new_secret()
        wanted = set(capabilities) | ({"knowledge"} if "memory" in capabilities else set())
        document = KeyDocument(
            capabilities=tuple(sorted(wanted)),
            policy=Policy(stores={"*": ("read", "write")} if stores is None else stores),
            secrets=(Secret(digest=secret_digest(secret)),),
            **more,
        )
        row = service.registry.create(Actor(start.tenant), "key", document)
        return {"Authorization": f"Bearer {show_key(start.tenant, row.id, secret)}"}

    return make


@pytest.fixture
def at():
    return lambda text: parse_instant(text, "at")
