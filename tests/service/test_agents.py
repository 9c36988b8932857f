"""Agents over HTTP: versions, the models offered, the store of their block, and injection."""

from __future__ import annotations

import pytest

from vigent.govern.documents import (
    InjectionSpec,
    KeyMemory,
    StoreDocument,
    TenantDocument,
)
from vigent.govern.registry import Actor
from vigent.service import Presented
from vigent.service.agents import injection_for


def saved(client, headers, status=201, **body):
    body = {"name": "helper", "model": "m-1", **body}
    answer = client.post("/v1/agents", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def other_store(client, admin):
    return client.post("/v1/memory/stores", json={"name": "other"}, headers=admin).json()["id"]


@pytest.fixture
def caller(service):
    return lambda headers: service.caller(Presented(headers["Authorization"]))


@pytest.fixture
def here(service, first):
    return service.registry.get(first.tenant, "store", first.index_id)


def test_the_same_name_again_makes_the_next_version(client, admin):
    one = saved(client, admin, instructions="Be brief.")
    assert one["id"].startswith("agt_")
    assert (one["version"], one["instructions"]) == (1, "Be brief.")
    two = saved(client, admin, model="m-2")
    assert (two["id"], two["version"], two["model"]) == (one["id"], 2, "m-2")
    assert two["instructions"] is None
    assert client.get(f"/v1/agents/{one['id']}", headers=admin).json() == two
    assert client.get("/v1/agents/helper", headers=admin).json() == two
    told = client.get(f"/v1/agents/{one['id']}/versions", headers=admin).json()
    assert [(v["version"], v["model"]) for v in told["versions"]] == [(1, "m-1"), (2, "m-2")]


def test_a_repeated_save_makes_no_version(client, admin):
    once = {**admin, "Idempotency-Key": "k"}
    assert saved(client, once) == saved(client, once)
    assert client.get("/v1/agents/helper", headers=admin).json()["version"] == 1


def test_lists_are_paged(client, admin):
    ids = [saved(client, admin, name=f"a{n}")["id"] for n in range(3)]
    first = client.get("/v1/agents", params={"limit": 2}, headers=admin).json()
    rest = client.get("/v1/agents", params={"next": first["next"]}, headers=admin).json()
    assert [a["id"] for a in first["agents"] + rest["agents"]] == ids
    assert rest["next"] is None


def test_agents_need_a_capability_and_are_the_tenants_own(client, service, admin, key):
    saved(client, admin)
    memory = key("memory")
    assert client.get("/v1/agents", headers=memory).status_code == 403
    assert client.get("/v1/agents/agt_none", headers=admin).status_code == 404
    stranger = service.new_tenant("t2")
    theirs = {"Authorization": f"Bearer {stranger.key}"}
    assert client.get("/v1/agents/helper", headers=theirs).status_code == 404


def test_a_model_that_is_not_offered_is_refused(client, service, admin, first):
    def offer(before):
        settings = before.settings.model_copy(update={"models_offered": ("m-2",)})
        return before.model_copy(update={"settings": settings})

    service.registry.change(
        Actor(first.tenant), "tenant", first.tenant, TenantDocument, offer
    )  # fmt: skip
    assert saved(client, admin, 422)["field"] == "model"
    assert saved(client, admin, model="m-2")["version"] == 1


def test_the_store_of_a_block_must_be_in_the_savers_policy(client, service, admin, key, first):
    other = other_store(client, admin)
    writer = key("threads", stores={first.index_id: ("read",)})
    for index_id in (other, "other", "idx_none", service.new_tenant("t2").index_id):
        told = saved(client, writer, 422, memory_injection={"index_id": index_id})
        assert told["field"] == "memory_injection.index_id"
    made = saved(client, writer, memory_injection={"index_id": "default", "limit": 3})
    assert made["memory_injection"]["index_id"] == first.index_id


@pytest.mark.parametrize(
    ("block", "field"),
    [
        ({"limit": -1}, "memory_injection.limit"),
        ({"min_confidence": 2}, "memory_injection.min_confidence"),
        ({"metadata": {"a": {"near": 1}}}, "memory_injection.metadata"),
        ({"colour": 1}, "memory_injection.colour"),
    ],
)
def test_a_block_that_does_not_fit_is_refused_by_its_field(client, admin, block, field):
    assert saved(client, admin, 422, memory_injection=block)["field"].startswith(field)


def test_an_agent_that_a_switch_names_stays(client, service, admin, first):
    made = saved(client, admin)["id"]

    def switch(filters):
        kept = {"enabled": True, "model": "m", "author": "key_1", "since": 1, "filters": filters}
        return lambda _: StoreDocument(extraction=kept)

    change, actor = service.registry.change, Actor(first.tenant)
    change(actor, "store", first.index_id, StoreDocument, switch({"agent_ids": [made]}))
    refused = client.delete(f"/v1/agents/{made}", headers=admin)
    assert (refused.status_code, refused.json()["code"]) == (409, "resource_in_use")
    assert first.index_id in refused.json()["detail"]
    change(actor, "store", first.index_id, StoreDocument, switch({}))
    assert client.delete(f"/v1/agents/{made}", headers=admin).status_code == 204
    assert client.get(f"/v1/agents/{made}", headers=admin).status_code == 404


# ------------------------------------------------------------------------------ injection


def test_a_key_without_memory_gets_none_whatever_the_agent_says(client, admin, key, caller, here):
    made = saved(client, admin, memory_injection={"enabled": True})["id"]
    assert not injection_for(caller(key("threads")), here, made).enabled


def test_an_agents_block_takes_the_place_of_the_keys_whole(client, admin, key, caller, here):
    block = InjectionSpec(types=("fact",), limit=2)
    headers = key("memory", memory=KeyMemory(injection=block))
    with_block = saved(client, admin, name="a", memory_injection={"min_confidence": 0.5})["id"]
    without = saved(client, admin, name="b")["id"]
    silent = saved(client, admin, name="c", memory_injection={"enabled": False})["id"]
    one = caller(headers)
    assert injection_for(one, here, None) == block
    assert injection_for(one, here, with_block) == InjectionSpec(min_confidence=0.5)
    assert injection_for(one, here, "a") == InjectionSpec(min_confidence=0.5)
    assert injection_for(one, here, without) == block
    assert injection_for(one, here, "unknown") == block
    assert not injection_for(one, here, silent).enabled


def test_a_block_that_names_another_store_gives_nothing(
    client, service, admin, key, caller, first, here
):
    other = other_store(client, admin)
    made = saved(client, admin, memory_injection={"index_id": other})["id"]
    one = caller(key("memory"))
    assert not injection_for(one, here, made).enabled
    there = service.registry.get(first.tenant, "store", other)
    assert injection_for(one, there, made) == InjectionSpec(index_id=other)


def test_a_block_that_is_switched_off_gives_nothing(key, caller, here):
    off = key("memory", memory=KeyMemory(injection=InjectionSpec(enabled=False)))
    assert not injection_for(caller(off), here, None).enabled
    assert injection_for(caller(key("memory")), here, None) == InjectionSpec()
