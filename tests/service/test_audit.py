"""The audit trail: what is in it, and that whatever is done to it in the file is found."""

from __future__ import annotations

import sqlite3

import pytest

from tests.service.calls import audited, bearer, make_key
from vigent import Memory
from vigent.service import Service


@pytest.fixture
def trail(service, first, admin, client):
    """Three seals: governance, memory of a person, and that person's erasure."""
    for n in range(3):
        make_key(client, admin, "threads", label=f"k{n}")
    service.storage.seal(service.clock.now())
    row = service.registry.named("default", "store", "default")
    memory = service.base(row)
    for person in ("p1", "p2"):
        memory.write(subject="mira", attribute="city", value=f"Rome {person}", person=person)
    service.storage.seal(service.clock.now())
    client.delete("/v1/persons/p1/memory", headers=admin)
    service.storage.seal(service.clock.now())
    make_key(client, admin, "threads", label="unsealed")
    return service


def verdict(service, **asked):
    return service.storage.audit("default", **asked)


def edit(service, *statements):
    with sqlite3.connect(service.storage.path) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement
    connection.close()


def test_a_whole_trail_is_whole(trail):
    found = verdict(trail)
    assert found.broken == ()
    assert (found.unsealed, found.emptied) == (1, 1)
    assert found.sealed > 5
    assert found.head.startswith("3:")


MIDDLE = "(SELECT no FROM audit WHERE seal = 2 ORDER BY no LIMIT 1)"
EMPTIED = "(SELECT no FROM audit WHERE no NOT IN (SELECT audit FROM audit_content) LIMIT 1)"
LAST = "(SELECT max(no) FROM audit WHERE seal = 3)"


@pytest.mark.parametrize(
    "tampering",
    [
        f"UPDATE audit SET action = 'other' WHERE no = {MIDDLE}",
        f"UPDATE audit SET at = at + 1 WHERE no = {MIDDLE}",
        f"UPDATE audit SET outcome = 'other' WHERE no = {EMPTIED}",
        f"UPDATE audit SET target = 'other' WHERE no = {EMPTIED}",
        f"UPDATE audit SET id = id || 'x' WHERE no = {EMPTIED}",
        f"UPDATE audit SET said = NULL WHERE no = {MIDDLE} + 1",
        f"UPDATE audit SET digest = zeroblob(32) WHERE no = {MIDDLE}",
        f"UPDATE audit_content SET content = '{{}}' WHERE audit = {LAST}",
        f"UPDATE audit_content SET store = 'x' WHERE audit = {LAST}",
        f"UPDATE audit_content SET person = 'x' WHERE audit = {LAST}",
        f"DELETE FROM audit WHERE no = {MIDDLE}",
        f"DELETE FROM audit WHERE no = {LAST}",
        "DELETE FROM audit WHERE seal = 1",
        "DELETE FROM audit WHERE seal = 2",
        "DELETE FROM audit WHERE seal = 3",
        f"UPDATE audit SET seal = 1 WHERE no = {MIDDLE}",
        f"UPDATE audit SET seal = NULL WHERE no = {MIDDLE}",
        f"UPDATE audit SET seal = 9 WHERE no = {MIDDLE}",
        "DELETE FROM seal WHERE n = 1",
        "DELETE FROM seal WHERE n = 2",
        "DELETE FROM seal WHERE n = 3",
        "UPDATE seal SET hash = zeroblob(32) WHERE n = 2",
        "UPDATE seal SET entries = entries + 1 WHERE n = 2",
        "UPDATE seal SET n = 4 WHERE n = 3",
        "UPDATE audit SET outcome = 'x' WHERE seal IS NULL",
    ],
)  # fmt: skip
def test_every_tampering_is_found(trail, tampering):
    edit(trail, tampering)
    assert verdict(trail).broken


def test_entries_that_change_places_are_found(trail):
    edit(
        trail,
        "UPDATE audit SET seal = 3 WHERE no = (SELECT min(no) FROM audit WHERE seal = 1)",
        "UPDATE audit SET seal = 1 WHERE no = (SELECT max(no) FROM audit WHERE seal = 3)",
    )
    assert len(verdict(trail).broken) >= 2


def test_an_end_cut_off_is_found_by_who_kept_the_head(trail):
    head = verdict(trail).head
    assert verdict(trail, anchor=head).broken == ()
    edit(trail, "DELETE FROM audit WHERE seal = 3", "DELETE FROM seal WHERE n = 3")
    assert verdict(trail).broken == ()  # nothing in the file itself says that there was more
    assert verdict(trail, anchor=head).broken == (f"the trail does not contain the seal {head}",)


def test_old_entries_go_and_the_rest_is_still_whole(trail, client, admin, clock):
    settings = {"audit_retention_days": 30}
    assert client.patch(
        "/v1/tenants/default/settings", json=settings, headers=admin
    ).status_code == 200  # fmt: skip
    memory = trail.base(trail.registry.named("default", "store", "default"))
    before = verdict(trail)
    memory.sweep()
    assert verdict(trail).sealed == before.sealed
    clock.advance(days=31)
    make_key(client, admin, "threads", label="later")
    trail.storage.seal(clock.now())
    memory.sweep()
    found = verdict(trail)
    assert (found.broken, found.removed, found.sealed) == ((), 3, 3)
    assert [e["action"] for e in audited(client, admin)] == [
        "audit_retention", "key_create", "tenant_change", "key_create",
    ]  # fmt: skip
    edit(trail, "DELETE FROM audit WHERE seal = 4")
    assert verdict(trail).broken == ("seal 4 does not fit its entries",)


