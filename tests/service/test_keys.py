"""Keys: who may make them, what they may be given, how they end."""

from __future__ import annotations

import json

import jwt
import pytest

from tests.service.calls import audited, bearer, make_key, make_token
from vigent.govern.keys import read_key

NOW = "2026-06-01T12:00:00Z"

ALL = ("memory", "knowledge", "threads", "responses", "management")
KEYS = "/v1/tenants/default/keys"


def test_a_key_is_shown_once_and_never_again(client, admin, service):
    made = make_key(client, admin, "memory", "knowledge", label="app")
    text = made["key"]
    secret = read_key(text).secret
    for found in (
        client.get(KEYS, headers=admin), client.get(f"{KEYS}/{made['id']}", headers=admin),
        client.get("/v1/audit?limit=200", headers=admin),
    ):  # fmt: skip
        assert found.status_code == 200
        assert secret not in found.text
        assert "digest" not in found.text
    assert client.get(f"{KEYS}/{made['id']}", headers=admin).json() == {
        k: v for k, v in made.items() if k != "key"
    }
    assert client.get("/v1/memory/stores", headers=bearer(text)).status_code == 200
    assert "_…" in made["prefix"]


def test_a_repeated_request_makes_one_key_and_does_not_show_it_again(client, admin, service):
    body = {"capabilities": ["threads"], "policy": {"stores": {}}}
    headers = {**admin, "Idempotency-Key": "k1"}
    one, two = (client.post(KEYS, json=body, headers=headers).json() for _ in range(2))
    assert one["id"] == two["id"]
    assert one["key"] is not None
    assert two["key"] is None
    other = client.post(KEYS, json={**body, "label": "x"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_mismatch")
    secret = read_key(one["key"]).secret
    connection = service.storage._connections.get()
    kept = connection.execute("SELECT answer FROM idempotency").fetchall()
    assert kept
    assert all(secret not in answer for (answer,) in kept)


def test_names_of_stores_become_ids_and_unknown_ones_are_refused(client, admin, first):
    made = make_key(client, admin, "knowledge", stores={"default": ["read"]})
    assert made["policy"] == {"stores": {first.index_id: ["read"]}}
    bad = {"capabilities": [], "policy": {"stores": {"nowhere": ["read"]}}}
    answer = client.post(KEYS, json=bad, headers=admin)
    assert (answer.status_code, answer.json()["field"]) == (422, "policy.stores")


def test_memory_needs_knowledge(client, admin):
    body = {"capabilities": ["memory"], "policy": {"stores": {}}}
    answer = client.post(KEYS, json=body, headers=admin)
    assert (answer.status_code, answer.json()["field"]) == (422, "capabilities")


@pytest.mark.parametrize(
    "wanted",
    [
        {"capabilities": ["threads", "management"], "policy": {"stores": {}}},
        {"capabilities": ["management"], "policy": {"stores": {"*": ["read"]}}},
        {"capabilities": ["management"], "policy": {"stores": {"default": ["read", "write"]}}},
    ],
)
def test_nobody_gives_rights_that_their_own_key_has_not(client, admin, wanted):
    small = bearer(make_key(client, admin, "management", stores={"default": ["read"]})["key"])
    answer = client.post(KEYS, json=wanted, headers=small)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    allowed = {"capabilities": ["management"], "policy": {"stores": {"default": ["read"]}}}
    assert client.post(KEYS, json=allowed, headers=small).status_code == 201
    assert audited(client, admin, action="refusal")[0]["outcome"] == "forbidden"


def test_a_stronger_key_is_not_rotated_into_ones_own_hands(client, admin):
    small = bearer(make_key(client, admin, "management", stores={})["key"])
    strong = make_key(client, admin, *ALL)
    path = f"{KEYS}/{strong['id']}"
    assert client.post(f"{path}/rotate", json={}, headers=small).status_code == 403
    taken = client.patch(path, json={"capabilities": ["management"]}, headers=small)
    assert taken.status_code == 200  # taking rights away is managing


def test_rotation_has_an_overlap(client, admin, clock):
    made = make_key(client, admin, "knowledge")
    path = f"{KEYS}/{made['id']}/rotate"
    new = client.post(path, json={"overlap_seconds": 60}, headers=admin).json()
    old, fresh = bearer(made["key"]), bearer(new["key"])
    assert new["old_secret_until"] == "2026-06-01T12:01:00Z"
    stores = "/v1/memory/stores"
    assert [client.get(stores, headers=h).status_code for h in (old, fresh)] == [200, 200]
    clock.advance(seconds=60)
    assert [client.get(stores, headers=h).status_code for h in (old, fresh)] == [401, 200]
    last = client.post(path, json={}, headers=admin).json()
    assert last["old_secret_until"] is None
    assert [client.get(stores, headers=h).status_code for h in (fresh, bearer(last["key"]))] == [
        401, 200,
    ]  # fmt: skip


def test_a_key_expires_and_is_revoked_at_once(client, admin, clock):
    made = make_key(client, admin, "knowledge", expires_at="2026-06-01T12:00:10Z")
    other = make_key(client, admin, "knowledge")
    clock.advance(seconds=10)
    assert client.get("/v1/memory/stores", headers=bearer(made["key"])).status_code == 401
    assert client.get(f"{KEYS}/{made['id']}", headers=admin).json()["state"] == "expired"
    gone = client.post(f"{KEYS}/{other['id']}/revoke", headers=admin)
    assert gone.json()["state"] == "revoked"
    assert client.get("/v1/memory/stores", headers=bearer(other["key"])).status_code == 401
    assert client.post(f"{KEYS}/{other['id']}/rotate", json={}, headers=admin).status_code == 409
    assert client.delete(f"{KEYS}/{other['id']}", headers=admin).status_code == 204
    assert client.get(f"{KEYS}/{other['id']}", headers=admin).status_code == 404
    past = {"capabilities": [], "policy": {}, "expires_at": "2026-06-01T12:00:00Z"}
    answer = client.post(KEYS, json=past, headers=admin)
    assert (answer.status_code, answer.json()["field"]) == (422, "expires_at")


def test_the_last_key_that_manages_stays(client, admin, first):
    mine = f"{KEYS}/key_{first.key.split('_')[2]}"
    for attempt in (
        client.post(f"{mine}/revoke", headers=admin), client.delete(mine, headers=admin),
        client.patch(mine, json={"capabilities": ["threads"]}, headers=admin),
    ):  # fmt: skip
        assert (attempt.status_code, attempt.json()["code"]) == (409, "resource_in_use")
    make_key(client, admin, "management")
    assert client.post(f"{mine}/revoke", headers=admin).status_code == 200
    assert client.get(KEYS, headers=admin).status_code == 401


def test_what_a_key_sets_is_changed_in_parts(client, admin, first):
    made = make_key(client, admin, "memory", "knowledge")
    path = f"{KEYS}/{made['id']}"
    block = {"injection": {"index_id": "default", "limit": 3}, "half_life_days": {"fact": 7}}
    changed = client.patch(path, json={"memory": block, "label": "x"}, headers=admin).json()
    assert changed["memory"]["injection"]["index_id"] == first.index_id
    assert (changed["label"], changed["version"]) == ("x", 2)
    reset = client.patch(path, json={"memory": None, "expect": 2}, headers=admin).json()
    assert (reset["memory"]["injection"], reset["label"]) == (None, "x")
    stale = client.patch(path, json={"label": "y", "expect": 2}, headers=admin)
    assert (stale.status_code, stale.json()["code"]) == (409, "unexpected_version")
    nowhere = {"memory": {"injection": {"index_id": "idx_none"}}}
    answer = client.patch(path, json=nowhere, headers=admin)
    assert (answer.status_code, answer.json()["field"]) == (422, "memory.injection.index_id")
    odd = client.patch(path, json={"rights": []}, headers=admin)
    assert (odd.status_code, odd.json()["field"]) == (422, "rights")


def test_keys_are_paged_and_cursors_are_of_one_tenant(client, admin, service):
    made = [make_key(client, admin, "threads", label=f"k{n}")["id"] for n in range(5)]
    seen, params = [], {"limit": 2}
    while True:
        page = client.get(KEYS, params=params, headers=admin).json()
        seen += [key["id"] for key in page["keys"]]
        if page["next"] is None:
            break
        params["next"] = page["next"]
    assert seen[1:] == made
    other = bearer(service.new_tenant("other").key)
    foreign = client.get("/v1/tenants/other/keys", params=params, headers=other)
    assert foreign.status_code == 404
    question = client.get("/v1/audit", params={"next": params["next"]}, headers=admin)
    assert (question.status_code, question.json()["field"]) == (422, "next")
    for garbage in ("x", "ab.cd", "%00", "é" * 40):
        answer = client.get(KEYS, params={"next": garbage}, headers=admin)
        assert (answer.status_code, answer.json()["field"]) == (422, "next")


def test_another_tenant_is_absent(client, admin, service):
    other = service.new_tenant("other")
    for path in ("keys", f"keys/key_{other.key.split('_')[2]}", "settings"):
        answer = client.get(f"/v1/tenants/other/{path}", headers=admin)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert audited(client, admin)[0]["action"] == "refusal"
    assert audited(client, bearer(other.key))[0]["action"] != "refusal"


# ------------------------------------------------------------------------ subject tokens


def token_state(client, headers, token):
    return client.get("/v1/persons/p1", headers={**headers, "X-Vigent-Subject-Token": token})


def test_a_token_is_one_persons_and_short_lived(client, admin, clock):
    app = bearer(make_key(client, admin, "threads")["key"])
    token = make_token(client, admin, "p1")
    assert token_state(client, app, token).status_code == 200
    other = client.get("/v1/persons/p2", headers={**app, "X-Vigent-Subject-Token": token})
    assert other.status_code == 403
    clock.advance(seconds=301)
    assert token_state(client, app, token).status_code == 401
    long = client.post("/v1/persons/p1/tokens", json={"ttl_seconds": 3601}, headers=admin)
    assert long.status_code == 422
    assert client.post("/v1/persons/p1/tokens", json={}, headers=app).status_code == 403


def test_a_repeated_request_gives_the_same_token_which_is_kept_nowhere(client, admin, clock):
    headers = {**admin, "Idempotency-Key": "t1"}
    one = client.post("/v1/persons/p1/tokens", json={}, headers=headers).json()
    clock.advance(seconds=5)
    assert client.post("/v1/persons/p1/tokens", json={}, headers=headers).json() == one
    assert client.post("/v1/persons/p2/tokens", json={}, headers=headers).status_code == 409


def test_a_token_of_another_tenant_or_another_make_opens_nothing(client, admin, service):
    other = bearer(service.new_tenant("other").key)
    foreign = make_token(client, other, "p1")
    secret = service.tenant("default").token_secret
    claims = {"ten": "default", "sub": "p1", "key": "key_x", "exp": 4_000_000_000}
    forged = [
        foreign,
        jwt.encode(claims, "x" * 64, algorithm="HS256"),
        jwt.encode(claims, secret, algorithm="HS512"),
        jwt.encode(claims, None, algorithm="none"),
        jwt.encode({**claims, "ten": "other"}, secret, algorithm="HS256"),
        jwt.encode({"ten": "default", "sub": "p1", "key": "k"}, secret, algorithm="HS256"),
        jwt.encode(claims, secret, algorithm="HS256"),  # of a key that is not there
        "garbage",
        "",
    ]
    assert [token_state(client, admin, token).status_code for token in forged] == [401] * 9


def test_tokens_go_with_the_key_that_minted_them(client, admin):
    minter = make_key(client, admin, "management")
    token = make_token(client, bearer(minter["key"]), "p1")
    app = bearer(make_key(client, admin, "threads")["key"])
    assert token_state(client, app, token).status_code == 200
    client.post(f"{KEYS}/{minter['id']}/revoke", headers=admin)
    assert token_state(client, app, token).status_code == 401


def test_two_names_of_one_caller_are_refused(client, admin):
    token = make_token(client, admin, "p1")
    for headers in (
        [("X-Vigent-Subject", "p1"), ("X-Core-Subject", "p2")],
        [("X-Vigent-Subject", "p1"), ("X-Vigent-Subject", "p2")],
        [("X-Vigent-Subject", "p2"), ("X-Vigent-Subject-Token", token)],
    ):
        answer = client.get("/v1/persons/p1", headers=[*admin.items(), *headers])
        assert (answer.status_code, answer.json()["code"]) == (422, "subject_conflict")
    twice = [*admin.items(), ("Authorization", "Bearer x")]
    assert client.get("/v1/persons/p1", headers=twice).status_code == 401


@pytest.mark.parametrize("name", ["a\x00b", " a", "a\x1b[31m", "x" * 201])
def test_a_name_that_is_no_id_is_refused(client, admin, name):
    answer = client.get("/v1/memory/stores", headers={**admin, "X-Vigent-Subject": name})
    assert answer.status_code == 422
    assert json.loads(answer.text)["field"] == "X-Vigent-Subject"


def test_errors_of_a_body_are_told_only_to_those_with_a_key(client, admin):
    for body in ({"timezone": "Nowhere/Land"}, {"odd": 1}, {"helper_model": 7}):
        bare = client.patch("/v1/persons/p1", json=body)
        assert bare.status_code == 401
        assert "timezone" not in bare.text
        assert client.patch("/v1/persons/p1", json=body, headers=admin).status_code == 422


@pytest.mark.parametrize(
    ("block", "field"),
    [
        ({"limit": -1}, "memory.injection.limit"),
        ({"budget_tokens": -5}, "memory.injection.budget_tokens"),
        ({"min_confidence": 2}, "memory.injection.min_confidence"),
        ({"types": [""]}, "memory.injection.types"),
        ({"metadata": {"a": {"near": 1}}}, "memory.injection.metadata.a"),
        ({"metadata": {"a": {"gt": True}}}, "memory.injection.metadata.a.gt"),
    ],
)
def test_an_injection_block_that_could_not_be_used_is_not_kept(client, admin, block, field):
    made = make_key(client, admin, "memory", "knowledge")
    wanted = {"memory": {"injection": block}}
    told = client.patch(f"{KEYS}/{made['id']}", json=wanted, headers=admin)
    assert (told.status_code, told.json()["field"]) == (422, field)
    body = {"capabilities": [], "policy": {"stores": {}}, **wanted}
    assert client.post(KEYS, json=body, headers=admin).json()["field"] == field
    # The key goes on as it was.
    held = bearer(made["key"])
    assert client.get("/v1/memory?index_id=default", headers=held).status_code == 200


def test_numbers_in_a_filter_of_injection_stay_numbers(client, admin, first):
    block = {"metadata": {"score": {"gte": 0.5, "in": [0.75, 8]}}}
    body = {
        "capabilities": ["memory", "knowledge", "threads"],
        "policy": {"stores": {"*": ["read", "write"]}}, "memory": {"injection": block},
    }  # fmt: skip
    made = client.post(KEYS, json=body, headers=admin).json()
    assert made["memory"]["injection"]["metadata"] == block["metadata"]
    agent = {"name": "desk", "model": "m", "memory_injection": block}
    saved = client.post("/v1/agents", json=agent, headers=admin).json()
    assert saved["memory_injection"]["metadata"] == block["metadata"]
    for score in (0.25, 0.75):
        wanted = {"index_id": "default", "text": f"note {score}", "metadata": {"score": score}}
        assert client.post("/v1/memory", json=wanted, headers=admin).status_code == 201
    asked = {"index_id": "default", "query": "note"}
    told = client.post("/v1/context", json=asked, headers=bearer(made["key"])).text
    assert ("note 0.75" in told, "note 0.25" in told) == (True, False)
    block["metadata"] = {"score": {"gte": 10**400}}
    told = client.post(
        KEYS, headers={**admin, "Content-Type": "application/json"},
        content=json.dumps(body).replace(str(10**400), "1e400"),
    )  # fmt: skip
    assert (told.status_code, told.json()["field"]) == (422, "memory.injection.metadata")
