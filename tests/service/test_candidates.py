"""Candidates in a service: they are in the export of whose they are, and go with their store."""

from __future__ import annotations

import pytest

from tests.service.calls import make_token
from vigent import MemoryDelta
from vigent.service import Presented


@pytest.fixture
def nominated(service, client, first, admin):
    """A store "work" in which something is proposed of what ann and bo said."""
    client.post("/v1/memory/stores", json={"name": "work"}, headers=admin)
    for person, city in (("ann", "Oslo"), ("bo", "Bern")):
        caller = service.caller(Presented(f"Bearer {first.key}", person))
        for store in ("default", "work"):
            memory = caller.memory(store, "write")
            said = memory.capture(f"Do I live in {city}?", person=person)
            delta = MemoryDelta(
                tenant_id=first.tenant, subject=person, attribute="city", value=city,
                quote=f"I live in {city}", source_episode_id=said.id, confidence=0.9,
            )  # fmt: skip
            assert memory.candidates.learn(delta, person=person).reasons == ("asked",)


def rows(service, tenant):
    with service.storage.snapshot() as snapshot:
        return snapshot.resources(tenant, "candidate")


def test_the_export_holds_the_candidates_of_the_person_and_of_nobody_else(nominated, client, admin):
    found = client.get("/v1/persons/ann/export", headers=admin).json()["candidates"]
    assert [one["delta"]["value"] for one in found] == ["Oslo", "Oslo"]
    assert {one["outcome"] for one in found} == {"rejected"}
    assert {one["person_id"] for one in found} == {"ann"}
    assert client.get("/v1/persons/cy/export", headers=admin).json()["candidates"] == []


def test_candidates_go_with_their_store_at_once(nominated, client, admin, first, service):
    assert len(rows(service, first.tenant)) == 4
    tried = client.delete("/v1/memory/stores/work?dry_run=true", headers=admin).json()
    assert tried["counts"]["candidates"] == 2
    assert len(rows(service, first.tenant)) == 4
    client.delete("/v1/memory/stores/work", headers=admin)
    left = client.get("/v1/persons/ann/export", headers=admin).json()["candidates"]
    assert [one["store_id"] for one in left] == ["default"]
    assert len(rows(service, first.tenant)) == 2


def test_candidates_go_with_their_person(nominated, client, admin, first, service):
    client.delete("/v1/persons/ann/memory", headers=admin)
    assert {row.person for row in rows(service, first.tenant)} == {"bo"}


def test_a_person_sees_the_candidates_of_their_own_words_by_token(nominated, client, admin, key):
    def of(person, *more, **also):
        held = {**key("memory"), "X-Vigent-Subject-Token": make_token(client, admin, person)}
        asked = {"index_id": "work", **also}
        return client.get("/v1/candidates", params=asked, headers=held).json()

    (mine,) = of("ann")["items"]
    assert (mine["person_id"], mine["delta"]["value"]) == ("ann", "Oslo")
    assert [one["person_id"] for one in of("bo")["items"]] == ["bo"]
    assert of("cy") == {"items": [], "next": None}
    # Another's, named by its episode, is not there, and neither is that there is one.
    assert of("bo", episode_id=mine["episode_id"]) == {"items": [], "next": None}
    named = {**key("memory"), "X-Vigent-Subject": "ann"}
    asked = client.get("/v1/candidates", params={"index_id": "work"}, headers=named)
    assert asked.status_code == 403


def test_one_candidate_is_looked_at_and_judged_again(nominated, client, admin, key, service):
    every = client.get("/v1/candidates", params={"index_id": "work"}, headers=admin).json()
    by = {one["person_id"]: one for one in every["items"]}
    path = f"/v1/candidates/{by['ann']['candidate_id']}"
    assert client.get(path, headers=admin).json() == by["ann"]

    def status(headers, path=path):
        return client.get(path, headers=headers).status_code

    small = key("memory")
    own = {**small, "X-Vigent-Subject-Token": make_token(client, admin, "ann")}
    others = {**small, "X-Vigent-Subject-Token": make_token(client, admin, "bo")}
    assert [status(h) for h in (own, others, small)] == [200, 404, 403]
    assert status({**admin, "X-Vigent-Subject": "bo"}) == 404
    assert status(admin, "/v1/candidates/ep_none:x") == 404
    assert status(key("memory", "management", stores={"default": ("read",)})) == 404
    judged = client.post(f"{path}/judge", headers={**admin, "Idempotency-Key": "k"}).json()
    assert (judged["judged"], judged["outcome"]) == (2, "rejected")
    again = client.post(f"{path}/judge", headers={**admin, "Idempotency-Key": "k"}).json()
    assert again == judged
    assert client.post(f"{path}/judge", headers=own).status_code == 403


def test_a_page_of_a_person_is_whole_among_many_of_others(client, service, first, admin, key):
    memory = service.caller(Presented(f"Bearer {first.key}", "ann")).memory("default", "write")
    for n in range(30):
        person = "ann" if n % 10 == 9 else f"p{n}"
        said = memory.capture(f"Is it {n}?", person=person)
        delta = MemoryDelta(
            tenant_id=first.tenant, subject=person, attribute="city", value=f"{n}",
            quote=f"Is it {n}?", source_episode_id=said.id, confidence=0.9,
        )  # fmt: skip
        memory.candidates.learn(delta, person=person)
    own = {**key("memory"), "X-Vigent-Subject-Token": make_token(client, admin, "ann")}
    asked, seen = {"index_id": "default", "limit": 2}, []
    for count in (2, 1):
        page = client.get("/v1/candidates", params=asked, headers=own).json()
        assert len(page["items"]) == count
        seen += [one["delta"]["value"] for one in page["items"]]
        asked["next"] = page["next"]
    assert page["next"] is None
    assert sorted(seen) == ["19", "29", "9"]


def test_candidates_are_listed_by_pages_with_their_verdicts(nominated, client, admin, key):
    asked = {"index_id": "work", "limit": 1}
    first = client.get("/v1/candidates", params=asked, headers=admin).json()
    assert [one["store_id"] for one in first["items"]] == ["work"]
    asked["next"] = first["next"]
    second = client.get("/v1/candidates", params=asked, headers=admin).json()
    assert second["next"] is None
    both = [*first["items"], *second["items"]]
    assert {(one["person_id"], one["delta"]["value"]) for one in both} == {
        ("ann", "Oslo"), ("bo", "Bern"),
    }  # fmt: skip
    assert {(one["outcome"], one["reason"]) for one in both} == {("rejected", "asked")}
    for more, count in (
        ({"outcome": "accepted"}, 0), ({"outcome": "rejected"}, 2),
        ({"episode_id": both[0]["episode_id"]}, 1),
    ):  # fmt: skip
        asked = {"index_id": "work", **more}
        found = client.get("/v1/candidates", params=asked, headers=admin).json()
        assert len(found["items"]) == count, more
    named = {**admin, "X-Vigent-Subject": "ann"}
    mine = client.get("/v1/candidates", params={"index_id": "work"}, headers=named).json()
    assert [one["person_id"] for one in mine["items"]] == ["ann"]
    wrong = client.get("/v1/candidates", params={**asked, "outcome": "lost"}, headers=admin)
    assert (wrong.status_code, wrong.json()["field"]) == (422, "outcome")
    assert client.get("/v1/candidates", params=asked, headers=key("memory")).status_code == 403
