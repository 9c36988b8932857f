"""Every route against every caller that it must not serve: right code, nothing leaked, audited.

The routes are those of the live app. ``ROUTES`` says for each what a good request is and what it
needs; a route without a line here fails, so that none is forgotten.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.service.calls import audited, bearer, make_key, make_token
from vigent import MemoryDelta
from vigent.edges.http.app import create_app
from vigent.edges.http.problems import CHAT
from vigent.service import Service
from vigent.settings import LanguageSettings
from vigent.testing import FakeClock, ModelServer


class Good(NamedTuple):
    """A request that a key with all rights may make."""

    needs: tuple[str, ...] = ()
    """Capabilities of which one is enough."""
    right: str | None = None
    """What of the store it needs."""
    body: Any = None
    params: dict[str, Any] | None = None
    code: int = 200
    person: bool = False
    """Whether the person's own token serves as well as management."""
    tenant: bool = False
    """Whether it names a tenant, or something of one that is in no store."""
    names: tuple[tuple[str, str], ...] = ()
    """What stands in its braces, where that is not what ``NAMES`` says."""
    bare: int = 403
    """What a key without any capability is told."""


MANAGED = ("management",)
MEMORY = ("memory",)
SWITCH = {"enabled": True, "model": "m1"}
STORE = "/v1/memory/stores/{index_id}"
TENANT = "/v1/tenants/{tenant_id}"
PERSON = "/v1/persons/{person_id}"
IN_STORE = "/v1/stores/{index_id}"
RECORD = "/v1/memory/{memory_id}"
THREAD = "/v1/threads/{thread_id}"
AGENT = "/v1/agents/{agent_id}"
THREADS = ("threads",)
AGENTS = ("threads", "responses", "management")
AT = {"index_id": "{index_id}"}
SECRET = "Qsecret"

