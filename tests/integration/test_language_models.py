"""Language models over real HTTP: what is asked, and every way in which a server can fail."""

from __future__ import annotations

import logging
import time
import traceback
from decimal import Decimal

import pytest

from vigent.errors import (
    InvalidInput,
    InvalidModelOutput,
    ModelFailed,
    ModelRefusal,
    ModelUnavailable,
    OutputCutOff,
    ProviderError,
)
from vigent.models.guarded import GuardedLanguageModel
from vigent.models.language.directory import ModelDirectory
from vigent.models.language.openai import OpenAILanguageModel
from vigent.ports.models import ModelUsage, Told
from vigent.settings import LanguageSettings
from vigent.testing import Answer, ModelServer

KEY = "sk-test-AAAA1111BBBB2222"
ASKED = (Told("system", "Be brief."), Told("user", "How many?"))
SCHEMA = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "of": {"type": "string"}},
    "required": ["count", "of"],
    "additionalProperties": False,
}
GOOD = {"count": 3, "of": "figs"}


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


@pytest.fixture
def model(server):
    """A maker of models of the server, that lose no time between tries."""
    made: list[OpenAILanguageModel] = []

    def make(url: str | None = None, **options) -> OpenAILanguageModel:
        options = {"backoff": 0.01, "timeout": 5.0, **options}
        made.append(OpenAILanguageModel(url or server.url, "small", **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def failing(call) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        call()
    return caught.value


def counted(error: ModelFailed) -> tuple[int, int]:
    return error.calls, error.failed


# ------------------------------------------------------------------------------- asking


def test_it_asks_as_openai_is_asked(server, model):
    server.answer(Answer(value=GOOD, usage=(11, 5)))
    done = model(api_key=KEY).complete(ASKED, schema=SCHEMA, max_tokens=77)
    assert (done.parsed, done.form, done.finish) == (GOOD, "json_schema", "stop")
    assert done.usage == ModelUsage(1, 0, 11, 5)
    (request,) = server.requests
    assert (request.path, request.key) == ("/v1/chat/completions", KEY)
    assert request.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "How many?"},
        ],
        "max_tokens": 77, "temperature": 0, "stream": False,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
        },
    }  # fmt: skip


def test_text_is_asked_for_without_a_schema(server, model):
    server.answer("Three.")
    done = model().complete(ASKED)
    assert (done.text, done.parsed, done.form) == ("Three.", None, "")
    assert not {"response_format", "tools"} & set(server.requests[0].body)
    server.fail("cut_off")
    assert model().complete(ASKED).finish == "length"


def test_tokens_that_are_not_told_are_estimated(server, model):
    server.answer(Answer(value=GOOD, usage=()))
    usage = model().complete(ASKED, schema=SCHEMA).usage
    assert usage.input_tokens >= 5
    assert usage.output_tokens >= 8


def test_numbers_are_exact(server, model):
    server.answer('{"n": 0.1000000000000000000001, "of": 123456789012345678901234567890}')
    parsed = model().complete(ASKED, schema={"type": "object"}).parsed
    assert parsed == {
        "n": Decimal("0.1000000000000000000001"), "of": 123456789012345678901234567890,
    }  # fmt: skip


# ------------------------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("supports", "form", "calls"),
    [
        ({"json_schema", "tool", "prompted"}, "json_schema", 1),
        ({"tool", "prompted"}, "tool", 2),
        ({"prompted"}, "prompted", 3),
    ],
)
def test_the_form_that_works_is_found_and_remembered(server, model, supports, form, calls):
    server.supports = supports
    server.answer(GOOD)
    one = model()
    first = one.complete(ASKED, schema=SCHEMA)
    assert (first.parsed, first.form, one.form) == (GOOD, form, form)
    assert first.usage[:2] == (calls, calls - 1)
    assert [r.form for r in server.requests] == ["json_schema", "tool", "prompted"][:calls]
    again = one.complete(ASKED, schema=SCHEMA)
    assert (again.parsed, again.usage[:2]) == (GOOD, (1, 0))
    assert server.requests[-1].schema == SCHEMA


def test_a_server_that_pays_no_heed_to_a_schema_is_asked_in_another_form(server, model):
    server.when(lambda r: r.form == "json_schema", Answer(failure="ignore"))
    server.answer(GOOD)
    one = model()
    assert one.complete(ASKED, schema=SCHEMA).form == "tool"
    assert one.complete(ASKED, schema=SCHEMA).usage.calls == 1


