"""Importing a file: what each line does, what a bad one does, and doing it again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.integration.command_line import process_environment, run, unread

E1 = {"kind": "episode", "ref": "e1", "content": "My passport deadline is 2026-07-15.",
      "occurred_at": "2026-06-01T09:00:00Z", "speaker": "mira", "episode_kind": "mail"}  # fmt: skip
E2 = {"kind": "episode", "content": "Corrected: it is now 2026-06-30.", "external_id": "chat-7/2",
      "occurred_at": "2026-06-03T10:00:00Z"}  # fmt: skip
W1 = {"kind": "write", "subject": "mira", "attribute": "passport_deadline", "value": "2026-07-15",
      "source_episode": "e1", "quote": "2026-07-15"}  # fmt: skip
W2 = {"kind": "write", "subject": "mira", "attribute": "passport_deadline", "value": "2026-06-30",
      "source_episode": "chat-7/2"}  # fmt: skip
R1 = {"kind": "retract", "subject": "mira", "attribute": "visa", "source_episode": "chat-7/2"}
WRITE = '{"kind": "write", "subject": "a", "attribute": "b", "value": %s}'
STORY = [E1, W1, E2, W2, R1]


def lines(*rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def everything(store) -> list:
    return unread(store.run("list", "--include", "history", "--json").json)


def test_a_story_is_taken_in(store, tmp_path):
    file = tmp_path / "story.jsonl"
    file.write_text(lines(*STORY), encoding="utf-8")
    summary = store.ask("import", str(file))
    assert summary["complete"] is True
    assert (summary["lines"], summary["episodes"], summary["failed"]) == (5, 2, 0)
    assert summary["writes"] == {"noop": 1, "stored": 1, "superseded": 1}
    record = store.ask("current", "mira", "passport_deadline")
    assert (record["value"], record["valid_from"]) == ("2026-06-30", "2026-06-03T10:00:00Z")
    then = store.ask("current", "mira", "passport_deadline", "--as-of", "2026-06-02")
    [evidence] = store.ask("provenance", then["memory_id"])["evidence"]
    assert evidence["quote"] == "2026-07-15"
    assert (evidence["episode"]["kind"], evidence["episode"]["speaker"]) == ("mail", "mira")


def test_running_it_again_changes_nothing(store):
    keyless = {"kind": "write", "subject": "gus", "attribute": "pet", "value": "cat"}
    then = {"kind": "write", "subject": "gus", "attribute": "pet", "value": "dog"}
    story = lines(*STORY, keyless, then, keyless)
    first = store.run("import", "-", "--json", stdin=story).json
    before = everything(store), unread(store.ask("history", "gus", "pet"))
    assert store.ask("current", "gus", "pet")["value"] == "cat"
    again = store.run("import", "-", "--json", stdin=story).json
    assert (everything(store), unread(store.ask("history", "gus", "pet"))) == before
    timing = ("seconds", "writes_per_s")
    assert {k: v for k, v in first.items() if k not in timing} == {
        k: v for k, v in again.items() if k not in timing
    }


def test_a_grown_file_adds_only_what_is_new(store):
    store.run("import", "-", stdin=lines(*STORY))
    before = everything(store)
    new = {"kind": "write", "subject": "mira", "attribute": "city", "value": "Lund"}
    store.run("import", "-", stdin=lines(*STORY, new))
    added = [row for row in everything(store) if row not in before]
    assert [row["value"] for row in added] == ["Lund"]


def test_a_correction_is_not_undone_by_the_next_import(store):
    store.run("import", "-", stdin=lines(*STORY))
    store.ask("write", "mira", "passport_deadline", "2026-06-29", "--mode", "correction")
    store.run("import", "-", stdin=lines(*STORY))
    assert store.ask("current", "mira", "passport_deadline")["value"] == "2026-06-29"


def test_equal_lines_in_two_stores_or_for_two_persons_are_two(store):
    row = lines({"kind": "write", "subject": "desk", "attribute": "color", "value": "oak"})
    for scope in ([], ["--store", "b"], ["--person", "p"], ["--tenant", "t"]):
        assert store.run("import", "-", "--json", *scope, stdin=row).json["writes"] == {"stored": 1}
        assert store.ask("current", "desk", "color", *scope)["value"] == "oak"


@pytest.mark.parametrize(
    ("bad", "code", "field"),
    [
        ("{", "invalid_input", "line"),
        ("[1]", "invalid_input", "line"),
        ('"text"', "invalid_input", "line"),
        ('{"kind": "write", "subject": "a", "subject": "b"}', "invalid_input", "line"),
        ('{"subject": "a"}', "invalid_input", "kind"),
        ('{"kind": "drop"}', "invalid_input", "kind"),
        ('{"kind": ["write"]}', "invalid_input", "kind"),
        ('{"kind": "episode"}', "invalid_input", "content"),
        ('{"kind": "episode", "content": "x", "valeu": 1}', "invalid_input", "valeu"),
        (WRITE % '"c", "ref": "e1"', "invalid_input", "ref"),
        (WRITE % '"c", "source_episode": "e9"', "invalid_input", "source_episode"),
        (WRITE % '"c", "source_episode": 1', "invalid_input", "source_episode"),
        (WRITE % "NaN", "invalid_input", "line"),
        (WRITE % '"c", "valid_from": "2026-06-03T10:00:00"', "naive_instant", "valid_from"),
        (WRITE % "null", "invalid_input", "value"),
        (WRITE % f'"{"x" * 9000}"', "limit_exceeded", "value"),
        ('{"kind": "retract", "subject": "a"}', "invalid_input", "attribute"),
        ('{"kind": "episode", "content": "x", "occurred_at": "soon"}',
         "invalid_input", "occurred_at"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_the_others_stored(store, bad, code, field):
    good = lines({"kind": "write", "subject": "gus", "attribute": "pet", "value": "cat"})
    ran = store.run("import", "-", "--json", stdin=f"{good}\n{bad}\n{lines(*STORY)}")
    assert ran.code == 2
    assert (ran.error["line"], ran.error["code"], ran.error["field"]) == (3, code, field)
    assert (ran.json["complete"], ran.json["failed"], ran.json["lines"]) == (True, 1, 7)
    assert ran.json["errors"] == [ran.error]
    assert sum(ran.json["writes"].values()) == 4


def test_for_people_a_bad_line_is_one_line(store):
    ran = store.run("import", "-", stdin=lines(*STORY) + "{")
    assert ran.code == 2
    assert ran.err.startswith("line 6: error[invalid_input] line: not valid JSON")
    assert "imported" in ran.out


def test_a_line_that_is_not_utf8_is_a_bad_line(store):
    ran = store.run("import", "-", "--json", stdin=b'{"kind": "episode", "content": "\xff"}\n')
    assert (ran.code, ran.error["line"], ran.error["field"]) == (2, 1, "line")


def test_a_byte_order_mark_and_blank_lines_do_no_harm(store):
    ran = store.run("import", "-", "--json", stdin="\ufeff" + lines(E1) + "\n  \n" + lines(W1))
    assert (ran.code, ran.json["lines"]) == (0, 2)


def test_only_conflicts_are_exit_code_3(store):
    row = {"kind": "write", "subject": "a", "attribute": "b", "value": "c", "expect": "mem_none"}
    store.ask("write", "a", "b", "x")
    ran = store.run("import", "-", "--json", stdin=lines(row))
    assert (ran.code, ran.error["category"]) == (3, "conflict")


def test_numbers_stay_exact_and_metadata_comes_along(store):
    row = WRITE % '0.1000000000000000000001, "metadata": {"n": 8, "rate": 0.5}'
    store.run("import", "-", stdin=row)
    record = store.ask("current", "a", "b")
    assert (record["value"], record["metadata"]) == (
        "0.1000000000000000000001",
        {"n": 8, "rate": 0.5},
    )


def test_a_ref_means_the_nearest_episode_above(store):
    town = {"kind": "write", "subject": "bo", "attribute": "town", "source_episode": "e1"}
    rows = [
        {**E1, "content": "I live in Faro."},
        {**town, "value": "Faro"},
        {**E1, "content": "I live in Lund.", "occurred_at": "2026-06-05T09:00:00Z"},
        {**town, "value": "Lund"},
    ]
    assert store.run("import", "-", stdin=lines(*rows)).code == 0
    record = store.ask("current", "bo", "town")
    [evidence] = store.ask("provenance", record["memory_id"])["evidence"]
    assert evidence["episode"]["content"] == "I live in Lund."


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_bad_input(store, name):
    assert store.run("import", name, "--json").error["field"] == "file"


def test_an_empty_file_is_an_empty_import(store):
    assert store.run("import", "-", "--json", stdin="").json["lines"] == 0


def test_a_killed_import_goes_on_where_it_was(store, tmp_path):
    rows = []
    for n in range(3000):
        at = f"2026-06-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}Z"
        rows.append({**E1, "ref": f"e{n}", "content": f"turn {n}", "occurred_at": at})
        said = {"kind": "write", "attribute": "turn", "source_episode": f"e{n}"}
        rows.append({**said, "subject": f"s{n % 50}", "value": f"{n}"})
    file = tmp_path / "long.jsonl"
    file.write_text(lines(*rows), encoding="utf-8")
    command = [sys.executable, "-m", "vigent", "import", str(file), "--db", str(store.path)]
    process = subprocess.Popen(
        command, env=process_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if store.path.exists() and store.run("list", "--json").code == 0:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = store.run("import", str(file), "--json")
    assert (done.code, done.json["complete"]) == (0, True)
    assert done.json["writes"] == {"stored": 50, "superseded": 2950}
    current = {row["subject"]: row["value"] for row in store.ask("list")}
    assert current == {f"s{n % 50}": str(n) for n in range(2950, 3000)}
    assert sum(1 for row in everything(store) if row["recorded_to"] is None) == 3000
    assert run("check", "--db", str(store.path)).code == 0
