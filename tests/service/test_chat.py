"""The chat protocol of OpenAI: requests as its Python client sends them, answers to match."""

from __future__ import annotations

import json

import pytest

from tests.service.turns import (  # noqa: F401 - fixtures
    client,
    events,
    items,
    memory,
    mira,
    model,
    service,
    thread,
)
from vigent.testing import Answer

LOOK = {
    "type": "function",
    "function": {
        "name": "look", "description": "Looks.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
    },
}  # fmt: skip
# What openai 1.x and 2.x send beside the key; a body is JSON of what the caller gave.
SENT = {
    "Accept": "application/json", "User-Agent": "OpenAI/Python 2.8.1",
    "X-Stainless-Lang": "python", "X-Stainless-Retry-Count": "0", "x-stainless-read-timeout": "600",
}  # fmt: skip


@pytest.fixture
def headers(mira):  # noqa: F811
    return {**mira, **SENT}


def completed(client, headers, *messages, code=200, **more):  # noqa: F811
    body = {"model": "m1", "messages": list(messages), **more}
    answer = client.post("/v1/chat/completions", json=body, headers=headers)
    assert answer.status_code == code, answer.text
    return answer.json()


def user(text):
    return {"role": "user", "content": text}


def test_an_answer_has_the_shape_of_openais(client, model, headers, memory, clock):  # noqa: F811
    memory.write(subject="mira", attribute="city", value="Lugo", person="mira")
    model.answer(Answer(text="Lugo.", usage=(40, 6)))
    told = completed(
        client, headers, {"role": "developer", "content": "Be brief."}, user("Which city is mine?"),
        max_completion_tokens=77, temperature=0.2, user="mira",
    )  # fmt: skip
    assert told == {
        "id": told["id"], "object": "chat.completion", "model": "m1",
        "created": clock.now() // 1_000_000,
        "choices": [
            {"index": 0, "finish_reason": "stop", "logprobs": None,
             "message": {"role": "assistant", "content": "Lugo.", "refusal": None}},
        ],
        "usage": {"prompt_tokens": 40, "completion_tokens": 6, "total_tokens": 46},
    }  # fmt: skip
    roles = [role for role, _ in model.requests[0].messages]
    assert roles == ["system", "user", "user"]
    assert "Lugo" in model.requests[0].messages[1][1]
    assert model.requests[0].body["max_tokens"] == 77
    trace = client.get(f"/v1/responses/{told['id']}", headers=headers).json()
    assert list(trace["memory"]["sections"]) == ["[about_this_person]"]


def test_it_streams_as_openais_client_reads(client, model, headers):  # noqa: F811
    model.answer(Answer(text="one two three four", usage=(4, 5)))
    found = events(
        client, headers, "/v1/chat/completions", model="m1", messages=[user("Hello")],
        stream_options={"include_usage": True},
    )  # fmt: skip
    chunks = [data for _, data in found]
    assert chunks.pop() == "[DONE]"
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert [chunk["choices"][0]["delta"] for chunk in chunks[:-1]] == [
        {"role": "assistant", "content": ""}, {"content": "one two three"}, {"content": " four"},
        {},
    ]  # fmt: skip
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert (chunks[-1]["choices"], chunks[-1]["usage"]["total_tokens"]) == ([], 9)


def test_the_callers_own_tools_are_passed_on(client, model, headers, thread):  # noqa: F811
    model.answer(Answer(calls=(("look", {"q": "x"}),)), times=1)
    model.answer("It is x.")
    metadata = {"thread": thread}
    asked = user("Look for x")
    told = completed(client, headers, asked, tools=[LOOK], metadata=metadata)
    choice = told["choices"][0]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)
    (call,) = choice["message"]["tool_calls"]
    assert call["function"] == {"name": "look", "arguments": '{"q": "x"}'}
    assert model.requests[0].tools == ["look"]
    # The client sends the message back as it came, with fields that say nothing.
    back = {**choice["message"], "annotations": [], "audio": None, "function_call": None}
    result = {"role": "tool", "tool_call_id": call["id"], "content": "x is here"}
    told = completed(client, headers, asked, back, result, tools=[LOOK], metadata=metadata)
    assert told["choices"][0]["message"]["content"] == "It is x."
    sent = model.requests[1].body["messages"]
    assert [one["role"] for one in sent] == ["user", "assistant", "tool"]
    assert sent[2]["tool_call_id"] == call["id"]
    assert items(client, headers, thread) == [
        ("user", "Look for x"), ("tool_call", '{"q": "x"}'), ("tool_result", "x is here"),
        ("assistant", "It is x."),
    ]  # fmt: skip
    model.script.rules.clear()
    model.answer(Answer(calls=(("look", {"q": "y"}),)))
    chunks = events(client, headers, "/v1/chat/completions", model="m1", messages=[asked],
                    tools=[LOOK])  # fmt: skip
    deltas = [data["choices"][0]["delta"] for _, data in chunks[:-1]]
    assert deltas[1]["tool_calls"][0]["function"]["arguments"] == '{"q": "y"}'
    assert deltas[1]["tool_calls"][0]["index"] == 0


