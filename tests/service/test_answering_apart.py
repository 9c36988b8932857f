"""Turns behind a real server: a stuck provider, a client that goes away, a process full of work."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress

import httpx2
import pytest

from tests.service.calls import bearer
from tests.serving import Server
from vigent.edges.http.app import create_app
from vigent.service import Service
from vigent.settings import LanguageSettings, LimitSettings, Settings
from vigent.testing import Answer, ModelServer


@pytest.fixture
def world(tmp_path):
    """A service with one thread for reads and one for writes, and its scripted model."""
    with served(tmp_path, LimitSettings(readers=1, writers=1)) as found:
        yield found


@pytest.fixture
def few(tmp_path):
    """A service that has three turns under way at most."""
    with served(tmp_path, LimitSettings(turns=3)) as found:
        yield found


@contextmanager
def served(tmp_path, limits):
    with ModelServer() as model:
        models = LanguageSettings(model=f"{model.url}#m1", timeout_seconds=20, attempts=1)
        service = Service.open(tmp_path / "s.db", embedder="none", models=models)
        first = service.first_start()
        settings = Settings(limits=limits)
        server = Server(create_app(service, settings=settings))
        with httpx2.Client(base_url=server.url, headers=bearer(first.key), timeout=20) as client:
            yield client, model, service
        server.close()
        service.close()


def until(true, seconds=10.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def ask(client, **more):
    return client.post("/v1/responses", json={"model": "m1", "input": "Hello", **more})


def test_a_stuck_provider_keeps_nobody_else_waiting(world):
    client, model, _ = world
    model.fail("hang", times=None)
    stuck = [threading.Thread(target=lambda: _quietly(client), daemon=True) for _ in range(20)]
    for one in stuck:
        one.start()
    until(lambda: model.open >= 20)
    began = time.monotonic()
    fact = {"index_id": "default", "text": "tea is hot"}
    assert client.post("/v1/memory", json=fact).status_code == 201
    assert client.get("/v1/memory?index_id=default").status_code == 200
    assert time.monotonic() - began < 5
    model.stopped.set()  # lets them go
    for one in stuck:
        one.join(30)


@pytest.mark.parametrize("stream", [False, True])
def test_no_more_turns_are_under_way_than_may_be(few, stream):
    client, model, service = few
    model.fail("hang", times=None)
    stuck = [
        threading.Thread(target=lambda: _quietly(client, stream=stream), daemon=True)
        for _ in range(3)
    ]
    for one in stuck:
        one.start()
    until(lambda: model.open >= 3)
    before = len(service.registry.page("default", "response"))
    chat = {"model": "m1", "messages": [{"role": "user", "content": "Hello"}], "stream": stream}
    for refused in (ask(client, stream=stream), client.post("/v1/chat/completions", json=chat)):
        told = refused.json()
        assert (refused.status_code, told["code"]) == (503, "overloaded")
        assert told["detail"] == "3 turns are under way already; nothing was done"
        assert refused.headers["Retry-After"] == "2"
    assert told["error"]["code"] == "overloaded"  # as OpenAI's client reads it
    assert len(service.registry.page("default", "response")) == before == 3
    assert client.get("/health/ready").json()["status"] == "busy"
    assert client.get("/v1/memory?index_id=default").status_code == 200
    model.stopped.set()  # lets them go
    for one in stuck:
        one.join(30)
    until(lambda: ask(client).json().get("code") != "overloaded")


def test_what_is_refused_or_given_up_keeps_no_place(few):
    client, model, _ = few
    model.when("Bye", "Bye.")
    model.answer(Answer(text=" ".join(["word"] * 6_000), pause=0.02))
    for _ in range(4):
        assert ask(client, thread="thr_none").status_code == 404
        assert client.post("/v1/responses", json={"input": "x"}).status_code == 422
    for _ in range(4):
        with client.stream(
            "POST", "/v1/responses", json={"model": "m1", "input": "Hello", "stream": True}
        ) as got:
            next(got.iter_bytes())
        with pytest.raises(httpx2.ReadTimeout):
            client.post("/v1/responses", json={"model": "m1", "input": "Hello"}, timeout=0.5)
    until(lambda: ask(client, input="Bye").status_code == 200)
    assert [ask(client, input="Bye").status_code for _ in range(4)] == [200] * 4


def _quietly(client, **more):
    with suppress(httpx2.HTTPError):
        ask(client, **more)


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_goes_away_ends_the_turn(world, stream):
    client, model, service = world
    model.answer(Answer(text=" ".join(["word"] * 6_000), pause=0.02))
    body = {"model": "m1", "input": "Hello", "stream": stream}
    if stream:
        with client.stream("POST", "/v1/responses", json=body) as got:
            parts = got.iter_bytes()
            next(parts)
            until(lambda: model.streamed > 3)
    else:
        with pytest.raises(httpx2.ReadTimeout):
            client.post("/v1/responses", json=body, timeout=4.0)
    rows = lambda: service.registry.page("default", "response")  # noqa: E731
    until(lambda: rows() and '"cancelled"' in rows()[0].document)
    time.sleep(0.2)
    sent = model.streamed
    time.sleep(0.3)
    assert model.streamed == sent < 1_000
    told = client.get(f"/v1/responses/{rows()[0].id}").json()
    assert (told["status"], told["usage"]["failed"]) == ("cancelled", 1)
    assert told["usage"]["input_tokens"] > 0
    usage = client.get("/v1/usage?by=kind").json()
    assert "response" in str(usage)
