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
    assert first.startswith("conversation 1: turn n5: error[limit_exceeded] content:")
    assert second.startswith("conversation 2: turn m1: error[invalid_input] role:")
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


def claude_of(*messages, **more) -> str:
    told = {"uuid": "c", "name": "", "created_at": "2024-05-01T09:00:00Z", **more}
    return json.dumps([{**told, "chat_messages": list(messages)}])


def said(text, uuid=None, at=None, sender="human") -> dict:
    named = {} if uuid is None else {"uuid": uuid}
    return {**named, "sender": sender, "text": text, **({} if at is None else {"created_at": at})}


def chatgpt_message(given):
    if not isinstance(given, tuple):
        return given
    words, at = given
    content = {"content_type": "text", "parts": [words]}
    return {"author": {"role": "user"}, "create_time": at, "content": content}


def chatgpt_of(*messages, created=None) -> str:
    """Give an export of one conversation: each message is a text and its time."""
    mapping: dict = {}
    for number, given in enumerate(messages):
        parent = f"n{number - 1}" if number else None
        mapping[f"n{number}"] = {"parent": parent, "message": chatgpt_message(given)}
    last = f"n{len(messages) - 1}"
    return json.dumps([
        {"id": "g", "create_time": created, "mapping": mapping, "current_node": last}
    ])  # fmt: skip


def times_of(store, thread) -> list:
    return [item["occurred_at"] for item in items_of(store, thread)]


@pytest.mark.parametrize("bad", [None, 7, "x", said("x", at="soon"), said("x", at=1e30)])
def test_a_bad_message_of_claude_leaves_the_others(store, bad):
    ran = store.run("import-chat", "-", "--json", stdin=claude_of(said("Hi."), bad, said("Yes.")))
    assert (ran.code, ran.json["failed"]) == (2, 1)
    assert (ran.error["conversation"], ran.error["turn"]) == (1, 2)
    assert [i["content"] for i in items_of(store, "claude:c")] == ["Hi.", "Yes."]


@pytest.mark.parametrize("bad", [("x", 1e30), ("x", "soon"), ("x", True), 7])
def test_a_bad_message_of_chatgpt_leaves_the_others(store, bad):
    ran = store.run("import-chat", "-", stdin=chatgpt_of(("Hi.", 1.7e9), bad, ("Yes.", 1.7e9)))
    assert ran.code == 2
    assert ran.err.startswith("conversation 1: turn n1: error[invalid_input] ")
    assert [i["content"] for i in items_of(store, "chatgpt:g")] == ["Hi.", "Yes."]


def test_a_branch_of_chatgpt_that_breaks_off_above_keeps_what_is_below(store):
    document = json.loads(chatgpt_of(("Hi.", 1.7e9), ("Who?", 1.7e9), ("Yes.", 1.7e9)))
    document[0]["mapping"]["n1"]["parent"] = "gone"
    ran = store.run("import-chat", "-", "--json", stdin=json.dumps(document))
    assert (ran.code, ran.error["turn"], ran.error["field"]) == (2, "n1", "parent")
    assert [i["content"] for i in items_of(store, "chatgpt:g")] == ["Who?", "Yes."]


def test_a_message_without_a_time_has_that_of_the_one_before(store):
    text = claude_of(said("a"), said("b", at="2024-05-03T10:00:00Z"), said("c"), said("d"))
    assert store.ask("import-chat", "-", stdin=text)["undated"] == 0
    second = "2024-05-03T10:00:00Z"
    assert times_of(store, "claude:c") == ["2024-05-01T09:00:00Z", second, second, second]


@pytest.mark.parametrize("created", [None, 1e30, "soon"])
def test_else_that_of_the_first_that_has_one(store, created):
    text = chatgpt_of(("a", None), ("b", None), ("c", 1.7e9), ("d", None), created=created)
    assert store.ask("import-chat", "-", stdin=text)["undated"] == 0
    assert times_of(store, "chatgpt:g") == ["2023-11-14T22:13:20Z"] * 4


def test_with_no_time_at_all_it_is_that_of_the_import_and_the_summary_says_so(store):
    text = claude_of(said("a"), said("b"), created_at=None)
    assert store.ask("import-chat", "-", stdin=text)["undated"] == 2
    assert "Without a time: 2." in store.run("import-chat", "-", stdin=text).out


def test_a_line_without_a_time_has_that_of_the_line_above_in_its_thread(store):
    line = '{{"thread": "{}", "content": "{}", "role": "user"{}}}\n'
    at = ', "occurred_at": "2024-05-03T10:00:00Z"'
    text = line.format("a", 1, at) + line.format("b", 2, "") + line.format("a", 3, "")
    assert store.ask("import-chat", "-", stdin=text)["undated"] == 1
    assert times_of(store, "a") == ["2024-05-03T10:00:00Z"] * 2
    assert times_of(store, "b")[0] > "2025"


@pytest.mark.parametrize("name", ["2", "#2", "%232", "#2:2"])
def test_a_made_up_id_is_that_of_no_message(store, name):
    blocks = [{"type": "thinking", "thinking": "b1"}, {"type": "text", "text": "b2"}]
    made_up = said("b") | {"content": blocks}
    messages = (said("a", name), made_up, said("c", f"{name}:2"))
    assert store.ask("import-chat", "-", stdin=claude_of(*messages))["new"] == 4
    assert store.ask("import-chat", "-", stdin=claude_of(*messages))["new"] == 0


def test_an_id_of_other_words_is_named_and_not_dropped(store):
    messages = (said("a", "x"), said("b", "x"), said("a", "x"))
    ran = store.run("import-chat", "-", "--json", stdin=claude_of(*messages))
    assert (ran.code, ran.error["turn"], ran.error["field"]) == (2, 2, "external_id")
    assert counts(ran.json) == (1, 2, 1, 0, 1)


def test_an_id_of_another_thread_is_named(store):
    line = '{{"thread": "{}", "content": "Hi.", "role": "user", "external_id": "1"}}\n'
    ran = store.run("import-chat", "-", "--json", stdin=line.format("a") + line.format("b"))
    assert (ran.code, ran.error["line"]) == (2, 2)
    assert "thread a" in ran.error["message"]
