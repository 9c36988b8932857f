from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from vigent.edges.http.app import create_app
from vigent.service import Service
from vigent.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2026-01-10T12:00:00Z")


@pytest.fixture
def service(tmp_path, clock) -> Iterator[Service]:
    made = Service.open(tmp_path / "service.db", clock=clock)
    yield made
    made.close()


@pytest.fixture
def client(service) -> TestClient:
    # Not entered as a context: the fixture above closes the service.
    return TestClient(create_app(service), raise_server_exceptions=False)


@pytest.fixture
def first(service):
    """What the first start made: tenant, index_id and the admin key."""
    return service.first_start()


@pytest.fixture
def admin(first) -> dict[str, str]:
    return {"Authorization": f"Bearer {first.key}"}
