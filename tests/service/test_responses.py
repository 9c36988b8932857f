"""Turns that the service answers, over HTTP with a scripted model: what is sent, kept and told."""

from __future__ import annotations

import json

from tests.service.calls import audited, make_key, make_token
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
from vigent.govern.documents import KeyMemory, KeyPii
from vigent.testing import Answer

ALL = ("memory", "knowledge", "threads", "responses", "management")


def asked(client, headers, question="Which city is mine?", code=200, **more):
    body = {"model": "m1", "input": question, **more}
    if "agent" in more:
        del body["model"]
    answer = client.post("/v1/responses", json=body, headers=headers)
    assert answer.status_code == code, answer.text
    return answer.json()


# ------------------------------------------------------------------------------ the turn


def test_memory_is_injected_and_the_turn_stands_on_its_thread(
    client, model, mira, memory, thread, first
):
    kept = memory.write(subject="mira", attribute="city", value="Lugo", person="mira").memory
    model.answer(Answer(text="You live in Lugo.", usage=(40, 6)))
    told = asked(client, mira, thread=thread)
    assert (told["status"], told["output_text"]) == ("completed", "You live in Lugo.")
    assert told["output"] == [{"type": "message", "role": "assistant", "text": "You live in Lugo."}]
    assert told["usage"] == {"calls": 1, "failed": 0, "input_tokens": 40, "output_tokens": 6}
    assert told["memory"]["index_id"] == first.index_id
    assert told["memory"]["sections"] == {"[about_this_person]": [kept.memory_id]}
    (request,) = model.requests
    (block, question) = request.messages
    assert question == ("user", "Which city is mine?")
    assert block[0] == "user"
    assert "Lugo" in block[1]
    # The block went to the model alone: nothing of ours is evidence later.
    said = [("user", "Which city is mine?"), ("assistant", "You live in Lugo.")]
    assert items(client, mira, thread) == said
    again = client.get(f"/v1/responses/{told['id']}", headers=mira).json()
    assert {**again, "output": told["output"]} == told


def test_the_next_turn_has_the_one_before(client, model, mira, thread):
    model.answer("One.", times=1)
    model.answer("Two.")
    asked(client, mira, "First?", thread=thread)
    asked(client, mira, "Second?", thread=thread)
    assert model.requests[1].messages == [
        ("user", "First?"), ("assistant", "One."), ("user", "Second?"),
    ]  # fmt: skip


def test_without_a_thread_nothing_said_is_kept(client, model, mira, service, first):
    model.answer("Hello, passport.")
    told = asked(client, mira, "My passport is AB12.")
    row = service.registry.find(first.tenant, "response", told["id"])
    assert "passport" not in row.document
    again = client.get(f"/v1/responses/{told['id']}", headers=mira).json()
    assert (again["output_text"], again["items"], again["status"]) == (None, [], "completed")


def test_an_agent_brings_its_model_its_words_and_its_memory(client, model, mira, memory, first):
    memory.write(subject="mira", attribute="city", value="Lugo", person="mira")
    block = {"index_id": first.index_id, "types": ["preference"]}
    body = {"name": "guide", "model": "m2", "instructions": "Be kind.", "memory_injection": block}
    made = client.post("/v1/agents", json=body, headers=mira).json()
    thread = client.post("/v1/threads", json={}, headers=mira).json()["id"]
    told = asked(client, mira, agent="guide", thread=thread)
    assert (told["agent_id"], told["agent_version"], told["model"]) == (made["id"], 1, "m2")
    (request,) = model.requests
    assert request.model == "m2"
    assert request.messages == [("system", "Be kind."), ("user", "Which city is mine?")]
    found = client.get(f"/v1/threads/{thread}/items", headers=mira).json()["items"]
    assert [item["agent"] for item in found] == [made["id"]] * 2
    assert {item["metadata"]["response_id"] for item in found} == {told["id"]}


