"""The passport story: what it shows, and what it leaves."""

from __future__ import annotations

import datetime as dt

from tests.integration.command_line import run, spawn, unread
from vigent.edges.cli.demo import Note, search_text


def test_vigent_answers_what_is_in_force_and_the_text_search_what_is_stale():
    story = run("demo", "--json").json
    now, then = story["answers"]
    assert (now["asked"], then["asked"]) == ("now", "2026-06-02")
    assert "2026-07-15" in now["text_search"]["answer"]
    assert now["text_search"]["source"] == "e1"
    assert (now["vigent"]["value"], now["vigent"]["source"]) == ("2026-06-30", "e2")
    assert now["vigent"]["valid_from"] == "2026-06-03T10:00:00Z"
    assert now["vigent"]["valid_to"] is None
    assert (then["vigent"]["value"], then["vigent"]["source"]) == ("2026-07-15", "e1")
    assert then["vigent"]["valid_from"] == "2026-06-01T09:00:00Z"
    assert then["vigent"]["valid_to"] == "2026-06-03T10:00:00Z"
    assert now["vigent"]["supersedes_memory_id"] == then["vigent"]["memory_id"]
    assert len(story["next"]) == 3


def test_for_people_it_fits_80_columns_and_ends_with_three_commands():
    out = spawn("demo", COLUMNS="80").out
    assert "2026-06-30" in out
    assert "stale" in out
    commands = [line.strip() for line in out.splitlines() if line.strip().startswith("vigent ")]
    assert len(commands) == 3
    assert out.rstrip().endswith(commands[-1])


def test_without_db_it_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert spawn("demo", VIGENT_DB=str(tmp_path / "mine.db")).code == 0
    assert list(tmp_path.iterdir()) == []


def test_with_db_it_leaves_a_store_to_go_on_with_and_can_be_told_again(store):
    assert store.run("demo").code == 0
    history = store.ask("history", "mira", "passport_deadline")
    assert store.run("demo").code == 0
    assert unread(store.ask("history", "mira", "passport_deadline")) == unread(history)
    assert store.ask("current", "mira", "passport_deadline")["value"] == "2026-06-30"
    then = store.ask("current", "mira", "passport_deadline", "--as-of", "2026-06-02")
    assert then["value"] == "2026-07-15"
    [evidence] = store.ask("provenance", then["memory_id"])["evidence"]
    assert evidence["episode"]["external_id"] == "e1"
    style = store.ask("current", "mira", "answer_style")
    assert style["value"] == "concise"
    written = store.ask("write", "mira", "passport_deadline", "2026-08-01")
    assert written["outcome"] == "superseded"
    assert store.ask("current", "mira", "passport_deadline")["value"] == "2026-08-01"


def test_the_commands_it_suggests_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in run("demo", "--json").json["next"]:
        assert run(*command.split()[1:]).code == 0, command


def test_the_word_search_is_an_honest_one():
    day = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
    old = Note("The cat sleeps.", "a", day)
    new = Note("The cat eats.", "b", day + dt.timedelta(days=1))
    assert search_text([old, new], "Where is the cat?") == [new, old]
    assert search_text([old, new], "Does the CAT sleeps?") == [old, new]
    assert search_text([old, new], "A dog") == []
