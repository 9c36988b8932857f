"""Parts of open cases that are a service's own: C28 (the model's limit), C46 (export, holding)."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time

import pytest
from starlette.testclient import TestClient

from tests.service.calls import audited, bearer, make_key
from vigent.edges.http.app import create_app
from vigent.errors import ModelUnavailable
from vigent.service import Service
from vigent.testing import HashEmbedder

P1 = {"X-Vigent-Subject": "p1"}


class ShortEmbedder(HashEmbedder):
    """Refuses what has more than 2,000 words, as a server of a model does."""

    def embed_passages(self, texts):
        self._check(texts)
        return super().embed_passages(texts)

    def embed_query(self, text):
        self._check([text])
        return super().embed_query(text)

    def _check(self, texts):
        if any(len(text.split()) > 2_000 for text in texts):
            raise ModelUnavailable("400: the input is longer than 2000 tokens")


def test_c28_a_model_with_a_limit_does_not_stop_a_long_thread(tmp_path, clock):
    service = Service.open(tmp_path / "a.db", clock=clock, embedder=ShortEmbedder())
    try:
        admin = bearer(service.first_start().key)
        client = TestClient(create_app(service), raise_server_exceptions=False)
        service.start()
        thread = client.post("/v1/threads", json={}, headers=admin).json()["id"]
        items = f"/v1/threads/{thread}/items"
        long = " ".join(f"w{n % 999}" for n in range(60_000))
        for content in ("Hello.", "My dentist is Dr Vane.", long):
            body = {"role": "user", "content": content}
            assert client.post(items, json=body, headers=admin).status_code == 201
        kept = client.get(items, headers=admin).json()["items"]
        assert kept[-1]["content"] == long
        asked = {"index_id": "default", "query": "dentist", "include": "episodes"}
        found = client.post("/v1/memory/search", json=asked, headers=admin).json()["hits"]
        assert found[0]["episode"]["content"] == "My dentist is Dr Vane."
        # A long question is answered, by its words alone where the model does not take it.
        for words, code in ((3_000, {200, 422}), (30_000, {422})):
            body = {**asked, "query": "dentist " + "a " * words}
            told = client.post("/v1/memory/search", json=body, headers=admin)
            assert told.status_code in code, told.text
        one = {**asked, "query": "dentist " + "a " * 3_500}
        told = client.post("/v1/memory/search", json=one, headers=admin)
        assert told.status_code == 200
        assert told.json()["hits"][0]["episode"]["content"] == "My dentist is Dr Vane."
        index = service.base(service.registry.named("default", "store", "default")).index
        until = time.monotonic() + 20
        while index.status().pending and time.monotonic() < until:
            time.sleep(0.05)
        assert index.status().pending == 0
        assert service.embedding.problem is None
    finally:
        service.close()


@pytest.fixture
def hal(client, admin, clock):
    """What expires tomorrow: a memory, an episode and a thread, beside what is kept."""
    mine = {**admin, **P1}
    at, soon = {"index_id": "default"}, "2026-06-04T00:00:00Z"
    hint = {**at, "subject": "hal", "attribute": "pin_hint", "value": "moonlit"}
    made = client.post("/v1/memory", json={**hint, "expires_at": soon}, headers=mine).json()
    pet = {**at, "subject": "hal", "attribute": "pet", "value": "newt", "retention_policy": "keep"}
    assert client.post("/v1/memory", json=pet, headers=mine).status_code == 201
    thread = client.post("/v1/threads", json={**at, "ttl_days": 1}, headers=mine).json()["id"]
    item = {"role": "user", "content": "moonlit talk"}
    assert client.post(f"/v1/threads/{thread}/items", json=item, headers=mine).is_success
    return made["memory"]["memory_id"]


def test_c46_what_expired_is_not_in_the_export(client, admin, hal, clock):
    path = "/v1/persons/p1/export"
    assert client.get(path, headers=admin).text.count("moonlit") > 1
    clock.set("2027-01-04T00:00:00Z")
    for _ in range(2):
        told = client.get(path, headers=admin)
        assert "newt" in told.text
        assert "moonlit" not in told.text
        assert "pin_hint" not in told.text
        assert "moonlit" not in json.dumps(audited(client, admin))
        assert told.json()["threads"] == []
    assert client.get("/v1/persons/p1/export", headers=admin).json()["memories"] != []


def test_c46_what_is_held_beyond_its_time_is_not_purged(service, client, admin, hal, clock):
    """To hold a memory is to give it the policy ``keep`` before its end: it stays readable."""
    mine = {**admin, **P1}
    held = client.patch(
        f"/v1/memory/{hal}", json={"expires_at": None, "retention_policy": "keep"}, headers=mine
    )
    assert held.status_code == 200, held.text
    clock.set("2027-01-04T00:00:00Z")
    service._sweep("default")
    told = client.get(f"/v1/memory/{hal}", headers=mine)
    assert (told.status_code, told.json()["value"]) == (200, "moonlit")
    assert told.json()["expires_at"] is None
    changed = audited(client, admin, target=hal)
    assert changed, "that it was held is in the trail"


def test_a_walk_gives_each_once_while_others_write(service, client, admin):
    """What is there before the walk is given once; what comes meanwhile, at most once."""

    def write(n, mark):
        body = {"index_id": "default", "text": f"{mark} {n}", "metadata": {"k": n % 3}}
        made = client.post("/v1/memory", json=body, headers=admin)
        assert made.status_code == 201
        return made.json()["memory"]["memory_id"]

    before = [write(n, "before") for n in range(60)]
    stop, errors = threading.Event(), []

    def others():
        for n in range(500):
            if stop.is_set():
                return
            try:
                made = write(n, "meanwhile")
                done = client.delete(f"/v1/memory/{made}", headers=admin) if n % 2 else None
                assert done is None or done.status_code == 200
            except Exception as error:  # noqa: BLE001 - told below
                errors.append(error)

    thread = threading.Thread(target=others)
    thread.start()
    try:
        for asked in ({}, {"metadata.k": "1"}, {"include": "history"}):
            found, cursor = [], None
            while True:
                params = {"index_id": "default", "limit": 7, **asked}
                if cursor:
                    params["next"] = cursor
                told = client.get("/v1/memory", params=params, headers=admin).json()
                found += [one["memory_id"] for one in told["memories"]]
                cursor = told["next"]
                if cursor is None or len(found) > 2_000:
                    break
            assert len(found) == len(set(found))
            wanted = before[1::3] if "metadata.k" in asked else before
            assert [id for id in found if id in before] == wanted
    finally:
        stop.set()
        thread.join()
    assert errors == []


def test_a_clock_that_goes_back_breaks_nothing(service, client, admin, clock):
    body = {"index_id": "default", "subject": "kit", "attribute": "city"}
    seen = []
    for n, at in enumerate(("2026-06-03T10:00:00Z", "2026-06-01T00:00:00Z", "2026-06-02T00:00:00Z",
                            "1999-01-01T00:00:00Z", "2026-06-03T11:00:00Z")):  # fmt: skip
        clock.set(at)
        made = client.post(
            "/v1/memory", json={**body, "value": f"v{n}", "valid_from": f"2020-01-0{n + 1}"},
            headers={**admin, "Idempotency-Key": f"k{n}"},
        )  # fmt: skip
        assert made.status_code == 201, made.text
        again = client.post(
            "/v1/memory", json={**body, "value": f"v{n}", "valid_from": f"2020-01-0{n + 1}"},
            headers={**admin, "Idempotency-Key": f"k{n}"},
        )  # fmt: skip
        assert again.json()["memory"]["memory_id"] == made.json()["memory"]["memory_id"]
        recorded = made.json()["memory"]["recorded_from"]
        seen.append(dt.datetime.fromisoformat(recorded))
        now = client.get("/v1/stores/default/state/kit/city", headers=admin).json()["memory"]
        assert now is None or now["value"] == f"v{n}"
        assert client.get("/v1/audit", headers=admin).status_code == 200
        assert client.get("/health/ready").json()["status"] == "ok"
        assert client.get("/v1/persons/p1/export", headers=admin).status_code == 200
    assert seen == sorted(seen)
    assert len(set(seen)) == len(seen)
    now = client.get("/v1/stores/default/state/kit/city", headers=admin).json()["memory"]
    assert now["value"] == "v4"


def test_a_key_that_was_revoked_or_cut_down_ends_for_mcp_at_once(service, client, admin):
    made = make_key(client, admin, "memory", "knowledge")
    headers = {**bearer(made["key"]), "Accept": "application/json, text/event-stream",
               "Host": "127.0.0.1:80"}  # fmt: skip
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with client:
        assert client.post("/mcp", json=ask, headers=headers).status_code == 200
        at = f"/v1/tenants/default/keys/{made['id']}"
        client.patch(at, json={"policy": {"stores": {}}}, headers=admin)
        assert client.post("/mcp", json=ask, headers=headers).status_code == 404
        client.patch(at, json={"policy": {"stores": {"*": ["read"]}}}, headers=admin)
        write = {"name": "memory_write", "arguments": {"text": "tea"}}
        call = {**ask, "method": "tools/call", "params": write}
        told = client.post("/mcp", json=call, headers=headers)
        assert (told.status_code, told.json()["result"]["isError"]) == (200, True)
        client.post(f"{at}/revoke", headers=admin)
        assert client.post("/mcp", json=ask, headers=headers).status_code == 401
        told = audited(client, admin, action="refusal")
        assert json.dumps(told).count("POST /mcp") == 2


def test_c47_an_empty_type_filters_nothing_and_is_refused(client, admin, first):
    told = client.get("/v1/memory", params={"index_id": "default", "type": ""}, headers=admin)
    assert (told.status_code, told.json()["field"]) == (422, "type")


def test_an_argument_that_a_tool_does_not_have_is_refused_over_mcp(client, admin, first):
    """A person whom a model names is not left out in silence: it would be everybody's memory."""
    headers = {**admin, "Accept": "application/json, text/event-stream", "Host": "127.0.0.1:80"}

    def call(name, **arguments):
        params = {"name": name, "arguments": arguments}
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return client.post("/mcp", json=ask, headers=headers).json()["result"]

    with client:
        told = call("memory_write", text="likes tea", person="mira", tenant="t")
        assert told["isError"] is True
        assert "person, tenant: is not known" in told["content"][0]["text"]
        params = {"index_id": "default", "include": "history"}
        assert client.get("/v1/memory", params=params, headers=admin).json()["memories"] == []
        assert call("memory_write", text="likes tea")["isError"] is False
        assert call("memory_current", subject="a", as_off="2020-01-01")["isError"] is True
        # The nine names are as lax as the server they stand in for.
        assert call("read_graph", odd=1)["isError"] is False