def test_the_tools_of_memory_run_here(client, model, mira, memory, thread, first):
    write, search = (f"memory__{first.index_id}__{verb}" for verb in ("write", "search"))
    said = "Please remember that I prefer oat milk."
    given = {"type": "preference", "text": "prefers oat milk", "quote": "I prefer oat milk"}
    model.answer(Answer(text="Noted:", calls=((write, given),)), times=1)
    model.answer(Answer(calls=((search, {"query": "oat milk"}),)), times=1)
    model.answer("Done.")
    tools = [{"type": "tool", "name": write}, {"type": "tool", "name": search}]
    told = asked(client, mira, said, thread=thread, tools=tools)
    assert [(t["name"], t["status"]) for t in told["tools"]] == [
        (write, "stored"),
        (search, "done"),
    ]
    assert told["output_text"] == "Noted:\n\nDone."
    assert [one["type"] for one in told["output"]] == [
        "message", "tool_call", "tool_result", "tool_call", "tool_result", "message",
    ]  # fmt: skip
    assert told["usage"]["calls"] == 3
    outcome = json.loads(told["output"][2]["output"])
    assert (outcome["outcome"], outcome["trust"]) == ("stored", "person")
    # The same text is read by the model and stands on the thread.
    assert ("tool", told["output"][2]["output"]) in model.requests[1].messages
    kinds = [kind for kind, _ in items(client, mira, thread)]
    assert kinds == [
        "user", "assistant", "tool_call", "tool_result", "tool_call", "tool_result", "assistant",
    ]  # fmt: skip
    assert memory.get(outcome["memory_id"], person="mira").text == "prefers oat milk"
    assert model.requests[0].tools == [write, search]


def test_rounds_of_tools_are_bounded_and_what_is_not_offered_does_not_run(
    client, model, mira, memory, thread, first
):
    search = f"memory__{first.index_id}__search"
    write = f"memory__{first.index_id}__write"
    calls = ((search, {"query": "x"}), (write, {"type": "fact", "text": "Pigs fly"}))
    model.when(lambda request: bool(request.tools), Answer(calls=calls))
    model.answer("Enough.")
    told = asked(client, mira, thread=thread, tools=[{"type": "tool", "name": search}])
    assert (len(model.requests), told["output_text"]) == (9, "Enough.")
    assert model.requests[8].tools == []
    assert {t["status"] for t in told["tools"] if t["name"] == write} == {"tool_not_offered"}
    assert list(memory.list(person="mira")) == []


def test_it_streams(client, model, mira, thread, first):
    search = f"memory__{first.index_id}__search"
    model.answer(Answer(calls=((search, {"query": "x"}),)), times=1)
    model.answer("one two three four five")
    tools = [{"type": "tool", "name": search}]
    found = events(client, mira, model="m1", input="Hello", thread=thread, tools=tools)
    assert [name for name, _ in found] == [
        "response.created", "response.tool_call", "response.tool_result",
        "response.output_text.delta", "response.output_text.delta", "response.completed",
    ]  # fmt: skip
    deltas = [data["delta"] for name, data in found if name == "response.output_text.delta"]
    assert deltas == ["one two three", " four five"]
    last = found[-1][1]["response"]
    assert (last["output_text"], last["status"]) == ("one two three four five", "completed")
    assert found[2][1]["output"] == items(client, mira, thread)[2][1]


# ------------------------------------------------------------------------------ refusals


def test_rights_and_names(client, model, mira, key, admin, thread, first):
    assert asked(client, key("memory", "threads"), code=403)["code"] == "forbidden"
    assert asked(client, admin, model="m1", user="mira")["person"] == "mira"
    told = asked(client, {**admin, "X-Vigent-Subject": "ben"}, user="mira", code=422)
    assert (told["code"], told["field"]) == ("subject_conflict", "user")
    other = {**admin, "X-Vigent-Subject": "ben"}
    assert asked(client, other, thread=thread, code=404)["field"] == "thread"
    assert asked(client, key("responses"), thread=thread, code=403)["code"] == "forbidden"
    reading = key("responses", "threads", stores={first.index_id: ("read",)})
    assert asked(client, {**reading, "X-Vigent-Subject": "mira"}, thread=thread, code=403)
    body = {"input": "Hello"}
    for wrong in ({}, {"model": "m1", "agent": "a"}):
        answer = client.post("/v1/responses", json={**body, **wrong}, headers=mira)
        assert (answer.status_code, answer.json()["field"]) == (422, "model")
    assert len(model.requests) == 1


def test_models_are_those_that_are_offered(client, model, mira, first):
    settings = f"/v1/tenants/{first.tenant}/settings"
    client.patch(settings, json={"models_offered": ["m9"]}, headers=mira)
    assert asked(client, mira, code=422)["field"] == "model"
    assert asked(client, mira, model="m9")["model"] == "m9"


