"""A key whose policy names few stores: what goes over all of them shows it no more than those."""

from __future__ import annotations

import json

import pytest

from tests.service.calls import audited, bearer, make_key, make_token
from vigent.domain.changes import ChangeSet
from vigent.domain.usage import UsageRow

ALL = ("memory", "knowledge", "threads", "responses", "management")


@pytest.fixture
def hidden(service, first, client, admin):
    """A second store, with something of a person in each; its words begin with Q."""
    made = client.post("/v1/memory/stores", json={"name": "Qsecond"}, headers=admin).json()
    for store in ("default", "Qsecond"):
        head = {**admin, "X-Vigent-Subject": "p1"}
        mark = "Q" if store == "Qsecond" else "open"
        body = {"index_id": store, "subject": "mira", "attribute": "city", "value": f"{mark}city"}
        assert client.post("/v1/memory", json=body, headers=head).status_code == 201
        said = {"index_id": store, "content": f"{mark}said"}
        assert client.post("/v1/episodes", json=said, headers=head).status_code == 201
        name = {"name": f"{mark}mim", "of": "mira"}
        client.post(f"/v1/stores/{store}/aliases", json=name, headers=head)
        client.put(f"/v1/stores/{store}/blocks/note", json={"text": f"{mark}note"}, headers=head)
        thread = client.post("/v1/threads", json={"index_id": store}, headers=head).json()["id"]
        item = {"role": "user", "content": f"{mark}item"}
        assert client.post(f"/v1/threads/{thread}/items", json=item, headers=head).is_success
    return made["id"]


@pytest.fixture
def few(client, admin, hidden):
    """A key that may do everything, in the one store."""
    return bearer(make_key(client, admin, *ALL, stores={"default": ["read", "write"]})["key"])


def test_an_export_holds_the_stores_that_the_key_reads(client, admin, few, hidden):
    whole = client.get("/v1/persons/p1/export", headers=admin).json()
    assert whole["stores"] == ["Qsecond", "default"]
    answer = client.get("/v1/persons/p1/export", headers=few)
    found = answer.json()
    assert found["stores"] == ["default"]
    assert "Q" not in answer.text
    assert hidden not in answer.text
    for part in ("memories", "episodes", "threads", "aliases", "blocks"):
        assert len(found[part]) == len(whole[part]) // 2 > 0
    token = {**few, "X-Vigent-Subject-Token": make_token(client, admin, "p1")}
    assert "Q" not in client.get("/v1/persons/p1/export", headers=token).text


def test_a_key_that_may_not_read_a_store_exports_nothing_of_it(client, admin, hidden):
    writes = bearer(make_key(client, admin, *ALL, stores={"default": ["write"]})["key"])
    found = client.get("/v1/persons/p1/export", headers=writes).json()
    assert (found["stores"], found["memories"], found["episodes"]) == ([], [], [])


def test_the_trail_shows_the_stores_that_the_key_reads(client, admin, few, hidden):
    told = json.dumps(audited(client, few))
    assert "Qsecond" not in told
    assert hidden not in told
    assert '"store": "default"' in told
    assert {"store_create", "key_create"} <= {e["action"] for e in audited(client, few)}
    of_store = audited(client, few, target=hidden)
    assert of_store == [] != audited(client, admin, target=hidden)
    assert audited(client, few, person="p1") != []
    assert "Q" not in json.dumps(audited(client, few, person="p1"))


def test_the_trail_is_walked_whole_by_a_key_that_sees_little(client, admin, few, hidden):
    mine = {entry["id"] for entry in audited(client, few, limit=1)}
    every = {entry["id"]: entry for entry in audited(client, admin)}
    right = {
        id
        for id, entry in every.items()
        if entry["store"] in (None, "default") and entry["target"] != hidden
    }
    assert mine == right


def test_an_erasure_goes_over_all_stores_or_is_refused(client, admin, few, hidden):
    path = "/v1/persons/p1/memory"
    token = {**few, "X-Vigent-Subject-Token": make_token(client, admin, "p1")}
    for headers in (few, token):
        for asked in ({"dry_run": True}, {}):
            refused = client.delete(path, params=asked, headers=headers)
            assert refused.status_code == 403
            assert "every store" in refused.json()["detail"]
    assert len(client.get("/v1/persons/p1/export", headers=admin).json()["memories"]) == 2
    reads = {"default": ["read", "write"], hidden: ["read"]}
    reader = bearer(make_key(client, admin, *ALL, stores=reads)["key"])
    assert client.delete(path, headers=reader).status_code == 403
    both = {"default": ["write"], hidden: ["write"]}
    writer = bearer(make_key(client, admin, *ALL, stores=both)["key"])
    assert client.delete(path, headers=writer).json()["counts"]["episode"] == 4
    assert client.get("/v1/persons/p1/export", headers=admin).json()["memories"] == []


