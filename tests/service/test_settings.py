"""Settings of tenants and stores: their rules, their rights, and that they really hold."""

from __future__ import annotations

import pytest

from tests.service.calls import bearer, make_key
from vigent.domain.usage import UsageRow

STORE = "/v1/memory/stores/default"
TENANT = "/v1/tenants/default/settings"


def test_what_a_tenant_sets(client, admin):
    body = {"timezone": "Asia/Tokyo", "models_offered": ["m1"], "helper_model": "m1",
            "improvements": {"enabled": True}, "audit_retention_days": 90}  # fmt: skip
    found = client.patch(TENANT, json=body, headers=admin).json()
    assert {k: found[k] for k in body} == body
    assert client.get(TENANT, headers=admin).json() == found
    reset = client.patch(TENANT, json={"helper_model": None, "timezone": None}, headers=admin)
    assert (reset.json()["helper_model"], reset.json()["timezone"]) == (None, None)
    assert reset.json()["models_offered"] == ["m1"]
    for field, value in (
        ("timezone", "Mars/Base"), ("helper_model", "m2"), ("analysis_model", "m2"),
        ("audit_retention_days", 0), ("monthly_token_limit", -1), ("odd", 1),
    ):  # fmt: skip
        answer = client.patch(TENANT, json={field: value}, headers=admin)
        assert (answer.status_code, answer.json()["field"]) == (422, field)
    stale = client.patch(TENANT, json={"timezone": "UTC", "expect": 1}, headers=admin)
    assert stale.status_code == 409


def test_bare_dates_are_in_the_zone_of_the_tenant(client, admin, service, first):
    memory = service.base(service.registry.named("default", "store", "default"))
    memory.write(subject="m", attribute="a", value="x", valid_from="2026-05-01T20:00:00Z")
    asked = {"as_of": "2026-05-01"}
    path = "/v1/stores/default/state/m/a"
    assert client.get(path, params=asked, headers=admin).json()["memory"] is not None
    client.patch(TENANT, json={"timezone": "Asia/Tokyo"}, headers=admin)
    assert client.get(path, params=asked, headers=admin).json()["memory"] is None


def test_a_section_is_replaced_whole_and_null_resets_it(client, admin):
    one = {"injection": {"rank": "blend", "episodes_limit": 3}, "unknown_types": "reject"}
    found = client.patch(STORE, json=one, headers=admin).json()
    assert (found["injection"]["rank"], found["injection"]["episodes_limit"]) == ("blend", 3)
    found = client.patch(STORE, json={"injection": {"rank": "relevance"}}, headers=admin).json()
    assert (found["injection"]["rank"], found["injection"]["episodes_limit"]) == ("relevance", 0)
    assert found["unknown_types"] == "reject"
    found = client.patch(STORE, json={"injection": None, "expect": 3}, headers=admin).json()
    assert (found["injection"]["rank"], found["version"]) == ("confidence", 4)
    assert client.get(STORE, headers=admin).json() == found
    assert client.patch(STORE, json={"gate": {}, "expect": 3}, headers=admin).status_code == 409


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"injection": {"rank": "luck"}}, "injection.rank"),
        ({"injection": {"shares": {"shared": 2}}}, "injection.shares.shared"),
        ({"commitments": {"inject_limit": -1}}, "commitments.inject_limit"),
        ({"lessons": {"min_episodes": 1}}, "lessons.min_episodes"),
        ({"retention": {"default": "nowhere"}}, "retention.default"),
        ({"gate": {"min_confidence": 1.5}}, "gate.min_confidence"),
        ({"blocks": {"odd": 1}}, "blocks.odd"),
        ({"odd": {}}, "odd"),
    ],
)
def test_what_does_not_fit_is_named(client, admin, body, field):
    answer = client.patch(STORE, json=body, headers=admin)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_rights_go_by_section(client, admin):
    memory = bearer(make_key(client, admin, "memory", "knowledge")["key"])
    manager = bearer(make_key(client, admin, "management")["key"])
    reader = make_key(client, admin, "memory", "knowledge", stores={"default": ["read"]})["key"]

    def codes(body):
        return [client.patch(STORE, json=body, headers=h).status_code for h in (memory, manager)]

    assert codes({"injection": {}}) == [200, 403]
    assert codes({"gate": {}}) == [403, 200]
    assert codes({"retention": {}}) == [403, 200]
    assert codes({"promotion": {"enabled": True}}) == [403, 403]
    assert codes({"injection": {}, "gate": {}}) == [403, 403]
    assert client.patch(STORE, json={"injection": {}}, headers=bearer(reader)).status_code == 403
    both = {"promotion": {"enabled": True, "labels": {"a": "b"}}}
    assert client.patch(STORE, json=both, headers=admin).status_code == 403
    client.patch(TENANT, json={"improvements": {"enabled": True}}, headers=admin)
    assert client.patch(STORE, json=both, headers=admin).status_code == 200
    assert codes(both) == [403, 403]


def seen(service, admin):
    from vigent.service import Presented  # noqa: PLC0415 - beside what it is for

    caller = service.caller(Presented(admin["Authorization"]))
    return caller.memory("default", "write")


