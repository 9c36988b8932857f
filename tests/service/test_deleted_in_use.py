"""A store or tenant that is deleted while calls are under way: nothing of them comes back."""

from __future__ import annotations

import pytest

from vigent.errors import NotFound
from vigent.govern.documents import StoreDocument
from vigent.service import Presented

WRITES = {
    "write": lambda m: m.write(subject="kit", attribute="pet", value="newt", person="ann"),
    "text": lambda m: m.write(text="late", person="ann", idempotency_key="k"),
    "many": lambda m: m.write_many([{"text": "late"}], atomic=True, person="ann"),
    "capture": lambda m: m.capture("late", person="ann"),
    "thread": lambda m: m.threads.create("ann"),
    "block": lambda m: m.blocks.set("note", "late", person="ann"),
    "alias": lambda m: m.alias("kit", of="mira", person="ann"),
    "once": lambda m: m.records.once("x", "k", [1], dict, kept=dict, again=dict, person="ann"),
}


@pytest.fixture
def begun(service):
    """A call that has begun: its caller, and the memory it is about to write."""

    def begin(key, index_id):
        caller = service.caller(Presented(f"Bearer {key}", "ann"))
        return caller, caller.memory(index_id, "write")

    return begin


def rows_of(service, tenant):
    """How much there is of a tenant: what would be removed with it."""
    with service.storage.transaction("default") as transaction:
        return transaction.erase_tenant(tenant, dry_run=True)


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_began_before_its_store_was_deleted_is_refused(
    service, client, first, admin, begun, name
):
    made = client.post("/v1/memory/stores", json={"name": "work"}, headers=admin).json()
    _, memory = begun(first.key, made["id"])
    memory.write(text="early", person="ann")
    assert client.delete("/v1/memory/stores/work", headers=admin).status_code == 200
    before = rows_of(service, first.tenant)
    with pytest.raises(NotFound, match="index_id"):
        WRITES[name](memory)
    assert rows_of(service, first.tenant) == before
    # One of the same name is another store: nothing stands in it.
    client.post("/v1/memory/stores", json={"name": "work"}, headers=admin)
    named = {**admin, "X-Vigent-Subject": "ann"}
    assert client.get("/v1/memory?index_id=work", headers=named).json()["memories"] == []
    with pytest.raises(NotFound, match="index_id"):
        WRITES[name](memory)


@pytest.mark.parametrize("name", [*WRITES, "resource", "note"])
def test_what_began_before_its_tenant_was_deleted_leaves_nothing(service, client, begun, name):
    other = service.new_tenant("other")
    caller, memory = begun(other.key, other.index_id)
    headers = {"Authorization": f"Bearer {other.key}"}
    assert client.delete("/v1/tenants/other", headers=headers).status_code == 200
    registry = caller.host.registry
    late = {
        **WRITES,
        "resource": lambda _: registry.create(caller.actor, "store", StoreDocument(), name="n"),
    }
    if name == "note":  # a refusal is told all the same, and stands nowhere
        registry.note(caller.actor, "refusal", "not_found")
    else:
        with pytest.raises(NotFound):
            late[name](memory)
    assert not any(rows_of(service, "other").values())
    with service.storage.snapshot() as snapshot:
        assert "other" not in snapshot.tenants()


def test_the_sweep_does_not_bring_a_deleted_tenant_back(service, client):
    other = service.new_tenant("other")
    headers = {"Authorization": f"Bearer {other.key}"}
    assert client.delete("/v1/tenants/other", headers=headers).status_code == 200
    with pytest.raises(NotFound):
        service._sweep("other")
    with service.storage.snapshot() as snapshot:
        assert "other" not in snapshot.tenants()
