"""Records over HTTP: who may do what, cursors, odd paths, and what is audited."""

from __future__ import annotations

import json
from typing import Any

import pytest

from vigent.govern.documents import (
    AgentDocument,
    AgentVersion,
    InjectionSpec,
    KeyDocument,
    KeyMemory,
    Policy,
    Secret,
)
from vigent.govern.keys import mint_token, new_secret, read_key, secret_digest, show_key
from vigent.govern.registry import Actor

NOW = "2026-01-10T12:00:00Z"

MEMORY = ("memory", "knowledge")


class Caller:
    """A key as a client uses it."""

    def __init__(self, client, headers: dict[str, str]) -> None:
        self.client, self.headers = client, headers

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.request(method, path, json=body, headers={**self.headers, **named})

    def as_person(self, person: str) -> Caller:
        return Caller(self.client, {**self.headers, "X-Vigent-Subject": person})


@pytest.fixture
def manager(client, admin) -> Caller:
    return Caller(client, admin)


@pytest.fixture
def key_for(service, client, first):
    """Make a key: rights by store, capabilities, and its memory block."""

    def make(stores=None, capabilities=MEMORY, memory=None, tenant="default") -> Caller:
        secret = new_secret()
        document = KeyDocument(
            capabilities=capabilities, memory=memory or KeyMemory(),
            policy=Policy(stores={"*": ("read", "write")} if stores is None else stores),
            secrets=(Secret(digest=secret_digest(secret)),),
        )  # fmt: skip
        row = service.registry.create(Actor(tenant), "key", document)
        return Caller(client, {"Authorization": f"Bearer {show_key(tenant, row.id, secret)}"})

    return make


@pytest.fixture
def token_of(service, clock, first):
    minter = read_key(first.key).id

    def make(person: str) -> dict[str, str]:
        secret = service.tenant("default").token_secret
        until = clock.now() + 60_000_000
        token = mint_token(secret, tenant="default", person=person, key=minter, until=until)
        return {"X-Vigent-Subject-Token": token}

    return make


def written(caller, **fields):
    got = caller("POST", "/v1/memory", {"index_id": "default", **fields})
    assert got.status_code in {200, 201}, got.text
    return got.json()["memory"]["memory_id"]


def audited(service, action="refusal", tenant="default"):
    with service.storage.snapshot() as snapshot:
        return [e for e in snapshot.audit_entries(tenant, limit=200) if e.action == action]


# ------------------------------------------------------------------------ who may do what


def everything_by_id(id):
    return [
        ("GET", f"/v1/memory/{id}", None), ("GET", f"/v1/memory/{id}/history", None),
        ("GET", f"/v1/memory/{id}/provenance", None), ("GET", f"/v1/memory/{id}/visibility", None),
        ("PATCH", f"/v1/memory/{id}", {"importance": 9}), ("DELETE", f"/v1/memory/{id}", None),
        ("POST", f"/v1/memory/{id}/retract", {}), ("POST", f"/v1/review/{id}/accept", None),
        ("POST", f"/v1/review/{id}/reject", {}),
    ]  # fmt: skip


def everything_in_a_store(index_id):
    body = {"index_id": index_id}
    return [
        ("GET", f"/v1/memory?index_id={index_id}", None),
        ("GET", f"/v1/stores/{index_id}/state/mira", None),
        ("GET", f"/v1/stores/{index_id}/state/mira/x", None),
        ("GET", f"/v1/stores/{index_id}/state/mira/x/history", None),
        ("GET", f"/v1/stores/{index_id}/state?subject=mira", None),
        ("GET", f"/v1/stores/{index_id}/history?subject=mira&attribute=x", None),
        ("GET", f"/v1/stores/{index_id}/diff?since=2020-01-01&until=2021-01-01", None),
        ("GET", f"/v1/stores/{index_id}/aliases", None),
        ("GET", f"/v1/stores/{index_id}/names?subject=mira", None),
        ("GET", f"/v1/stores/{index_id}/blocks", None),
        ("POST", "/v1/memory/search", {**body, "query": "x"}),
        ("POST", "/v1/context", {**body, "query": "x"}),
    ], [
        ("POST", "/v1/memory", {**body, "text": "x"}),
        ("POST", "/v1/memory/batch", {**body, "items": [{"text": "x"}]}),
        ("POST", "/v1/memory/propose", {**body, "text": "x", "confidence": 1}),
        ("POST", "/v1/episodes", {**body, "content": "x"}),
        ("POST", f"/v1/stores/{index_id}/aliases", {"name": "m", "of": "mira"}),
        ("DELETE", f"/v1/stores/{index_id}/aliases/m", None),
        ("PUT", f"/v1/stores/{index_id}/blocks/b", {"text": "x"}),
        ("PATCH", f"/v1/stores/{index_id}/blocks/b", {"old": "x", "new": "y"}),
        ("DELETE", f"/v1/stores/{index_id}/blocks/b", None),
    ]  # fmt: skip