def test_memorys_tools_run_here_beside_the_callers(client, model, headers, first, thread):  # noqa: F811
    search = f"memory__{first.index_id}__search"
    both = ((search, {"query": "x"}), ("look", {"q": "x"}))
    model.answer(Answer(calls=((search, {"query": "x"}),)), times=1)
    model.answer(Answer(calls=both))
    named = {"type": "function", "function": {"name": search}}
    told = completed(
        client, headers, user("Hello"), tools=[named, LOOK], metadata={"thread": thread}
    )
    assert [c["function"]["name"] for c in told["choices"][0]["message"]["tool_calls"]] == ["look"]
    trace = client.get(f"/v1/responses/{told['id']}", headers=headers).json()
    assert [tool["name"] for tool in trace["tools"]] == [search, search]


def test_errors_are_where_openais_client_looks(client, model, headers, key, first):  # noqa: F811
    told = completed(client, headers, user("Hi"), odd=1, code=422)
    assert told["error"] == {
        "message": "odd: is not known", "type": "invalid_request_error", "param": "odd",
        "code": "invalid_input",
    }  # fmt: skip
    assert told["code"] == "invalid_input"
    nobody = client.post("/v1/chat/completions", json={"model": "m1"})
    assert (nobody.status_code, nobody.json()["error"]["type"]) == (401, "authentication_error")
    told = completed(client, key("memory"), user("Hi"), code=403)
    assert told["error"]["type"] == "permission_error"
    model.fail(400, message="no")
    answer = client.post(
        "/v1/chat/completions",
        json={"model": "m1", "messages": [user("Hi")], "stream": True}, headers=headers,
    )  # fmt: skip
    # Nothing of the stream was sent yet: the status says it, so that the client may try again.
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "provider_error")
    assert int(answer.headers["retry-after"]) >= 1
    client.patch(
        f"/v1/tenants/{first.tenant}/settings", json={"monthly_token_limit": 1}, headers=headers
    )
    told = completed(client, headers, user("Hello there"), code=429)
    assert told["error"]["type"] == "rate_limit_error"


def test_a_stream_that_breaks_says_so(client, model, headers):  # noqa: F811
    model.answer(Answer(text="one two three four five six seven", breaks=3))
    found = events(client, headers, "/v1/chat/completions", model="m1", messages=[user("Hi")])
    assert found[-1][1]["error"]["code"] == "provider_error"
    assert found[1][1]["choices"][0]["delta"] == {"content": "one two three"}


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([{"role": "assistant", "content": "Hi"}], "messages"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}],
         "messages.0"),
        ([], "messages"),
    ],
)  # fmt: skip
def test_messages_that_do_not_fit_are_named(client, headers, messages, field):  # noqa: F811
    told = completed(client, headers, *messages, code=422)
    assert told["field"].startswith(field)


def test_an_agent_brings_its_words(client, model, headers):  # noqa: F811
    body = {"name": "guide", "model": "m2", "instructions": "Be kind."}
    client.post("/v1/agents", json=body, headers=headers)
    told = completed(client, headers, user("Hello"), metadata={"agent": "guide"})
    assert (told["model"], model.requests[0].messages[0]) == ("m1", ("system", "Be kind."))


def test_under_a_key_the_thread_answers_again(client, model, headers, thread):  # noqa: F811
    model.answer(lambda request: f"Answer {request.number}")
    headers = {**headers, "Idempotency-Key": "k1"}
    metadata = {"thread": thread}
    one, two = (completed(client, headers, user("Hello"), metadata=metadata) for _ in range(2))
    assert one == two
    assert json.dumps(items(client, headers, thread)).count("Answer") == 1
