"""Conversations with tools over real HTTP: streamed, bounded, stopped; errors without secrets."""

from __future__ import annotations

import asyncio
import importlib.util
import time

import pytest

from vigent.errors import ModelFailed, ModelRefusal, ProviderError
from vigent.models.language.openai import OpenAILanguageModel
from vigent.ports.models import Conversed, ModelUsage, Spoken, ToolAsked, ToolOffered
from vigent.testing import Answer, ModelServer

KEY = "sk-AAAA1111BBBB2222"
TOOL = ToolOffered("look", "Looks.", {"type": "object", "properties": {"q": {"type": "string"}}})
ASKED = (Spoken("system", "Be brief."), Spoken("user", "Hello."))
NATIVE = pytest.mark.skipif(
    importlib.util.find_spec("pydantic_ai") is None, reason="the extra models is not installed"
)


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


def model(server, **more):
    options = {"api_key": KEY, "backoff": 0.01, "timeout": 5.0, **more}
    return OpenAILanguageModel(server.url, "m1", **options)


def said(one, messages=ASKED, **more):
    async def gather():
        return [part async for part in one.converse(messages, **more)]

    *pieces, last = asyncio.run(gather())
    assert isinstance(last, Conversed)
    return pieces, last


def failing(one, **more) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        said(one, **more)
    return caught.value


def test_text_comes_in_pieces_and_as_a_whole(server):
    server.answer(Answer(text="one two three four five", usage=(11, 5)))
    pieces, last = said(model(server))
    assert pieces == ["one two three", " four five"]
    assert last == Conversed("one two three four five", (), ModelUsage(1, 0, 11, 5), "stop", "m1")
    (request,) = server.requests
    assert request.messages == [("system", "Be brief."), ("user", "Hello.")]
    assert (request.key, request.tools, request.body["stream"]) == (KEY, [], True)


def test_tools_are_asked_for_and_answered(server):
    calls = (("look", {"q": "täg"}), ("look", {"q": "2"}))
    server.answer(Answer(text="Let me see.", calls=calls, usage=(1, 2)), times=1)
    server.answer("Found.")
    pieces, last = said(model(server), tools=[TOOL])
    assert ("".join(pieces), last.finish) == ("Let me see.", "tools")
    assert last.calls == (
        ToolAsked("call_0_0", "look", '{"q": "täg"}'), ToolAsked("call_0_1", "look", '{"q": "2"}'),
    )  # fmt: skip
    more = (
        *ASKED, Spoken("assistant", last.text, last.calls),
        Spoken("tool", "A", call_id="call_0_0"), Spoken("tool", "B", call_id="call_0_1"),
    )  # fmt: skip
    assert said(model(server), more, tools=[TOOL])[1].text == "Found."
    sent = server.requests[1].body
    assert sent["messages"][2]["tool_calls"][1]["function"]["arguments"] == '{"q": "2"}'
    assert sent["messages"][4] == {"role": "tool", "tool_call_id": "call_0_1", "content": "B"}
    assert server.requests[1].tools == ["look"]


def test_a_refusal_a_cut_and_nothing_at_all(server):
    server.fail("refuse")
    error = failing(model(server))
    assert (type(error), error.calls, error.failed) == (ModelRefusal, 1, 1)
    server.fail("cut_off")
    server.script.rules[0].answer.__dict__["text"] = "a long answer"
    assert said(model(server))[1].finish == "length"
    server.answer(Answer(text=""))
    assert said(model(server))[1].text == ""


def test_a_server_that_is_busy_is_asked_again_and_its_words_hold_no_key(server):
    server.fail(503, times=2)
    server.answer("ok")
    assert said(model(server))[1].usage[:2] == (1, 0)
    assert len(server.requests) == 3
    server.fail("echo_key", times=None)
    error = failing(model(server))
    assert isinstance(error, ProviderError)
    assert (error.status, error.final) == (401, True)
    assert KEY not in str(error)
    assert "u:p@" not in str(error)


def test_a_stream_that_breaks_is_not_begun_again(server):
    server.answer(Answer(text="one two three four five six seven", breaks=2))
    error = failing(model(server))
    assert isinstance(error, ProviderError)
    assert (error.calls, error.failed, len(server.requests)) == (1, 1, 1)
    assert error.input_tokens > 0
    assert error.output_tokens > 0


def test_dialects_are_learned(server):
    server.refuses = {"stream_options": "unknown field stream_options"}
    server.answer("ok")
    one = model(server)
    assert said(one)[1].usage[:2] == (2, 1)
    assert said(one)[1].usage[:2] == (1, 0)


def test_time_is_bounded(server):
    server.fail("hang", times=None)
    began = time.monotonic()
    assert isinstance(failing(model(server), timeout=0.4), ProviderError)
    assert time.monotonic() - began < 3
    server.script.rules.clear()
    server.answer(Answer(text="a b c d e f g h i j k l m n o p q r", pause=0.2))
    began = time.monotonic()
    assert isinstance(failing(model(server), timeout=0.5), ProviderError)
    assert time.monotonic() - began < 3


def test_who_goes_away_ends_the_request(server):
    server.answer(Answer(text=" ".join(["word"] * 3000), pause=0.02))

    async def leave():
        stream = model(server).converse(ASKED)
        await anext(stream)
        await stream.aclose()

    asyncio.run(leave())
    time.sleep(0.5)
    before = server.streamed
    time.sleep(0.5)
    assert server.streamed == before < 200


@pytest.mark.models
@NATIVE
@pytest.mark.parametrize(
    ("provider", "name"), [("anthropic", "claude-sonnet-4-6"), ("google", "gemini-2.5-flash")]
)
def test_providers_of_their_own_ways_take_tools_too(server, provider, name):
    from vigent.models.language.native import NativeLanguageModel  # noqa: PLC0415

    one = NativeLanguageModel(provider, name, api_key=KEY, base_url=server.root, backoff=0.01)
    server.answer(Answer(text="See.", calls=(("look", {"q": "x"}),), usage=(3, 4)), times=1)
    server.answer("Found.")
    pieces, last = said(one, tools=[TOOL])
    assert (pieces, last.finish, last.usage) == (["See."], "tools", ModelUsage(1, 0, 3, 4))
    ((id, tool, arguments),) = last.calls
    assert (tool, arguments) == ("look", '{"q": "x"}')
    more = (*ASKED, Spoken("assistant", "See.", last.calls), Spoken("tool", "A", call_id=id))
    assert said(one, more, tools=[TOOL])[1].text == "Found."
    assert server.requests[0].tools == ["look"]
    assert "See." in str(server.requests[1].body)
    server.fail(400, message="no")
    assert isinstance(failing(one), ProviderError)