def test_nothing_excuses_a_gap_but_the_entry_that_tells_of_it(trail):
    edit(trail, "DELETE FROM audit WHERE seal = 1")
    assert "seal 1 does not fit its entries" in verdict(trail).broken


def test_what_governs_is_in_the_trail(client, admin, first, service):
    made = make_key(client, admin, "knowledge", stores={"default": ["read"]})
    small = bearer(made["key"])
    path = f"/v1/tenants/default/keys/{made['id']}"
    client.patch(path, json={"label": "x"}, headers=admin)
    client.patch("/v1/tenants/default/settings", json={"timezone": "Europe/Rome"}, headers=admin)
    client.patch("/v1/memory/stores/default", json={"audit_reads": True}, headers=admin)
    client.get("/v1/audit", headers=small)
    client.get("/v1/memory/stores/idx_none", headers=admin)
    client.get("/v1/stores/default/state/mira/city", headers=admin)
    client.get("/v1/persons/p1/export", headers=admin)
    client.delete("/v1/persons/p1/memory", headers=admin)
    found = [(e["action"], e["outcome"]) for e in audited(client, admin)]
    assert found[:9] == [
        ("memory_erasure", "removed"), ("admin_read", "read"), ("memory_read", "read"),
        ("refusal", "not_found"), ("refusal", "forbidden"), ("store_change", "stored"),
        ("tenant_change", "stored"), ("key_change", "stored"), ("key_create", "stored"),
    ]  # fmt: skip
    change = audited(client, admin, action="key_change")[0]
    assert change["target"] == made["id"]
    assert change["content"]["before"]["label"] is None
    assert change["content"]["after"]["label"] == "x"
    assert audited(client, admin, target=made["id"])[1]["action"] == "key_create"


def test_state_reads_are_audited_only_where_the_store_asks(client, admin, first):
    def read():
        assert client.get("/v1/stores/default/state/m/a", headers=admin).status_code == 200

    read()
    assert audited(client, admin, action="memory_read") == []
    client.patch("/v1/memory/stores/default", json={"audit_reads": True}, headers=admin)
    read()
    (entry,) = audited(client, admin, action="memory_read")
    assert entry["content"]["route"] == "GET /v1/stores/{index_id}/state/{subject}/{attribute}"
    client.patch("/v1/memory/stores/default", json={"audit_reads": None}, headers=admin)
    read()
    assert len(audited(client, admin, action="memory_read")) == 1


def test_every_way_to_read_a_store_is_audited_where_it_asks(client, admin, service, first):
    made = {"index_id": "default", "subject": "mira", "attribute": "city", "value": "Rome"}
    id = client.post("/v1/memory", json=made, headers=admin).json()["memory"]["memory_id"]
    client.patch("/v1/memory/stores/default", json={"audit_reads": True}, headers=admin)
    tool = f"/v1/tools/memory__{first.index_id}__search"
    asked = {"index_id": "default", "query": "where is mira"}
    for call in (
        lambda: client.get(f"/v1/memory/{id}", headers=admin),
        lambda: client.get(f"/v1/memory/{id}/provenance", headers=admin),
        lambda: client.post("/v1/memory/search", json=asked, headers=admin),
        lambda: client.post("/v1/context", json=asked, headers=admin),
        lambda: client.post(tool, json={"arguments": {"query": "mira"}}, headers=admin),
    ):  # fmt: skip
        assert call().status_code == 200
    routes = [e["content"]["route"] for e in audited(client, admin, action="memory_read")]
    assert routes[::-1] == [
        "GET /v1/memory/{memory_id}", "GET /v1/memory/{memory_id}/provenance",
        "POST /v1/memory/search", "POST /v1/context", "POST /v1/tools/{name}",
    ]  # fmt: skip


def test_the_trail_is_paged_newest_first(client, admin):
    for n in range(7):
        make_key(client, admin, "threads", label=f"k{n}")
    seen, params = [], {"limit": 3, "action": "key_create"}
    while True:
        page = client.get("/v1/audit", params=params, headers=admin).json()
        seen += [e["content"]["after"]["label"] for e in page["entries"]]
        if page["next"] is None:
            break
        params["next"] = page["next"]
    assert seen == ["k6", "k5", "k4", "k3", "k2", "k1", "k0", "admin"]


def test_an_older_file_is_verified_by_its_first_digests(tmp_path):
    from tests.migration.older import made_older  # noqa: PLC0415 - beside what it needs

    path = tmp_path / "old.db"
    with Memory.open(path, embedder="none") as memory:
        memory.write(subject="mira", attribute="city", value="Rome")
    made_older(path, 6)
    opened = Service.open(path, embedder="none")
    try:
        assert opened.storage.audit("default", seal_at=5).broken == ()
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE audit SET outcome = 'x'")
        connection.close()
        assert opened.storage.audit("default").broken
    finally:
        opened.close()
