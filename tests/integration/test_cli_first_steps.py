"""What somebody meets who is new to the command line: answers that say what to do next."""

from __future__ import annotations

import pytest

from tests.integration.command_line import run, unread

DEADLINE = ["mira", "passport_deadline"]


@pytest.fixture
def typed(tmp_path) -> list[str]:
    schema = tmp_path / "travel.yaml"
    schema.write_text(
        "attributes: {budget: decimal, seats: integer, vip: boolean, name: text, day: date}",
        encoding="utf-8",
    )
    return ["--schema", str(schema)]


# ------------------------------------------------------------------------------- the demo


def test_the_story_stays_true_in_a_store_that_was_used_since(store):
    first = store.ask("demo")
    store.ask("write", *DEADLINE, "2026-08-01")
    store.ask("write", *DEADLINE, "2026-07-01", "--mode", "correction", "--valid-from",
              "2026-06-02T00:00Z")  # fmt: skip
    assert store.ask("demo")["answers"] == first["answers"]


@pytest.mark.parametrize("attribute", ["passport_deadline", "answer_style"])
def test_the_story_is_not_told_of_a_mira_who_is_known_otherwise(store, attribute):
    store.ask("write", "mira", attribute, "2026-08-01")
    before = store.ask("list", "--include", "history")
    assert store.refused("demo")["field"] == "db"
    assert unread(store.ask("list", "--include", "history")) == unread(before)


def test_the_story_is_not_told_where_part_of_it_was_forgotten(store):
    story = store.ask("demo")
    store.ask("forget", story["answers"][1]["vigent"]["memory_id"])
    assert "name a new file" in store.refused("demo")["message"]


def test_the_demo_that_leaves_a_store_says_how_a_schema_is_handed_over(store):
    assert "--schema FILE or VIGENT_SCHEMA" in store.run("demo").out
    assert "--schema" not in run("demo").out


# ------------------------------------------------------------------------- paths of stores


@pytest.mark.parametrize("words", [["list"], ["write", "a", "b", "c"]])
def test_what_is_wrong_with_a_path_is_said_and_no_second_try_advised(tmp_path, words):
    text = tmp_path / "passwd"
    text.write_text("root:x:0:0:root\n" * 50, encoding="utf-8")
    short = tmp_path / "short"
    short.write_text("abc", encoding="utf-8")
    for path, reason in ((tmp_path, "is a folder"), (text, "is not a Vigent store"),
                         (short, "is not a Vigent store")):  # fmt: skip
        ran = run(*words, "--db", str(path))
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("error[invalid_input] db: ")
        assert reason in ran.err
        assert "again" not in ran.err
    assert text.read_text(encoding="utf-8").startswith("root")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    error = run("write", "a", "b", "c", "--db", str(tmp_path / "no" / "m.db"), "--json").error
    assert (error["category"], error["field"]) == ("caller", "db")
    assert f"{tmp_path / 'no'} is not there" in error["message"]


# ---------------------------------------------------------------------------- nothing found


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_erasing_a_person_nobody_knows_is_done_and_warned_of(store, dry):
    store.ask("write", "mira", "city", "Lund", "--person", "mira")
    ran = store.run("erase-person", "mria", *dry)
    assert ran.code == 0
    assert "nothing was known of mria" in ran.err
    assert "mria" in store.ask("erase-person", "mria", *dry)["warning"]
    assert store.ask("erase-person", "mira", "--dry-run")["warning"] is None
    assert store.run("erase-person", "mira", *dry).err == ""


@pytest.mark.parametrize("verb", ["current", "history"])
def test_an_attribute_that_differs_by_case_is_pointed_at(store, verb):
    store.ask("write", "mira", "City", "Lund")
    ran = store.run(verb, "MIRA", "city")
    assert ran.code == 1
    assert "There is City: case counts." in ran.out
    assert "There is" not in store.run(verb, "mira", "town").out
    assert store.run(verb, "bo", "city").out.count("City") == 0


def test_an_empty_list_of_what_waits_is_an_answer(store):
    store.ask("write", "mira", "city", "Lund")
    assert store.ask("review", "list") == []
    assert store.run("review", "list").code == 0


