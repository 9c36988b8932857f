"""The client has turns answered: whole and streamed, blocking and in an event loop."""

from __future__ import annotations

import asyncio

import pytest

from tests.serving import Server
from vigent import AsyncClient, Client
from vigent.edges.http.app import create_app
from vigent.errors import InvalidInput, NotFound, ProviderError, TokensUsedUp
from vigent.govern.documents import TenantDocument
from vigent.govern.registry import Actor
from vigent.service import Service
from vigent.settings import LanguageSettings
from vigent.testing import Answer, ModelServer


@pytest.fixture
def world(tmp_path):
    with ModelServer() as model:
        models = LanguageSettings(model=f"{model.url}#m1", attempts=1)
        service = Service.open(tmp_path / "s.db", embedder="none", models=models)
        first = service.first_start()
        server = Server(create_app(service))
        with Client(server.url, first.key, person="mira", retries=0) as client:
            yield client, model, service, server.url, first
        server.close()
        service.close()


def test_a_turn_is_answered_and_looked_at_again(world):
    client, model, _, _, first = world
    client.write(subject="mira", attribute="city", value="Lugo")
    search = f"memory__{first.index_id}__search"
    model.answer(Answer(calls=((search, {"query": "city"}),)), times=1)
    model.answer("Lugo.")
    thread = client.threads.create()
    told = client.respond("Which city is mine?", model="m1", thread=thread.id, tools=[search])
    assert (told["output_text"], told["person"]) == ("Lugo.", "mira")
    assert [tool["status"] for tool in told["tools"]] == ["done"]
    assert client.response(told["id"])["output_text"] == "Lugo."
    with pytest.raises(NotFound):
        client.response(told["id"], person="ben")


def test_errors_are_those_of_the_tree(world):
    client, model, service, _, first = world
    with pytest.raises(InvalidInput):
        client.respond("Hello")
    model.fail(400, times=2)
    with pytest.raises(ProviderError):
        client.respond("Hello", model="m1")
    with pytest.raises(ProviderError):
        list(client.respond_stream("Hello", model="m1"))

    def limited(before):
        settings = before.settings.model_copy(update={"monthly_token_limit": 0})
        return before.model_copy(update={"settings": settings})

    service.registry.change(Actor(first.tenant), "tenant", first.tenant, TenantDocument, limited)
    for ask in (client.respond, lambda *a, **k: list(client.respond_stream(*a, **k))):
        with pytest.raises(TokensUsedUp) as caught:
            ask("Hello", model="m1")
        assert caught.value.retry_after > 1


def test_it_streams(world):
    client, model, _, url, first = world
    model.answer("ä one two three four")
    found = list(client.respond_stream("Hello", model="m1"))
    deltas = [one["delta"] for one in found if one["event"] == "response.output_text.delta"]
    assert deltas == ["ä one two", " three four"]
    assert found[-1]["response"]["output_text"] == "ä one two three four"

    async def stream():
        async with AsyncClient(url, first.key) as other:
            events = [one async for one in other.respond_stream("Hello", model="m1")]
            whole = await other.respond("Hello", model="m1")
            return events, whole

    events, whole = asyncio.run(stream())
    assert [one["event"] for one in events] == [one["event"] for one in found]
    assert whole["output_text"] == "ä one two three four"