# To add a route: one line. What stands in braces is filled by ``NAMES``.
ROUTES = {
    ("GET", TENANT): Good(MANAGED, tenant=True),
    ("DELETE", TENANT): Good(MANAGED, tenant=True, params={"dry_run": True}),
    ("GET", f"{TENANT}/settings"): Good(MANAGED, tenant=True),
    ("PATCH", f"{TENANT}/settings"): Good(MANAGED, tenant=True, body={"timezone": "UTC"}),
    ("GET", f"{TENANT}/keys"): Good(MANAGED, tenant=True),
    ("POST", f"{TENANT}/keys"): Good(
        MANAGED, tenant=True, code=201, body={"capabilities": [], "policy": {"stores": {}}}
    ),
    ("GET", f"{TENANT}/keys/{{key_id}}"): Good(MANAGED, tenant=True),
    ("PATCH", f"{TENANT}/keys/{{key_id}}"): Good(MANAGED, tenant=True, body={"label": "x"}),
    ("POST", f"{TENANT}/keys/{{key_id}}/rotate"): Good(MANAGED, tenant=True, body={}),
    ("POST", f"{TENANT}/keys/{{key_id}}/revoke"): Good(MANAGED, tenant=True),
    ("DELETE", f"{TENANT}/keys/{{key_id}}"): Good(MANAGED, tenant=True, code=204),
    ("GET", "/v1/usage"): Good(MANAGED),
    ("GET", "/v1/audit"): Good(MANAGED),
    ("GET", PERSON): Good(MANAGED, person=True),
    ("PATCH", PERSON): Good(MANAGED, person=True, body={"timezone": "UTC"}),
    ("POST", f"{PERSON}/tokens"): Good(MANAGED, body={}, code=201),
    ("GET", f"{PERSON}/export"): Good(MANAGED, person=True),
    ("DELETE", f"{PERSON}/memory"): Good(MANAGED, person=True),
    ("POST", "/v1/memory/stores"): Good(("knowledge", "management"), body={"name": "n"}, code=201),
    ("GET", "/v1/memory/stores"): Good(("knowledge", "memory", "management")),
    ("GET", STORE): Good(("memory", "management"), "read"),
    ("PATCH", STORE): Good(MEMORY, "write", body={"injection": {}}),
    ("DELETE", STORE): Good(MANAGED, "write", params={"dry_run": True}),
    ("GET", f"{STORE}/extraction"): Good(("memory", "threads", "management"), "read"),
    ("PUT", f"{STORE}/extraction"): Good(("threads",), "write", body=SWITCH),
    ("POST", f"{STORE}/extraction/run"): Good(("threads",), "write", body={}, code=202),
    ("DELETE", f"{STORE}/extraction/connector"): Good(
        ("memory", "management"), "write", code=204
    ),
    # State.
    ("GET", f"{IN_STORE}/state"): Good(MEMORY, "read", params={"subject": "mira"}),
    ("GET", f"{IN_STORE}/state/{{subject}}"): Good(MEMORY, "read"),
    ("GET", f"{IN_STORE}/state/{{subject}}/{{attribute}}"): Good(MEMORY, "read"),
    ("GET", f"{IN_STORE}/state/{{subject}}/{{attribute}}/history"): Good(MEMORY, "read"),
    ("GET", f"{IN_STORE}/history"): Good(
        MEMORY, "read", params={"subject": "mira", "attribute": "city"}
    ),
    ("GET", f"{IN_STORE}/diff"): Good(
        MEMORY, "read", params={"since": "2026-01-01", "until": "2026-12-31"}
    ),
    # Names and blocks.
    ("GET", f"{IN_STORE}/names"): Good(MEMORY, "read", params={"subject": "mira"}),
    ("GET", f"{IN_STORE}/aliases"): Good(MEMORY, "read"),
    ("POST", f"{IN_STORE}/aliases"): Good(
        MEMORY, "write", body={"name": "m2", "of": "mira"}, code=201
    ),
    ("DELETE", f"{IN_STORE}/aliases"): Good(MEMORY, "write", params={"name": "m3"}),
    ("DELETE", f"{IN_STORE}/aliases/{{name}}"): Good(MEMORY, "write"),
    ("GET", f"{IN_STORE}/blocks"): Good(MEMORY, "read"),
    ("GET", f"{IN_STORE}/blocks/{{name}}"): Good(MEMORY, "read"),
    ("GET", f"{IN_STORE}/blocks/{{name}}/history"): Good(MEMORY, "read"),
    ("PUT", f"{IN_STORE}/blocks/{{name}}"): Good(MEMORY, "write", body={"text": "brief"}),
    ("PATCH", f"{IN_STORE}/blocks/{{name}}"): Good(
        MEMORY, "write", body={"old": SECRET, "new": "short"}
    ),
    ("DELETE", f"{IN_STORE}/blocks/{{name}}"): Good(MEMORY, "write", code=204),
    # Records.
    ("GET", "/v1/memory"): Good(MEMORY, "read", params=AT),
    ("POST", "/v1/memory"): Good(MEMORY, "write", body={**AT, "text": "tea is hot"}, code=201),
    ("POST", "/v1/memory/batch"): Good(MEMORY, "write", body={**AT, "items": []}),
    ("POST", "/v1/memory/propose"): Good(
        MEMORY, "write", body={**AT, "text": "likes tea", "confidence": 0.9}
    ),
    ("POST", "/v1/memory/search"): Good(MEMORY, "read", body={**AT, "query": "where is mira"}),
    ("POST", "/v1/context"): Good(
        ("memory", "threads"), "read", body={**AT, "query": "where is mira"}
    ),
    ("GET", RECORD): Good(MEMORY, "read"),
    ("GET", f"{RECORD}/history"): Good(MEMORY, "read"),
    ("GET", f"{RECORD}/provenance"): Good(MEMORY, "read"),
    ("GET", f"{RECORD}/visibility"): Good(MEMORY, "read"),
    ("PATCH", RECORD): Good(MEMORY, "write", body={"importance": 3}),
    ("POST", f"{RECORD}/retract"): Good(
        MEMORY, "write", body={}, names=(("memory_id", "retracted"),)
    ),
    ("DELETE", RECORD): Good(MEMORY, "write", names=(("memory_id", "forgotten"),)),
    ("GET", "/v1/review"): Good(MANAGED, "read", params=AT),
    ("GET", "/v1/candidates"): Good(MANAGED, "read", params=AT),
    ("GET", "/v1/candidates/{candidate_id}"): Good(MANAGED, "read"),
    ("POST", "/v1/candidates/{candidate_id}/judge"): Good(MANAGED, "write"),
    ("POST", "/v1/review/decide"): Good(
        MANAGED, "write", body={**AT, "decision": "reject", "memory_ids": ["mem_none"]}
    ),
    ("POST", "/v1/review/{memory_id}/accept"): Good(
        MANAGED, "write", names=(("memory_id", "held_1"),)
    ),
    ("POST", "/v1/review/{memory_id}/reject"): Good(
        MANAGED, "write", body={}, names=(("memory_id", "held_2"),)
    ),
    ("POST", "/v1/episodes"): Good(MEMORY, "write", body={**AT, "content": "hello"}, code=201),
    ("GET", "/v1/episodes/{episode_id}"): Good(MEMORY, "read"),
    # Threads, agents, tools.
    ("POST", "/v1/threads"): Good(THREADS, "write", body=AT, code=201),
    ("GET", "/v1/threads"): Good(THREADS, "read", params=AT),
    ("GET", THREAD): Good(THREADS, "read"),
    ("DELETE", THREAD): Good(THREADS, "write"),
    ("GET", f"{THREAD}/items"): Good(THREADS, "read"),
    ("POST", f"{THREAD}/items"): Good(
        THREADS, "write", body={"role": "user", "content": "hello"}, code=201
    ),
    ("GET", f"{THREAD}/state"): Good(THREADS, "read"),
    ("PUT", f"{THREAD}/state"): Good(THREADS, "write", body={"state": {"a": 1}}),
    ("POST", "/v1/agents"): Good(AGENTS, body={"name": "a2", "model": "m1"}, code=201),
    ("GET", "/v1/agents"): Good(AGENTS),
    ("GET", AGENT): Good(AGENTS, tenant=True),
    ("GET", f"{AGENT}/versions"): Good(AGENTS, tenant=True),
    ("DELETE", AGENT): Good(AGENTS, tenant=True, code=204),
    # A key sees the tools of its stores, and which of them it is not offered.
    ("GET", "/v1/tools"): Good(),
    ("POST", "/v1/tools/{name}"): Good(
        MEMORY, tenant=True, body={"arguments": {"query": "mira"}}, bare=400,
        names=(("name", "tool"),),
    ),
    ("POST", "/v1/responses"): Good(("responses",), body={"model": "m1", "input": "hello"}),
    ("GET", "/v1/responses/{response_id}"): Good(("responses",), tenant=True),
    ("POST", "/v1/chat/completions"): Good(
        ("responses",), body={"model": "m1", "messages": [{"role": "user", "content": "hello"}]}
    ),
    ("GET", "/v1/version"): Good(),
}  # fmt: skip
OPEN_TO_ALL = {"/health/live", "/health/ready", "/metrics"}
ALL = ("memory", "knowledge", "threads", "responses", "management")


