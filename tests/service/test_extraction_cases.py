"""Extraction that meets what goes wrong elsewhere: a model that hangs, errs, or makes things up."""

from __future__ import annotations

import json
import statistics
import threading
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.extracting import (
    calls,
    candidate,
    drain,
    items_of,
    learning,
    reads_what_is_said,
    served,
    worker,
)
from vigent.edges.http.app import create_app
from vigent.errors import NotFound
from vigent.service import Service
from vigent.service.learning import Work
from vigent.service.trying import proposed_of
from vigent.service.working import extractor_of
from vigent.testing import Answer

NOW = "2026-06-01T12:00:00Z"
NONE = {"ready": 0, "failed": 0, "queued": 0, "parked": 0}


@pytest.fixture
def service(tmp_path, server, clock):
    with served(tmp_path / "s.db", server, clock) as opened:
        yield opened


def memory_of(service):
    return service.base(service.registry.named("default", "store", "default"))


def is_new(request: Any, words: str) -> bool:
    """Whether some words stand in a window itself, and not only in what goes before it."""
    return any(words in i["text"] for i in items_of(request) if not i.get("context_only"))


def until(true: Any, seconds: float = 15) -> bool:
    end = time.monotonic() + seconds
    while not (done := true()) and time.monotonic() < end:
        time.sleep(0.02)
    return done


# --------------------------------------------------------------------------- what hangs


def test_a_model_that_hangs_stops_no_other_store(service, server, talk, client):
    server.when("hang here", Answer(failure="hang"))
    server.answer(reads_what_is_said)
    other = service.new_tenant("other")
    there = calls(client, other.key)
    talk.switch(model="stuck")
    there.switch()
    for n in range(8):
        talk.talk(f"p{n}", "hang here")
    there.talk("kim", "My city is Lund.")
    one = worker(service, threads=2)
    one.start()
    try:
        assert until(lambda: there.memories("kim") == [("kim", "city", "Lund")])
        assert talk.told()["windows"]["queued"] == 8
    finally:
        one.stop(0.1)


def test_a_model_that_is_late_is_a_window_that_failed(tmp_path, server, clock):
    with served(tmp_path / "t.db", server, clock, timeout_seconds=2.0) as service:
        key = service.first_start().key
        talk = calls(TestClient(create_app(service)), key)
        server.when(lambda asked: is_new(asked, "part two"), Answer(failure="hang"))
        server.answer(reads_what_is_said)
        talk.switch()
        thread = talk.talk("mira", "My city is Ghent.")
        drain(service)
        talk.talk("mira", "part two", thread=thread)
        drain(service)
        talk.talk("mira", "My team is Red.", thread=thread)
        drain(service)
        told = talk.told()
        assert (told["windows"]["ready"], told["windows"]["failed"]) == (2, 1)
        assert told["error_code"] == "provider_error"
        assert len(talk.memories("mira")) == 2


def test_items_are_taken_while_the_model_takes_long(service, server, talk):
    server.answer(Answer(value={"candidates": []}, delay=10))
    talk.switch()
    thread = talk.talk("mira", "Hello.")
    one = worker(service)
    one.start()
    try:
        assert until(lambda: server.open > 0)
        took: list[float] = []
        for n in range(60):
            began = time.perf_counter()
            talk.talk("mira", f"word {n}", thread=thread)
            took.append(time.perf_counter() - began)
        assert server.open > 0
        assert statistics.quantiles(took, n=20)[-1] < 0.5  # bench measures; this finds a wait
    finally:
        one.stop(0.1)


# ----------------------------------------------------------------------- what it costs


def test_one_call_of_one_size_whatever_the_store_has(service, server, talk):
    server.answer(reads_what_is_said)
    talk.switch()
    memory = memory_of(service)
    thread = talk.talk("mira", "My city is Ghent and my team is Red.")
    drain(service)
    few = server.requests[-1]
    memory.write_many(
        [{"subject": "mira", "attribute": f"fact_{n}", "value": f"city thing {n}"}
         for n in range(3_000)],
        person="mira",
    )  # fmt: skip
    talk.talk("mira", "My city is Ghent and my team is Red.", thread=thread)
    drain(service)
    assert len(server.requests) == 2
    assert len(server.requests[-1].text) - len(few.text) < 6_000


def test_small_talk_makes_no_memory_and_own_calls_are_not_read(service, server, talk):  # C77
    server.answer({"candidates": []})
    talk.switch()
    thread = talk.talk("mira", *(["ok", "thanks", "run it again"] * 5))
    talk.talk(
        "mira", {"kind": "tool_result", "content": "city: Ghent", "metadata": {"source": "vigent"}},
        thread=thread,
    )  # fmt: skip
    drain(service)
    assert talk.memories("mira") == []
    assert "Ghent" not in server.requests[-1].text


