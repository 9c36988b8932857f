"""What grows from conversations, by the worker of a service: under the switch and the settings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.calls import make_key
from tests.service.extracting import calls, drain, reads_what_is_said, served, worker
from vigent.testing.modelwire import ModelRequest

NOW = "2026-06-01T12:00:00Z"
WENT_WELL = {
    "wanted": "A table for two", "done": "Asked for a table", "ended": "It is booked",
    "open": None, "intent": "book a table", "result": "succeeded", "reaction": None,
    "importance": 6, "lessons": [],
}  # fmt: skip


@pytest.fixture
def service(tmp_path, server, clock):
    with served(tmp_path / "s.db", server, clock) as opened:
        yield opened


def is_session(request: ModelRequest) -> bool:
    return "TYPES" not in request.text


def answers(request: ModelRequest) -> dict[str, Any]:
    return WENT_WELL if is_session(request) else reads_what_is_said(request)


def episodes(talk, person: str | None) -> list[dict[str, Any]]:
    headers = talk.headers if person is None else {**talk.headers, "X-Vigent-Subject": person}
    asked = {"index_id": "default", "type": "episode"}
    found = talk.client.get("/v1/memory", params=asked, headers=headers)
    assert found.status_code == 200, found.text
    return found.json()["memories"]


def asked_of_sessions(server) -> int:
    return sum(map(is_session, server.requests))


def test_a_settled_session_has_one_record(service, server, talk, clock):
    server.answer(answers)
    talk.switch(episodes=True)
    talk.talk("mira", "Book me a table. My city is Ghent.")
    clock.advance(seconds=60 * 1)
    drain(service)
    (record,) = episodes(talk, "mira")
    assert record["text"] == "A table for two. Asked for a table. It is booked."
    assert record["structured"]["intent"] == "book a table"
    assert record["person_id"] == "mira"
    drain(service)  # another process begins at the switch, and finds it done
    assert len(episodes(talk, "mira")) == 1
    assert asked_of_sessions(server) == 1


def test_without_the_switch_there_is_none(service, server, talk, clock):
    server.answer(answers)
    talk.switch()
    talk.talk("mira", "My city is Ghent.")
    clock.advance(seconds=60 * 1)
    drain(service)
    assert (episodes(talk, "mira"), asked_of_sessions(server)) == ([], 0)


def test_a_thread_that_names_nobody_is_passed_over(service, server, talk, clock):
    server.answer(answers)
    talk.switch(episodes=True)
    talk.talk(None, "My city is Ghent.")
    clock.advance(seconds=60 * 1)
    drain(service)
    assert (episodes(talk, None), asked_of_sessions(server)) == ([], 0)


def test_what_failed_is_tried_again_and_keeps_no_other_waiting(service, server, talk, clock):
    broken = {"wanted": ""}
    server.answer(
        lambda request: (
            (broken if "Lund" in request.text else WENT_WELL)
            if is_session(request)
            else {"candidates": []}
        )
    )
    talk.switch(episodes=True)
    talk.talk("kim", "I am in Lund.")
    talk.talk("mira", "I am in Ghent.")
    clock.advance(seconds=60 * 1)
    one = worker(service)
    one.drain()
    assert (episodes(talk, "kim"), len(episodes(talk, "mira"))) == ([], 1)
    server.script.rules.clear()
    server.answer(answers)
    talk.run()
    talk.talk("ana", "I am in Pisa.")
    clock.advance(seconds=60 * 61)
    one.drain()
    one.stop()
    assert [len(episodes(talk, who)) for who in ("kim", "mira", "ana")] == [1, 1, 1]


def test_what_a_key_hides_is_hidden_from_the_record_s_model_too(service, server, talk, clock):
    server.answer(answers)
    made = make_key(talk.client, talk.headers, "threads", pii={"hide": True})
    talk.switch(episodes=True)
    hiding = calls(talk.client, made["key"])
    hiding.talk("mira", "Write to mira.weber@example.com. My city is Ghent.")
    clock.advance(seconds=60 * 1)
    drain(service)
    assert len(episodes(talk, "mira")) == 1
    assert not any("mira.weber@" in request.text for request in server.requests)