def test_a_server_that_fails_over_the_form_is_not_tried_again_with_it(server, model):
    unknown = Answer(status=500, message="validation error: response_format.type json_schema")
    server.when(lambda r: r.form == "json_schema", unknown)
    server.answer(GOOD)
    done = model().complete(ASKED, schema=SCHEMA)
    assert (done.form, done.usage[:2]) == ("tool", (2, 1))


def test_a_form_that_is_no_longer_taken_is_found_anew(server, model):
    server.answer(GOOD)
    one = model()
    one.complete(ASKED, schema=SCHEMA)
    server.supports = {"prompted"}
    done = one.complete(ASKED, schema=SCHEMA)
    assert (done.form, done.usage[:2], one.form) == ("prompted", (3, 2), "prompted")


@pytest.mark.parametrize(
    ("field", "said", "then"),
    [
        (
            "max_tokens",
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_completion_tokens",
        ),
        ("temperature", "Unsupported value: 'temperature' does not support 0.", "max_tokens"),
    ],
)
def test_a_dialect_is_learned(server, model, field, said, then):
    server.refuses = {field: said}
    server.answer(GOOD)
    one = model()
    assert one.complete(ASKED, schema=SCHEMA).usage[:2] == (2, 1)
    assert field not in server.requests[-1].body
    assert then in server.requests[-1].body
    assert one.complete(ASKED, schema=SCHEMA).usage[:2] == (1, 0)


def test_what_every_form_is_refused_for_is_told_and_final(server, model):
    server.fail(400, times=None, message="maximum context length is 8192 tokens")
    error = failing(lambda: model().complete(ASKED, schema=SCHEMA))
    assert isinstance(error, ProviderError)
    assert (error.code, error.status, error.final) == ("provider_error", 400, True)
    assert counted(error) == (3, 3)
    assert "maximum context length is 8192 tokens" in error.message


# ------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    "said",
    [
        '```json\n{"count": 3, "of": "figs"}\n```',
        'Sure, here you go: {"count": 3, "of": "figs"} Hope it helps!',
        '{"count": 3, "of": "figs",}',
        '<think>{"count": 1}</think>{"count": 3, "of": "figs"}',
        'As of [1]: {"count": 3, "of": "figs"}',
    ],
)
def test_what_stands_around_an_answer_does_no_harm(server, model, said):
    server.answer(said)
    done = model().complete(ASKED, schema=SCHEMA)
    assert (done.parsed, done.usage.calls) == (GOOD, 1)


def test_a_wrong_answer_is_asked_for_once_more_with_what_was_wrong(server, model):
    server.supports = {"json_schema"}
    server.when("That answer cannot be used", GOOD)
    server.answer({"count": "three", "of": "figs"})
    done = model().complete(ASKED, schema=SCHEMA)
    assert (done.parsed, done.usage[:2]) == (GOOD, (4, 3))
    last = server.requests[-1].messages
    assert [role for role, _ in last] == ["system", "user", "assistant", "user"]
    assert '"three"' in last[2][1]
    assert "count: 'three' is not of type 'integer'" in last[3][1]


def test_and_no_more_than_once(server, model):
    server.supports = {"json_schema"}
    server.answer(GOOD, times=1)
    server.answer({"count": "three secret words", "of": "figs"})
    one = model()
    one.complete(ASKED, schema=SCHEMA)
    error = failing(lambda: one.complete(ASKED, schema=SCHEMA))
    assert isinstance(error, InvalidModelOutput)
    assert (error.code, counted(error), len(server.requests)) == ("invalid_model_output", (2, 2), 3)
    assert error.message == (
        "the answer does not have the form asked for: count breaks the rule type"
    )
    assert error.output == {"count": "three secret words", "of": "figs"}
    assert error.input_tokens > 0


def test_an_answer_that_fits_the_least_is_taken(server, model):
    server.answer({"count": "three"})
    done = model().complete(ASKED, schema=SCHEMA, least={"type": "object"})
    assert (done.parsed, done.usage[:2]) == ({"count": "three"}, (1, 0))


def test_broken_json_is_an_invalid_output(server, model):
    server.supports = {"json_schema"}
    server.fail("malformed", times=None)
    error = failing(lambda: model().complete(ASKED, schema=SCHEMA))
    assert (type(error), counted(error)) == (InvalidModelOutput, (4, 4))
    assert "it is no JSON" in error.message


