"""Each command, its exit code, and the shape of its ``--json`` answer."""

from __future__ import annotations

import json
import re

import pytest
import typer.main

from tests.integration.command_line import run
from vigent.edges.cli.app import app

RECORD_KEYS = [
    "tenant_id", "memory_id", "store_id", "person_id", "memory_type", "subject", "attribute",
    "value", "value_kind", "text", "schema_version", "valid_from", "valid_to", "valid_from_basis",
    "recorded_from", "recorded_to", "supersedes_memory_id", "superseded_by", "source_episode_id",
    "source", "quote", "speaker", "trust", "confidence", "effective_confidence", "importance",
    "evidence_count", "retrieved_count", "contested", "status", "retention_policy", "expires_at",
    "created_at", "last_changed_at", "confirmed_at", "half_life_days", "as_of", "known_at",
    "answered_at", "metadata",
]  # fmt: skip
JUNE_1, JUNE_3 = "2026-06-01T09:00:00Z", "2026-06-03T10:00:00Z"
DEADLINE = ["mira", "passport_deadline"]


@pytest.fixture
def told(store):
    """A store that knows of the passport deadline and its change."""
    store.ask("write", *DEADLINE, "2026-07-15", "--valid-from", JUNE_1, "--source", "chat")
    store.ask("write", *DEADLINE, "2026-06-30", "--valid-from", JUNE_3, "--source", "chat")
    return store


def test_write_answers_with_outcome_memory_and_what_it_ended(store):
    first = store.ask("write", *DEADLINE, "2026-07-15", "--valid-from", JUNE_1)
    second = store.ask("write", *DEADLINE, "2026-06-30", "--valid-from", JUNE_3)
    assert (first["outcome"], first["ended"]) == ("stored", [])
    assert list(first["memory"]) == RECORD_KEYS
    assert second["outcome"] == "superseded"
    assert [ended["memory_id"] for ended in second["ended"]] == [first["memory"]["memory_id"]]
    assert second["memory"]["supersedes_memory_id"] == first["memory"]["memory_id"]


def test_write_passes_every_option_on(store):
    written = store.ask(
        "write", "mira", "seat", "12A", "--valid-from", "2026-06-01", "--valid-to", "2026-06-08",
        "--timezone", "Europe/Madrid", "--source", "crm", "--trust", "tool", "--confidence", "0.5",
        "--importance", "7", "--retention", "keep", "--metadata", '{"team": "blue", "n": 8}',
        "--person", "mira", "--tenant", "birch", "--store", "travel",
    )["memory"]  # fmt: skip
    expected = {
        "tenant_id": "birch", "store_id": "travel", "person_id": "mira", "subject": "mira",
        "attribute": "seat", "value": "12A", "valid_from": "2026-05-31T22:00:00Z",
        "valid_to": "2026-06-07T22:00:00Z", "valid_from_basis": "stated", "source": "crm",
        "trust": "tool", "confidence": 0.5, "importance": 7, "retention_policy": "keep",
        "expires_at": None, "metadata": {"n": 8, "team": "blue"},
    }  # fmt: skip
    assert {name: written[name] for name in expected} == expected


def test_a_value_is_text_unless_it_is_given_as_json(store):
    assert store.ask("write", "mira", "floor", "12")["memory"]["value"] == "12"
    assert store.ask("write", "mira", "age", "--value-json", "12")["memory"]["value"] == 12
    assert store.ask("write", "mira", "vip", "--value-json", "true")["memory"]["value"] is True
    large = store.ask("write", "mira", "n", "--value-json", "123456789012345678901234567890")
    assert large["memory"]["value"] == 123456789012345678901234567890
    exact = store.ask("write", "mira", "rate", "--value-json", "0.10000000000000000000001")
    assert exact["memory"]["value"] == "0.10000000000000000000001"


def test_a_value_with_a_minus_sign_stands_after_two_dashes(store):
    ran = store.run("write", "--json", "mira", "shift", "--", "-5")
    assert ran.code == 2  # --db was put behind the dashes
    ran = run("write", "--json", "--db", str(store.path), "mira", "shift", "--", "-5")
    assert ran.json["memory"]["value"] == "-5"