def test_without_a_key_nothing_is_told(client, manager):
    id = written(manager, text="a")
    reads, writes = everything_in_a_store("default")
    for method, path, body in [*everything_by_id(id), *reads, *writes]:
        got = client.request(method, path, json=body)
        assert (got.status_code, got.json()["code"]) == (401, "unauthorized"), path


def test_a_store_that_the_policy_does_not_name_is_absent(service, manager, key_for, first):
    id = written(manager, text="a")
    blind = key_for(stores={"idx_other": ("read", "write")}, capabilities=(*MEMORY, "management"))
    reads, writes = everything_in_a_store("default")
    calls = [*everything_by_id(id), *reads, *writes]
    for method, path, body in calls:
        got = blind(method, path, body)
        assert (got.status_code, got.json()["code"]) == (404, "not_found"), (path, got.text)
    assert len(audited(service)) == len(calls)


def test_a_key_that_only_reads_searches_and_does_not_write(service, manager, key_for, first):
    id = written(manager, text="a")
    reader = key_for(stores={first.index_id: ("read",)}, capabilities=(*MEMORY, "management"))
    reads, writes = everything_in_a_store("default")
    for method, path, body in [*reads, *everything_by_id(id)[:4]]:
        assert reader(method, path, body).status_code == 200, path
    refusals = [*writes, *everything_by_id(id)[4:]]
    for method, path, body in refusals:
        got = reader(method, path, body)
        assert (got.status_code, got.json()["code"]) == (403, "forbidden"), (path, got.text)
    assert len(audited(service)) == len(refusals)
    assert manager("GET", f"/v1/memory/{id}").status_code == 200


def test_without_the_capability_it_is_forbidden(manager, key_for):
    id = written(manager, text="a")
    other = key_for(capabilities=("threads",))
    reads, writes = everything_in_a_store("default")
    for method, path, body in [*reads[:-1], *writes, *everything_by_id(id)]:
        assert other(method, path, body).status_code == 403, path
    # A context it may have; of memory there is none in it.
    got = other("POST", "/v1/context", {"index_id": "default", "query": "a"})
    assert (got.status_code, got.json()["block"]) == (200, "")


def test_a_record_of_another_tenant_is_absent(service, client, manager):
    other = Caller(client, {"Authorization": f"Bearer {service.new_tenant('other').key}"})
    id = written(manager, text="a")
    for method, path, body in everything_by_id(id):
        got = other(method, path, body)
        assert (got.status_code, "default" in got.text) == (404, False), path


def test_a_person_changes_only_their_own(manager):
    shared, mira = written(manager, text="shared"), manager.as_person("mira")
    own = written(mira, text="own")
    for method, path, body in everything_by_id(shared)[4:7]:
        assert mira(method, path, body).status_code == 403, path
    bob = manager.as_person("bob")
    for method, path, body in everything_by_id(own)[:7]:
        assert bob(method, path, body).status_code == 404, path
        assert manager(method, path, body).status_code == 404, path
    assert mira("PATCH", f"/v1/memory/{own}", {"importance": 9}).status_code == 200
    assert mira("DELETE", f"/v1/memory/{own}").json() == {"memory_id": own, "forgotten": True}
    assert mira("GET", f"/v1/memory/{own}").status_code == 404