def test_what_was_sound_survives_a_repair_that_fails(server, model):
    server.supports = {"json_schema"}
    server.when("That answer cannot be used", Answer(status=500, message="down"))
    server.answer({"count": "three", "of": "figs"})
    error = failing(lambda: model(attempts=2).complete(ASKED, schema=SCHEMA))
    assert (type(error), error.output) == (
        InvalidModelOutput, {"count": "three", "of": "figs"},
    )  # fmt: skip
    assert counted(error) == (5, 5)


@pytest.mark.parametrize(
    ("how", "kind", "code"),
    [("refuse", ModelRefusal, "model_refusal"), ("cut_off", OutputCutOff, "output_cut_off")],
)
def test_a_refusal_and_an_end_at_the_limit_are_not_tried_again(server, model, how, kind, code):
    server.fail(how)
    error = failing(lambda: model().complete(ASKED, schema=SCHEMA))
    assert (type(error), error.code, counted(error)) == (kind, code, (1, 1))
    assert error.input_tokens > 0
    if isinstance(error, OutputCutOff):
        assert error.output == '{"count": 0,'[: len(error.output)]
        assert error.output not in error.message


# ------------------------------------------------------------------------------- failures


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_server_that_fails_for_a_while_is_asked_again(server, model, status):
    server.answer(Answer(value=GOOD, usage=(7, 2)))
    server.fail(status, times=2)
    done = model().complete(ASKED, schema=SCHEMA)
    assert (done.parsed, done.usage) == (GOOD, ModelUsage(3, 2, 7, 2))


def test_and_in_the_end_that_is_told(server, model):
    server.fail(500, times=None, message="on fire")
    error = failing(lambda: model(attempts=3).complete(ASKED, schema=SCHEMA))
    assert (type(error), error.status, error.final) == (ProviderError, 500, False)
    assert counted(error) == (3, 3) == (len(server.requests), 3)
    assert error.message == (
        f"{server.url} could not be asked (3 tries): status 500, request req_scripted, on fire"
    )


def test_the_wait_a_server_asks_for_is_kept(server, model):
    server.answer(GOOD)
    server.fail(429, retry_after=0.4)
    begun = time.monotonic()
    assert model().complete(ASKED, schema=SCHEMA).usage[:2] == (2, 1)
    assert 0.4 <= time.monotonic() - begun < 4


def test_one_that_is_too_long_is_left_to_whoever_asks(server, model):
    server.fail(429, retry_after=120)
    error = failing(lambda: model().complete(ASKED, schema=SCHEMA))
    assert (counted(error), error.retry_after) == ((1, 1), 120)


def test_a_late_answer_is_tried_again(server, model):
    server.answer(GOOD)
    server.delay(3.0)
    done = model(timeout=0.4).complete(ASKED, schema=SCHEMA)
    assert (done.parsed, done.usage[:2]) == (GOOD, (2, 1))


def test_nothing_takes_longer_than_the_time_for_all_of_it(server, model):
    server.fail("hang", times=None)
    begun = time.monotonic()
    error = failing(
        lambda: model(timeout=0.4, attempts=9).complete(ASKED, schema=SCHEMA, timeout=1.0)
    )
    assert time.monotonic() - begun < 3
    assert isinstance(error, ProviderError)
    assert 2 <= error.calls <= 4
    assert "Timeout" in error.message


def test_not_even_a_single_try(server, model):
    server.fail("hang", times=None)
    begun = time.monotonic()
    error = failing(lambda: model(timeout=8.0).complete(ASKED, schema=SCHEMA, timeout=0.5))
    assert time.monotonic() - begun < 4
    assert counted(error) == (1, 1)


def test_a_connection_that_is_closed_is_tried_again(server, model):
    server.answer(GOOD)
    server.fail("drop")
    assert model().complete(ASKED, schema=SCHEMA).usage[:2] == (2, 1)


@pytest.mark.parametrize(
    "answer", ['{"choices": []}', '{"choices": [{"message": null}]}', "[1]", "no JSON", "{}"]
)
def test_an_answer_without_a_message_is_the_providers_fault(server, model, answer):
    sent = server.post
    server.post = lambda *given: sent(*given)._replace(body=answer)
    error = failing(lambda: model().complete(ASKED, schema=SCHEMA))
    assert (type(error), counted(error)) == (ProviderError, (1, 1))


