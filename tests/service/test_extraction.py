"""Conversations become memory: what the switch says, sentence by sentence."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.service.extracting import (
    Calls,
    calls,
    drain,
    reads_what_is_said,
    served,
)
from vigent.edges.http.app import create_app
from vigent.testing import FakeClock, ModelServer

NOW = "2026-06-01T12:00:00Z"


@pytest.fixture
def clock():
    return FakeClock(NOW)


@pytest.fixture
def server():
    with ModelServer() as running:
        running.answer(reads_what_is_said)
        yield running


@pytest.fixture
def service(tmp_path, server, clock):
    with served(tmp_path / "s.db", server, clock) as opened:
        yield opened


@pytest.fixture
def first(service):
    return service.first_start()


@pytest.fixture
def client(service):
    return TestClient(create_app(service), raise_server_exceptions=False)


@pytest.fixture
def talk(client, first) -> Calls:
    return calls(client, first.key)


def test_a_quiet_thread_is_read_and_counted(talk, service, server):
    talk.switch()
    talk.talk("mira", "Hello! My city is Ghent.", {"kind": "assistant", "content": "Nice."})
    drain(service)
    assert talk.memories("mira") == [("mira", "city", "Ghent")]
    told = talk.told()
    assert told["windows"] == {"ready": 1, "failed": 0, "queued": 0, "parked": 0}
    assert (told["last_run"]["written"], told["last_run"]["status"]) == (1, "done")
    drain(service)
    assert len(server.requests) == 1