def test_the_gate_holds_what_is_less_sure_than_the_store_asks(client, admin, service):
    def written(value, **more):
        return seen(service, admin).write(subject="m", attribute=f"a{value}", value=value, **more)

    assert written(1, confidence=0.3).outcome == "stored"
    client.patch(STORE, json={"gate": {"min_confidence": 0.5}}, headers=admin)
    held = written(2, confidence=0.3)
    assert (held.outcome, held.reason) == (
        "pending_review", "confidence is less than the store asks",
    )  # fmt: skip
    assert written(3, confidence=0.5).outcome == "stored"
    assert written(4).outcome == "stored"
    assert seen(service, admin).review.accept(held.memory.memory_id).outcome == "stored"
    client.patch(STORE, json={"gate": None}, headers=admin)
    assert written(5, confidence=0.1).outcome == "stored"


def test_the_default_retention_is_the_stores(client, admin, service):
    def policy(value):
        done = seen(service, admin).write(subject="m", attribute=f"a{value}", value=value)
        return done.memory.retention_policy

    assert policy(1) == "standard"
    client.patch(STORE, json={"retention": {"default": "keep"}}, headers=admin)
    assert policy(2) == "keep"


def test_unknown_types_are_refused_where_the_store_says_so(client, admin, service):
    client.patch(STORE, json={"unknown_types": "reject"}, headers=admin)
    with pytest.raises(Exception, match="not declared"):
        seen(service, admin).write(text="x", type="odd")


def test_a_store_goes_with_all_that_is_in_it(client, admin, service, first):
    made = client.post("/v1/memory/stores", json={"name": "second"}, headers=admin).json()
    for name in ("default", "second"):
        memory = service.base(service.registry.named("default", "store", name))
        memory.write(subject="m", attribute="a", value="x", person="p1")
        memory.write(text="words", person="p1")
        thread = memory.threads.create("p1")
        memory.threads.append(thread, "hello", role="user")
        memory.alias("mm", of="m")
    path = f"/v1/memory/stores/{made['id']}"
    dry = client.delete(path, params={"dry_run": True}, headers=admin).json()
    assert dry["state"] == "dry_run"
    done = client.delete(path, headers=admin).json()
    assert (done["state"], done["counts"]) == ("removed", dry["counts"])
    assert [done["counts"][t] for t in ("statement", "thread", "episode", "alias")] == [2, 1, 1, 1]
    assert client.get(path, headers=admin).status_code == 404
    kept = client.get("/v1/stores/default/state/m/a", headers={**admin, "X-Vigent-Subject": "p1"})
    assert kept.json()["memory"]["value"] == "x"
    again = client.post("/v1/memory/stores", json={"name": "second"}, headers=admin).json()
    fresh = client.get(
        f"/v1/stores/{again['id']}/state/m/a", headers={**admin, "X-Vigent-Subject": "p1"}
    )
    assert fresh.json()["memory"] is None
    assert service.storage.check() == []
    assert service.storage.audit("default").broken == ()


def test_a_tenant_goes_with_its_keys(client, admin, service):
    other = service.new_tenant("other")
    theirs = bearer(other.key)
    path = "/v1/tenants/other"
    dry = client.delete(path, params={"dry_run": True}, headers=theirs).json()
    assert (dry["state"], dry["counts"]["resource"]) == ("dry_run", 3)
    assert client.delete(path, headers=admin).status_code == 404
    done = client.delete(path, headers=theirs).json()
    assert (done["state"], done["counts"]) == ("removed", dry["counts"])
    assert client.get(TENANT.replace("default", "other"), headers=theirs).status_code == 401
    assert client.get(TENANT, headers=admin).status_code == 200
    with service.storage.snapshot() as snapshot:
        assert snapshot.tenants() == ["default"]
    assert service.new_tenant("other").tenant == "other"


def test_usage_is_an_honest_nothing_and_then_what_was_metered(client, admin, service, clock):
    found = client.get("/v1/usage", params={"by": "store,model,kind"}, headers=admin).json()
    none = {"calls": 0, "failed": 0, "input_tokens": 0, "output_tokens": 0}
    assert (found["usage"], found["total"]) == ([], none)
    day = clock.now() // 86_400_000_000 * 86_400_000_000
    service.registry.meter(UsageRow("default", day, "s1", "m1", "extraction", 1, 0, 10, 5))
    service.registry.meter(UsageRow("default", day, "s1", "m1", "extraction", 1, 1, 7, 0))
    service.registry.meter(UsageRow("default", day, "s2", "m1", "helper", 1, 0, 1, 1))
    found = client.get("/v1/usage", params={"by": "store,kind"}, headers=admin).json()
    assert found["usage"] == [
        {"store": "s1", "kind": "extraction", "calls": 2, "failed": 1, "input_tokens": 17,
         "output_tokens": 5},
        {"store": "s2", "kind": "helper", "calls": 1, "failed": 0, "input_tokens": 1,
         "output_tokens": 1},
    ]  # fmt: skip
    past = client.get("/v1/usage", params={"until": "2026-05-31"}, headers=admin).json()
    assert past["usage"] == []
    assert client.get("/v1/usage", params={"by": "colour"}, headers=admin).status_code == 422