# ------------------------------------------------------------------------------- secrets


@pytest.mark.parametrize("status", [401, 400, 500])
def test_no_key_comes_out_of_it(server, model, status, caplog):
    server.answer(Answer(failure="echo_key", status=status))
    one = model(api_key=KEY, attempts=2)
    with caplog.at_level(logging.DEBUG):
        error = failing(lambda: one.complete(ASKED, schema=SCHEMA))
    shown = "".join(
        [*traceback.format_exception(error), repr(error), str(error.to_dict()), repr(one),
         caplog.text]
    )  # fmt: skip
    for piece in (KEY, "2222", "BBBB", "u:p@"):
        assert piece not in shown
    assert f"status {status}, request req_scripted, Invalid key [hidden]" in error.message


def test_what_was_said_comes_out_of_it_neither(server, model, caplog):
    told = [Told("user", "My div" + "orce is secret.")]  # tracebacks show this line
    server.answer("I shall tell nobody of your div" + "orce")
    with caplog.at_level(logging.DEBUG):
        error = failing(lambda: model().complete(told, schema=SCHEMA))
    shown = "".join([*traceback.format_exception(error), repr(error), caplog.text])
    assert "div" + "orce" not in shown


def test_a_model_of_others_is_guarded():
    class Theirs:
        name = "theirs"
        provider = "home"

        def complete(self, _messages, **_):
            raise RuntimeError(f"cannot ask with {KEY}")

    error = failing(lambda: GuardedLanguageModel(Theirs()).complete(ASKED))
    assert (type(error), error.message, counted(error)) == (ProviderError, "RuntimeError", (1, 1))


# ------------------------------------------------------------------------------- by name


def test_models_are_given_by_name(server):
    server.answer(GOOD)
    models = ModelDirectory(LanguageSettings(model=f"{server.url}#small", key=KEY))
    assert models.default == "small"
    assert models.get("small") is models.get("small")
    assert models.get("large").complete(ASKED, schema=SCHEMA).parsed == GOOD
    assert (server.requests[0].model, server.requests[0].key) == ("large", KEY)
    assert KEY not in repr(models)
    models.close()


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"base_url": "http://h/v1", "offered": "a, b"}, "c"),
        ({"base_url": "http://h/v1"}, ""),
        ({"base_url": "http://h/v1"}, "anthropic:claude"),
        ({}, "a"),
    ],
)
def test_what_is_not_offered_is_refused(settings, name):
    models = ModelDirectory(LanguageSettings(**settings))
    assert not models.offers(name)
    with pytest.raises(InvalidInput) as caught:
        models.get(name)
    assert caught.value.field == "model"


def test_a_name_leads_to_no_other_address(server):
    """An address of a caller's own would be sent the key."""
    models = ModelDirectory(LanguageSettings(base_url=server.url, key=KEY))
    other = "http://127.0.0.1:9/v1#x"
    server.answer(GOOD)
    assert models.get(other).complete(ASKED, schema=SCHEMA).parsed == GOOD
    assert server.requests[0].model == other
    models.close()


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"model": "small"}, "models.model"),
        ({"model": "https://h/v1"}, "models.model"),
        ({"model": "https://h/v1#m", "base_url": "https://other/v1"}, "models.model"),
        ({"model": "anthropic:claude"}, "models.model"),
        ({"base_url": "ftp://h"}, "models.base_url"),
        ({"base_url": "https://h/v1?api_key=abcd"}, "models.base_url"),
        ({"base_url": "https://h/v1", "key": "ключ"}, "models.key"),
    ],
)
def test_settings_that_lead_nowhere_are_refused_by_name(settings, field):
    with pytest.raises(InvalidInput) as caught:
        ModelDirectory(LanguageSettings(**settings))
    assert caught.value.field == field


def test_short_names_stand_for_known_servers():
    for name, default in (("openai:gpt", "gpt"), ("ollama:llama", "llama"), ("none", "")):
        assert ModelDirectory(LanguageSettings(model=name)).default == default
    native = ModelDirectory(LanguageSettings(model="google:gemini", google_key="AIza"))
    assert (native.default, native.offers("google:gemini")) == ("google:gemini", True)


def test_errors_of_models_are_all_unavailable():
    assert issubclass(ModelFailed, ModelUnavailable)
