"""A window goes to a model in one call and comes back as candidates, or with a reason."""

from __future__ import annotations

import pytest

from vigent.domain.reasoning.form import answer_schema
from vigent.domain.reasoning.window import StateLine, Window, WindowItem
from vigent.domain.schema import AttributeDefinition, Schema
from vigent.domain.usage import Account, Parked
from vigent.errors import InvalidModelOutput, OutputCutOff
from vigent.govern.metering import Metering
from vigent.learn.asking import Asked, ask_about
from vigent.models.language.openai import OpenAILanguageModel
from vigent.testing import Answer, ModelServer

ACCOUNT = Account("default", "idx_1", "extraction")
WINDOW = Window(
    items=(
        WindowItem(episode_id="ep_1", role="user", who="Mira", text="I moved to Ghent last week."),
    ),
    schema=Schema(attributes=[AttributeDefinition(name="city")]),
    state=(StateLine(memory_id="mem_1", subject="mira", attribute="city", value="Antwerp"),),
    subject="mira",
)
CITY = {
    "item": 1, "quote": "I moved to Ghent last week", "speaker": "Mira", "about": "self",
    "assertion": "asserted", "durable": "durable", "type": "fact", "subject": "user",
    "attribute": "city", "relation": "changed", "state": 1, "value": "Ghent",
    "time_words": "last week", "valid_from": "2026-05-25", "valid_to": None, "due": None,
    "importance": 6, "confidence": 0.9,
}  # fmt: skip


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


@pytest.fixture
def ask(server, service, first):
    one = OpenAILanguageModel(server.url, "small", backoff=0.01)
    metering = Metering(service.registry)
    yield lambda window=WINDOW: ask_about(window, one, metering, ACCOUNT)
    one.close()


def test_one_call_gives_the_candidates(server, ask):
    server.when("I moved to Ghent", {"candidates": [CITY, {**CITY, "item": 7}]})
    asked = ask()
    assert isinstance(asked, Asked)
    (proposed,) = asked.reading.proposed
    assert (proposed.subject, proposed.attribute, proposed.value) == ("mira", "city", "Ghent")
    assert (proposed.time_words, proposed.valid_from) == ("last week", "2026-05-25")
    assert [fault.code for fault in asked.reading.faults] == ["unknown_item"]
    assert (asked.usage[:2], asked.problem, len(server.requests)) == ((1, 0), None, 1)
    assert server.requests[0].schema == answer_schema(WINDOW)


@pytest.mark.parametrize("supports", [{"json_schema"}, {"tool"}, {"prompted"}])
def test_in_whichever_form_the_server_takes(server, ask, supports):
    server.supports = supports
    server.answer({"candidates": [CITY]})
    asked = ask()
    assert isinstance(asked, Asked)
    assert len(asked.reading.proposed) == 1


def test_what_stands_whole_before_a_cut_is_kept(server, ask):
    brugge = {**CITY, "value": "Brugge"}
    long = {**CITY, "value": "x" * 1_200}
    server.answer(Answer(value={"candidates": [CITY, brugge, long]}, failure="cut_off"))
    asked = ask()
    assert isinstance(asked, Asked)
    assert [proposed.value for proposed in asked.reading.proposed] == ["Ghent", "Brugge"]
    assert (type(asked.problem), asked.usage[:2]) == (OutputCutOff, (1, 1))


def test_what_has_nothing_whole_fails(server, ask):
    server.answer(Answer(value={"candidates": [CITY]}, failure="cut_off"), times=1)
    server.answer({"facts": [CITY]})
    with pytest.raises(OutputCutOff):
        ask()
    with pytest.raises(InvalidModelOutput):
        ask()


def test_at_the_limit_nothing_is_sent(server, ask, client, admin):
    client.patch(
        "/v1/tenants/default/settings", json={"monthly_token_limit": 100}, headers=admin
    )  # fmt: skip
    waiting = ask()
    assert isinstance(waiting, Parked)
    assert (waiting.used, waiting.wanted > 500, server.requests) == (0, True, [])


def test_the_call_is_as_large_with_a_large_store(server, ask):
    server.answer({"candidates": []})
    ask()
    large = Window(
        items=WINDOW.items, subject="mira", state=WINDOW.state * 2_000,
        schema=Schema(attributes=[AttributeDefinition(name=f"a{n}") for n in range(5_000)]),
    )  # fmt: skip
    ask(large)
    sizes = [len(str(request.body)) for request in server.requests]
    assert len(server.requests) == 2
    assert sizes[1] < sizes[0] + 20_000