# ------------------------------------------------------------------------------ what is said


@pytest.mark.parametrize(
    ("words", "advised"),
    [
        (["write", "a", "b", "c", "--valid-from", "2026-06-01T10:00"], True),
        (["current", "a", "--as-of", "2026-06-01T10:00"], True),
        (["diff", "--since", "2026-06-01T10:00", "--until", "2026-07-01"], True),
        (["capture", "hi", "--occurred-at", "2026-06-01T10:00"], False),
        (["propose", "a", "b", "c", "--valid-from", "2026-06-01T10:00"], False),
        (["capture", "hi", "--occurred-at", "2026-06-01"], False),
    ],
)
def test_a_zone_is_advised_only_where_one_is_taken(store, words, advised):
    store.ask("write", "a", "b", "c")
    message = store.refused(*words)["message"]
    assert ("--timezone" in message) is advised
    assert "give a timezone" not in message


def test_instants_are_told_only_where_they_were_asked_for(store):
    store.ask("write", "mira", "city", "Lund", "--valid-from", "2026-01-01")
    for words in (["current", "mira"], ["current", "mira", "city"]):
        assert "as known at" not in store.run(*words).out
        asked = store.run(*words, "--as-of", "2026-06-02").out
        assert "as of 2026-06-02 23:59:59Z" in asked
        assert "as known at" not in asked
    known = store.run("current", "mira", "--known-at", "2999-01-01").out
    assert "as known at" in known
    assert "as of" not in known


def test_a_retraction_says_what_it_was_about(store):
    store.ask("write", "mira", "city", "Lund")
    assert "retracted  city of mira: Lund" in store.run("retract", "mira", "city", "Lund").out
    assert "noop  city of mira" in store.run("retract", "mira", "city").out


def test_text_is_read_as_the_declared_kind(store, typed):
    for attribute, text, value in (("budget", "1200.50", "1200.50"), ("seats", "2", 2),
                                   ("vip", "true", True), ("name", "12", "12"),
                                   ("day", "2026-06-01", "2026-06-01")):  # fmt: skip
        written = store.ask("write", "mira", attribute, text, *typed)
        assert written["memory"]["value"] == value
    assert store.ask("retract", "mira", "budget", "1200.5", *typed)["outcome"] == "retracted"
    confidence = ["--trust", "tool", "--confidence", "0.9"]
    assert store.ask("propose", "bo", "seats", "3", *confidence, *typed)["memory"]["value"] == 3
    for attribute, text in (("budget", "a lot"), ("seats", "2.5"), ("seats", "true"),
                            ("vip", "yes"), ("vip", "1"), ("budget", "NaN")):  # fmt: skip
        assert store.refused("write", "mira", attribute, text, *typed)["code"] == "schema_mismatch"


def test_a_schema_that_cannot_be_parsed_is_told_in_one_line_with_its_place(store, tmp_path):
    schema = tmp_path / "bad.yaml"
    schema.write_text("attributes:\n  a: {kind: [}\n", encoding="utf-8")
    message = store.refused("write", "a", "b", "c", "--schema", str(schema))["message"]
    assert "\n" not in message
    assert "line 2, column 14" in message


def test_a_file_that_is_not_text_is_not_called_bad_json(store):
    ran = store.run("import", "-", "--json", stdin=b"\xff\xfe\x00\n")
    assert (ran.code, ran.error["field"]) == (2, "line")
    assert "not UTF-8" in ran.error["message"]
    assert "JSON" not in ran.error["message"]


def test_help_is_a_word_too():
    assert run("help").out == run("--help").out
    assert run("help", "review", "list").out == run("review", "list", "--help").out


def test_what_is_piped_has_no_spaces_at_the_ends_of_lines(store):
    store.ask("write", "mira", "city", "Lund")
    for words in (["list"], ["current", "mira"], ["history", "mira", "city"], ["demo"]):
        lines = store.run(*words).out.splitlines()
        assert [line for line in lines if line != line.rstrip()] == []
