"""A service with a scripted model, and what a turn leaves: fixtures and readers."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from vigent.edges.http.app import create_app
from vigent.service import Service
from vigent.settings import LanguageSettings
from vigent.testing import ModelServer


@pytest.fixture
def model():
    with ModelServer() as running:
        yield running


@pytest.fixture
def service(tmp_path, clock, model):
    models = LanguageSettings(model=f"{model.url}#m1", key="sk-secret")
    opened = Service.open(tmp_path / "s.db", clock=clock, embedder="none", models=models)
    yield opened
    opened.close()


@pytest.fixture
def client(service):
    return TestClient(create_app(service), raise_server_exceptions=False)


@pytest.fixture
def mira(admin):
    return {**admin, "X-Vigent-Subject": "mira"}


@pytest.fixture
def memory(service, first):
    return service.base(service.registry.get(first.tenant, "store", first.index_id))


@pytest.fixture
def thread(client, mira, first):
    made = client.post("/v1/threads", json={"index_id": first.index_id}, headers=mira)
    return made.json()["id"]


def events(client, headers, path="/v1/responses", **body):
    with client.stream("POST", path, json={**body, "stream": True}, headers=headers) as got:
        assert got.status_code == 200, got.read()
        assert got.headers["content-type"].startswith("text/event-stream")
        text = got.read().decode()
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n"))
        data = lines["data"]
        found.append((lines.get("event"), data if data == "[DONE]" else json.loads(data)))
    return found


def items(client, headers, thread):
    found = client.get(f"/v1/threads/{thread}/items", headers=headers).json()["items"]
    return [(item["kind"], item["content"]) for item in found]