def test_a_memory_in_free_text_needs_no_attribute(store):
    written = store.ask("write", "--text", "likes aisle seats", "--type", "preference")
    memory = written["memory"]
    assert (memory["memory_type"], memory["text"]) == ("preference", "likes aisle seats")
    assert (memory["attribute"], memory["value"]) == (None, None)


def test_a_commitment_has_a_due_date_and_a_state(store):
    memory = store.ask("write", "--text", "send the form", "--type", "commitment",
                       "--due", "2026-06-30T00:00:00Z")["memory"]  # fmt: skip
    assert list(memory)[: len(RECORD_KEYS)] == RECORD_KEYS
    assert (memory["due"], memory["state"]) == ("2026-06-30T00:00:00Z", "open")


def test_current_answers_for_now_then_and_as_known_then(told):
    now = told.ask("current", *DEADLINE)
    assert list(now) == RECORD_KEYS
    assert (now["value"], now["valid_from"], now["source"]) == ("2026-06-30", JUNE_3, "chat")
    then = told.ask("current", *DEADLINE, "--as-of", "2026-06-02")
    assert (then["value"], then["valid_to"]) == ("2026-07-15", JUNE_3)
    assert then["as_of"] == "2026-06-02T23:59:59.999999Z"
    madrid = told.ask("current", *DEADLINE, "--as-of", "2026-06-02", "--timezone", "Europe/Madrid")
    assert madrid["as_of"] == "2026-06-02T21:59:59.999999Z"
    first = told.ask("history", *DEADLINE)[0]["recorded_from"]
    known = told.ask("current", *DEADLINE, "--as-of", JUNE_3, "--known-at", first)
    assert known["value"] == "2026-07-15"
    assert known["known_at"] == first


def test_current_without_attribute_is_all_that_is_in_force(told):
    told.ask("write", "mira", "answer_style", "concise")
    state = told.ask("current", "mira")
    assert list(state) == ["subject", "as_of", "known_at", "attributes"]
    assert {name: record["value"] for name, record in state["attributes"].items()} == {
        "answer_style": "concise",
        "passport_deadline": "2026-06-30",
    }


def test_current_of_a_set_is_an_array(store, tmp_path):
    schema = tmp_path / "schema.yaml"
    schema.write_text("attributes: {allergy: {kind: text, cardinality: multi}}", encoding="utf-8")
    for value in ("peanuts", "shellfish", "peanuts"):
        store.ask("write", "tad", "allergy", value, "--schema", str(schema))
    found = store.ask("current", "tad", "allergy", "--schema", str(schema))
    assert [record["value"] for record in found] == ["peanuts", "shellfish"]
    assert all(record["as_of"] and record["known_at"] for record in found)


@pytest.mark.parametrize(
    ("words", "empty"),
    [
        (["current", "mira", "visa"], None),
        (["current", "nobody", "visa"], None),
        (["current", "mira", "passport_deadline", "--as-of", "2026-05-01"], None),
        (["history", "mira", "visa"], []),
        (["list", "--subject", "nobody"], []),
        (["diff", "--since", "2020-01-01T00:00Z", "--until", "2020-01-02T00:00Z"], []),
    ],
)
def test_no_answer_is_exit_code_1(told, words, empty):
    ran = told.run(*words, "--json")
    assert (ran.code, ran.json, ran.err) == (1, empty, "")
    ran = told.run(*words)
    assert ran.code == 1
    assert ran.out.strip()
    assert ran.err == ""


def test_an_empty_state_still_says_which_instants_it_stands_for(told):
    ran = told.run("current", "nobody", "--json", "--as-of", "2026-06-02")
    assert ran.code == 1
    assert ran.json["attributes"] == {}
    assert ran.json["as_of"] == "2026-06-02T23:59:59.999999Z"


def test_history_shows_both_intervals_of_every_belief(told):
    rows = told.ask("history", *DEADLINE)
    believed = [
        (row["value"], row["valid_from"], row["valid_to"])
        for row in rows
        if row["recorded_to"] is None
    ]
    assert believed == [("2026-07-15", JUNE_1, JUNE_3), ("2026-06-30", JUNE_3, None)]
    assert len(rows) == 3  # the first one was once believed to be open


