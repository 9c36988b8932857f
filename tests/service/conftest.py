"""A service on a file, and a client that calls its app in this process."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.every_world import EVERY, unsaid
from tests.service.extracting import calls
from tests.service.mcp_world import BEYOND
from vigent.domain.time import parse_instant
from vigent.edges.http.app import create_app
from vigent.govern.documents import KeyDocument, Policy, Secret
from vigent.govern.keys import new_secret, secret_digest, show_key
from vigent.govern.registry import Actor
from vigent.service import Service
from vigent.testing import FakeClock, ModelServer


@pytest.fixture
def clock(request):
    """The time of the service; a module may set another one as ``NOW``."""
    return FakeClock(getattr(request.module, "NOW", "2026-06-03T10:00:00Z"))


@pytest.fixture
def service(tmp_path, clock):
    opened = Service.open(tmp_path / "service.db", clock=clock, embedder="none")
    yield opened
    opened.close()


@pytest.fixture
def first(service):
    """What the first start made: tenant, index_id and the admin key."""
    return service.first_start()


@pytest.fixture
def client(service):
    # Not entered as a context: the fixture above closes the service.
    return TestClient(create_app(service), raise_server_exceptions=False)


@pytest.fixture
def admin(first):
    return {"Authorization": f"Bearer {first.key}"}


@pytest.fixture
def key(service, first):
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
        row = service.registry.create(Actor(first.tenant), "key", document)
        return {"Authorization": f"Bearer {show_key(first.tenant, row.id, secret)}"}

    return make


@pytest.fixture
def server():
    """A scripted model."""
    with ModelServer() as running:
        yield running


@pytest.fixture
def talk(client, first):
    """What tests of extraction ask of the service, as the admin."""
    return calls(client, first.key)


@pytest.fixture
def at():
    return lambda text: parse_instant(text, "at")


# Every surface is asked in ``make test-all``; these two, which all others stand on, always.
QUICK = {"python", "http"}


@pytest.fixture(
    params=[
        name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
        for name in sorted(EVERY)
    ]
)
def world(request, tmp_path, clock):
    """Tenants behind each surface in turn; what one cannot say stands in ``UNSAID``."""
    values = request.node.callspec.params
    reason = unsaid(request.param, request.node.originalname, values)
    if request.param == "mcp":
        reason = reason or BEYOND.get(request.node.originalname)
    if reason is not None:
        pytest.skip(reason)
    made = EVERY[request.param](tmp_path / "world.db", clock)
    yield made
    made.close()