def test_a_key_that_only_reads_does_not_learn_that_anothers_record_is_there(manager, key_for):
    own = written(manager.as_person("mira"), text="own")
    reader = key_for(stores={"*": ("read",)})
    told = reader("DELETE", f"/v1/memory/{own}")
    nothing = reader("DELETE", "/v1/memory/mem_none")
    assert (told.status_code, nothing.status_code) == (404, 404)


def test_anothers_list_needs_management_and_is_audited(service, manager, key_for):
    written(manager.as_person("mira"), text="own")
    path = "/v1/memory?index_id=default&person=mira"
    assert key_for()("GET", path).status_code == 403
    got = manager("GET", path)
    assert [m["text"] for m in got.json()["memories"]] == ["own"]
    assert [e.person for e in audited(service, "person_read")] == ["mira"]
    mira = key_for().as_person("mira")
    assert mira("GET", path).status_code == 200


def test_trust_can_only_be_lowered(manager, token_of):
    def trust(caller, **fields):
        return caller("POST", "/v1/memory", {"index_id": "default", **fields}).json()["memory"][
            "trust"
        ]

    by_token = Caller(manager.client, {**manager.headers, **token_of("mira")})
    assert trust(manager, text="a") == "application"
    assert trust(manager, text="b", trust="reviewer") == "application"
    assert trust(manager, text="c", trust="document", confidence=0.5) == "document"
    assert trust(by_token, text="d") == "person"
    assert trust(by_token, text="e", trust="application") == "application"


@pytest.mark.parametrize("type", ["episode", "lesson", "reflection"])
def test_what_the_service_alone_writes_is_refused(manager, type):
    got = manager("POST", "/v1/memory", {"index_id": "default", "type": type, "text": "a"})
    assert (got.status_code, got.json()["field"]) == (422, "type")


# --------------------------------------------------------------------------- corrections


def test_a_patch_corrects_and_changes_fields_together(manager, clock):
    id = written(manager, subject="mira", attribute="seat", value="1A", metadata={"k": 1},
                 valid_from="2026-01-01", importance=7)  # fmt: skip
    clock.advance(days=1)
    got = manager("PATCH", f"/v1/memory/{id}", {"value": "2B", "confidence": 0.5}).json()
    new = got["memory"]
    assert (got["outcome"], new["value"], new["confidence"]) == ("corrected", "2B", 0.5)
    assert (new["metadata"], new["importance"]) == ({"k": 1}, 7)
    assert new["valid_from"] == "2026-01-01T00:00:00Z"
    old = manager("GET", f"/v1/memory/{id}").json()
    assert (old["status"], old["superseded_by"]) == ("corrected", new["memory_id"])
    again = manager("PATCH", f"/v1/memory/{id}", {"value": "3C"})
    assert (again.status_code, again.json()["code"]) == (409, "already_corrected")
    assert new["memory_id"] in again.json()["detail"]


def test_a_patch_that_is_refused_changes_nothing(manager):
    id = written(manager, subject="mira", attribute="seat", value="1A")
    for body in ({"value": "2B", "importance": 99}, {"text": "no"}, {"valid_from": None}, {},
                 {"value": "2B", "state": "done"}, {"colour": "red"}):  # fmt: skip
        assert manager("PATCH", f"/v1/memory/{id}", body).status_code == 422, body
    found = manager("GET", f"/v1/memory/{id}").json()
    assert (found["value"], found["importance"], found["status"]) == ("1A", 5, "active")


def test_an_end_is_set_and_taken_back(manager):
    id = written(manager, subject="mira", attribute="seat", value="1A", valid_from="2026-01-01")
    ended = manager("PATCH", f"/v1/memory/{id}", {"valid_to": "2026-01-05"}).json()["memory"]
    assert ended["valid_to"] == "2026-01-05T00:00:00Z"
    path = f"/v1/memory/{ended['memory_id']}"
    assert manager("PATCH", path, {"valid_to": None}).json()["memory"]["valid_to"] is None


def test_a_commitment_keeps_its_own_fields(manager):
    id = written(manager, type="commitment", text="send the plan", due="2026-02-01")
    done = manager("PATCH", f"/v1/memory/{id}", {"state": "done"}).json()
    assert (done["outcome"], done["memory"]["state"]) == ("updated", "done")
    new = manager("PATCH", f"/v1/memory/{id}", {"text": "send the new plan"}).json()["memory"]
    assert (new["text"], new["due"], new["state"]) == ("send the new plan", "2026-02-01", "done")


