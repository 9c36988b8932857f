"""C54, C56, C75, C76: retries, locks, disks that are full, and keys that must not be told."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from tests.service.worlds import HttpWorld, Refused
from vigent.edges.http.app import create_app
from vigent.schema import load_schema
from vigent.service import Service
from vigent.storage.sqlite.adapter import SqliteStorage

NOW = "2026-01-10T12:00:00Z"

PET = {"subject": "kit", "attribute": "pet", "value": "newt"}


def test_c54_the_same_request_again_is_one_fact(world):
    first = world.place().write(**PET, idempotency_key="k1")
    again = world.place().write(**PET, idempotency_key="k1")
    world.restart()
    later = world.place().write(**PET, idempotency_key="k1")
    assert {r["memory"]["memory_id"] for r in (first, again, later)} == {
        first["memory"]["memory_id"]
    }
    assert {r["outcome"] for r in (first, again, later)} == {"stored"}
    assert len(world.place().history("kit", "pet")) == 1
    assert world.place().current("kit", "pet")["evidence_count"] == 1


def test_c54_ten_at_once(world):
    place = world.place()
    with ThreadPoolExecutor(10) as pool:
        done = list(pool.map(lambda _: place.write(**PET, idempotency_key="k2"), range(10)))
    assert len({r["memory"]["memory_id"] for r in done}) == 1
    assert {r["outcome"] for r in done} == {"stored"}
    assert len(place.list(include="history")) == 1


def test_c54_another_body_is_a_conflict_another_tenant_is_not(world):
    world.place().write(**PET, idempotency_key="k1")
    with pytest.raises(Refused) as caught:
        world.place().write(**{**PET, "value": "toad"}, idempotency_key="k1")
    assert (caught.value.code, caught.value.status in {0, 409}) == ("idempotency_mismatch", True)
    assert world.place().current("kit", "pet")["value"] == "newt"
    other = world.place("t2").write(**{**PET, "value": "toad"}, idempotency_key="k1")
    assert other["outcome"] == "stored"


@pytest.fixture
def http(tmp_path, clock):
    made = HttpWorld(tmp_path / "http.db", clock)
    yield made
    made.close()


def identity(told):
    memory = told.get("memory")
    results = [identity(one) for one in told.get("results", [])]
    id = told.get("episode_id") if memory is None else memory["memory_id"]
    return told.get("outcome"), id, results


def test_c54_the_key_counts_for_each_endpoint(http):
    place = http.place()
    key = {"headers": {"Idempotency-Key": "k1"}}
    batch = {"index_id": "default", "items": [PET, {"text": "hello"}]}
    calls = [
        ("POST", "/v1/memory", {"index_id": "default", **PET}),
        ("POST", "/v1/episodes", {"index_id": "default", "content": "hello"}),
        ("POST", "/v1/memory/batch", batch),
        ("POST", "/v1/memory/propose",
         {"index_id": "default", "text": "likes tea", "confidence": 0.9, "type": "preference"}),
        ("POST", "/v1/stores/default/aliases", {"name": "Kitty", "of": "kit"}),
    ]  # fmt: skip
    first = [place.ask(*call, **key) for call in calls]
    again = [place.ask(*call, **key) for call in calls]
    # Records are told as they stand now; what was done, and to which, is told as the first time.
    assert [identity(one) for one in again] == [identity(one) for one in first]
    for method, path, body in calls[1:]:
        other = {**body, **({"items": [PET]} if "items" in body else {})}
        for name in ("content", "text", "name"):
            if name in other:
                other[name] = "another"
        with pytest.raises(Refused) as caught:
            place.ask(method, path, other, **key)
        assert (caught.value.status, caught.value.code) == (409, "idempotency_mismatch")
    assert len(place.list()) == 2  # the pet, and the greeting
    id = first[0]["memory"]["memory_id"]
    retract = ("POST", f"/v1/memory/{id}/retract", {"mode": "correction"})
    ended = place.ask(*retract, **key)
    assert (ended["outcome"], place.ask(*retract, **key)["outcome"]) == ("retracted", "retracted")


def test_c54_what_is_forgotten_is_not_in_a_kept_answer(http):
    place = http.place()
    ask = ("POST", "/v1/memory/batch", {"index_id": "default", "items": [{"text": "a secret"}]})
    key = {"headers": {"Idempotency-Key": "k1"}}
    id = place.ask(*ask, **key)["results"][0]["memory"]["memory_id"]
    place.forget(id)
    assert place.ask(*ask, **key)["results"][0] == {
        "outcome": "stored", "reason": None, "memory": None, "ended": [],
    }  # fmt: skip


def test_c56_writers_and_readers_at_once(world):
    place = world.place()

    def write(n):
        return place.write(subject=f"s{n % 7}", attribute=f"a{n}", value=n)["outcome"]

    def read(n):
        return len(place.list(subject=f"s{n % 7}"))

    with ThreadPoolExecutor(8) as pool:
        reads = [pool.submit(read, n) for n in range(40)]
        assert set(pool.map(write, range(120))) == {"stored"}
        assert all(r.result() >= 0 for r in reads)
    assert len(place.list()) == 120


@pytest.fixture
def impatient(tmp_path, clock):
    """A service that waits for the lock only shortly."""
    storage = SqliteStorage(str(tmp_path / "busy.db"), busy_timeout=0.2)
    service = Service(storage, clock=clock, schema=load_schema(None), embedder=None,
                      release=lambda: None)  # fmt: skip
    yield service, TestClient(create_app(service), raise_server_exceptions=False)
    service.close()


def test_c56_a_lock_that_is_held_is_a_503_after_a_bounded_wait(impatient, tmp_path):
    service, client = impatient
    headers = {"Authorization": f"Bearer {service.first_start().key}"}
    body = {"index_id": "default", **PET}
    other = SqliteStorage(str(tmp_path / "busy.db"))
    with other.transaction("default"):
        got = client.post("/v1/memory", json=body, headers=headers)
        assert (got.status_code, got.json()["code"]) == (503, "store_busy")
        assert int(got.headers["Retry-After"]) >= 1
        # Reads go on meanwhile, and nothing was stored.
        seen = client.get("/v1/stores/default/state/kit/pet", headers=headers)
        assert (seen.status_code, seen.json()["memory"]) == (200, None)
    other.close()
    assert client.post("/v1/memory", json=body, headers=headers).status_code == 201


def test_c75_a_full_store_says_so_and_goes_on(http):
    place = http.place()
    place.write(**PET)
    connection = http.service.storage._connections
    real = connection.get
    (pages,) = real().execute("PRAGMA page_count").fetchall()[0]

    def limited():
        found = real()  # each thread has one of its own
        found.execute(f"PRAGMA max_page_count = {pages + 40}").fetchall()
        return found

    connection.get = limited
    stored, caught = [], None
    for n in range(500):
        try:
            place.write(subject="kit", attribute=f"a{n}", value="x" * 4_000)
            stored.append(f"a{n}")
        except Refused as error:
            caught = error
            break
    assert caught is not None
    assert (caught.status, caught.code) == (503, "store_full")
    assert place.current("kit", "pet")["value"] == "newt"
    connection.get = real
    http.restart()
    http.place().write(subject="kit", attribute="after", value="goes on")
    http.restart()
    found = {r["attribute"] for r in http.place().list()}
    assert found == {"pet", "after", *stored}


def test_c76_keys_are_never_told(http, caplog):
    caplog.set_level(logging.DEBUG)
    place = http.place()
    key = place.headers["Authorization"].removeprefix("Bearer ")
    secret = key.rsplit("_", 1)[-1]
    place.write(**PET)
    told = []
    for wrong in (key[:-4] + "AAAA", "sk-test-AAAA1111BBBB2222", key + "x"):
        got = http.client.get("/v1/memory/mem_x", headers={"Authorization": f"Bearer {wrong}"})
        assert got.status_code == 401
        told.append(got.text)
        assert wrong not in got.text
    for method, path, body in (
        ("GET", "/v1/memory/mem_none", None), ("GET", "/v1/memory?index_id=nope", None),
        ("GET", "/v1/memory?index_id=default&sk=1", None), ("POST", "/v1/memory", {"a": 1}),
    ):  # fmt: skip
        told.append(http.client.request(method, path, json=body, headers=place.headers).text)
    told.append(http.client.get("/openapi.json").text)
    with http.service.storage.snapshot() as snapshot:
        told += [str(entry) for entry in snapshot.audit_entries("t1", limit=100)]
        told += [str(row) for row in snapshot.resources("t1", "key")]
    told.append(caplog.text)
    assert [text for text in told if secret in text or secret[8:24] in text] == []
    http.service.close()
    raw = b"".join(p.read_bytes() for p in http._path.parent.glob("http.db*"))
    assert secret.encode() not in raw


def test_c76_a_text_with_something_like_a_key_comes_back_as_it_is(world):
    text = "my key is sk-test-AAAA1111BBBB2222"
    made = world.place().write(text=text)["memory"]
    assert world.place().get(made["memory_id"])["text"] == text
