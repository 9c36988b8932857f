"""OpenAPI tells the routes, fields and codes that the contract of the HTTP surface names."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.service.calls import bearer, make_key


class Told(NamedTuple):
    """What the contract says of a route: fields of the body, parameters of the query, codes."""

    body: str = ""
    query: str = ""
    codes: str = "200"


WRITE = (
    "index_id type text subject attribute value valid_from valid_to mode confidence importance due "
    "metadata supersedes corrects expect source trust source_episode_id quote timezone "
    "retention_policy expires_at ttl_days"
)
PROPOSE = (
    "index_id tenant_id type subject attribute value text mode valid_from valid_to confidence "
    "source_episode_id quote trust due supersedes held timezone"
)
AMEND = (
    "text value valid_from valid_to confidence importance metadata expires_at ttl_days due state "
    "timezone"
)
LIST = (
    "index_id person timezone limit next type subject attribute metadata min_confidence after "
    "before as_of known_at status include"
)
SEARCH = (
    "index_id query types subject attribute metadata as_of known_at after before include expand "
    "recipe timezone limit budget_tokens explain"
)
CONTEXT = (
    "index_id query thread system_prompt budget_tokens memory_share recent_turns limit timezone"
)
SWITCH = (
    "enabled model instructions types schedule_minutes quiet_minutes threads filters episodes "
    "lessons"
)
SECTIONS = (
    "injection commitments lessons promotion maintenance retention gate unknown_attributes "
    "unknown_types"
)
SETTINGS = (
    "timezone models_offered helper_model analysis_model improvements monthly_token_limit "
    "audit_retention_days"
)
AT = "as_of known_at timezone"
STATE = "/v1/stores/{index_id}/state/{subject}"
STORE = "/v1/memory/stores/{index_id}"
TENANT = "/v1/tenants/{tenant_id}"
KEY = f"{TENANT}/keys/{{key_id}}"
PERSON = "/v1/persons/{person_id}"
RECORD = "/v1/memory/{memory_id}"
THREAD = "/v1/threads/{thread_id}"

CONTRACT = {
    ("POST", "/v1/memory/stores"): Told("name", codes="201 409"),
    ("GET", "/v1/memory/stores"): Told(),
    ("GET", STORE): Told(),
    ("PATCH", STORE): Told(SECTIONS),
    ("POST", "/v1/memory"): Told(WRITE, codes="200 201 409"),
    ("GET", "/v1/memory"): Told(query=LIST),
    ("GET", RECORD): Told(),
    ("GET", f"{RECORD}/history"): Told(),
    ("GET", f"{RECORD}/provenance"): Told(),
    ("GET", f"{RECORD}/visibility"): Told(),
    ("PATCH", RECORD): Told(AMEND, codes="200 409"),
    ("DELETE", RECORD): Told(),
    ("POST", f"{RECORD}/retract"): Told("mode valid_from", codes="200 409"),
    ("POST", "/v1/memory/propose"): Told(PROPOSE, codes="200 409"),
    ("GET", STATE): Told(query=AT),
    ("GET", f"{STATE}/{{attribute}}"): Told(query=AT),
    ("GET", f"{STATE}/{{attribute}}/history"): Told(),
    ("GET", "/v1/stores/{index_id}/diff"): Told(query="since until axis"),
    ("POST", "/v1/memory/search"): Told(SEARCH, codes="200 409"),
    ("POST", "/v1/context"): Told(CONTEXT, codes="200 409"),
    ("DELETE", f"{PERSON}/memory"): Told(query="dry_run"),
    ("GET", f"{PERSON}/export"): Told(),
    ("GET", PERSON): Told(),
    ("PATCH", PERSON): Told("helper_model timezone subject"),
    ("POST", f"{PERSON}/tokens"): Told(codes="201 409"),
    ("PATCH", KEY): Told("memory pii"),
    ("GET", f"{TENANT}/settings"): Told(),
    ("PATCH", f"{TENANT}/settings"): Told(SETTINGS),
    ("GET", "/v1/usage"): Told(query="by"),
    ("GET", "/v1/tools"): Told(query="source"),
    ("POST", "/v1/tools/{name}"): Told(codes="200 400"),
    ("POST", "/v1/threads"): Told("person agent metadata", codes="201 409"),
    ("POST", f"{THREAD}/items"): Told("role sealed", codes="201 409"),
    ("GET", f"{THREAD}/items"): Told(query="after"),
    ("GET", f"{THREAD}/state"): Told(),
    ("PUT", f"{THREAD}/state"): Told(codes="200 409"),
    ("DELETE", THREAD): Told(),
    ("POST", "/v1/agents"): Told("name model instructions memory_injection", codes="201"),
    ("GET", f"{STORE}/extraction"): Told(),
    ("PUT", f"{STORE}/extraction"): Told(SWITCH),
    ("POST", "/v1/responses"): Told(
        "model agent input tools thread user timezone stream", codes="200 409"
    ),
    ("GET", "/v1/responses/{response_id}"): Told(),
    ("POST", "/v1/chat/completions"): Told(
        "model messages tools stream user metadata", codes="200 409"
    ),
    ("POST", f"{STORE}/extraction/run"): Told(codes="202 409"),
    ("DELETE", f"{STORE}/extraction/connector"): Told(codes="204"),
}
# The contract names these; a test fails when they come and the table does not have them yet.
NOT_YET = {
    ("GET", "/v1/proposals"), ("POST", "/v1/proposals/{id}/accept"),
    ("POST", "/v1/proposals/{id}/reject"),
}  # fmt: skip
USUAL = {"400", "401", "403", "404", "422", "429", "503"}
PROBLEM = {"$ref": "#/components/schemas/ProblemAnswer"}
HEADERS = {"X-Vigent-Subject", "X-Vigent-Subject-Token"}


@pytest.fixture
def told(client):
    return client.get("/openapi.json").json()


def resolved(told, part):
    """Give a part of the document, or what it points to."""
    while "$ref" in part:
        found = told
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def operations(told):
    return {
        (method.upper(), path): route
        for path, methods in told["paths"].items()
        for method, route in methods.items()
    }


def parameters(told, route, place):
    every = [resolved(told, part) for part in route.get("parameters", [])]
    return {part["name"] for part in every if part["in"] == place}


def fields(told, route):
    """Give the names of a body's fields; none where there is no body."""
    schema = route["requestBody"]["content"]["application/json"]["schema"]
    for one in [schema, *schema.get("anyOf", [])]:
        found = resolved(told, one)
        if "properties" in found:
            assert found["additionalProperties"] is False
            return set(found["properties"])
    return set()