def test_a_store_apart_counts_among_a_persons_stores(service, first, client, admin):
    memory = service.base(service.registry.named("default", "store", "default"))
    apart = type(memory).open(service.storage._connections.path, store="apart", embedder="none")
    apart.write(subject="a", attribute="b", value="c", person="p1")
    apart.close()
    named = bearer(make_key(client, admin, *ALL, stores={"default": ["read", "write"]})["key"])
    assert client.delete("/v1/persons/p1/memory", headers=named).status_code == 403
    assert client.delete("/v1/persons/p2/memory", headers=named).status_code == 200
    assert client.delete("/v1/persons/p1/memory", headers=admin).json()["counts"]["key"] == 1


def test_a_tenant_goes_by_a_key_that_writes_everywhere(client, admin, few, hidden):
    for asked in ({"dry_run": True}, {}):
        assert client.delete("/v1/tenants/default", params=asked, headers=few).status_code == 403
    assert client.delete("/v1/tenants/default", headers=admin).status_code == 200


def test_usage_of_a_store_that_the_key_does_not_read(service, client, admin, few, hidden):
    day = service.clock.now() // 86_400_000_000 * 86_400_000_000
    for store, calls in (("default", 1), ("Qsecond", 10), ("", 100)):
        used = UsageRow("default", day, store, "m", "embed", calls, 0, 5, 5)
        with service.storage.transaction("default") as transaction:
            transaction.apply(ChangeSet("default", used=[used]))
    assert client.get("/v1/usage", headers=admin).json()["total"]["calls"] == 111
    told = client.get("/v1/usage", params={"by": "store,model"}, headers=few)
    assert (told.json()["total"]["calls"], "Qsecond" in told.text) == (101, False)


def test_an_agent_whose_store_is_not_seen(client, admin, few, hidden):
    block = {"index_id": hidden, "types": ["fact"]}
    body = {"name": "a1", "model": "m", "memory_injection": block}
    made = client.post("/v1/agents", json=body, headers=admin).json()
    assert made["memory_injection"]["index_id"] == hidden
    at = f"/v1/agents/{made['id']}"
    for path in (at, "/v1/agents", f"{at}/versions"):
        told = client.get(path, headers=few)
        assert told.status_code == 200
        assert hidden not in told.text
        assert hidden in client.get(path, headers=admin).text
    seen = client.get(at, headers=few).json()["memory_injection"]
    assert (seen["enabled"], seen["index_id"], seen["types"]) == (False, None, [])
    # Saved anew by somebody who does not see it: still not named, and the old versions are kept.
    again = client.post("/v1/agents", json={"name": "a1", "model": "m2"}, headers=few).json()
    assert again["version"] == 2


def test_an_agent_goes_by_who_made_it_or_who_manages(client, admin, hidden):
    one, two = (bearer(make_key(client, admin, "threads")["key"]) for _ in range(2))
    made = client.post("/v1/agents", json={"name": "a1", "model": "m"}, headers=one).json()
    client.post("/v1/agents", json={"name": "a1", "model": "m2"}, headers=two)
    refused = client.delete(f"/v1/agents/{made['id']}", headers=two)
    assert (refused.status_code, "management" in refused.json()["detail"]) == (403, True)
    assert client.delete(f"/v1/agents/{made['id']}", headers=one).status_code == 204
    made = client.post("/v1/agents", json={"name": "a2", "model": "m"}, headers=one).json()
    assert client.delete(f"/v1/agents/{made['id']}", headers=admin).status_code == 204


def test_the_switch_of_a_store_that_is_not_seen_keeps_its_agent(client, admin, few, hidden):
    made = client.post("/v1/agents", json={"name": "a1", "model": "m"}, headers=few).json()
    switch = {"enabled": True, "model": "m", "filters": {"agent_ids": [made["id"]]}}
    at = f"/v1/memory/stores/{hidden}/extraction"
    assert client.put(at, json=switch, headers=admin).status_code == 200
    refused = client.delete(f"/v1/agents/{made['id']}", headers=few)
    assert (refused.status_code, hidden in refused.text) == (409, False)
    assert hidden in client.delete(f"/v1/agents/{made['id']}", headers=admin).text


def test_refusals_do_not_quote_what_was_asked_for(client, admin, first):
    asked = "Qmira-lee"
    for path in (f"/v1/agents/{asked}", f"/v1/memory/{asked.replace('-', '_')}",
                 f"/v1/threads/{asked}", f"/v1/tenants/{asked}", "/v1/episodes/Qmira_lee",
                 f"/v1/memory/stores/{asked}", f"/v1/stores/default/blocks/{asked}"):  # fmt: skip
        assert client.get(path, headers=admin).status_code == 404, path
    entries = audited(client, admin, action="refusal")
    assert len(entries) == 7
    assert "Qmira" not in json.dumps(entries)
    assert {entry["content"]["reason"] for entry in entries} == {"not_found"}
