"""Claude and Gemini by their own ways, over real HTTP to a server that speaks as theirs."""

from __future__ import annotations

import importlib.util
import sys
import traceback

import pytest

from vigent.errors import ModelFailed, ModelRefusal, ModelUnavailable, OutputCutOff, ProviderError
from vigent.models.language.directory import ModelDirectory
from vigent.ports.models import ModelUsage, Told
from vigent.settings import LanguageSettings
from vigent.testing import Answer, ModelServer

INSTALLED = importlib.util.find_spec("pydantic_ai") is not None
needs_extra = pytest.mark.skipif(not INSTALLED, reason="the extra models is not installed")
KEYS = {"anthropic": "sk-ant-AAAA1111BBBB2222", "google": "AIzaAAAA1111BBBB2222CCCC3333"}
NAMES = {"anthropic": "claude-sonnet-4-6", "google": "gemini-2.5-flash"}
ASKED = (
    Told("system", "Be brief."), Told("user", "Hello."), Told("assistant", "Yes?"),
    Told("user", "How many?"),
)  # fmt: skip
SCHEMA = {
    "type": "object",
    "properties": {"count": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
    "required": ["count"],
    "additionalProperties": False,
}


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


@pytest.fixture(params=["anthropic", "google"])
def provider(request):
    return request.param


@pytest.fixture
def model(server, provider):
    def make(**options):
        from vigent.models.language.native import NativeLanguageModel  # noqa: PLC0415

        return NativeLanguageModel(
            provider, NAMES[provider], api_key=KEYS[provider], base_url=server.root,
            **{"backoff": 0.01, "timeout": 20.0, **options},
        )  # fmt: skip

    return make


def failing(call) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        call()
    return caught.value


@pytest.mark.models
@needs_extra
def test_the_provider_is_asked_in_its_own_way(server, provider, model):
    server.answer(Answer(value={"count": 3}, usage=(11, 5)))
    one = model()
    done = one.complete(ASKED, schema=SCHEMA, max_tokens=99)
    assert (done.parsed, done.form) == ({"count": 3}, "tool")
    assert done.usage == ModelUsage(1, 0, 11, 5)
    assert (one.name, one.provider) == (f"{provider}:{NAMES[provider]}", provider)
    (request,) = server.requests
    assert (request.model, request.key) == (NAMES[provider], KEYS[provider])
    assert request.messages == [
        ("system", "Be brief."), ("user", "Hello."), ("assistant", "Yes?"), ("user", "How many?"),
    ]  # fmt: skip
    assert "count" in str(request.schema)
    assert "99" in str(request.body)


@pytest.mark.models
@needs_extra
def test_text_comes_without_a_schema(server, model):
    server.answer("Three.")
    assert model().complete(ASKED).text == "Three."


@pytest.mark.models
@needs_extra
def test_a_wrong_answer_is_asked_for_once_more(server, model):
    server.when("That answer cannot be used", {"count": 3})
    server.answer({"count": "three"})
    done = model().complete(ASKED, schema=SCHEMA)
    assert (done.parsed, done.usage[:2]) == ({"count": 3}, (2, 1))


@pytest.mark.models
@needs_extra
@pytest.mark.parametrize(("how", "kind"), [("refuse", ModelRefusal), ("cut_off", OutputCutOff)])
def test_a_refusal_and_an_end_at_the_limit(server, model, how, kind):
    server.fail(how)
    error = failing(lambda: model().complete(ASKED, schema=SCHEMA))
    assert (type(error), error.calls, error.failed) == (kind, 1, 1)


@pytest.mark.models
@needs_extra
def test_a_server_that_fails_for_a_while_is_asked_again(server, model):
    server.answer({"count": 3})
    server.fail(503, times=2)
    done = model().complete(ASKED, schema=SCHEMA)
    assert (done.parsed, done.usage[:2]) == ({"count": 3}, (3, 2))


@pytest.mark.models
@needs_extra
def test_time_is_bounded(server, model):
    server.fail("hang", times=None)
    error = failing(lambda: model(timeout=0.5, attempts=2).complete(ASKED, schema=SCHEMA))
    assert (type(error), error.calls, error.final) == (ProviderError, 2, False)


@pytest.mark.models
@needs_extra
def test_no_key_comes_out_of_it(server, provider, model, caplog):
    server.answer(Answer(failure="echo_key", status=401))
    one = model()
    with caplog.at_level("DEBUG"):
        error = failing(lambda: one.complete(ASKED, schema=SCHEMA))
    shown = "".join(
        [*traceback.format_exception(error), repr(error), repr(one), caplog.text]
    )  # fmt: skip
    for piece in (KEYS[provider], "BBBB2222", "u:p@"):
        assert piece not in shown
    assert (error.status, error.final, error.calls) == (401, True, 1)
    assert "Invalid key [hidden]" in error.message


def test_without_the_extra_that_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "vigent.models.language.native", None)
    models = ModelDirectory(LanguageSettings(anthropic_key="k" * 20))
    with pytest.raises(ModelUnavailable, match="vigent\\[models\\]"):
        models.get("anthropic:claude")
