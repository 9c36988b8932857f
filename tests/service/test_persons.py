"""Persons: their settings, their export with all that is theirs, and their erasure."""

from __future__ import annotations

import json

import pytest

from tests.service.calls import audited, bearer, make_key, make_token


@pytest.fixture
def told(service, first, client, admin):
    """A person with something of everything, in two stores; words of theirs all begin with Q."""
    client.post("/v1/memory/stores", json={"name": "second"}, headers=admin)
    for name in ("default", "second"):
        row = service.registry.named("default", "store", name)
        memory = service.base(row)
        said = memory.capture(f"Qsaid in {name}", person="p1")
        memory.write(
            subject="Qmira", attribute="city", value=f"Qrome {name}", person="p1",
            source_episode_id=said.id, quote=f"Qsaid in {name}", metadata={"k": f"Qmeta {name}"},
            source=f"Qsource {name}",
        )  # fmt: skip
        memory.write(subject="Qmira", attribute="city", value=f"Qoslo {name}", person="p1")
        memory.write(text=f"Qtext {name}", type="preference", person="p1", trust="assistant",
                     confidence=0.5)  # fmt: skip
        memory.write(subject="n", attribute="big", value=10**30, person="p1")
        memory.blocks.set("note", f"Qblock {name}", person="p1")
        memory.alias("Qmim", of="Qmira", person="p1")
        thread = memory.threads.create("p1", metadata={"t": f"Qthread {name}"})
        memory.threads.append(thread, f"Qitem {name}", role="user")
        memory.threads.set_state(thread, {"step": f"Qstate {name}"})
        memory.write(subject="acme", attribute="plan", value=f"shared {name}")
    client.patch("/v1/persons/p1", json={"helper_model": "deny"}, headers=admin)
    return service


def test_what_is_set_for_a_person(client, admin):
    token = make_token(client, admin, "p1")
    mine = bearer(make_key(client, admin, "threads")["key"], **{"X-Vigent-Subject-Token": token})
    empty = {"id": "p1", "helper_model": "allow", "timezone": None, "subject": None, "version": 0}
    assert client.get("/v1/persons/p1", headers=mine).json() == empty
    body = {"helper_model": "deny", "timezone": "Europe/Madrid", "expect": 0}
    assert client.patch("/v1/persons/p1", json=body, headers=mine).json()["version"] == 1
    linked = client.patch("/v1/persons/p1", json={"subject": "Mira  G"}, headers=admin).json()
    assert (linked["subject"], linked["helper_model"]) == ("mira g", "deny")
    refused = client.patch("/v1/persons/p1", json={"subject": "acme"}, headers=mine)
    assert refused.status_code == 403  # else an erasure would take along what is not theirs
    assert client.patch("/v1/persons/p1", json={"timezone": None}, headers=mine).json() == {
        "id": "p1", "helper_model": "deny", "timezone": None, "subject": "mira g", "version": 2,
    }  # fmt: skip
    assert client.patch("/v1/persons/p1", json={"subject": None}, headers=admin).json()[
        "subject"
    ] is None  # fmt: skip
    bad = client.patch("/v1/persons/p1", json={"timezone": "Mars/Base"}, headers=mine)
    assert (bad.status_code, bad.json()["field"]) == (422, "timezone")
    stale = client.patch("/v1/persons/p1", json={"timezone": "UTC", "expect": 1}, headers=mine)
    assert stale.status_code == 409


def test_the_export_holds_everything_and_nothing_of_others(told, client, admin):
    answer = client.get("/v1/persons/p1/export", headers=admin)
    found = json.loads(answer.text)
    for store in ("default", "second"):
        for word in ("said in", "rome", "oslo", "meta", "source", "text", "block", "thread",
                     "item", "state"):  # fmt: skip
            assert f"Q{word} {store}" in answer.text
    assert "shared" not in answer.text
    assert found["settings"]["helper_model"] == "deny"
    assert {a["name"] for a in found["aliases"]} == {"Qmim"}
    cities = [m for m in found["memories"] if m["attribute"] == "city"]
    assert [len(m["statements"]) for m in cities] == [2, 2]
    assert [len(m["history"]) for m in cities] == [3, 3]
    held = [s for m in found["memories"] for s in m["statements"] if s["type"] == "preference"]
    assert [s["status"] for s in held] == ["pending_review", "pending_review"]
    big = [m for m in found["memories"] if m["attribute"] == "big"]
    assert big[0]["statements"][0]["value"] == 10**30
    assert len(found["episodes"]) == 4
    assert [e["action"] for e in found["audit"]][:2] == ["admin_read", "person_create"]