def live_routes():
    app = create_app(Service.open(":memory:", embedder="none"))
    try:
        return sorted(
            (method.upper(), path)
            for path, methods in app.openapi()["paths"].items()
            for method in methods
            if path not in OPEN_TO_ALL
        )
    finally:
        app.state.service.close()


LIVE = live_routes()


def test_every_route_has_its_line():
    assert set(LIVE) ^ set(ROUTES) == set()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A service with two tenants, and callers that are each short of something."""
    from starlette.testclient import TestClient  # noqa: PLC0415 - one client for the module

    clock = FakeClock("2026-06-01T12:00:00Z")
    answering = ModelServer()
    answering.__enter__()
    models = LanguageSettings(model=f"{answering.url}#m1")
    service = Service.open(
        tmp_path_factory.mktemp("m") / "m.db", clock=clock, embedder="none", models=models
    )
    first, other = service.first_start(), service.new_tenant("other", SECRET)
    client, admin = TestClient(create_app(service)), bearer(first.key)
    memory = service.base(service.registry.named("default", "store", "default"))
    memory.write(subject="mira", attribute="city", value=f"{SECRET} city", person="p1")
    kept = [
        memory.write(subject="mira", attribute=name, value=f"{SECRET} shared").memory.memory_id
        for name in ("city", "street", "town")
    ]
    held = [
        memory.propose(
            MemoryDelta(
                tenant_id="default", type="preference", text=f"{SECRET} {n}", confidence=0.9
            )
        ).memory.memory_id
        for n in (1, 2)
    ]  # fmt: skip
    for name in ("m0", "m3"):
        memory.alias(name, of="mira")
    memory.blocks.set("m0", SECRET)
    thread = memory.threads.create(id="t1")
    memory.threads.append(thread, role="user", content=SECRET)
    episode = memory.capture(f"{SECRET} said")
    nominated = memory.candidates.learn(
        MemoryDelta(
            tenant_id="default", subject="mira", attribute="city", value=SECRET, confidence=0.9,
            quote=f"{SECRET} said", source_episode_id=episode.id,
        )
    )  # fmt: skip
    agent = client.post("/v1/agents", json={"name": "a1", "model": "m1"}, headers=admin).json()
    client.put("/v1/memory/stores/default/extraction", json=SWITCH, headers=admin)
    turn = client.post("/v1/responses", json={"model": "m1", "input": SECRET}, headers=admin).json()
    made = make_key(client, admin, *ALL, label=f"{SECRET} label")
    keys = {
        "garbage": "vigent_x_y_z",
        "right prefix": first.key[:-64] + "0" * 64,
        "other": other.key,
        "bare": make_key(client, admin)["key"],
        "read-only": make_key(client, admin, *ALL, stores={"default": ["read"]})["key"],
        "not named": make_key(client, admin, *ALL, stores={})["key"],
        "app": make_key(client, admin, "memory", "knowledge", "threads")["key"],
    }
    revoked = make_key(client, admin, *ALL)
    client.post(f"/v1/tenants/default/keys/{revoked['id']}/revoke", headers=admin)
    expired = make_key(client, admin, *ALL, expires_at="2026-06-01T12:00:01Z")
    keys |= {"revoked": revoked["key"], "expired": expired["key"]}
    foreign = make_token(client, bearer(other.key), "p1")
    token = make_token(client, admin, "p2", ttl_seconds=3_600)
    clock.advance(seconds=1)
    yield {
        "client": client, "admin": admin, "keys": keys, "foreign": foreign, "token": token,
        "names": {"tenant_id": "default", "key_id": made["id"], "index_id": first.index_id,
                  "person_id": "p1", "subject": "mira", "attribute": "city",
                  "memory_id": kept[0], "retracted": kept[1], "forgotten": kept[2],
                  "candidate_id": nominated.candidate_id, "held_1": held[0],
                  "held_2": held[1], "name": "m0", "thread_id": "t1",
                  "episode_id": episode.id, "agent_id": agent["id"],
                  "response_id": turn["id"],
                  "tool": f"memory__{first.index_id}__search"},
    }  # fmt: skip
    service.close()
    answering.__exit__(None, None, None)


def ask(world, route, headers):
    method, path = route
    good = ROUTES[route]
    return world["client"].request(
        method, path.format(**names_of(world, good)), headers=headers,
        params=filled(good.params, world), json=filled(good.body, world),
    )  # fmt: skip


def names_of(world, good):
    names = world["names"]
    return {**names, **{part: names[name] for part, name in good.names}}


def filled(given, world):
    """Put the store where a body or the parameters name it."""
    if not isinstance(given, dict) or "index_id" not in given:
        return given
    return {**given, "index_id": world["names"]["index_id"]}


def unlike(answer, *codes):
    """Check a refusal: its code, its form, and that it holds nothing that is not the asker's."""
    assert answer.status_code in codes, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    more = {"error"} if answer.request.url.path == CHAT else set()
    assert set(answer.json()) <= {"type", "title", "status", "code", "detail", "field", *more}
    assert SECRET not in answer.text
    assert "vigent_" not in answer.text


