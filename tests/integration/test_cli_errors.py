"""What goes wrong is told in one line, with the right exit code, and never as a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import apsw
import pytest

from tests.integration.command_line import process_environment, run

NAIVE = ["write", "lou", "shift", "early", "--valid-from", "2025-04-01T08:00:00"]


def test_an_error_is_one_line_with_code_and_field(store):
    ran = store.run(*NAIVE)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error[naive_instant] valid_from: ")
    assert len(ran.err.splitlines()) == 1


def test_with_json_an_error_is_an_object_on_standard_error(store):
    error = store.refused(*NAIVE)
    assert (error["code"], error["category"]) == ("naive_instant", "caller")
    assert error["field"] == "valid_from"
    assert error["message"]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["write", "a", "b", "c", "--no-such-option"], None),
        (["write", "a", "b", "c", "--confidence", "high"], "confidence"),
        (["write", "a", "b", "c", "--importance", "2.5"], "importance"),
        (["current"], "subject"),
        (["provenance"], "memory_id"),
        (["no-such-command"], None),
        (["diff", "--since", "2026-01-01T00:00Z"], "until"),
        (["write", "a", "b", "c", "--value-json", "1"], "value"),
        (["write", "a", "b", "--value-json", "{"], "value"),
        (["write", "a", "b", "--value-json", "NaN"], "value"),
        (["write", "a", "b", "--value-json", '{"x": 1, "x": 2}'], "value"),
        (["write", "a", "b", "--value-json", "[" * 100_000], "value"),
        (["write", "a", "b", "c", "--metadata", "[1]"], "metadata"),
        (["write", "a", "b", "c", "--mode", "guess"], "mode"),
        (["write", "a", "b", "c", "--trust", "mum"], "trust"),
        (["write", "a"], "attribute"),
        (["erase-person"], "person"),
        (["erase-person", "a", "--person", "b"], "person"),
        (["write", "a", "b", "c", "--schema", "missing.yaml"], "schema"),
    ],
)
def test_bad_input_is_exit_code_2(store, words, field):
    store.ask("write", "mira", "city", "Lund")
    error = store.refused(*words)
    assert error["category"] == "caller"
    assert error["field"] == field
    ran = store.run(*words)
    assert ran.code == 2
    assert ran.err.startswith("error[")
    assert "Traceback" not in ran.err


def test_a_read_makes_no_store_where_there_is_none(store):
    for words in (["current", "mira"], ["list"], ["check"], ["erase-person", "mira"]):
        assert store.refused(*words)["field"] == "db"
    assert not store.path.exists()
    assert run("list", "--db", "x" * 5000, "--json").error["field"] == "db"
    assert run("list", "--db", " ", "--json").error["field"] == "db"


def test_another_memory_than_expected_is_exit_code_3(store):
    first = store.ask("write", "ira", "seat", "1A")["memory"]["memory_id"]
    store.ask("write", "ira", "seat", "2A", "--expect", first)
    ran = store.run("write", "ira", "seat", "3A", "--expect", first, "--json")
    assert (ran.code, ran.out) == (3, "")
    assert (ran.error["code"], ran.error["category"]) == ("unexpected_memory", "conflict")
    assert store.ask("current", "ira", "seat")["value"] == "2A"


def test_the_same_key_for_another_request_is_a_conflict(store):
    key = ["--idempotency-key", "k1"]
    store.ask("write", "ira", "seat", "1A", *key)
    ran = store.run("write", "ira", "seat", "2A", *key, "--json")
    assert (ran.code, ran.error["code"]) == (3, "idempotency_mismatch")


def test_a_store_of_a_newer_version_is_exit_code_4(store):
    store.ask("write", "ira", "seat", "1A")
    with apsw.Connection(str(store.path)) as connection:
        connection.execute("PRAGMA user_version = 999999")
    ran = store.run("write", "ira", "seat", "2A", "--json")
    assert (ran.code, ran.out) == (4, "")
    assert (ran.error["code"], ran.error["category"]) == ("store_newer", "unavailable")
    assert ran.error["retry_after"] > 0


def test_a_file_that_is_no_store_is_told_in_one_line(store):
    store.path.write_bytes(b"not a database, but long enough to be read as one" * 100)
    ran = store.run("list")
    assert ran.code in {2, 4, 5}
    assert ran.err.startswith("error[")
    assert len(ran.err.splitlines()) <= 2


def test_rows_that_disagree_are_found_by_check_with_exit_code_5(store):
    store.ask("write", "ira", "seat", "1A")
    with apsw.Connection(str(store.path)) as connection:
        connection.execute("UPDATE belief SET valid_from = valid_from - 5")
    ran = store.run("check", "--json")
    assert ran.code == 5
    assert ran.json["ok"] is False
    assert ran.json["problems"]


def test_stored_text_cannot_drive_the_terminal(store):
    store.ask("write", "mallory", "note", "\x1b[2J\x1b]0;owned\x07red")
    for words in (["list"], ["current", "mallory"], ["current", "mallory", "note"],
                  ["history", "mallory", "note"]):  # fmt: skip
        out = store.run(*words).out
        assert "\x1b" not in out
        assert "\\x1b[2J" in out
    assert "\x1b" not in store.run("current", "mallory", "no\x1b[2J").out


def test_bytes_that_are_not_utf8_are_refused_without_a_traceback(store):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "vigent",
            "write",
            "a",
            "b",
            os.fsdecode(b"\xff"),
            "--db",
            store.path,
        ],
        capture_output=True,
        check=False,
        env=process_environment(),
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[invalid_input] value: ")


def test_json_is_readable_in_any_locale(store):
    store.ask("write", "zoë", "note", "👩‍👩‍👧 – ñ")
    plain = store.spawn("current", "zoë", "note", "--json", PYTHONIOENCODING="ascii")
    assert plain.json["value"] == "👩‍👩‍👧 – ñ"


def test_a_value_that_begins_with_a_minus_sign_is_told_the_two_dashes(store):
    for value in ("-5", "-.5", "-12.5"):
        assert "write … -- VALUE" in store.refused("write", "mira", "temp", value)["hint"]
    assert "--help" in store.refused("write", "mira", "temp", "-x")["hint"]


def test_a_name_that_is_near_is_named(store):
    store.ask("write", "mira", "city", "Lund")
    assert "There is city." in store.run("current", "mira", "citty").out
    assert "There is city." in store.run("history", "mira", "Citt").out
    assert "There is" not in store.run("current", "mira", "employer").out
    assert "There is" not in store.run("current", "noor", "citty").out


@pytest.mark.parametrize("command", ["import", "import-chat"])
@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"SQLite format 3\0\n\n\n", "a SQLite file"), (b"PK\x03\x04\n\n", "a ZIP archive")],
)
def test_a_file_of_another_kind_is_refused_at_once(store, tmp_path, command, content, kind):
    file = tmp_path / "a.db"
    file.write_bytes(content)
    error = store.refused(command, str(file))
    assert error["field"] == "file"
    assert f"looks like {kind}" in error["message"]


def test_what_is_no_chat_is_told_the_formats(store):
    told = store.refused("import-chat", "-", stdin="import os\n")["message"]
    assert "ChatGPT" in told
    assert "--format chatgpt, claude or jsonl" in told