def test_no_longer_and_never_was(manager, clock):
    first = written(manager, subject="mira", attribute="seat", value="1A", valid_from="2026-01-01")
    clock.advance(days=1)
    second = written(manager, subject="mira", attribute="seat", value="2B")
    undone = manager("POST", f"/v1/memory/{second}/retract", {"mode": "correction"}).json()
    assert undone["outcome"] == "retracted"
    seat = "/v1/stores/default/state/mira/seat"
    assert manager("GET", seat).json()["memory"]["memory_id"] == first
    assert manager("GET", f"/v1/memory/{second}").json()["status"] == "withdrawn"
    again = manager("POST", f"/v1/memory/{second}/retract", {"mode": "correction"}).json()
    assert again["outcome"] == "noop"
    manager("POST", f"/v1/memory/{first}/retract", {"valid_from": "2026-01-05"})
    assert manager("GET", seat).json()["memory"] is None
    then = manager("GET", f"{seat}?as_of=2026-01-04").json()
    assert then["memory"]["value"] == "1A"
    assert then["as_of"] == "2026-01-04T23:59:59.999999Z"
    told = manager("GET", f"/v1/memory/{first}/history").json()["memories"]
    assert {m["memory_id"] for m in told} == {first}
    assert len(told) > 1


def test_free_text_is_retracted_by_its_id(manager, clock):
    id = written(manager, type="preference", text="likes tea")
    clock.advance(days=1)
    got = manager("POST", f"/v1/memory/{id}/retract", {}).json()
    assert (got["outcome"], [m["memory_id"] for m in got["ended"]]) == ("retracted", [id])
    assert manager("GET", "/v1/memory?index_id=default").json()["memories"] == []


# --------------------------------------------------------------------------------- review


@pytest.fixture
def held(manager):
    body = {"index_id": "default", "type": "preference", "text": "likes tea", "confidence": 0.9}
    got = manager.as_person("mira")("POST", "/v1/memory/propose", body).json()
    assert (got["verdict"], got["reasons"]) == ("pending_review", ["needs the person's own word"])
    return got["memory"]["memory_id"]


def test_management_decides_as_reviewer(manager, key_for, held):
    assert key_for()("GET", "/v1/review").status_code == 403
    items = manager("GET", "/v1/review").json()["items"]
    assert [(i["memory"]["memory_id"], i["memory"]["person_id"]) for i in items] == [(held, "mira")]
    got = manager("POST", f"/v1/review/{held}/accept", Idempotency_Key="k").json()
    assert (got["outcome"], got["memory"]["trust"]) == ("stored", "reviewer")
    again = manager("POST", f"/v1/review/{held}/accept", Idempotency_Key="k").json()
    assert again == got
    assert manager("POST", f"/v1/review/{held}/reject", {}).status_code == 409
    assert manager("GET", "/v1/review").json() == {"items": [], "next": None}


def test_a_person_decides_their_own_by_token(manager, key_for, token_of, held):
    plain = key_for()
    mira = Caller(manager.client, {**plain.headers, **token_of("mira")})
    bob = Caller(manager.client, {**plain.headers, **token_of("bob")})
    body = {"index_id": "default", "type": "preference", "text": "shared", "confidence": 0.9}
    shared = manager("POST", "/v1/memory/propose", body).json()["memory"]["memory_id"]
    assert [i["memory"]["memory_id"] for i in mira("GET", "/v1/review").json()["items"]] == [held]
    assert bob("GET", "/v1/review").json()["items"] == []
    assert bob("POST", f"/v1/review/{held}/accept").status_code == 404
    assert mira("POST", f"/v1/review/{shared}/accept").status_code == 403
    assert plain.as_person("mira")("POST", f"/v1/review/{held}/accept").status_code == 403
    turned = mira("POST", f"/v1/review/{held}/reject", {"reason": "no"}).json()
    assert turned["status"] == "rejected"


