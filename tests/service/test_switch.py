"""The extraction switch: its rules, its rights, and the state that it is in."""

from __future__ import annotations

import pytest

from tests.service.calls import bearer, make_key
from vigent.govern.documents import AgentDocument, AgentVersion, StoreDocument
from vigent.govern.extraction import naming_agent
from vigent.govern.registry import Actor

NOW = "2026-06-01T12:00:00Z"

PATH = "/v1/memory/stores/default/extraction"
ON = {"enabled": True, "model": "m1"}


def put(client, headers, **more):
    return client.put(PATH, json={**ON, **more}, headers=headers)


def test_it_is_off_until_it_is_sent(client, admin):
    found = client.get(PATH, headers=admin).json()
    assert (found["enabled"], found["state"], found["author"]) == (False, "off", None)
    assert found["windows"] == {"ready": 0, "failed": 0, "queued": 0, "parked": 0}


def test_what_is_not_sent_has_its_default(client, admin, first):
    found = put(client, admin).json()
    assert found["types"] == ["fact", "preference", "commitment", "behaviour"]
    assert (found["schedule_minutes"], found["quiet_minutes"]) == (60, 30)
    assert (found["threads"], found["state"]) == ("with_person", "active")
    assert found["author"] == f"key_{first.key.split('_')[2]}"
    assert client.get(PATH, headers=admin).json() == found


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"lessons": True}, "lessons"),
        ({"model": None}, "model"),
        ({"types": ["episode"]}, "types"),
        ({"types": []}, "types"),
        ({"types": ["x" * 65]}, "types"),
        ({"schedule_minutes": 0}, "schedule_minutes"),
        ({"quiet_minutes": -1}, "quiet_minutes"),
        ({"threads": "some"}, "threads"),
        ({"filters": {"agent_ids": ["agt_none"]}}, "filters.agent_ids"),
        ({"filters": {"key_ids": ["key_none"]}}, "filters.key_ids"),
        ({"filters": {"odd": []}}, "filters.odd"),
        ({"odd": 1}, "odd"),
    ],
)
def test_what_does_not_fit_is_named(client, admin, more, field):
    answer = put(client, admin, **more)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert client.get(PATH, headers=admin).json()["state"] == "off"


def test_sending_needs_threads_and_a_policy_that_may_write(client, admin):
    no_threads = bearer(make_key(client, admin, "memory", "knowledge")["key"])
    reader = make_key(
        client, admin, "memory", "knowledge", "threads", stores={"default": ["read"]}
    )["key"]
    for headers in (no_threads, bearer(reader)):
        assert put(client, headers).status_code == 403
        off = client.put(PATH, json={"enabled": False}, headers=headers)
        assert off.status_code == 403
        assert client.get(PATH, headers=headers).status_code == 200
    put(client, admin)
    assert client.delete(f"{PATH}/connector", headers=bearer(reader)).status_code == 403
    assert client.delete(f"{PATH}/connector", headers=no_threads).status_code == 204


def test_ids_are_checked_once(client, admin, service, clock):
    keys = [make_key(client, admin, "threads")["id"] for _ in range(3)]
    client.post(f"/v1/tenants/default/keys/{keys[0]}/revoke", headers=admin)
    client.delete(f"/v1/tenants/default/keys/{keys[1]}", headers=admin)
    agent = service.registry.create(
        Actor("default"), "agent", AgentDocument(versions=(AgentVersion(name="a", model="m1"),))
    )
    filters = {"key_ids": keys, "agent_ids": [agent.id]}
    assert put(client, admin, filters=filters).status_code == 200
    with service.storage.snapshot() as snapshot:
        assert naming_agent(snapshot, "default", agent.id) is not None
        assert naming_agent(snapshot, "default", "agt_none") is None
    service.registry.remove(Actor("default"), "agent", agent.id)
    assert put(client, admin, filters=filters).status_code == 200  # it had that id already
    assert put(client, admin, filters={}).status_code == 200
    again = put(client, admin, filters=filters)
    assert (again.status_code, again.json()["field"]) == (422, "filters.agent_ids")
    # Once the trail is too old to tell of it, a deleted key is unknown.
    client.patch("/v1/tenants/default/settings", json={"audit_retention_days": 1}, headers=admin)
    service.storage.seal(clock.now())
    clock.advance(days=2)
    service.base(service.registry.named("default", "store", "default")).sweep()
    gone = put(client, admin, filters={"key_ids": [keys[1]]})
    assert (gone.status_code, gone.json()["field"]) == (422, "filters.key_ids")


def test_its_state_says_what_is_amiss(client, admin, clock):
    def state(headers=admin):
        return client.get(PATH, headers=headers).json()["state"]

    author = make_key(client, admin, "memory", "knowledge", "threads")
    path = f"/v1/tenants/default/keys/{author['id']}"
    put(client, bearer(author["key"]))
    client.patch(path, json={"capabilities": ["memory", "knowledge"]}, headers=admin)
    assert state() == "active"  # that shows in the last run, not here
    client.post(f"{path}/revoke", headers=admin)
    assert state() == "author_unavailable"
    put(client, admin)
    assert state() == "active"
    client.delete(f"{PATH}/connector", headers=admin)
    assert state() == "objects_missing"
    assert client.delete(f"{PATH}/connector", headers=admin).status_code == 404
    put(client, admin)
    settings = "/v1/tenants/default/settings"
    client.patch(settings, json={"models_offered": ["m2"]}, headers=admin)
    assert state() == "model_unavailable"
    same = put(client, admin)
    assert (same.status_code, same.json()["field"]) == (422, "model")
    assert put(client, admin, model="m2").json()["state"] == "active"
    off = client.put(PATH, json={"enabled": False}, headers=admin)
    assert off.json()["state"] == "off"
    short = make_key(
        client, admin, "memory", "knowledge", "threads", expires_at="2026-06-01T12:00:05Z"
    )
    put(client, bearer(short["key"]), model="m2")
    clock.advance(seconds=5)
    assert state() == "author_unavailable"


def test_a_run_is_asked_for_while_the_switch_is_active(client, admin):
    early = client.post(f"{PATH}/run", headers=admin)
    assert (early.status_code, early.json()["code"]) == (409, "conflict")
    put(client, admin)
    run = client.post(f"{PATH}/run", headers=admin)
    assert (run.status_code, run.json()["status"]) == (202, "queued")


def test_a_switch_kept_without_threads_reads_all(client, admin, service):
    kept = {"enabled": True, "model": "m1", "author": "key_x", "since": 0}
    row = service.registry.named("default", "store", "default")
    service.registry.change(
        Actor("default"), "store", row.id, StoreDocument,
        lambda d: d.model_copy(update={"extraction": kept}),
    )  # fmt: skip
    assert client.get(PATH, headers=admin).json()["threads"] == "all"


def test_a_deleted_store_has_no_switch(client, admin):
    put(client, admin)
    assert client.delete("/v1/memory/stores/default", headers=admin).status_code == 200
    assert client.get(PATH, headers=admin).status_code == 404