def refusals(world):
    return len(audited(world["client"], world["admin"], action="refusal"))


LINES = [route for route in LIVE if route in ROUTES]
NAMES = [f"{method} {path}" for method, path in LINES]
everywhere = pytest.mark.parametrize("route", LINES, ids=NAMES)


@everywhere
def test_nobody_without_a_key_that_opens(world, route):
    unlike(ask(world, route, {}), 401)
    for which in ("garbage", "right prefix", "revoked", "expired"):
        unlike(ask(world, route, bearer(world["keys"][which])), 401)
    plain = {"Authorization": world["admin"]["Authorization"].removeprefix("Bearer ")}
    unlike(ask(world, route, plain), 401)
    # Nor does one with a key and a bad body, or none, hear more.
    if ROUTES[route].body is not None:
        method, path = route
        at = path.format(**names_of(world, ROUTES[route]))
        bad = world["client"].request(method, at, json={"odd": 1})
        unlike(bad, 401)


@everywhere
def test_a_token_of_another_tenant_opens_nothing(world, route):
    headers = {**world["admin"], "X-Vigent-Subject-Token": world["foreign"]}
    unlike(ask(world, route, headers), 401)


@everywhere
def test_a_key_of_another_tenant_finds_nothing(world, route):
    good = ROUTES[route]
    if not (good.tenant or good.right):
        answer = ask(world, route, bearer(world["keys"]["other"]))
        assert answer.status_code == good.code
        assert f"{SECRET} " not in answer.text
        return
    before = refusals(world)
    unlike(ask(world, route, bearer(world["keys"]["other"])), 404)
    assert refusals(world) == before  # it is in the trail of the other tenant