def test_a_person_confirms_their_own_by_token(service, manager, key_for, token_of, held):
    mira = Caller(manager.client, {**key_for().headers, **token_of("mira")})
    got = mira("POST", f"/v1/review/{held}/accept", {"edits": {"text": "likes green tea"}}).json()
    told = got["memory"]
    assert (got["outcome"], told["trust"], told["status"]) == ("stored", "person", "active")
    assert (told["person_id"], told["text"]) == ("mira", "likes green tea")
    assert [(e.person, e.target) for e in audited(service, "review_accept")] == [("mira", held)]
    assert mira("POST", f"/v1/review/{held}/accept").status_code == 409
    assert mira("GET", "/v1/review").json()["items"] == []
    # Nobody but management looks at what is another's: none of this is such a look.
    assert audited(service, "admin_read") == []


def test_a_look_at_what_waits_of_a_person_is_audited(service, manager, key_for, token_of, held):
    named, route = manager.as_person("mira"), "GET /v1/review"
    assert [i["memory"]["memory_id"] for i in named("GET", "/v1/review").json()["items"]] == [held]
    (entry,) = audited(service, "admin_read")
    assert (entry.person, json.loads(entry.content)["route"]) == ("mira", route)
    assert named("GET", "/v1/candidates?index_id=default").status_code == 200
    found = [json.loads(e.content)["route"] for e in audited(service, "admin_read")]
    assert sorted(found) == ["GET /v1/candidates", route]
    assert (audited(service, "review_read"), audited(service, "candidates_read")) == ([], [])
    assert manager("GET", "/v1/review").status_code == 200
    assert manager("GET", "/v1/candidates?index_id=default").status_code == 200
    assert len(audited(service, "review_read")) == len(audited(service, "candidates_read")) == 1
    assert len(audited(service, "admin_read")) == 2
    # With a token it is the person who looks, also beside a key with management.
    own = Caller(manager.client, {**manager.headers, **token_of("mira")})
    assert own("GET", "/v1/review").status_code == 200
    assert own("GET", "/v1/candidates?index_id=default").status_code == 200
    assert len(audited(service, "admin_read")) == 2


def test_a_look_that_is_refused_tells_nothing_of_who_waits(service, key_for, held):
    assert key_for().as_person("mira")("GET", "/v1/review").status_code == 403
    assert audited(service, "admin_read") == []


def test_what_waits_is_listed_by_reason_and_over_stores(manager, key_for, service, first):
    manager("POST", "/v1/memory/stores", {"name": "other"})
    for n, index_id in enumerate(("default", "other", "default", "other")):
        body = {"index_id": index_id, "type": "fact", "text": f"r{n}", "confidence": 1}
        more = {"held": "a look"} if n % 4 > 1 else {"held": "another look"}
        manager("POST", "/v1/memory/propose", {**body, **more})

    def walk(caller, query):
        seen, path = [], f"/v1/review?limit=1{query}"
        while path:
            page = caller("GET", path).json()
            assert len(page["items"]) == 1, "no page is short where more follows"
            seen += [(i["memory"]["text"], i["reason"]) for i in page["items"]]
            path = page["next"] and f"/v1/review?limit=1{query}&next={page['next']}"
        return seen

    assert [text for text, _ in walk(manager, "")] == ["r0", "r1", "r2", "r3"]
    assert walk(manager, "&reason=a+look") == [("r2", "a look"), ("r3", "a look")]
    assert [t for t, _ in walk(manager, "&index_id=other&reason=another+look")] == ["r1"]
    assert manager("GET", "/v1/review?reason=none").json() == {"items": [], "next": None}
    # A store that the key does not read is as if it were not there.
    only = key_for(stores={first.index_id: ("read",)}, capabilities=(*MEMORY, "management"))
    assert [text for text, _ in walk(only, "")] == ["r0", "r2"]


