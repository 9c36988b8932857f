"""Threads on the command line: what each command answers, and how it refuses."""

from __future__ import annotations

import json

MIRA = ("--person", "mira")


def test_a_session_from_its_beginning_to_its_end(store):
    made = store.ask("thread", "create", "--id", "t", "--agent", "a1", *MIRA,
                     "--metadata", '{"title": "Trip"}', "--ttl-days", "7")  # fmt: skip
    assert (made["thread_id"], made["person_id"], made["ttl_days"]) == ("t", "mira", 7)
    first = store.ask("thread", "append", "t", "hello", "--role", "user", *MIRA)
    store.ask("thread", "append", "t", "{}", "--kind", "tool_call", "--sealed", *MIRA,
              "--occurred-at", "2026-06-01T00:00:00Z", "--metadata", '{"tags": ["x"]}')  # fmt: skip
    items = store.ask("thread", "items", "t", *MIRA)
    assert items[0] == first
    assert [(i["position"], i["kind"], i["sealed"]) for i in items] == [
        (1, "user", False), (2, "tool_call", True),
    ]  # fmt: skip
    assert items[1]["metadata"] == {"tags": ["x"]}
    assert store.ask("thread", "items", "t", "--after", first["episode_id"], *MIRA) == items[1:]
    assert store.ask("thread", "items", "t", "--last", "1", *MIRA) == items[1:]
    assert [t["thread_id"] for t in store.ask("thread", "list", *MIRA)] == ["t"]
    assert store.ask("thread", "delete", "t", *MIRA) == {"thread_id": "t", "items": 2}
    assert store.refused("thread", "items", "t", *MIRA)["code"] == "not_found"


def test_a_state_is_set_read_and_guarded(store):
    store.ask("thread", "create", "--id", "t")
    assert store.ask("thread", "state", "t")["version"] == 0
    said = store.run("thread", "state", "t", "--set", "-", "--json", stdin='{"n": 1.50}')
    assert (said.json["version"], said.json["state"]) == (1, {"n": 1.5})
    ran = store.run("thread", "state", "t", "--set", "{}", "--expect", "0", "--json")
    assert (ran.code, ran.error["code"]) == (3, "unexpected_version")
    for wrong in ("[1]", "{", json.dumps({"a": "x" * 64_000})):
        assert store.refused("thread", "state", "t", "--set", wrong)["field"] == "state"
    assert "[1, 2]" in store.run("thread", "state", "t", "--set", '{"list": [1, 2]}').out


def test_for_people_a_thread_is_a_table(store):
    store.run("thread", "create", "--id", "t", "--metadata", '{"title": "A trip"}')
    assert "(shared)" in store.run("thread", "list").out
    assert "A trip" in store.run("thread", "list").out
    nothing = store.run("thread", "items", "t")
    assert (nothing.code, nothing.out) == (1, "There are no items.\n")
    store.run("thread", "append", "t", "red \x1b[31m", "--role", "user")
    assert "red \\x1b[31m" in store.run("thread", "items", "t").out
    assert "Removed t with 1 item;" in store.run("thread", "delete", "t").out
    assert store.run("thread", "list").code == 1


def test_what_does_not_fit_is_named(store):
    store.ask("thread", "create", "--id", "t")
    assert store.refused("thread", "append", "t", "x")["field"] == "kind"
    assert store.refused("thread", "append", "t", "x", "--kind", "memo")["field"] == "kind"
    assert store.refused("thread", "append", "none", "x", "--role", "user")["field"] == "thread"
    assert store.refused("thread", "items", "t", "--last", "0")["field"] == "last"
    assert store.refused("thread", "create", "--ttl-days", "0")["field"] == "ttl_days"
    ran = store.run("thread", "create", "--id", "t", "--json")
    assert (ran.code, ran.error["code"]) == (3, "thread_exists")
    assert store.refused("thread", "delete", "t", *MIRA)["code"] == "forbidden"


def test_another_tenant_or_store_has_other_threads(store):
    store.ask("thread", "create", "--id", "t")
    for scope in (["--tenant", "b"], ["--store", "b"]):
        assert store.refused("thread", "items", "t", *scope)["code"] == "not_found"
        assert store.run("thread", "list", *scope).code == 1