def test_provenance_names_the_episode_and_the_quote(store):
    episode = store.ask("capture", "My desk is 5-020.", "--occurred-at", JUNE_1, "--speaker", "ivo",
                        "--external-id", "chat-1", "--role", "user")  # fmt: skip
    written = store.ask("write", "ivo", "desk", "5-020", "--episode", episode["episode_id"],
                        "--quote", "desk is 5-020")  # fmt: skip
    found = store.ask("provenance", written["memory"]["memory_id"])
    assert list(found) == ["memory", "evidence"]
    [evidence] = found["evidence"]
    assert evidence["episode"]["external_id"] == "chat-1"
    assert evidence["quote"] == "desk is 5-020"
    assert evidence["episode"]["speaker"] == "ivo"
    assert found["memory"]["valid_from"] == JUNE_1


def test_capture_gives_the_first_episode_for_a_known_id(store):
    words = ["capture", "hello", "--external-id", "m1", "--occurred-at", JUNE_1]
    assert store.ask(*words) == store.ask(*words)


def test_capture_reads_standard_input(store):
    ran = store.run("capture", "-", "--json", stdin="zwei Zeilen\näöü ✓\n")
    assert ran.json["content"] == "zwei Zeilen\näöü ✓\n"
    assert store.refused("capture", "-", stdin=b"\xff\xfe")["field"] == "content"


def test_retract_ends_a_value_and_says_what(told):
    result = told.ask("retract", *DEADLINE, "--valid-from", "2026-06-10T00:00:00Z")
    assert result["outcome"] == "retracted"
    assert [row["value"] for row in result["ended"]] == ["2026-06-30"]
    assert told.run("current", *DEADLINE).code == 1
    assert told.ask("current", *DEADLINE, "--as-of", "2026-06-05")["value"] == "2026-06-30"


def test_retracting_what_never_was_is_a_noop(store):
    assert store.ask("retract", "wes", "sport", "squash")["outcome"] == "noop"


def test_diff_shows_what_changed_on_either_axis(told):
    changes = told.ask("diff", "--since", "2026-06-02T00:00Z", "--until", "2026-06-04T00:00Z")
    assert [change["at"] for change in changes] == [JUNE_3]
    [change] = changes
    assert [row["value"] for row in change["before"]] == ["2026-07-15"]
    assert [row["value"] for row in change["after"]] == ["2026-06-30"]
    learned = told.ask("diff", "--since", "2026-06-02T00:00Z", "--until", "2100-01-01T00:00Z",
                       "--axis", "recorded", "--subject", "mira")  # fmt: skip
    assert len(learned) == 2


def test_list_filters_orders_and_limits(told):
    told.ask("write", "gus", "pet", "cat Oona", "--confidence", "0.4", "--trust", "assistant")
    assert [row["value"] for row in told.ask("list")] == ["2026-06-30", "cat Oona"]
    assert [row["value"] for row in told.ask("list", "--subject", "gus")] == ["cat Oona"]
    assert [row["value"] for row in told.ask("list", "--attribute", "pet")] == ["cat Oona"]
    assert [row["value"] for row in told.ask("list", "--limit", "1")] == ["2026-06-30"]
    assert [row["value"] for row in told.ask("list", "--min-confidence", "0.5")] == ["2026-06-30"]
    assert [row["value"] for row in told.ask("list", "--as-of", "2026-06-02")] == ["2026-07-15"]
    everything = told.ask("list", "--include", "history", "--subject", "mira")
    assert {row["value"] for row in everything} == {"2026-07-15", "2026-06-30"}


def test_list_prints_one_array_an_element_a_line(told):
    told.ask("write", "gus", "pet", "cat Oona")
    out = told.run("list", "--json").out
    assert json.loads(out)
    lines = out.splitlines()
    assert (lines[0], lines[-1]) == ("[", "]")
    assert [json.loads(line.rstrip(","))["subject"] for line in lines[1:-1]] == ["mira", "gus"]