def test_many_are_decided_each_by_itself(service, manager, key_for, token_of, held):
    body = {"index_id": "default", "type": "preference", "confidence": 0.9}
    shared = manager("POST", "/v1/memory/propose", {**body, "text": "shared"}).json()
    shared, ids = shared["memory"]["memory_id"], []
    for n in range(3):
        told = manager.as_person("mira")("POST", "/v1/memory/propose", {**body, "text": f"t{n}"})
        ids.append(told.json()["memory"]["memory_id"])
    asked = {"index_id": "default", "decision": "accept", "memory_ids": [ids[0], "mem_x", ids[1]]}
    done = manager("POST", "/v1/review/decide", asked, Idempotency_Key="k")
    again = manager("POST", "/v1/review/decide", asked, Idempotency_Key="k")
    given = [
        [(r.get("outcome"), (r.get("memory") or {}).get("memory_id")) for r in a.json()["results"]]
        for a in (done, again)
    ]
    assert given[0] == given[1]
    one, absent, two = done.json()["results"]
    assert done.json()["failed"] == 1
    assert [(r["outcome"], r["memory"]["trust"]) for r in (one, two)] == [
        ("stored", "reviewer")
    ] * 2
    assert absent["error"]["code"] == "not_found"
    assert [e.target for e in audited(service, "review_accept")] == [ids[1], ids[0]]
    assert len(audited(service, "refusal")) == 2  # it was asked for twice
    other = {**asked, "memory_ids": [ids[2]]}
    assert manager("POST", "/v1/review/decide", other, Idempotency_Key="k").status_code == 409
    # A person decides their own, and nothing else.
    mira = Caller(manager.client, {**key_for().headers, **token_of("mira")})
    turned = {"index_id": "default", "decision": "reject", "memory_ids": [held, shared, ids[0]],
              "reason": "never said"}  # fmt: skip
    told = mira("POST", "/v1/review/decide", turned).json()
    assert [r.get("outcome") or r["error"]["code"] for r in told["results"]] == [
        "rejected", "forbidden", "conflict",
    ]  # fmt: skip
    assert told["results"][0]["memory"]["status"] == "rejected"
    mine = mira("POST", "/v1/review/decide", {**turned, "decision": "accept", "memory_ids": ids})
    assert [r.get("memory", {}).get("trust") for r in mine.json()["results"]] == [
        None, None, "person",
    ]  # fmt: skip
    assert key_for()("POST", "/v1/review/decide", turned).status_code == 403
    manager("POST", "/v1/memory/stores", {"name": "other"})
    elsewhere = manager("POST", "/v1/review/decide", {**turned, "index_id": "other"}).json()
    assert elsewhere["failed"] == 3
    none = {**turned, "memory_ids": []}
    assert manager("POST", "/v1/review/decide", none).status_code == 422


def test_the_review_is_paged(manager):
    for n in range(5):
        body = {"index_id": "default", "type": "behaviour", "text": f"r{n}", "confidence": 1}
        manager("POST", "/v1/memory/propose", body)
    seen, path = [], "/v1/review?limit=2"
    while path:
        page = manager("GET", path).json()
        seen += [i["memory"]["text"] for i in page["items"]]
        path = page["next"] and f"/v1/review?limit=2&next={page['next']}"
    assert seen == [f"r{n}" for n in range(5)]


# -------------------------------------------------------------------------- lists, cursors


def test_a_walk_is_complete_while_others_write(manager, clock):
    for n in range(7):
        written(manager, text=f"m{n}")
    seen, path = [], "/v1/memory?index_id=default&limit=3"
    while path:
        page = manager("GET", path).json()
        seen += [m["text"] for m in page["memories"]]
        clock.advance(seconds=1)
        if len(seen) < 9:
            written(manager, text=f"late {len(seen)}")
        path = page["next"] and f"/v1/memory?index_id=default&limit=3&next={page['next']}"
    assert seen[:7] == [f"m{n}" for n in range(7)]
    assert len(seen) == len(set(seen))


def test_a_cursor_is_of_one_tenant_one_person_and_one_list(service, client, manager):
    for n in range(3):
        written(manager, text=f"m{n}")
    path = "/v1/memory?index_id=default&limit=1"
    at = manager("GET", path).json()["next"]
    assert manager("GET", f"{path}&next={at}").status_code == 200
    other = Caller(client, {"Authorization": f"Bearer {service.new_tenant('other').key}"})
    assert other("GET", f"{path}&next={at}").status_code == 404
    changed = at[:-1] + ("A" if at[-1] != "A" else "B")
    for given in ("x", "", "%00", at[:-4], changed, "A" * 80):
        got = manager("GET", f"{path}&next={given}")
        assert (got.status_code, got.json()["field"]) == (422, "next"), given
    assert manager("GET", f"{path}&type=fact&next={at}").status_code == 422
    assert manager.as_person("mira")("GET", f"{path}&next={at}").status_code == 422
    assert manager("GET", f"/v1/review?next={at}").status_code == 422