def contents_of(service, person):
    """Every text that the file holds of a person, straight from the tables."""
    connection = service.storage._connections.get()
    queries = (
        "SELECT value FROM statement WHERE key IN (SELECT no FROM key WHERE person = ?)",
        "SELECT text FROM statement WHERE key IN (SELECT no FROM key WHERE person = ?)",
        "SELECT quote FROM statement WHERE key IN (SELECT no FROM key WHERE person = ?)",
        "SELECT source FROM statement WHERE key IN (SELECT no FROM key WHERE person = ?)",
        "SELECT id FROM statement WHERE key IN (SELECT no FROM key WHERE person = ?)",
        "SELECT name FROM key WHERE person = ? AND attribute <> 'note'",
        "SELECT content FROM episode WHERE person = ?",
        "SELECT id FROM episode WHERE person = ?",
        "SELECT id FROM thread WHERE person = ?",
        "SELECT written FROM alias WHERE person = ?",
        "SELECT id FROM audit JOIN audit_content ON audit = no WHERE person = ?",
    )
    rows = [row for query in queries for row in connection.execute(query, (person,)).fetchall()]
    return {text for (text,) in rows if text}


def test_every_text_in_the_file_is_in_the_export(told, client, admin):
    answer = client.get("/v1/persons/p1/export", headers=admin).text
    kept = contents_of(told, "p1")
    assert len(kept) > 40
    assert {text for text in kept if text not in answer} == set()


def test_an_erasure_counts_then_removes_in_every_store(told, client, admin):
    path = "/v1/persons/p1/memory"
    dry = client.delete(path, params={"dry_run": True}, headers=admin).json()
    assert (dry["state"], contents_of(told, "p1") != set()) == ("dry_run", True)
    done = client.delete(path, params={"wait": True}, headers=admin).json()
    assert done["state"] == "purged"
    assert done["counts"] == dry["counts"] | {"audit_content": done["counts"]["audit_content"]}
    assert contents_of(told, "p1") == set()
    assert "p1" not in json.dumps(audited(client, admin))
    empty = client.get("/v1/persons/p1/export", headers=admin).json()
    assert [empty[k] for k in ("memories", "episodes", "threads", "aliases", "blocks")] == [[]] * 5
    state = client.get("/v1/stores/second/state/acme/plan", headers=admin).json()
    assert state["memory"]["value"] == "shared second"


def test_what_is_shared_about_the_person_goes_along(told, client, admin):
    client.patch("/v1/persons/p1", json={"subject": "acme"}, headers=admin)
    done = client.delete("/v1/persons/p1/memory", headers=admin).json()
    assert len(done["shared"]) == 2
    state = client.get("/v1/stores/second/state/acme/plan", headers=admin).json()
    assert state["memory"] is None


def test_only_the_person_or_who_manages(told, client, admin):
    app = make_key(client, admin, "memory", "knowledge", "threads")["key"]
    token = make_token(client, admin, "p1")
    for method, path in (("GET", "export"), ("DELETE", "memory")):
        url = f"/v1/persons/p1/{path}"
        for headers in (bearer(app), bearer(app, **{"X-Vigent-Subject": "p1"})):
            assert client.request(method, url, headers=headers).status_code == 403
        mine = bearer(app, **{"X-Vigent-Subject-Token": token})
        assert client.request(method, url, headers=mine).status_code == 200
    assert audited(client, admin, action="admin_read") == []


def test_a_dry_run_of_an_erasure_is_an_admin_read_in_the_trail(client, admin):
    def reads():
        found = client.get("/v1/audit?action=admin_read", headers=admin).json()["entries"]
        return [entry["person"] for entry in found]

    path = "/v1/persons/ann/memory?dry_run=true"
    assert client.delete(path, headers=admin).json()["state"] == "dry_run"
    assert reads() == ["ann"]
    token = client.post("/v1/persons/ann/tokens", json={}, headers=admin).json()["token"]
    own = {**admin, "X-Vigent-Subject-Token": token}
    assert client.delete(path, headers=own).json()["state"] == "dry_run"
    assert reads() == ["ann"]