def test_what_fails_is_not_asked_for_at_each_tick(service, server, talk):  # C77
    server.fail(500, times=None)
    talk.switch()
    talk.talk("mira", "My city is Ghent.")
    for _ in range(5):
        drain(service)
    assert (len(server.requests), talk.told()["windows"]["failed"]) == (1, 1)
    talk.run()
    drain(service)
    assert len(server.requests) == 2


# ------------------------------------------------------------------- what models make up


def test_the_same_fact_in_other_words_is_one(service, server, talk):  # C02
    def grew(request: Any) -> Any:
        found = [i for i in items_of(request) if "Faro" in i["text"] and not i.get("context_only")]
        return {"candidates": [candidate(i["n"], i["text"], "hometown", "Faro") for i in found]}

    server.answer(grew)
    talk.switch()
    thread = talk.talk("bo", "I grew up in Faro.")
    drain(service)
    memory = memory_of(service)
    first = memory.current("bo", "hometown", person="bo").memory_id
    for said in ("Faro is where I grew up, by the way.", "I grew up in Faro."):
        talk.talk("bo", said, thread=thread)
        drain(service)
        assert memory.current("bo", "hometown", person="bo").memory_id == first
    sources = memory.provenance(first, person="bo").evidence
    assert len({one.source_episode_id for one in sources}) == 3


def test_a_wrong_nomination_ends_nothing(service, server, talk):  # C05
    memory = memory_of(service)
    memory.write(subject="eli", attribute="pet", value="beagle Pim", person="eli")
    memory.write(subject="eli", attribute="bike", value="red Corvo", person="eli")

    def moved(request: Any) -> Any:
        said = "I moved to Lund last week"
        good = candidate(1, said, "city", "Lund")
        wrong = candidate(1, said, "city", "Lund", relation="changed", state=1)
        return {"candidates": [wrong, good]}

    server.answer(moved)
    talk.switch()
    talk.talk("eli", "I moved to Lund last week. My pet and my bike came too.")
    drain(service)
    assert talk.memories("eli") == [
        ("eli", "bike", "red Corvo"), ("eli", "city", "Lund"), ("eli", "pet", "beagle Pim"),
    ]  # fmt: skip
    assert talk.told()["last_run"]["left_out"] == 1


def test_an_old_thread_that_comes_late_is_late(service, server, talk):  # C06
    memory = memory_of(service)
    memory.write(
        subject="fay", attribute="role", value="team lead", valid_from="2025-11-01T00:00:00Z",
        person="fay",
    )  # fmt: skip
    server.answer({"candidates": [candidate(1, "I'm an intern here", "role", "intern")]})
    talk.switch()
    talk.talk(
        "fay",
        {"kind": "user", "content": "I'm an intern here.", "occurred_at": "2023-02-01T10:00:00Z"},
    )
    drain(service)

    def at(day: str | None) -> str:
        return memory.current("fay", "role", as_of=day, person="fay").value

    assert (at(None), at("2024-01-01"), at("2025-12-01")) == ("team lead", "intern", "team lead")


def test_a_long_thread_is_read_to_its_end(service, server, talk):  # C28
    server.answer(reads_what_is_said)
    talk.switch()
    thread = talk.talk("yan", "Hello.")
    memory = memory_of(service)
    row = memory.threads.get(thread, person="yan")
    for n in range(120):
        said = "My dentist is Vane." if n == 3 else f"Word {n}. " + "More words here. " * 30
        memory.threads.append(row, said, kind="user", person="yan")
    long = "Some words. " * 700 + "My doctor is Lind. " + "Some words. " * 700
    memory.threads.append(row, long, kind="user", person="yan")
    drain(service)
    assert talk.memories("yan") == [("yan", "dentist", "Vane"), ("yan", "doctor", "Lind")]
    assert max(len(request.text) for request in server.requests) < 60_000


def test_blank_words_cost_nothing(service, server, talk):  # C30
    server.answer(reads_what_is_said)
    talk.switch()
    talk.talk("mira")
    drain(service)
    assert (server.requests, talk.told()["windows"]) == ([], NONE)


def test_a_bad_character_loses_no_sibling(service, server, talk):  # C31
    said = "My city is Ghent. My team is Red."
    found = [candidate(1, said, "team", "Re\ud83d"), candidate(1, said, "city", "Ghent")]
    server.answer(Answer(text=json.dumps({"candidates": found})))
    talk.switch()
    talk.talk("mira", said)
    drain(service)
    assert talk.memories("mira") == [("mira", "city", "Ghent")]