def test_lists_are_bounded_by_when_they_were_made(manager, clock):
    written(manager, text="a")
    clock.advance(days=1)
    written(manager, text="b")
    base = "/v1/memory?index_id=default"
    for query, texts in (("after=2026-01-11T12:00:00Z", ["b"]),
                         ("before=2026-01-11T12:00:00Z", ["a"]),
                         ("after=2026-01-10&timezone=UTC", ["a", "b"])):  # fmt: skip
        got = manager("GET", f"{base}&{query}").json()["memories"]
        assert [m["text"] for m in got] == texts, query
    assert manager("GET", f"{base}&after=2026-01-10T00:00:00").json()["code"] == "naive_instant"


def test_unknown_parameters_and_fields_are_named(manager):
    for path in ("/v1/memory?index_id=default&colour=red", "/v1/review?colour=red",
                 "/v1/stores/default/state/mira?colour=red"):  # fmt: skip
        got = manager("GET", path)
        assert (got.status_code, got.json()["field"]) == (422, "colour"), path
    got = manager("POST", "/v1/memory", {"index_id": "default", "text": "a", "tenant_id": "other"})
    assert (got.status_code, got.json()["field"]) == (422, "tenant_id")
    for limit in ("0", "201", "x"):
        got = manager("GET", f"/v1/memory?index_id=default&limit={limit}")
        assert (got.status_code, got.json()["field"]) == (422, "limit")


def test_bodies_are_read_strictly(manager):
    headers = {**manager.headers, "Content-Type": "application/json"}
    for text in ('{"index_id":"default","text":"a","confidence":NaN}', '{"index_id":"a"',
                 '{"index_id":"default","text":"a","text":"b"}', "[]", "1", '"x"',
                 '{"index_id":"default","\\ud83d":1}', '{"index_id":"\\ud83d","text":"a"}',
                 "[" * 100_000):  # fmt: skip
        got = manager.client.post("/v1/memory", content=text, headers=headers)
        assert got.status_code == 422, text[:60]
        assert got.headers["Content-Type"] == "application/problem+json"
    digits = '{"index_id":"default","subject":"s","attribute":"a","value":12345678901234567890123}'
    got = manager.client.post("/v1/memory", content=digits, headers=headers)
    assert got.json()["memory"]["value"] == 12345678901234567890123


# --------------------------------------------------------------------------- odd characters


@pytest.mark.parametrize("name", ["a/b", "a%2Fb", "a?b", "a#b", "ä ö", "\ue000/x", "state", "a+b"])
def test_odd_subjects_are_reached_by_path_and_by_parameter(manager, name):
    from urllib.parse import quote  # noqa: PLC0415

    written(manager, subject=name, attribute=name, value="x")
    part = quote(name, safe="")
    for path in (f"state/{part}/{part}", f"state?subject={part}&attribute={part}"):
        got = manager("GET", f"/v1/stores/default/{path}")
        assert got.json()["memory"]["subject"] == name, path
    for path in (f"state/{part}/{part}/history", f"history?subject={part}&attribute={part}"):
        assert len(manager("GET", f"/v1/stores/default/{path}").json()["memories"]) == 1, path
    assert manager("GET", f"/v1/stores/default/state/{part}").json()["attributes"].keys() == {name}