def test_tools_that_are_not_offered_are_named(client, mira, key, first):
    tools = [{"type": "tool", "name": f"memory__{first.index_id}__write"}]
    quiet = key("memory", "responses", memory=KeyMemory(write_tool=False))
    told = asked(client, quiet, tools=tools, code=400)
    assert (told["code"], told["field"]) == ("tool_not_offered", "tools.0.name")
    blind = key("memory", "responses", stores={})
    assert asked(client, blind, tools=tools, code=404)["field"] == "tools.0.name"


def test_a_key_without_memory_or_of_another_store_gets_none_injected(client, model, memory, key):
    memory.write(subject="mira", attribute="city", value="Lugo", person="mira")
    for headers in (key("responses"), key("memory", "responses", stores={})):
        told = asked(client, {**headers, "X-Vigent-Subject": "mira"})
        assert told["memory"] == {}
        assert "Lugo" not in model.requests[-1].text


def test_nothing_is_sent_under_a_key_that_hides(client, model, key):
    hiding = key("responses", pii=KeyPii(hide=True))
    assert asked(client, hiding, code=503)["code"] == "unavailable"
    assert model.requests == []


def test_responses_are_seen_by_whose_they_are(client, model, mira, admin, key, thread):
    told = asked(client, mira, thread=thread)
    path = f"/v1/responses/{told['id']}"
    assert client.get(path, headers=mira).status_code == 200
    assert client.get(path, headers=admin).status_code == 404
    assert client.get(path, headers={**admin, "X-Vigent-Subject": "ben"}).status_code == 404
    no_store = {**key("responses", "threads", stores={}), "X-Vigent-Subject": "mira"}
    assert client.get(path, headers=no_store).status_code == 404
    assert (
        client.get(path, headers={**key("memory"), "X-Vigent-Subject": "mira"}).status_code == 403
    )


# ------------------------------------------------------------------------------ failures


def test_a_provider_that_fails_is_told_without_its_secrets(client, model, mira, thread, admin):
    model.fail("echo_key", times=None)
    answer = client.post(
        "/v1/responses", json={"model": "m1", "input": "Hi", "thread": thread}, headers=mira
    )
    assert (answer.status_code, answer.json()["code"]) == (503, "provider_error")
    assert int(answer.headers["retry-after"]) >= 1
    assert "sk-secret" not in answer.text
    usage = client.get("/v1/usage?by=model,kind", headers=admin).json()
    assert "response" in json.dumps(usage)
    (name, data) = events(client, mira, model="m1", input="Hi")[-1]
    assert (name, data["error"]["code"]) == ("response.failed", "provider_error")
    seen = client.get(f"/v1/responses/{data['id']}", headers=mira).json()
    assert (seen["status"], seen["error"]) == ("failed", "provider_error")
    assert seen["usage"]["failed"] == 1


def test_the_monthly_limit_parks_a_turn(client, model, mira, thread, first):
    settings = f"/v1/tenants/{first.tenant}/settings"
    client.patch(settings, json={"monthly_token_limit": 3}, headers=mira)
    answer = client.post(
        "/v1/responses", json={"model": "m1", "input": "What is this?", "thread": thread},
        headers=mira,
    )  # fmt: skip
    assert (answer.status_code, answer.json()["code"]) == (429, "tokens_used_up")
    # From 10:00 on 3 June to the first of July in UTC.
    assert int(answer.headers["retry-after"]) == 27 * 86_400 + 14 * 3_600
    assert (model.requests, items(client, mira, thread)) == ([], [])


def test_under_a_key_it_is_answered_once(client, model, mira, thread):
    model.answer(lambda request: f"Answer {request.number}")
    headers = {**mira, "Idempotency-Key": "k1"}
    one, two = (asked(client, headers, thread=thread) for _ in range(2))
    assert (one["id"], one["output_text"]) == (two["id"], two["output_text"])
    assert len(model.requests) == 1
    assert asked(client, headers, "Other?", thread=thread, code=409)["code"] == (
        "idempotency_mismatch"
    )
    # What failed is asked anew, and the words of the person stand once.
    model.fail(400)
    headers = {**mira, "Idempotency-Key": "k2"}
    asked(client, headers, "Again?", thread=thread, code=503)
    assert asked(client, headers, "Again?", thread=thread)["status"] == "completed"
    said = [content for kind, content in items(client, mira, thread) if kind == "user"]
    assert said == ["Which city is mine?", "Again?"]


# ------------------------------------------------------------------------------ what goes


