"""Memory for agents at ``/mcp`` of a served store: whose key it is, what it may do."""

from __future__ import annotations

import json
import sys

import anyio
import httpx2
import pytest
from starlette.testclient import TestClient

from tests.service.agents import agent_at, asked, played, refused, sent
from tests.serving import Server
from vigent.edges.http.app import create_app
from vigent.edges.http.modelcontext import hosts_of
from vigent.govern.documents import KeyMemory, StoreDocument
from vigent.govern.keys import mint_token
from vigent.govern.registry import Actor
from vigent.settings import LimitSettings, McpSettings, ServerSettings, Settings

NOW = "2026-06-03T10:00:00Z"

DEADLINE = {"subject": "mira", "attribute": "passport_deadline"}
HOME = {"subject": "me", "attribute": "city"}


@pytest.fixture
def url(service):
    server = Server(create_app(service))
    yield server.url
    server.close()


def with_(headers, **more):
    return {**headers, **{f"X-Vigent-{name}": value for name, value in more.items()}}


def refusals(service):
    with service.storage.snapshot() as snapshot:
        entries = snapshot.audit_entries("default", limit=200)
    return [(e.outcome, json.loads(e.content)) for e in entries if e.action == "refusal"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_changed_date_is_used_and_its_source_shown(url, admin, client, mode):
    """The passport story, on the words that the model quotes."""
    mira = with_(admin, Subject="mira")

    async def scene(agent):
        await agent.call(
            "memory_write", **DEADLINE, value="2026-07-15", valid_from="2026-06-01",
            quote="Since June 1 my passport has to be renewed by 15 July", speaker="Mira",
        )  # fmt: skip
        done = await agent.call(
            "memory_write", **DEADLINE, value="2026-06-30",
            quote="They moved it: my passport deadline is June 30 now", speaker="Mira",
        )  # fmt: skip
        assert (done["outcome"], done["ended"][0]["value"]) == ("superseded", "2026-07-15")
        [now] = (await agent.call("memory_current", **DEADLINE))["memories"]
        assert (now["value"], now["confidence"], now["contested"]) == ("2026-06-30", "50%", False)
        assert now["source"]["quote"] == "They moved it: my passport deadline is June 30 now"
        assert (now["source"]["speaker"], now["source"]["trust"]) == ("Mira", "assistant")
        [then] = (await agent.call("memory_current", **DEADLINE, as_of="2026-06-02"))["memories"]
        assert then["value"] == "2026-07-15"
        found = await agent.call("memory_search", query="When is the passport deadline?")
        assert [hit["memory"]["value"] for hit in found["hits"]] == ["2026-06-30"]
        block = (await agent.call("memory_context", query="passport deadline"))["block"]
        assert now["id"] in block
        assert "2026-07-15" not in block
        return now

    now = played(url, mira, scene, mode)
    told = client.get("/v1/stores/default/state/mira/passport_deadline", headers=mira).json()
    assert (told["memory"]["memory_id"], told["memory"]["value"]) == (now["id"], "2026-06-30")


def test_a_date_that_the_quoted_words_do_not_name_waits_for_a_person(url, admin, client):
    done = asked(
        url, admin, "memory_write", **DEADLINE, value="2026-07-01",
        quote="my passport deadline is June 30",
    )  # fmt: skip
    assert (done["outcome"], done["reason"]) == ("pending_review", "date_unsupported")
    # When quoted words were said is not known: since when it holds, the model may say.
    own = asked(
        url, admin, "memory_write", **HOME, value="Oslo", valid_from="2026-01-01",
        quote="I live in Oslo",
    )  # fmt: skip
    assert (own["outcome"], own["memory"]["valid_from"]) == ("stored", "2026-01-01T00:00:00Z")
    said = {"index_id": "default", "content": "I live in Madrid", "occurred_at": NOW}
    heard = client.post("/v1/episodes", json=said, headers=admin).json()["episode_id"]
    rests = {**HOME, "value": "Madrid", "source_episode_id": heard}
    held = asked(url, admin, "memory_write", **rests, valid_from="2026-05-01")
    assert (held["outcome"], held["reason"]) == ("pending_review", "date_unsupported")
    # The day it was said, where no words name it, is the time it was said.
    done = asked(url, admin, "memory_write", **rests, valid_from="2026-06-03")
    assert (done["outcome"], done["memory"]["valid_from"]) == ("superseded", NOW)
    told = refused(url, admin, "memory_write", text="x", type="lesson")
    assert told.endswith("type: must be one of fact, preference, commitment, behaviour")


def test_a_correction_that_the_words_do_not_make_is_a_change(url, admin):
    asked(url, admin, "memory_write", **HOME, value="Oslo", valid_from="2026-01-01")
    said = {"quote": "I live in Madrid", "mode": "correction"}
    done = asked(url, admin, "memory_write", **HOME, value="Madrid", **said)
    assert done["outcome"] == "superseded"
    said = {"quote": "I was wrong, it is Bilbao", "mode": "correction"}
    done = asked(url, admin, "memory_write", **HOME, value="Bilbao", **said)
    assert done["outcome"] == "corrected"


def test_twenty_writes_at_once_are_all_kept(url, admin, client):
    async def scene(agent):
        async with anyio.create_task_group() as group:
            for n in range(20):
                fields = {"subject": "me", "attribute": f"f{n}", "value": str(n)}
                group.start_soon(lambda f=fields: agent.call("memory_write", **f))

    played(url, admin, scene)
    told = client.get("/v1/memory?index_id=default&limit=100", headers=admin).json()["memories"]
    assert {r["attribute"]: r["value"] for r in told} == {f"f{n}": str(n) for n in range(20)}


@pytest.mark.parametrize("wrong", [None, "Bearer nothing", "Bearer vigent_a_b_c"])
def test_without_a_valid_key_nothing_is_answered(url, admin, wrong):
    headers = {} if wrong is None else {"Authorization": wrong}
    told = sent(url, headers)
    assert (told.status_code, told.json()["code"]) == (401, "unauthorized")
    assert told.headers["www-authenticate"] == "Bearer"
    assert told.headers["content-type"] == "application/problem+json"
    assert sent(url, admin).status_code == 200


def test_a_key_that_is_revoked_is_refused_at_once(url, key, client, admin):
    agent = key("memory")
    assert sent(url, agent).status_code == 200
    id = agent["Authorization"].split("_")[2]
    path = f"/v1/tenants/default/keys/key_{id}/revoke"
    assert client.post(path, headers=admin).status_code == 200
    assert sent(url, agent).status_code == 401


def test_a_key_that_only_reads_cannot_write_and_that_is_audited(url, key, admin, service, client):
    reader = key("memory", stores={"*": ("read",)})
    asked(url, admin, "create_entities", entities=[{
        "name": "Alice", "entityType": "person", "observations": ["likes tea"],
    }])  # fmt: skip
    [alice] = asked(url, reader, "read_graph")["entities"]
    assert alice["observations"] == ["likes tea"]
    writes = {
        "memory_write": {**HOME, "value": "Oslo"},
        "memory_forget": {"memory_id": "mem_x"},
        "create_entities": {"entities": [alice]},
        "create_relations": {"relations": []},
        "add_observations": {"observations": [{"entityName": "Alice", "contents": ["swims"]}]},
        "delete_entities": {"entityNames": ["Alice"]},
        "delete_observations": {"deletions": []},
        "delete_relations": {"relations": []},
    }
    for tool, arguments in writes.items():
        told = refused(url, reader, tool, **arguments)
        assert "forbidden: the key may not write in this store" in told
    told = [content for outcome, content in refusals(service) if outcome == "forbidden"]
    assert len(told) == len(writes)
    assert {content["route"] for content in told} == {"POST /mcp"}
    [alice] = asked(url, admin, "read_graph")["entities"]
    assert alice["observations"] == ["likes tea"]


def test_a_key_whose_agents_are_not_offered_the_tools(url, key):
    deaf = key("memory", memory=KeyMemory(retrieval_tool=False))
    mute = key("memory", memory=KeyMemory(write_tool=False))
    asked(url, deaf, "memory_write", **HOME, value="Oslo")
    assert "forbidden: " in refused(url, deaf, "memory_search", query="Oslo")
    assert "forbidden: " in refused(url, mute, "memory_write", **HOME, value="Bergen")
    [found] = asked(url, mute, "memory_current", **HOME)["memories"]
    assert found["value"] == "Oslo"


def test_a_key_without_memory_gets_nothing(url, key):
    told = sent(url, key("management"))
    assert (told.status_code, told.json()["code"]) == (403, "forbidden")


def test_another_tenants_key_sees_nothing(url, admin, service):
    made = asked(url, admin, "memory_write", **HOME, value="Oslo")["memory"]["id"]
    other = {"Authorization": f"Bearer {service.new_tenant('other').key}"}
    assert asked(url, other, "memory_current", **HOME)["memories"] == []
    assert asked(url, other, "memory_search", query="Oslo city")["hits"] == []
    assert asked(url, other, "read_graph")["entities"] == []
    assert "not_found: " in refused(url, other, "memory_forget", memory_id=made)
    named = sent(url, with_(other, Store=service.registry.named("default", "store", "default").id))
    assert (named.status_code, named.json()["code"]) == (404, "not_found")
    [kept] = asked(url, admin, "memory_current", **HOME)["memories"]
    assert kept["id"] == made


def test_persons_are_apart_whatever_a_model_says(url, admin):
    async def scene():
        async with (
            agent_at(url, with_(admin, Subject="mira")) as mira,
            agent_at(url, with_(admin, Subject="otto")) as otto,
        ):
            odd = {"person": "otto", "store": "x"}
            told = await mira.refused("memory_write", **HOME, value="Madrid", **odd)
            assert "person, store: is not known" in told
            await mira.call("memory_write", **HOME, value="Madrid")
            await otto.call("memory_write", **HOME, value="Oslo")
            for agent, city in ((mira, "Madrid"), (otto, "Oslo")):
                found = await agent.call("memory_current", **HOME)
                assert [each["value"] for each in found["memories"]] == [city]
                read = await agent.client.read_resource("vigent://state/me")
                assert f'"value":"{city}"' in read.contents[0].text

    anyio.run(scene)
    assert asked(url, admin, "memory_current", **HOME)["memories"] == []


def test_a_subject_token_says_who_it_is(url, admin, service, first, at):
    id = admin["Authorization"].split("_")[2]
    token = mint_token(
        service.tenant("default").token_secret, tenant="default", person="mira", key=f"key_{id}",
        until=at("2026-06-03T11:00:00Z"),
    )  # fmt: skip
    mira = {**admin, "X-Vigent-Subject-Token": token}
    done = asked(url, mira, "memory_write", **HOME, value="Madrid")
    # The person's token makes the model's words no more than a model's.
    assert done["memory"]["source"]["trust"] == "assistant"
    assert done["memory"]["shared"] is False
    [found] = asked(url, with_(admin, Subject="mira"), "memory_current", **HOME)["memories"]
    assert found["value"] == "Madrid"
    conflict = sent(url, with_(mira, Subject="otto"))
    assert (conflict.status_code, conflict.json()["code"]) == (422, "subject_conflict")
    assert sent(url, {**admin, "X-Vigent-Subject-Token": token + "x"}).status_code == 401


def test_the_store_is_the_one_named_or_default_or_the_only_one(url, admin, key, service):
    made = service.registry.create(Actor("default"), "store", StoreDocument(), name="work")
    third = service.registry.create(Actor("default"), "store", StoreDocument(), name="third")
    for named in ("work", made.id):
        asked(url, with_(admin, Store=named), "memory_write", **HOME, value=named)
    [found] = asked(url, with_(admin, Store="work"), "memory_current", **HOME)["memories"]
    assert found["value"] == made.id
    assert asked(url, admin, "memory_current", **HOME)["memories"] == []
    only = key("memory", stores={made.id: ("read",)})
    [found] = asked(url, only, "memory_current", **HOME)["memories"]
    assert found["value"] == made.id
    two = key("memory", stores={made.id: ("read",), third.id: ("read",)})
    assert (sent(url, two).status_code, sent(url, two).json()["field"]) == (422, "X-Vigent-Store")
    for headers in (key("memory", stores={}), with_(admin, Store="nope")):
        assert sent(url, headers).status_code == 404


def test_what_the_graph_tools_write_is_read_over_http_as_it_is_meant(url, admin, client):
    asked(url, admin, "create_entities", entities=[{
        "name": "Alice", "entityType": "person", "observations": ["likes tea", "reads"],
    }])  # fmt: skip
    works = [{"from": "Alice", "to": to, "relationType": "works_at"} for to in ("Acme", "Beta")]
    asked(url, admin, "create_relations", relations=works)

    def held(attribute):
        asked_for = {"subject": "alice", "attribute": attribute}
        told = client.get("/v1/stores/default/state", params=asked_for, headers=admin).json()
        return [r["value"] for r in told["memories"]]

    assert held("entity:observation") == ["likes tea", "reads"]
    assert held("relation:works_at") == ["Acme", "Beta"]
    body = {
        "index_id": "default", "type": "fact", "subject": "Alice",
        "attribute": "entity:observation", "value": "swims",
    }  # fmt: skip
    assert client.post("/v1/memory", json=body, headers=admin).json()["ended"] == []
    [alice] = asked(url, admin, "open_nodes", names=["Alice"])["entities"]
    assert alice["observations"] == ["likes tea", "reads", "swims"]
    state = client.get("/v1/stores/default/state/alice", headers=admin).json()
    assert len(state["attributes"]["entity:observation"]) == 3


def test_an_attribute_called_observation_is_nobodys_but_its_users(url, admin, client):
    about = {"subject": "bed 4", "attribute": "observation"}
    for value in ("120 over 80", "130 over 85"):
        body = {"index_id": "default", "type": "fact", **about, "value": value}
        assert client.post("/v1/memory", json=body, headers=admin).status_code == 201
    [found] = asked(url, admin, "memory_current", **about)["memories"]
    assert found["value"] == "130 over 85"


def test_bare_dates_are_days_of_the_tenant(url, admin, client):
    path = "/v1/tenants/default/settings"
    assert client.patch(path, json={"timezone": "Asia/Tokyo"}, headers=admin).status_code == 200
    done = asked(url, admin, "memory_write", **HOME, value="Oslo", valid_from="2026-05-01")
    assert done["memory"]["valid_from"] == "2026-04-30T15:00:00Z"
    assert asked(url, admin, "memory_current", **HOME, as_of="2026-04-30")["memories"] == []
    assert len(asked(url, admin, "memory_current", **HOME, as_of="2026-05-01")["memories"]) == 1


# ------------------------------------------------------------------------ what stands before


def test_requests_are_counted_and_have_ids(url, admin, client):
    told = sent(url, {**admin, "X-Request-Id": "mine-1"})
    assert told.headers["x-request-id"] == "mine-1"
    assert sent(url, {}).headers["x-request-id"].startswith("req_")
    text = httpx2.get(f"{url}/metrics").text
    assert 'method="POST",route="/mcp",status="200"' in text


def test_the_log_names_the_route(service, admin, capsys, caplog):
    server = Server(create_app(service))
    caplog.set_level("INFO", "vigent")
    assert sent(server.url, admin).status_code == 200
    server.close()
    assert "/mcp" in caplog.text + "".join(capsys.readouterr())


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_long_is_refused(service, admin, chunked):
    limits = LimitSettings(body_bytes=2048)
    server = Server(create_app(service, settings=Settings(limits=limits)))
    body = b'{"x":"' + b"y" * 4000 + b'"}'
    headers = {**admin, "content-type": "application/json"}
    try:
        content = iter([body[:1500], body[1500:]]) if chunked else body
        told = sent(server.url, headers, json=None, content=content)
    finally:
        server.close()
    assert (told.status_code, told.json()["code"]) == (413, "too_large")


def test_a_key_that_calls_too_often_waits(service, admin):
    limits = LimitSettings(rate_per_second=0.01, rate_burst=2)
    server = Server(create_app(service, settings=Settings(limits=limits)))
    try:
        told = [sent(server.url, admin) for _ in range(3)]
    finally:
        server.close()
    assert [each.status_code for each in told] == [200, 200, 429]
    assert int(told[2].headers["retry-after"]) >= 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_nothing_is_pushed_and_no_session_kept(url, admin, method):
    told = httpx2.request(method, f"{url}/mcp", headers=admin)
    assert (told.status_code, told.headers["allow"]) == (405, "POST")


def test_it_is_called_by_a_name_of_this_machine_or_one_that_is_set(service, admin, url):
    evil = {**admin, "Host": "evil.example"}
    assert sent(url, evil).status_code == 421
    set_ = McpSettings(allowed_hosts="memory.example.com")
    server = Server(create_app(service, settings=Settings(mcp=set_)))
    try:
        assert sent(server.url, {**admin, "Host": "memory.example.com"}).status_code == 200
        assert sent(server.url, {**admin, "Host": "memory.example.com:8443"}).status_code == 200
        assert sent(server.url, admin).status_code == 421
    finally:
        server.close()


@pytest.mark.parametrize(
    ("host", "named", "hosts"),
    [
        ("127.0.0.1", "", ["127.0.0.1", "127.0.0.1:*", "localhost", "localhost:*", "[::1]",
                           "[::1]:*"]),
        ("::1", "", ["127.0.0.1", "127.0.0.1:*", "localhost", "localhost:*", "[::1]", "[::1]:*"]),
        ("0.0.0.0", "", None),
        ("memory.example.com", "", None),
        ("127.0.0.1", "*", None),
        ("0.0.0.0", "a.example, b.example", ["a.example", "a.example:*", "b.example",
                                              "b.example:*"]),
    ],
)  # fmt: skip
def test_which_names_are_served(host, named, hosts):
    settings = Settings(server=ServerSettings(host=host), mcp=McpSettings(allowed_hosts=named))
    assert hosts_of(settings) == hosts


def test_without_the_extra_it_is_not_there_and_says_what_is_missing(
    service, admin, monkeypatch, caplog
):
    monkeypatch.setitem(sys.modules, "mcp", None)  # as where it is not installed
    for name in [n for n in sys.modules if n.startswith(("vigent.edges.mcp", "mcp."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "vigent.edges.http.modelcontext")
    caplog.set_level("INFO", "vigent")
    with TestClient(create_app(service)) as client:
        told = client.post("/mcp", json={}, headers=admin)
        assert client.get("/v1/version", headers=admin).status_code == 200
    assert (told.status_code, told.json()["code"]) == (404, "not_found")
    assert "pip install 'vigent[mcp]'" in told.json()["detail"]
    assert "pip install 'vigent[mcp]'" in caplog.text


def test_it_can_be_left_out(service, admin):
    app = create_app(service, settings=Settings(mcp=McpSettings(enabled=False)))
    told = TestClient(app).post("/mcp", json={}, headers=admin)
    assert (told.status_code, told.json()["code"]) == (404, "not_found")
