"""The scripted model server speaks as real ones do, and does what its script says."""

from __future__ import annotations

import json

import httpx2
import pytest

from vigent.errors import InvalidInput
from vigent.testing import ModelServer, read_script
from vigent.testing.modelwire import sample_of

SCHEMA = {
    "type": "object",
    "properties": {
        "list": {"type": "array", "items": {"type": "string"}},
        "n": {"type": "integer"},
    },
    "required": ["list", "n"],
}
HELLO = [{"role": "user", "content": "Hello, my passport."}]


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


def post(server, body, path="/v1/chat/completions", **options):
    return httpx2.post(server.root + path, json=body, timeout=10, **options)


def said(server, body) -> str:
    return post(server, body).json()["choices"][0]["message"]["content"]


def test_rules_are_asked_in_order_and_counted(server):
    server.when("passport", "one", times=1)
    server.when(lambda request: "passport" in request.text, "two", times=1)
    server.answer(lambda request: f"{request.number}: {request.messages[-1][1]}")
    body = {"model": "m", "messages": HELLO}
    assert [said(server, body) for _ in range(3)] == ["one", "two", "2: Hello, my passport."]
    assert [request.model for request in server.requests] == ["m", "m", "m"]


def test_without_a_rule_the_smallest_answer_is_given(server):
    assert said(server, {"messages": HELLO}) == "ok"
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    found = said(server, {"messages": HELLO, "response_format": form})
    assert json.loads(found) == {"list": [], "n": 0}


def test_an_answer_streams(server):
    server.answer("one two three four five")
    got = post(server, {"messages": HELLO, "stream": True})
    assert got.headers["content-type"] == "text/event-stream"
    events = [line[6:] for line in got.text.splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    texts = [chunk["choices"][0]["delta"].get("content", "") for chunk in chunks]
    assert "".join(texts) == "one two three four five"
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_responses_embeddings_and_models(server):
    server.answer({"n": 1})
    form = {"format": {"type": "json_schema", "name": "x", "schema": SCHEMA}}
    got = post(
        server, {"input": "Hello", "instructions": "Be brief.", "text": form}, "/v1/responses"
    )
    assert got.json()["output"][0]["content"][0]["text"] == '{"n": 1}'
    assert server.requests[0].messages == [("system", "Be brief."), ("user", "Hello")]
    assert server.requests[0].schema == SCHEMA
    vectors = post(server, {"input": ["a", "b"]}, "/v1/embeddings").json()["data"]
    assert [len(each["embedding"]) for each in vectors] == [64, 64]
    assert httpx2.get(f"{server.url}/models").json()["data"][0]["id"] == "scripted"
    assert post(server, {}, "/v1/other").status_code == 404


def test_failures_are_as_told(server):
    server.fail(429, retry_after=3)
    got = post(server, {"messages": HELLO})
    assert (got.status_code, got.headers["retry-after"]) == (429, "3")
    server.fail("echo_key")
    got = post(server, {"messages": HELLO}, headers={"Authorization": "Bearer sk-1"})
    assert "Invalid key sk-1" in got.text
    server.fail("drop")
    with pytest.raises(httpx2.HTTPError):
        post(server, {"messages": HELLO})
    server.fail("refuse")
    assert post(server, {"messages": HELLO}).json()["choices"][0]["message"]["refusal"]


def test_a_script_is_read_from_lines(tmp_path):
    path = tmp_path / "script.jsonl"
    path.write_text(
        '# the passport\n{"match": "passport", "reply": {"n": 1}, "times": 1}\n\n'
        '{"pattern": "^Hel+o", "reply": "hi"}\n{"status": 503, "message": "down"}\n'
    )
    with ModelServer(read_script(path)) as server:
        assert said(server, {"messages": HELLO}) == '{"n": 1}'
        assert said(server, {"messages": HELLO}) == "hi"
        assert post(server, {"messages": [{"role": "user", "content": "x"}]}).status_code == 503


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[]", "is no JSON object"),
        ('{"repply": 1}', "has no field 'repply'"),
        ('{"fail": "explode"}', "fail is one of"),
        ('{"times": "2"}', "times is not of the right type"),
        ('{"pattern": "("}', "unterminated"),
        ("{", "Expecting"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, problem):
    path = tmp_path / "script.jsonl"
    path.write_text(f'{{"reply": "ok"}}\n{line}\n')
    with pytest.raises(InvalidInput) as caught:
        read_script(path)
    assert (caught.value.field, problem in caught.value.message) == ("line 2", True)
    with pytest.raises(InvalidInput):
        read_script(tmp_path / "none")


def test_samples_fit_plain_schemas():
    assert sample_of({"const": 3}) == 3
    assert sample_of({"enum": ["b", "a"]}) == "b"
    assert sample_of({"anyOf": [{"type": "null"}, {"type": "string"}]}) is None
    assert sample_of({"type": ["integer", "null"], "minimum": 2}) == 2
    assert sample_of({"type": "array", "items": {"type": "boolean"}, "minItems": 2}) == [False] * 2