def test_aliases_join_and_part(manager):
    written(manager, subject="Katarzyna Lis", attribute="city", value="Gdynia")
    base = "/v1/stores/default/aliases"
    made = manager("POST", base, {"name": "Kasia/K", "of": "Katarzyna Lis"})
    assert (made.status_code, made.json()["outcome"]) == (201, "joined")
    joined = manager("GET", "/v1/stores/default/state?subject=Kasia/K&attribute=city").json()
    assert joined["memory"]["value"] == "Gdynia"
    names = manager("GET", "/v1/stores/default/names?subject=Kasia/K").json()
    assert names["aliases"] == ["Kasia/K"]
    taken = manager("POST", base, {"name": "Kasia/K", "of": "Other"})
    assert (taken.status_code, taken.json()["code"]) == (409, "alias_conflict")
    assert manager.as_person("m")("DELETE", f"{base}/Kasia%2FK").status_code == 403
    assert manager("DELETE", f"{base}/Kasia%2FK").json()["outcome"] == "removed"
    assert manager("DELETE", f"{base}?name=Kasia/K").json()["outcome"] == "noop"


# -------------------------------------------------------------------- provenance and context


def test_where_it_comes_from_and_who_can_see_it(manager, key_for, first):
    reader = key_for(stores={first.index_id: ("read",)})
    key_for(stores={"idx_other": ("read",)})
    body = {"index_id": "default", "content": "My seat is 1A", "speaker": "Mira"}
    episode = manager("POST", "/v1/episodes", body).json()["episode_id"]
    id = written(manager, subject="mira", attribute="seat", value="1A",
                 source_episode_id=episode, quote="seat is 1A")  # fmt: skip
    (evidence,) = manager("GET", f"/v1/memory/{id}/provenance").json()["evidence"]
    assert evidence["episode"]["content"] == "My seat is 1A"
    assert (evidence["quote"], evidence["speaker"]) == ("seat is 1A", "Mira")
    key_id = manager.headers["Authorization"].split("_")[-2]
    assert key_id in evidence["writer"]
    seen = reader("GET", f"/v1/memory/{id}/visibility").json()
    assert (seen["tenant_id"], seen["index_id"], seen["person_id"]) == (
        "default", first.index_id, None,
    )  # fmt: skip
    assert [p["rights"] for p in seen["policies"]] == [["read", "write"], ["read"]]


def test_the_context_has_the_keys_block_or_the_agents(service, key_for, first):
    injection = InjectionSpec(types=("preference",))
    caller = key_for(capabilities=(*MEMORY, "threads"), memory=KeyMemory(injection=injection))
    written(caller, type="preference", text="likes green tea")
    written(caller, type="fact", text="tea is on the shelf")

    def block(thread=None):
        body = {"index_id": "default", "query": "tea", "thread": thread}
        got = caller("POST", "/v1/context", body)
        assert got.status_code == 200, got.text
        return got.json()["block"]

    assert ("green" in block(), "shelf" in block()) == (True, False)

    def thread_of(spec):
        version = AgentVersion(name="a", model="m", memory_injection=spec)
        agent = service.registry.create(
            Actor("default"), "agent", AgentDocument(versions=(version,))
        )
        store = service.registry.named("default", "store", "default")
        return service.base(store).threads.create(agent=agent.id).id

    facts = block(thread_of(InjectionSpec(types=("fact",))))
    assert ("green" in facts, "shelf" in facts) == (False, True)
    assert block(thread_of(InjectionSpec(enabled=False))) == ""
    assert block(thread_of(InjectionSpec(index_id="idx_other"))) == ""
    assert "green" in block(thread_of(None))


def test_openapi_tells_fields_and_codes(client):
    told = client.get("/openapi.json").json()
    write = told["paths"]["/v1/memory"]["post"]
    assert {"201", "401", "403", "404", "409", "422"} <= write["responses"].keys()
    fields = told["components"]["schemas"]["NewMemory"]["properties"]
    assert fields.keys() == {
        "index_id", "type", "text", "subject", "attribute", "value", "valid_from", "valid_to",
        "mode", "confidence", "importance", "due", "metadata", "supersedes", "corrects", "expect",
        "source", "trust", "source_episode_id", "quote", "timezone", "retention_policy",
        "expires_at", "ttl_days", "value_kind",
    }  # fmt: skip
    for path, methods in told["paths"].items():
        for method, route in methods.items():
            if route["tags"][0] in {"memory", "state", "search", "gate", "aliases", "blocks"}:
                assert route["description"], (path, method)
                assert "422" in route["responses"], (path, method)
