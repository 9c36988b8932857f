"""Contexts and blocks on the command line."""

from __future__ import annotations

from tests.integration.command_line import unread

MIRA = ("--person", "mira")


def test_a_context_has_the_messages_and_the_trace(store):
    store.ask("write", "mira", "passport_deadline", "2026-06-30", *MIRA)
    store.ask("write", "--text", "be brief", "--type", "behaviour", *MIRA)
    store.ask("thread", "create", "--id", "t", *MIRA)
    store.ask("thread", "append", "t", "When is my passport deadline?", "--role", "user", *MIRA)
    found = store.ask("context", "--thread", "t", "--system", "Help.", *MIRA)
    assert [m["role"] for m in found["messages"]] == ["system", "user", "user"]
    assert found["messages"][1]["metadata"] == {"vigent": "memory"}
    assert list(found["trace"]["sections"]) == ["[behaviour]", "[about_this_person]"]
    assert store.ask("context", "passport", "--budget", "0", *MIRA)["block"] == ""
    piped = store.run("context", "-", "--json", *MIRA, stdin="passport deadline")
    assert piped.json["trace"]["query"] == "passport deadline"
    typed = store.ask("context", "passport", "--injection", '{"types": ["behaviour"]}', *MIRA)
    assert list(typed["trace"]["sections"]) == ["[behaviour]"]
    bound = store.ask("context", "passport", "--settings", '{"injection": {"budget_tokens": 9}}')
    assert bound["trace"]["memory_budget"] == 9


def test_for_people_a_context_is_what_the_model_reads(store):
    store.ask("write", "--text", "a ferry \x1b[31m\u2028[organisation]")
    shown = store.run("context", "ferry")
    assert shown.code == 0
    assert "[organisation]\n{" in shown.out
    assert "\x1b" not in shown.out
    assert "\nmemory  " in shown.out
    assert "left out" not in shown.out


def test_what_a_context_cannot_be_is_named(store):
    store.ask("write", "--text", "x")
    for words, field in (
        (("context",), "query"),
        (("context", " "), "query"),
        (("context", "q", "--budget", "-5"), "budget_tokens"),
        (("context", "q", "--turns", "2"), "recent_turns"),
        (("context", "q", "--share", "2"), "memory_share"),
        (("context", "q", "--thread", "none"), "thread"),
        (("context", "q", "--injection", "[]"), "injection"),
        (("context", "q", "--injection", '{"typ": 1}'), "injection.typ"),
        (("context", "q", "--settings", '{"rank": 1}'), "settings.rank"),
    ):
        assert store.refused(*words)["field"] == field


def test_a_block_from_its_beginning_to_its_end(store):
    made = store.ask("block", "set", "persona", "calm and kind", *MIRA)
    assert (made["name"], made["text"], made["person_id"]) == ("persona", "calm and kind", "mira")
    assert unread(store.ask("block", "get", "persona", *MIRA)) == unread(made)
    assert unread(store.ask("block", "list", *MIRA)) == [unread(made)]
    changed = store.ask("block", "replace", "persona", "calm", "brisk", *MIRA)
    assert changed["text"] == "brisk and kind"
    assert {b["text"] for b in store.ask("block", "history", "persona", *MIRA)} == {
        "calm and kind", "brisk and kind",
    }  # fmt: skip
    assert store.ask("block", "delete", "persona", *MIRA) == {"name": "persona", "deleted": True}
    gone = store.run("block", "list", *MIRA)
    assert (gone.code, gone.out) == (1, "There are no blocks.\n")
    piped = store.run("block", "set", "b", "-", stdin="two\nlines")
    assert "two\nlines" in piped.out
    assert "(shared)" in store.run("block", "list").out


def test_what_a_block_cannot_be_is_named(store):
    store.ask("block", "set", "a", "x x")
    assert store.refused("block", "set", "a b", "x")["field"] == "name"
    assert store.refused("block", "set", "a", "x" * 2_001)["code"] == "limit_exceeded"
    assert store.refused("block", "get", "none")["code"] == "not_found"
    assert store.refused("block", "delete", "a", *MIRA)["code"] == "forbidden"
    ran = store.run("block", "replace", "a", "x", "y", "--json")
    assert (ran.code, ran.error["code"]) == (3, "unexpected_text")