@pytest.mark.parametrize(("asked", "says"), CONTRACT.items(), ids=[f"{m} {p}" for m, p in CONTRACT])
def test_a_route_of_the_contract_is_told(told, asked, says):
    route = operations(told)[asked]
    assert set(says.codes.split()) | USUAL <= set(route["responses"])
    assert set(says.query.split()) <= parameters(told, route, "query")
    if says.body:
        assert set(says.body.split()) <= fields(told, route)
    if "requestBody" in route:
        assert "413" in route["responses"]


def test_what_is_not_there_yet_is_not_told(told):
    assert {(m, p.replace("{id}", "")) for m, p in NOT_YET}.isdisjoint(
        (m, p.partition("{")[0]) for m, p in operations(told)
    )


def test_every_route_but_those_of_health_names_the_key_and_the_person(told):
    scheme = told["components"]["securitySchemes"]
    assert [(one["type"], one["scheme"]) for one in scheme.values()] == [("http", "bearer")]
    for (method, path), route in operations(told).items():
        if path.startswith("/health/"):
            assert "security" not in route
            continue
        assert route["security"] == [{name: []} for name in scheme], (method, path)
        assert parameters(told, route, "header") >= HEADERS, (method, path)
        named = parameters(told, route, "header") - HEADERS
        assert named == ({"Idempotency-Key"} if method == "POST" else set()), (method, path)


