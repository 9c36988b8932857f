"""A service on a file, and a client that calls its app in this process."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from vigent.edges.http.app import create_app
from vigent.service import Service
from vigent.testing import FakeClock


@pytest.fixture
def clock():
    return FakeClock("2026-06-01T12:00:00Z")


@pytest.fixture
def service(tmp_path, clock):
    opened = Service.open(tmp_path / "service.db", clock=clock, embedder="none")
    yield opened
    opened.close()


@pytest.fixture
def first(service):
    return service.first_start()


@pytest.fixture
def admin(first):
    return {"Authorization": f"Bearer {first.key}"}


@pytest.fixture
def client(service):
    return TestClient(create_app(service))
