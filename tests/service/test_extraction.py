"""Conversations become memory: one row for each sentence of what the switch says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.service.calls import bearer, make_key
from tests.service.extracting import (
    PATH,
    Calls,
    candidate,
    drain,
    items_of,
    reads_what_is_said,
    served,
    worker,
)
from vigent.service import Service
from vigent.testing import FakeClock, ModelServer

NOW = "2026-06-01T12:00:00Z"
GHENT = "Hello! My city is Ghent."
NONE = {"ready": 0, "failed": 0, "queued": 0, "parked": 0}


@pytest.fixture
def service(tmp_path, server, clock):
    with served(tmp_path / "s.db", server, clock) as opened:
        yield opened


@dataclass
class World:
    """All that a sentence needs."""

    talk: Calls
    service: Service
    server: ModelServer
    clock: FakeClock
    client: Any

    def drain(self) -> None:
        drain(self.service)

    def key(self, *capabilities: str, **more: Any) -> tuple[str, Calls]:
        made = make_key(self.client, self.talk.headers, *capabilities, **more)
        return made["id"], Calls(self.client, bearer(made["key"]))

    @property
    def asked(self) -> int:
        return len(self.server.requests)

    def shown(self) -> str:
        return "\n".join(request.text.partition("\nSTATE\n")[2] for request in self.server.requests)


@pytest.fixture
def world(talk, service, server, clock, client):
    server.answer(reads_what_is_said)
    return World(talk, service, server, clock, client)


AUTHOR = ("memory", "knowledge", "threads")
SENTENCES: dict[str, Callable[[World], None]] = {}


def until(true: Callable[[], bool], seconds: float = 15) -> bool:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not (done := true()) and time.monotonic() < end:
        time.sleep(0.05)
    return done


def sentence(text: str) -> Callable[[Callable[[World], None]], None]:
    def note(check: Callable[[World], None]) -> None:
        SENTENCES[text] = check

    return note


@sentence("Off by default")
def _(w: World) -> None:
    w.talk.talk("mira", GHENT)
    w.drain()
    assert (w.asked, w.talk.told()["state"], w.talk.told()["last_run"]) == (0, "off", None)


@sentence("POST …/extraction/run starts a run now")
def _(w: World) -> None:
    w.talk.switch(quiet_minutes=30)
    w.drain()
    w.talk.talk("mira", GHENT)
    w.clock.advance(seconds=1860)
    one = worker(w.service)
    one.start()
    try:
        time.sleep(0.5)
        assert w.asked == 0  # the next run is due an hour after the first
        w.talk.run()
        assert until(lambda: w.talk.told()["windows"]["ready"] == 1)
    finally:
        one.stop()


@sentence("types default to the four")
def _(w: World) -> None:
    w.talk.switch()
    w.talk.talk("mira", GHENT)
    w.drain()
    assert "TYPES\nfact, preference, commitment, behaviour\n" in w.server.requests[0].text


@sentence("types: those that are named are read, others are left out")
def _(w: World) -> None:
    w.talk.switch(types=["preference"])
    w.talk.talk("mira", GHENT)
    w.drain()
    assert w.talk.memories("mira") == []
    assert w.talk.told()["error_code"] == "unknown_type"


@sentence("threads default with_person: threads that name nobody are skipped")
def _(w: World) -> None:
    w.talk.switch()
    w.talk.talk(None, GHENT)
    w.drain()
    assert (w.asked, w.talk.told()["windows"]) == (0, NONE)


@sentence("threads all: those that name nobody are read")
def _(w: World) -> None:
    w.talk.switch(threads="all")
    w.talk.talk(None, GHENT)
    w.drain()
    assert (w.asked, w.talk.told()["windows"]["ready"]) == (1, 1)


@sentence("filters: key_ids")
def _(w: World) -> None:
    named, other = w.key("threads")
    w.talk.switch(filters={"key_ids": [named]})
    w.talk.talk("mira", GHENT)
    other.talk("kim", "My city is Lund.")
    w.drain()
    assert (w.talk.memories("mira"), w.talk.memories("kim")) == ([], [("kim", "city", "Lund")])


def agent_of(w: World, name: str) -> str:
    body = {"name": name, "model": "small"}
    made = w.client.post("/v1/agents", json=body, headers=w.talk.headers)
    assert made.status_code == 201, made.text
    return made.json()["id"]


@sentence("filters: agent_ids, one of them answered in the thread")
def _(w: World) -> None:
    agent = agent_of(w, "guide")
    w.talk.switch(filters={"agent_ids": [agent]})
    w.talk.talk("mira", GHENT, {"kind": "assistant", "content": "Nice.", "agent": agent})
    w.talk.talk("kim", "My city is Lund.", {"kind": "assistant", "content": "Nice."})
    w.drain()
    assert (w.talk.memories("mira"), w.talk.memories("kim")) == ([("mira", "city", "Ghent")], [])


@sentence("filters: both given, both must hold")
def _(w: World) -> None:
    named, other = w.key("threads")
    agent = agent_of(w, "guide")
    answer = {"kind": "assistant", "content": "Nice.", "agent": agent}
    w.talk.switch(filters={"key_ids": [named], "agent_ids": [agent]})
    w.talk.talk("mira", GHENT, answer)
    other.talk("kim", "My city is Lund.")
    w.drain()
    assert w.asked == 0
    other.talk("ann", "My city is Bonn.", answer)
    w.drain()
    assert w.talk.memories("ann") == [("ann", "city", "Bonn")]


@sentence("Deleting an agent that a switch names is 409 with the store")
def _(w: World) -> None:
    agent = agent_of(w, "guide")
    told = w.talk.switch(filters={"agent_ids": [agent]})
    assert told["filters"]["agent_ids"] == [agent]
    gone = w.client.delete(f"/v1/agents/{agent}", headers=w.talk.headers)
    assert gone.status_code == 409


@sentence("runs happen under the author's key")
def _(w: World) -> None:
    id, author = w.key(*AUTHOR)
    author.switch()
    w.talk.talk("mira", GHENT)
    w.drain()
    headers = {**w.talk.headers, "X-Vigent-Subject": "mira"}
    found = w.client.get("/v1/memory", params={"index_id": "default"}, headers=headers).json()
    sources = w.client.get(
        f"/v1/memory/{found['memories'][0]['memory_id']}/provenance", headers=headers
    ).json()
    assert id in json.dumps(sources)


@sentence("… also for windows already copied: an author without the right reads none of them")
def _(w: World) -> None:
    id, author = w.key(*AUTHOR)
    author.switch()
    w.talk.talk("mira", GHENT)
    path = f"/v1/tenants/default/keys/{id}"
    reader = {"policy": {"stores": {"*": ["read"]}}}
    assert w.client.patch(path, json=reader, headers=w.talk.headers).status_code == 200
    w.drain()
    told = w.talk.told()
    assert (w.asked, told["state"], told["windows"]["failed"]) == (0, "active", 1)
    assert (told["error_code"], told["last_run"]["status"]) == ("forbidden", "failed")
    w.talk.switch()  # another author: what failed is read again
    w.drain()
    assert w.talk.told()["windows"] == {**NONE, "ready": 1}


@sentence("an author that lost threads stays active, and shows in the last run and in windows")
def _(w: World) -> None:
    id, author = w.key(*AUTHOR)
    author.switch()
    w.talk.talk("mira", GHENT)
    body = {"capabilities": ["memory", "knowledge"]}
    w.client.patch(f"/v1/tenants/default/keys/{id}", json=body, headers=w.talk.headers)
    w.drain()
    told = w.talk.told()
    assert (told["state"], told["windows"]["failed"]) == ("active", 1)
    assert told["last_run"]["error_code"] == "forbidden"


@sentence("Off stops reading; what is written stays")
def _(w: World) -> None:
    w.talk.switch()
    thread = w.talk.talk("mira", GHENT)
    w.drain()
    w.talk.switch(enabled=False)
    w.talk.talk("mira", "My team is Red.", thread=thread)
    w.drain()
    assert (w.asked, w.talk.memories("mira")) == (1, [("mira", "city", "Ghent")])


@sentence("Deleting the switch's connector stops it too")
def _(w: World) -> None:
    w.talk.switch()
    w.client.delete(f"{PATH}/connector", headers=w.talk.headers)
    w.talk.talk("mira", GHENT)
    w.drain()
    assert (w.asked, w.talk.told()["state"]) == (0, "objects_missing")
    w.talk.switch()  # cured by sending it again
    w.drain()
    assert w.asked == 1


@sentence("Deleting the store stops it too")
def _(w: World) -> None:
    w.talk.switch()
    w.server.fail(500, times=1)
    w.talk.talk("mira", GHENT)
    w.drain()
    store = w.service.registry.named("default", "store", "default")
    assert w.client.delete("/v1/memory/stores/default", headers=w.talk.headers).status_code == 200
    with w.service.storage.snapshot() as snapshot:
        for kind in ("window", "reading"):
            assert snapshot.resources("default", kind) == []
        assert snapshot.resource("default", "run", store.id) is None
    w.drain()
    assert w.asked == 1


@sentence("A thread is read when it has been quiet for quiet_minutes")
def _(w: World) -> None:
    w.talk.switch(quiet_minutes=30)
    thread = w.talk.talk("mira", GHENT)
    w.clock.advance(seconds=1740)
    w.drain()
    assert w.asked == 0
    w.talk.talk("mira", "Anyway.", thread=thread)  # spoken in again: the time begins anew
    w.clock.advance(seconds=1740)
    w.drain()
    assert w.asked == 0
    w.clock.advance(seconds=60)
    w.drain()
    assert (w.asked, w.talk.memories("mira")) == (1, [("mira", "city", "Ghent")])


@sentence("0 = after each turn")
def _(w: World) -> None:
    w.talk.switch(quiet_minutes=0)
    thread = w.talk.talk("mira", GHENT)
    w.drain()
    w.talk.talk("mira", "My team is Red.", thread=thread)
    w.drain()
    assert w.asked == 2


@sentence("in windows of items, which overlap and repeat no fact")
def _(w: World) -> None:
    w.talk.switch()
    thread = w.talk.talk("mira", GHENT, "Some words. " * 200)
    for n in range(4):
        w.talk.talk("mira", f"{n} " + "More words. " * 320, thread=thread)
    w.talk.talk("mira", "My team is Red.", thread=thread)
    w.drain()
    assert w.asked == 2
    second = items_of(w.server.requests[1])
    context = [item["n"] for item in second if item.get("context_only")]
    assert (context, len(second) > 4) == ([1, 2, 3, 4], True)
    assert w.talk.told()["last_run"]["written"] == 2


@sentence("A fact named again confirms")
def _(w: World) -> None:
    w.talk.switch()
    thread = w.talk.talk("mira", GHENT)
    w.drain()
    w.talk.talk("mira", "As I said, my city is Ghent.", thread=thread)
    w.drain()
    assert w.talk.told()["last_run"]["confirmed"] == 1
    assert w.talk.memories("mira") == [("mira", "city", "Ghent")]


@sentence("a changed one supersedes and stays in history")
def _(w: World) -> None:
    w.talk.switch()
    thread = w.talk.talk("mira", GHENT)
    w.drain()
    w.clock.advance(seconds=60)
    w.talk.talk("mira", "My city is now Lund.", thread=thread)
    w.drain()
    assert w.talk.told()["last_run"]["superseded"] == 1
    memory = w.service.base(w.service.registry.named("default", "store", "default"))
    known = {r.value for r in memory.history("mira", "city", person="mira")}
    assert (w.talk.memories("mira"), known) == ([("mira", "city", "Lund")], {"Ghent", "Lund"})


@sentence("windows: failed, and error_code, the commonest reason among them")
def _(w: World) -> None:
    w.talk.switch()
    w.server.fail("malformed", times=None)
    w.talk.talk("mira", GHENT)
    w.talk.talk("kim", GHENT)
    w.drain()
    told = w.talk.told()
    assert (told["windows"]["failed"], told["error_code"]) == (2, "invalid_model_output")
    assert told["last_run"]["status"] == "failed"


@sentence("error_code provider_error")
def _(w: World) -> None:
    w.talk.switch()
    w.server.fail(500, times=None)
    w.talk.talk("mira", GHENT)
    w.drain()
    assert w.talk.told()["error_code"] == "provider_error"


@sentence("error_code evidence_missing")
def _(w: World) -> None:
    w.talk.switch()
    w.server.script.rules.clear()
    w.server.answer({"candidates": [candidate(1, "", "city", "Ghent")]})
    w.talk.talk("mira", GHENT)
    w.drain()
    told = w.talk.told()
    assert (told["windows"]["failed"], told["error_code"]) == (1, "evidence_missing")


@sentence("parked by the monthly token limit, and read in the next month")
def _(w: World) -> None:
    w.talk.switch()
    settings = "/v1/tenants/default/settings"
    w.client.patch(settings, json={"monthly_token_limit": 10}, headers=w.talk.headers)
    w.talk.talk("mira", GHENT)
    w.drain()
    told = w.talk.told()
    assert (w.asked, told["windows"]) == (0, {**NONE, "parked": 1})
    assert told["last_run"]["status"] == "parked"
    w.client.patch(settings, json={"monthly_token_limit": 1_000_000}, headers=w.talk.headers)
    w.clock.advance(days=30)
    w.drain()
    assert w.talk.told()["windows"] == {**NONE, "ready": 1}


@sentence("author_unavailable: cured by sending the switch again")
def _(w: World) -> None:
    id, author = w.key(*AUTHOR)
    author.switch()
    w.client.post(f"/v1/tenants/default/keys/{id}/revoke", headers=w.talk.headers)
    w.talk.talk("mira", GHENT)
    w.drain()
    assert (w.asked, w.talk.told()["state"]) == (0, "author_unavailable")
    w.talk.switch()
    w.drain()
    assert w.asked == 1


@sentence("model_unavailable: cured by another model")
def _(w: World) -> None:
    w.talk.switch()
    settings = "/v1/tenants/default/settings"
    w.client.patch(settings, json={"models_offered": ["other"]}, headers=w.talk.headers)
    w.talk.talk("mira", GHENT)
    w.drain()
    assert (w.asked, w.talk.told()["state"]) == (0, "model_unavailable")
    w.talk.switch(model="other")
    w.drain()
    assert (w.asked, w.server.requests[0].body["model"]) == (1, "other")


@sentence("Changing model, instructions or types reads the failed windows again, and those only")
def _(w: World) -> None:
    w.talk.switch()
    w.talk.talk("mira", GHENT)
    w.drain()
    w.server.fail(500, times=1)
    w.talk.talk("kim", "My city is Lund.")
    w.drain()
    assert (w.asked, w.talk.told()["windows"]["failed"]) == (2, 1)
    w.drain()
    assert w.asked == 2  # what failed is not asked for again by itself
    w.talk.switch(instructions="Cities matter.")
    w.drain()
    assert (w.asked, w.talk.memories("kim")) == (3, [("kim", "city", "Lund")])
    assert w.talk.told()["windows"] == {**NONE, "ready": 2}
    w.talk.switch(model="other")
    w.drain()
    assert w.asked == 3


@sentence("A thread of a hiding key is hidden again when read; the record holds the real values")
def _(w: World) -> None:
    w.talk.switch()
    _, hiding = w.key("threads", pii={"hide": True})
    w.server.script.rules.clear()

    def mail(request: Any) -> Any:
        (item,) = items_of(request)
        place = item["text"].split()[3]
        return {"candidates": [candidate(1, item["text"], "desk", place)]}

    w.server.answer(mail)
    hiding.talk("mira", "My desk is mira.k@example.org")
    w.drain()
    assert "mira.k@example.org" not in w.shown()
    assert "[contact_data_1]" in w.shown()
    memory = w.service.base(w.service.registry.named("default", "store", "default"))
    (kept,) = memory.candidates.list(person="mira")
    assert kept.delta.get("value", "mira.k@example.org") == "mira.k@example.org"
    assert "quote_not_found" not in kept.reasons


@sentence("… from the first turn of a hiding key on, whoever speaks then")
def _(w: World) -> None:
    w.talk.switch()
    _, hiding = w.key("threads", pii={"hide": True, "classes": ["contact_data"]})
    thread = hiding.talk("mira", "Hello.")
    w.talk.talk("mira", "My mail is mira.k@example.org", thread=thread)
    w.drain()
    assert "mira.k@example.org" not in w.shown()


@sentence("if hiding fails, the window is not read and the error shows")
def _(w: World) -> None:
    w.talk.switch()
    _, hiding = w.key("threads", pii={"hide": True})
    hiding.talk("mira", "My city is [contact_data_9].")
    w.server.script.rules.clear()
    w.server.answer({"candidates": [candidate(1, "[contact_data_9]", "city", "Ghent")]})
    w.drain()
    assert w.talk.told()["error_code"] == "hiding_failed"
    assert w.talk.memories("mira") == []


@sentence("Own calls, injected blocks, system, sealed and reasoning items are never shown")
def _(w: World) -> None:
    w.talk.switch()
    w.talk.talk(
        "mira",
        {"kind": "system", "content": "My city is One."},
        {"kind": "reasoning", "content": "My city is Two."},
        {"kind": "user", "content": "My city is Three.", "sealed": True},
        {"kind": "tool_result", "content": "My city is Four.", "metadata": {"source": "memory"}},
        "Hello there.",
    )
    w.drain()
    assert [item["text"] for item in items_of(w.server.requests[0])] == ["Hello there."]


@sentence("what is asked to be remembered is read at once")
def _(w: World) -> None:
    w.talk.switch(quiet_minutes=30)
    w.talk.talk("mira", "Remember that my city is Ghent.")
    w.talk.talk("kim", "My city is Lund.")
    w.drain()
    assert (w.talk.memories("mira"), w.talk.memories("kim")) == ([("mira", "city", "Ghent")], [])


@sentence("An erased person's windows are cancelled")
def _(w: World) -> None:
    w.talk.switch()
    w.server.fail(500, times=1)
    w.talk.talk("mira", GHENT)
    w.drain()
    assert w.talk.told()["windows"]["failed"] == 1
    w.client.post("/v1/persons/mira/erase", headers=w.talk.headers)
    w.service.base(w.service.registry.named("default", "store", "default")).erase_person("mira")
    w.talk.run()
    w.drain()
    assert (w.asked, w.talk.told()["windows"]["failed"]) == (1, 0)


@sentence("A deleted thread's windows are cancelled")
def _(w: World) -> None:
    w.talk.switch()
    w.server.fail(500, times=1)
    thread = w.talk.talk("mira", GHENT)
    w.drain()
    headers = {**w.talk.headers, "X-Vigent-Subject": "mira"}
    assert w.client.delete(f"/v1/threads/{thread}", headers=headers).status_code == 200
    w.talk.run()
    w.drain()
    told = w.talk.told()
    assert (w.asked, told["windows"]["failed"], told["last_run"]["cancelled"]) == (1, 0, 1)


@pytest.mark.parametrize("text", list(SENTENCES))
def test_the_switch(world, text):
    SENTENCES[text](world)