@everywhere
def test_a_key_without_the_capability_is_refused(world, route):
    if not ROUTES[route].needs:
        return
    before = refusals(world)
    unlike(ask(world, route, bearer(world["keys"]["bare"])), ROUTES[route].bare)
    assert refusals(world) == before + 1


@everywhere
def test_a_key_that_may_only_read_writes_nothing(world, route):
    if ROUTES[route].right == "write":
        before = refusals(world)
        unlike(ask(world, route, bearer(world["keys"]["read-only"])), 403)
        assert refusals(world) == before + 1


@everywhere
def test_a_store_that_the_policy_does_not_name_is_absent(world, route):
    if ROUTES[route].right is not None:
        before = refusals(world)
        headers = bearer(world["keys"]["not named"])
        unlike(ask(world, route, headers), 404)
        assert refusals(world) == before + 1
        # It reads as one that is not there at all, a record, a thread and a store alike.
        nothing = dict.fromkeys(world["names"], "none")
        one, two = ask(world, route, headers), ask({**world, "names": nothing}, route, headers)
        told = [[answer.json()[n] for n in ("status", "code", "field")] for answer in (one, two)]
        assert told[0] == told[1]
        texts = [one.json()["detail"], two.json()["detail"]]
        for id in world["names"].values():
            texts[0] = texts[0].replace(id, "none")
        assert texts[0] == texts[1]


@everywhere
def test_another_persons_token_is_not_this_persons(world, route):
    if ROUTES[route].person:
        before = refusals(world)
        headers = bearer(world["keys"]["app"], **{"X-Vigent-Subject-Token": world["token"]})
        unlike(ask(world, route, headers), 403)
        assert refusals(world) == before + 1


@pytest.mark.parametrize(
    "route",
    sorted(LINES, key=lambda r: (r[0] == "DELETE", r[1].endswith("/revoke"), r[1] == TENANT)),
    ids=str,
)
def test_who_may_is_served(world, route):
    """Last: what is asked for is really there, so that the refusals above mean something."""
    assert ask(world, route, world["admin"]).status_code == ROUTES[route].code
