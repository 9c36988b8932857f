"""Importing conversations: what each format gives, what is refused, and doing it again."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[1] / "data" / "chat"
CHATGPT, CLAUDE, ITEMS = (str(DATA / n) for n in ("chatgpt.json", "claude.json", "items.jsonl"))


def items_of(store, thread, *scope) -> list:
    return store.ask("thread", "items", thread, *scope)


def counts(summary) -> tuple:
    names = ("threads", "items", "new", "empty", "failed")
    return tuple(summary[name] for name in names)


def load(name: str) -> list:
    return json.loads(Path(name).read_text(encoding="utf-8"))


def test_the_current_branch_of_a_chatgpt_export(store):
    summary = store.ask("import-chat", CHATGPT)
    assert summary["complete"] is True
    assert counts(summary) == (2, 8, 8, 1, 0)
    items = items_of(store, "chatgpt:68a1-passport")
    assert [(i["kind"], i["content"], i["occurred_at"]) for i in items] == [
        ("user", "My passport deadline is 2026-07-15.", "2025-06-01T09:00:00.250000Z"),
        ("reasoning", "They want a reminder.", "2025-06-01T09:00:11.500000Z"),
        ("tool_call", '{"remind": "2026-07-01"}', "2025-06-01T09:00:12Z"),
        ("tool_result", "done", "2025-06-01T09:00:12Z"),
        ("assistant", "I will remind you on 1 July.", "2025-06-01T09:00:13.123456Z"),
        ("user", "Here is the page.", "2025-06-01T09:01:40Z"),
    ]
    assert items[3]["speaker"] == "calendar"
    assert items[4]["metadata"] == {"model": "o3"}
    threads = store.ask("thread", "list")
    assert [t["metadata"] for t in threads] == [
        {"source": "chatgpt", "title": "Passport"}, {"source": "chatgpt", "title": "Soup"},
    ]  # fmt: skip


def test_the_messages_of_a_claude_export(store):
    summary = store.ask("import-chat", CLAUDE, "--person", "mira")
    assert counts(summary) == (1, 6, 6, 1, 0)
    items = items_of(store, "claude:c-1", "--person", "mira")
    assert [(i["kind"], i["content"]) for i in items] == [
        ("user", "I am moving to Lund in August."),
        ("reasoning", "Look up the forms."),
        ("tool_call", '{"name": "web_search", "input": {"query": "Lund registration"}}'),
        ("tool_result", "Register within a week."),
        ("assistant", "Register within a week.\nShall I list the forms?"),
        ("user", "Yes, please."),
    ]
    assert items[0]["occurred_at"] == "2025-06-02T08:00:01.500000Z"
    assert items[0]["metadata"] == {"files": ["lease.txt"]}
    assert {i["person_id"] for i in items} == {"mira"}
    assert store.run("thread", "list").code == 1


def test_plain_lines(store):
    summary = store.ask("import-chat", ITEMS)
    assert counts(summary) == (2, 5, 5, 0, 0)
    items = items_of(store, "support-1")
    assert [i["kind"] for i in items] == ["user", "tool_call", "assistant", "assistant"]
    assert (items[0]["external_id"], items[0]["speaker"]) == ("s1/1", "Ana")
    assert (items[1]["agent"], items[1]["sealed"]) == ("helpdesk", True)
    assert [i["content"] for i in items_of(store, "support-2", "--person", "bo")] == ["Thanks!"]


@pytest.mark.parametrize("file", [CHATGPT, CLAUDE, ITEMS])
def test_a_second_import_changes_nothing(store, file):
    first = store.ask("import-chat", file)
    before = store.ask("thread", "list")
    threads = {t["thread_id"]: items_of(store, t["thread_id"]) for t in before}
    again = store.ask("import-chat", file)
    assert counts(again) == (first["threads"], first["items"], 0, *counts(first)[3:])
    assert store.ask("thread", "list") == before
    assert {id: items_of(store, id) for id in threads} == threads


def test_a_conversation_that_went_on_adds_what_is_new(store, tmp_path):
    store.ask("import-chat", CHATGPT)
    grown = load(CHATGPT)
    soup = grown[1]["mapping"]
    soup["m3"] = copy.deepcopy(soup["m1"]) | {"id": "m3", "parent": "m2"}
    soup["m3"]["message"]["content"]["parts"] = ["Thanks!"]
    grown[1]["current_node"] = "m3"
    file = tmp_path / "grown.json"
    file.write_text(json.dumps(grown), encoding="utf-8")
    assert store.ask("import-chat", str(file))["new"] == 1
    assert [i["content"] for i in items_of(store, "chatgpt:68a2-soup")][2:] == ["Thanks!"]


def test_what_was_deleted_does_not_come_back(store):
    store.ask("import-chat", CLAUDE)
    store.ask("thread", "delete", "claude:c-1")
    assert store.ask("import-chat", CLAUDE)["new"] == 0
    assert store.run("thread", "list").code == 1


def broken(change) -> str:
    document = load(CHATGPT)
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda d: d[0].update(current_node="gone"), "current_node"),
        (lambda d: d[0].update(current_node=None), "current_node"),
        (lambda d: d[0]["mapping"]["root"].update(parent="n6"), "parent"),
        (lambda d: d[0].update(mapping=[]), "mapping"),
        (lambda d: d[0].pop("conversation_id"), "conversation_id"),
        (lambda d: d.__setitem__(0, 7), "conversation"),
    ],
)
def test_a_bad_conversation_is_named_and_the_others_stored(store, change, field):
    ran = store.run("import-chat", "-", "--json", stdin=broken(change))
    assert ran.code == 2
    assert (ran.error["conversation"], ran.error["field"]) == (1, field)
    assert (ran.json["errors"], ran.json["new"]) == ([ran.error], 2)
    assert len(items_of(store, "chatgpt:68a2-soup")) == 2


def test_a_bad_message_is_named_and_the_rest_of_its_conversation_stored(store):
    def change(document):
        document[1]["mapping"]["m1"]["message"]["author"]["role"] = "robot"
        document[0]["mapping"]["n5"]["message"]["content"]["parts"] = ["x" * 1_000_001]

    ran = store.run("import-chat", "-", stdin=broken(change))
    assert ran.code == 2
    first, second = ran.err.splitlines()
    assert first.startswith("conversation 1: error[limit_exceeded] content:")
    assert second.startswith("conversation 2: error[invalid_input] role:")
    assert len(items_of(store, "chatgpt:68a1-passport")) == 5


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", "line"),
        ("[1]", "line"),
        ('{"thread": "t", "role": "user"}', "content"),
        ('{"content": "x", "role": "user"}', "thread"),
        ('{"thread": "t", "content": "x"}', "kind"),
        ('{"thread": "t", "content": "x", "role": "user", "text": 1}', "text"),
        ('{"thread": 1, "content": "x", "role": "user"}', "thread"),
        ('{"thread": ["t"], "content": "x", "role": "user"}', "thread"),
        ('{"thread": "t", "content": "x", "role": "user", "sealed": "no"}', "sealed"),
        ('{"thread": "t", "content": "x", "role": "user", "person": ["x"]}', "person"),
        ('{"thread": "t", "content": "x", "role": ["user"]}', "role"),
        ('{"thread": "t", "content": 1, "role": "user"}', "content"),
        ('{"thread": "t", "content": "x", "role": "user", "occurred_at": "soon"}', "occurred_at"),
    ],
)
def test_a_bad_line_is_named_and_the_others_stored(store, line, field):
    good = '{"thread": "good", "role": "user", "content": "x"}'
    ran = store.run("import-chat", "-", "--json", stdin=f"{good}\n\n{line}\n{good}\n")
    assert ran.code == 2
    assert (ran.error["line"], ran.error["field"]) == (3, field)
    assert ran.json["new"] == 2
    assert [t["thread_id"] for t in store.ask("thread", "list")] == ["good"]


@pytest.mark.parametrize("text", ["[{}]", "[1, 2]", "7", "[", '[{"title": "x"}]'])
def test_a_file_of_no_known_form_is_refused(store, text):
    assert store.refused("import-chat", "-", stdin=text)["field"] == "file"


def test_a_format_may_be_named(store):
    assert store.ask("import-chat", CLAUDE, "--format", "claude")["failed"] == 0
    ran = store.run("import-chat", CLAUDE, "--format", "chatgpt", "--json")
    assert (ran.code, ran.json["failed"], ran.json["new"]) == (2, 2, 0)
    assert store.refused("import-chat", CLAUDE, "--format", "other")["field"] == "format"
    assert store.refused("import-chat", "missing.json")["field"] == "file"


@pytest.mark.parametrize("text", ["", "\n \n", "[]"])
def test_a_file_of_nothing_is_an_empty_import(store, text):
    ran = store.run("import-chat", "-", "--json", stdin=text)
    assert (ran.code, counts(ran.json)) == (0, (0, 0, 0, 0, 0))


def test_for_people_the_summary_is_a_card(store):
    ran = store.run("import-chat", CHATGPT)
    assert ran.code == 0
    assert "imported" in ran.out
    assert "new       8" in ran.out