def test_every_refusal_is_told_as_a_problem(told):
    for (method, path), route in operations(told).items():
        for code, response in route["responses"].items():
            assert "X-Request-Id" in response["headers"]
            if code >= "400" and path.startswith("/v1/"):
                content = response["content"]["application/problem+json"]["schema"]
                assert content == PROBLEM, (method, path, code)
            if code in {"429", "503"}:
                assert "Retry-After" in response["headers"]
    assert {"code", "detail", "field", "status", "title", "type"} <= set(
        resolved(told, PROBLEM)["properties"]
    )


def test_no_route_stands_behind_another(client, told):
    """A path that is named in full is not taken for one with a part left open."""
    asked = [one for one in operations(told) if one[1].startswith("/v1/")]
    for method, path in asked:
        assert client.request(method, re.sub(r"[{}]", "", path)).status_code == 401
    counted = client.get("/metrics").text
    for method, path in asked:
        line = f'{{method="{method}",route="{path}",status="401"}} 1.0'
        assert line in counted, (method, path)


# ------------------------------------------------------------------- what a key does on a POST

QUESTIONS = [
    ("/v1/memory/search", {"index_id": "default", "query": "the pet of kit"}),
    ("/v1/context", {"index_id": "default", "query": "the pet of kit"}),
]


@pytest.mark.parametrize(("path", "body"), QUESTIONS)
def test_a_question_under_a_key_is_answered_anew_and_no_other_is(client, admin, path, body):
    headers = {**admin, "Idempotency-Key": "k1"}
    first = client.post(path, json=body, headers=headers)
    assert first.status_code == 200
    assert "newt" not in first.text
    pet = {"index_id": "default", "subject": "kit", "attribute": "pet", "value": "newt"}
    assert client.post("/v1/memory", json=pet, headers=headers).status_code == 201  # another route
    again = client.post(path, json=body, headers=headers)
    assert (again.status_code, "newt" in again.text) == (200, True)
    other = client.post(path, json={**body, "query": "another"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_mismatch")
    assert client.post(path, json={**body, "query": "another"}, headers=admin).status_code == 200


def test_a_question_under_a_key_is_answered_while_nothing_can_be_written(client, admin, service):
    path, body = QUESTIONS[0]
    headers = {**admin, "Idempotency-Key": "k1"}
    assert client.post(path, json=body, headers=headers).status_code == 200
    connection = service.storage._connections.get()
    connection.execute("PRAGMA query_only = 1").fetchall()
    try:
        assert client.post(path, json=body, headers=headers).status_code == 200
    finally:
        connection.execute("PRAGMA query_only = 0").fetchall()


def test_a_key_is_revoked_once_and_no_other_by_the_same_request(client, admin):
    one, two = (make_key(client, admin, "threads") for _ in range(2))
    headers = {**admin, "Idempotency-Key": "k1"}
    path = "/v1/tenants/default/keys/{}/revoke"
    first = client.post(path.format(one["id"]), headers=headers)
    again = client.post(path.format(one["id"]), headers=headers)
    assert (first.status_code, again.json()) == (200, first.json())
    other = client.post(path.format(two["id"]), headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_mismatch")
    assert client.get("/v1/threads?index_id=default", headers=bearer(two["key"])).status_code == 200


def test_an_atomic_batch_says_which_item_failed(client, admin):
    def field(*items):
        body = {"index_id": "default", "atomic": True, "items": list(items)}
        got = client.post("/v1/memory/batch", json=body, headers=admin).json()
        assert got["detail"].startswith(f"{got['field']}: ")
        return got["field"]

    good = {"subject": "kit", "attribute": "pet", "value": "newt"}
    assert field(good, {**good, "value": " "}) == "items.1.value"
    assert field(good, good, {**good, "odd": 1}) == "items.2.odd"
    assert field({**good, "person": "mira"}) == "items.0.person"
    assert field(good, {**good, "valid_from": "2026-01-01T00:00:00"}) == "items.1.valid_from"
    assert field(good, {**good, "expect": "mem_none"}) in {"items.1", "items.1.expect"}
    listed = client.get("/v1/memory?index_id=default", headers=admin).json()
    assert listed["memories"] == []
