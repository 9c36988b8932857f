"""Threads over HTTP: found by id across stores, a person's own and the shared."""

from __future__ import annotations

import pytest


def for_person(headers, person):
    return {**headers, "X-Vigent-Subject": person}


@pytest.fixture
def mira(admin):
    return for_person(admin, "mira")


def made(client, headers, **body):
    answer = client.post("/v1/threads", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


def said(client, headers, thread, content, **more):
    body = {"role": "user", "content": content, **more}
    answer = client.post(f"/v1/threads/{thread}/items", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_thread_is_made_in_the_default_store_for_the_person_of_the_request(client, mira, first):
    thread = made(client, mira, agent="helper", metadata={"title": "Trip"}, ttl_days=30)
    assert thread["id"].startswith("thr_")
    assert len(thread["id"]) <= 40
    assert thread["index_id"] == first.index_id
    told = {k: thread[k] for k in ("person_id", "agent", "metadata", "ttl_days")}
    assert told == {
        "person_id": "mira", "agent": "helper", "metadata": {"title": "Trip"}, "ttl_days": 30,
    }  # fmt: skip
    assert client.get(f"/v1/threads/{thread['id']}", headers=mira).json() == thread


def test_without_a_default_store_the_first_that_may_be_written_is_taken(client, admin, key):
    other = client.post("/v1/memory/stores", json={"name": "other"}, headers=admin).json()["id"]
    writer = key("threads", stores={other: ("read", "write")})
    assert made(client, writer)["index_id"] == other
    reader = key("threads", stores={other: ("read",)})
    assert client.post("/v1/threads", json={}, headers=reader).status_code == 403


def test_the_person_named_must_be_that_of_the_request(client, admin, key):
    plain = key("threads")
    assert made(client, plain, person="mira")["person_id"] == "mira"
    refused = client.post("/v1/threads", json={"person": "omar"}, headers=for_person(plain, "mira"))
    assert (refused.status_code, refused.json()["code"]) == (422, "subject_conflict")
    assert refused.json()["field"] == "person"
    assert made(client, for_person(admin, "mira"), person="omar")["person_id"] == "omar"


def test_threads_need_their_capability(client, key):
    headers = key("memory")
    assert client.post("/v1/threads", json={}, headers=headers).status_code == 403
    assert client.get("/v1/threads", headers=headers).status_code == 403
    assert client.get("/v1/threads/thr_x", headers=headers).status_code == 403


def test_another_persons_thread_is_not_there_and_a_shared_one_is_readable(client, admin, mira):
    own, shared = made(client, mira)["id"], made(client, admin)["id"]
    omar = for_person(admin, "omar")
    for path in ("", "/items", "/state"):
        assert client.get(f"/v1/threads/{own}{path}", headers=omar).status_code == 404
        assert client.get(f"/v1/threads/{own}{path}", headers=admin).status_code == 404
        assert client.get(f"/v1/threads/{shared}{path}", headers=omar).status_code == 200
    assert client.delete(f"/v1/threads/{own}", headers=omar).status_code == 404


def test_a_shared_thread_is_not_changed_for_a_person(client, admin, mira):
    shared = made(client, admin)["id"]
    path = f"/v1/threads/{shared}"
    assert client.delete(path, headers=mira).status_code == 403
    state = client.put(f"{path}/state", json={"state": {}}, headers=mira)
    assert state.status_code == 403
    assert client.delete(path, headers=admin).json() == {"thread_id": shared, "items": 0}
    assert client.get(path, headers=admin).status_code == 404


def test_a_store_that_the_policy_does_not_name_hides_its_threads(client, admin, key):
    other = client.post("/v1/memory/stores", json={"name": "other"}, headers=admin).json()["id"]
    hidden = made(client, admin, index_id="other")["id"]
    headers = key("threads", stores={})
    assert client.get(f"/v1/threads/{hidden}", headers=headers).status_code == 404
    reader = key("threads", stores={other: ("read",)})
    assert client.get(f"/v1/threads/{hidden}", headers=reader).status_code == 200
    body = {"role": "user", "content": "hello"}
    path = f"/v1/threads/{hidden}/items"
    assert client.post(path, json=body, headers=reader).status_code == 403


def test_items_come_in_order_and_in_pages(client, mira):
    thread = made(client, mira)["id"]
    ids = [said(client, mira, thread, f"m{n}")["id"] for n in range(5)]
    path = f"/v1/threads/{thread}/items"
    page = client.get(path, params={"limit": 2}, headers=mira).json()
    assert [i["content"] for i in page["items"]] == ["m0", "m1"]
    rest = client.get(path, params={"limit": 3, "next": page["next"]}, headers=mira).json()
    assert [i["content"] for i in rest["items"]] == ["m2", "m3", "m4"]
    assert rest["next"] is None
    after = client.get(path, params={"after": ids[3]}, headers=mira).json()["items"]
    assert [i["content"] for i in after] == ["m4"]
    assert client.get(path, params={"after": "ep_x"}, headers=mira).status_code == 404


@pytest.mark.parametrize(
    "kind", ["user", "assistant", "system", "tool_call", "tool_result", "reasoning", "plan"]
)
def test_an_item_keeps_all_that_was_said_of_it(client, mira, kind):
    thread = made(client, mira)["id"]
    body = {
        "kind": kind, "content": "words", "speaker": "Mira", "agent": "helper", "sealed": True,
        "external_id": "x-1", "metadata": {"n": 1}, "occurred_at": "2026-06-01T09:00:00+02:00",
    }  # fmt: skip
    path = f"/v1/threads/{thread}/items"
    item = client.post(path, json=body, headers=mira).json()
    told = {name: item[name] for name in body}
    assert told == {**body, "occurred_at": "2026-06-01T07:00:00Z"}
    assert client.post(path, json=body, headers=mira).json()["id"] == item["id"]


def test_a_time_without_offset_needs_its_zone(client, mira):
    path = f"/v1/threads/{made(client, mira)['id']}/items"
    body = {"role": "user", "content": "hello", "occurred_at": "2026-06-01T09:00:00"}
    naive = client.post(path, json=body, headers=mira)
    assert (naive.status_code, naive.json()["field"]) == (422, "occurred_at")
    zoned = client.post(path, json={**body, "timezone": "Europe/Madrid"}, headers=mira).json()
    assert zoned["occurred_at"] == "2026-06-01T07:00:00Z"


def test_an_unknown_field_is_refused_by_its_name(client, mira):
    answer = client.post("/v1/threads", json={"titel": "x"}, headers=mira)
    assert (answer.status_code, answer.json()["field"]) == (422, "titel")


def test_repeated_requests_are_done_once(client, mira):
    once = {**mira, "Idempotency-Key": "k1"}
    thread = made(client, once, agent="a")
    assert made(client, once, agent="a") == thread
    other = client.post("/v1/threads", json={"agent": "b"}, headers=once)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_mismatch")
    item = said(client, once, thread["id"], "hello")
    assert said(client, once, thread["id"], "hello") == item
    listed = client.get(f"/v1/threads/{thread['id']}/items", headers=mira).json()["items"]
    assert [i["id"] for i in listed] == [item["id"]]


def test_a_list_walks_every_thread_once(client, admin, mira):
    client.post("/v1/memory/stores", json={"name": "other"}, headers=admin)
    wanted = {made(client, mira)["id"] for _ in range(3)}
    wanted |= {made(client, mira, index_id="other")["id"] for _ in range(2)}
    wanted |= {made(client, admin)["id"] for _ in range(2)}
    made(client, for_person(admin, "omar"))
    seen, cursor = [], None
    while True:
        params = {"limit": 2} if cursor is None else {"limit": 2, "next": cursor}
        page = client.get("/v1/threads", params=params, headers=mira).json()
        seen += [t["id"] for t in page["threads"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == sorted(wanted)


def test_a_cursor_is_good_for_its_own_query_and_person(client, admin, mira):
    for _ in range(3):
        made(client, mira)
    first = client.get("/v1/threads", params={"limit": 1}, headers=mira).json()["next"]

    def asked(headers, **params):
        return client.get("/v1/threads", params=params, headers=headers).status_code

    assert asked(mira, next=first) == 200
    assert asked(admin, next=first) == 422
    assert asked(mira, next=first, index_id="default") == 422
    assert asked(mira, next="!!") == 422
    assert asked(mira, limit=0) == 422


def test_the_state_is_versioned(client, mira):
    path = f"/v1/threads/{made(client, mira)['id']}/state"
    empty = client.get(path, headers=mira).json()
    assert (empty["version"], empty["state"]) == (0, {})
    one = client.put(path, json={"state": {"step": 1}, "expect": 0}, headers=mira).json()
    assert (one["version"], one["state"]) == (1, {"step": 1})
    late = client.put(path, json={"state": {}, "expect": 0}, headers=mira)
    assert (late.status_code, late.json()["code"]) == (409, "unexpected_version")
    assert client.get(path, headers=mira).json()["state"] == {"step": 1}


def test_a_thread_past_its_time_is_gone(client, mira, clock):
    thread = made(client, mira, ttl_days=1)["id"]
    clock.advance(days=2)
    assert client.get(f"/v1/threads/{thread}", headers=mira).status_code == 404
    assert client.get("/v1/threads", headers=mira).json()["threads"] == []


def test_refusals_are_in_the_audit_trail(client, service, admin, mira, first):
    shared = made(client, admin)["id"]
    client.delete(f"/v1/threads/{shared}", headers=mira)
    with service.storage.snapshot() as snapshot:
        last = snapshot.audit_entries(first.tenant, limit=1)[0]
    assert (last.action, last.outcome, last.target) == ("refusal", "forbidden", shared)


def test_whole_numbers_of_any_size_come_back(client, mira):
    big = 10**30
    thread = made(client, mira, metadata={"n": big})
    assert thread["metadata"] == {"n": big}
    path = f"/v1/threads/{thread['id']}/state"
    assert client.put(path, json={"state": {"n": big}}, headers=mira).json()["state"] == {"n": big}