def test_forget_removes_one_memory_and_nothing_else(told):
    memory_id = told.ask("current", *DEADLINE)["memory_id"]
    assert told.ask("forget", memory_id) == {"memory_id": memory_id, "forgotten": True}
    assert told.run("current", *DEADLINE).code == 1
    assert told.ask("current", *DEADLINE, "--as-of", "2026-06-02")["value"] == "2026-07-15"
    assert told.refused("provenance", memory_id)["code"] == "not_found"


def test_erase_person_counts_lists_and_removes(store):
    store.ask("write", "mira", "city", "Lund", "--person", "mira")
    store.ask("write", "gus", "city", "Faro", "--person", "gus")
    dry = store.ask("erase-person", "mira", "--dry-run")
    assert dry["state"] == "dry_run"
    assert sum(dry["counts"].values()) > 0
    assert store.ask("current", "mira", "city", "--person", "mira")["value"] == "Lund"
    receipt = store.ask("erase-person", "mira", "--wait")
    assert receipt["state"] == "purged"
    assert receipt["counts"] == dry["counts"]
    assert "mira" not in json.dumps(receipt)
    assert store.run("current", "mira", "city", "--person", "mira").code == 1
    assert store.ask("current", "gus", "city", "--person", "gus")["value"] == "Faro"


def test_review_lists_accepts_and_rejects(store, tmp_path):
    schema = tmp_path / "schema.yaml"
    schema.write_text("attributes: {role: {kind: text, min_trust: application}}", encoding="utf-8")
    options = ["--schema", str(schema), "--trust", "assistant", "--confidence", "0.9"]
    store.ask("write", "fay", "role", "intern", "--schema", str(schema))
    held = [store.ask("write", "fay", "role", role, *options) for role in ("lead", "cook")]
    assert [result["outcome"] for result in held] == ["pending_review"] * 2
    waiting = store.ask("review", "list")
    assert [item["memory"]["value"] for item in waiting] == ["lead", "cook"]
    assert all(item["reason"] and item["created_at"] for item in waiting)
    lead, cook = (item["memory"]["memory_id"] for item in waiting)
    accepted = store.ask("review", "accept", lead, "--schema", str(schema))
    assert accepted["outcome"] == "superseded"
    rejected = store.ask("review", "reject", cook, "--reason", "no such job")
    assert rejected["status"] == "rejected"
    assert store.run("review", "list", "--json").json == []
    assert store.ask("current", "fay", "role")["value"] == "lead"


def test_check_says_that_all_is_well(told):
    report = told.ask("check")
    assert (report["ok"], report["problems"]) == (True, [])
    assert set(report["audit"]) >= {"sealed", "unsealed", "broken"}
    assert told.run("check", "--repair").code == 0


def test_bare_vigent_and_bare_groups_show_their_help():
    assert run().code == 0
    assert "passport" in run().out
    assert run("review").code == 0
    assert "accept" in run("review").out


def test_every_command_of_the_list_is_there_with_the_shared_options():
    names = ["write", "retract", "capture", "current", "history", "provenance", "diff", "list",
             "get", "search", "reindex", "propose", "update", "sweep", "persons link",
             "forget", "erase-person", "review list", "review candidates", "review accept",
             "review reject", "import",
             "check", "demo", "eval"]  # fmt: skip
    for name in names:
        ran = run(*name.split(), "--help")
        assert ran.code == 0, name
        for option in ("--json", "--db", "--tenant", "--store", "--person", "--schema"):
            assert option in ran.out, (name, option)
        assert max(map(len, ran.out.splitlines())) <= 80


def test_help_shows_brackets_as_they_are():
    assert "vigent[mcp]" in run("mcp", "--help").out
    for name, each in every_command(typer.main.get_command(app), []):
        told = "\n".join(
            [each.help or "", *(p.help or "" for p in each.params if hasattr(p, "help"))]
        )
        shown = run(*name, "--help").out
        for bracketed in re.findall(r"\[[a-z][^\]]*\]", told):
            assert bracketed in shown, name


def every_command(group, path):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from every_command(command, [*path, name])
        else:
            yield [*path, name], command


def test_retract_says_when_it_ends():
    assert "no longer holds" in " ".join(
        run("retract", "--help").out.split("--valid-from")[1].split()
    )