def test_numbers_that_were_not_shown_are_left_out(service, server, talk):  # C61
    memory = memory_of(service)
    memory.write(subject="mira", attribute="city", value="Bonn", person="mira")
    said = "My city is now Ghent"
    odd = [
        candidate(1, said, "city", "Ghent", relation="changed", state=state)
        for state in ("7", "-1", "mem_other", 99)
    ]
    good = candidate(1, said, "city", "Ghent", relation="changed", state="1")
    server.answer({"candidates": [*odd, good]})
    talk.switch()
    talk.talk("mira", said + ".")
    drain(service)
    assert talk.memories("mira") == [("mira", "city", "Ghent")]
    assert talk.told()["last_run"]["left_out"] == 4
    assert talk.told()["last_run"]["status"] == "partial"


def test_a_part_that_fails_is_told_and_a_rerun_repeats_nothing(service, server, talk):  # C62
    server.answer(reads_what_is_said)
    talk.switch()
    thread = talk.talk("mira", "My city is Ghent. " + "Words. " * 500)
    for n in range(5):
        talk.talk("mira", f"My part{n} is Red{n}. " + "Words. " * 500, thread=thread)
    server.fail(500, times=1)
    drain(service)
    told = talk.told()
    assert told["last_run"]["status"] == "partial"
    assert (told["windows"]["failed"], told["windows"]["ready"] > 0) == (1, True)
    talk.run()
    drain(service)
    told = talk.told()
    assert (told["last_run"]["status"], told["windows"]["failed"]) == ("done", 0)
    assert len(talk.memories("mira")) == 6


@pytest.mark.parametrize("odd", [1.7, -0.2, 85, "high", True, None, "NaN"])
def test_a_confidence_that_is_none_is_unknown(service, server, talk, odd):  # C70
    said = "My city is Ghent. My team is Red."
    server.answer(
        {"candidates": [
            candidate(1, said, "city", "Ghent", confidence=odd),
            candidate(1, said, "team", "Red", confidence=0.8),
        ]}
    )  # fmt: skip
    talk.switch()
    talk.talk("mira", said)
    drain(service)
    assert talk.memories("mira") == [("mira", "team", "Red")]
    assert talk.told()["last_run"]["held"] == 1


# ---------------------------------------------------------------------- what is beside it


def test_another_tenant_goes_on_while_one_is_parked(service, server, talk, client):  # C77
    server.answer(reads_what_is_said)
    there = calls(client, service.new_tenant("other").key)
    client.patch(
        "/v1/tenants/default/settings", json={"monthly_token_limit": 1}, headers=talk.headers
    )
    for one in (talk, there):
        one.switch()
        one.talk("kim", "My city is Lund.")
    drain(service)
    assert talk.told()["windows"]["parked"] == 1
    assert there.memories("kim") == [("kim", "city", "Lund")]


def test_steps_follow_a_run_and_one_that_fails_stops_no_other(service, server, talk):
    server.answer(reads_what_is_said)
    talk.switch()
    talk.talk("mira", "My city is Ghent.")
    seen: list[Work] = []

    def fails(_: Work) -> None:
        raise ValueError

    one = worker(service)
    one.learner._steps = (fails, seen.append)
    one.drain()
    one.stop()
    assert [(w.tenant, w.switch.model) for w in seen] == [("default", "small")]
    assert seen[0].memory.current("mira", "city", person="mira").value == "Ghent"


def test_a_dry_run_shows_and_stores_nothing(service, server, talk):
    server.answer(reads_what_is_said)
    thread = talk.talk("mira", "My city is Ghent.")
    (window,) = proposed_of(service, "default", "default", "mira", thread)
    (one,) = window["candidates"]
    assert (one["outcome"], one["attribute"], one["value"]) == ("accepted", "city", "Ghent")
    assert talk.memories("mira") == []
    assert memory_of(service).candidates.list(person="mira") == ()
    with pytest.raises(NotFound):
        proposed_of(service, "default", "default", "mira", "none")


def test_nothing_is_read_without_a_model(tmp_path, clock):

    bare = Service.open(tmp_path / "b.db", clock=clock, embedder="none")
    try:
        assert extractor_of(bare, learning()) is None
    finally:
        bare.close()


def test_two_workers_at_once_read_each_window_once(service, server, talk, client):
    server.answer(reads_what_is_said)
    talk.switch()
    for n in range(12):
        talk.talk(f"p{n}", "My city is Ghent.")
    both = [worker(service), worker(service)]
    threads = [threading.Thread(target=one.drain) for one in both]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert len(server.requests) == 12
    assert talk.told()["windows"] == {**NONE, "ready": 12}
    assert talk.told()["last_run"]["written"] == 12