def test_a_trace_goes_with_the_thread_and_with_the_person(client, model, mira, admin, thread):
    one = asked(client, mira, thread=thread)["id"]
    two = asked(client, mira)["id"]
    exported = client.get("/v1/persons/mira/export", headers=admin).json()
    assert [found["id"] for found in exported["responses"]] == [one, two]
    assert client.delete(f"/v1/threads/{thread}", headers=mira).status_code == 200
    assert client.get(f"/v1/responses/{one}", headers=mira).status_code == 404
    exported = client.get("/v1/persons/mira/export", headers=admin).json()
    assert [found["id"] for found in exported["responses"]] == [two]
    assert client.delete("/v1/persons/mira/memory", headers=admin).status_code == 200
    assert client.get(f"/v1/responses/{two}", headers=mira).status_code == 404


def test_old_traces_go_with_new_ones(client, model, mira, clock, service, first):
    old = asked(client, mira)["id"]
    clock.advance(days=91)
    asked(client, mira)
    assert service.registry.find(first.tenant, "response", old) is None


def test_a_refusal_is_in_the_trail(client, key, admin):
    asked(client, key("memory"), code=403)
    (entry,) = audited(client, admin, action="refusal")
    assert entry["content"]["route"] == "POST /v1/responses"


def test_a_turn_is_in_the_trail_from_begin_to_end(client, model, mira, admin, thread, first):
    model.answer("Lugo, says the passport.", times=1)
    done = asked(client, mira, "Where is my passport from?", thread=thread)
    entries = [e for e in audited(client, admin) if e["action"].startswith("response_")]
    assert [(e["action"], e["outcome"], e["target"]) for e in entries] == [
        ("response_end", "completed", done["id"]), ("response_begin", "in_progress", done["id"]),
    ]  # fmt: skip
    end, begin = (e["content"] for e in entries)
    assert {e["person"] for e in entries} == {"mira"}
    assert (begin["model"], begin["thread"], begin["stores"]) == ("m1", thread, [first.index_id])
    assert (end["finish"], end["error"]) == ("stop", None)
    # What a model made up, as a name of a tool, is not in it either.
    assert set(begin) == set(end) == {
        "by", "model", "answered_by", "agent_id", "agent_version", "thread", "stores", "finish",
        "error",
    }  # fmt: skip
    assert "assport" not in json.dumps(entries)


def test_a_turn_that_fails_is_in_the_trail(client, model, mira, admin):
    model.fail(500, times=None)
    asked(client, mira, code=503)
    entries = [e for e in audited(client, admin) if e["action"].startswith("response_")]
    assert [(e["action"], e["outcome"]) for e in entries] == [
        ("response_end", "failed"), ("response_begin", "in_progress"),
    ]  # fmt: skip
    assert entries[0]["content"]["error"] == "provider_error"


def test_a_turn_that_is_refused_or_given_again_is_no_turn(client, model, mira, admin, thread):
    model.answer("Hello.")
    for _ in range(2):
        asked(client, {**mira, "Idempotency-Key": "k"}, "Hi", thread=thread)
    asked(client, mira, "Hi", code=404, thread="thr_none")
    assert len(audited(client, admin, action="response_begin")) == 1
    assert len(audited(client, admin, action="response_end")) == 1


def test_the_memory_of_a_turn_is_an_audited_read_where_the_store_asks(client, model, mira, admin):
    model.answer("Hello.")
    asked(client, mira)
    assert audited(client, admin, action="memory_read") == []
    client.patch("/v1/memory/stores/default", json={"audit_reads": True}, headers=admin)
    asked(client, mira)
    (entry,) = audited(client, admin, action="memory_read")
    assert (entry["person"], entry["content"]["route"]) == ("mira", "POST /v1/responses")


def test_the_trail_of_a_turn_goes_with_its_person(client, model, mira, admin):
    model.answer("Hello.")
    asked(client, mira)
    client.delete("/v1/persons/mira/memory", headers=admin)
    for action in ("response_begin", "response_end"):
        (entry,) = audited(client, admin, action=action)
        assert (entry["person"], entry["content"]) == (None, None)


def test_a_subject_token_names_the_person(client, model, admin):
    app = make_key(client, admin, "responses")
    headers = {"Authorization": f"Bearer {app['key']}"}
    headers["X-Vigent-Subject-Token"] = make_token(client, admin, "mira")
    assert asked(client, headers)["person"] == "mira"
    assert asked(client, headers, user="ben", code=422)["code"] == "subject_conflict"
