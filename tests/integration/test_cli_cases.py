"""Reported real-world faults, each with its whole kind, on the command line."""

from __future__ import annotations

import pytest

from tests.integration.command_line import run, unread

# ------------------------------------------------------------------------ C12, C14: local times


def test_c12_a_time_without_a_zone_is_refused_under_any_host_zone(store):
    for zone in ("UTC", "Asia/Kolkata"):
        ran = store.spawn("write", "lou", "shift", "early", "--valid-from", "2025-04-01T08:00:00",
                          "--json", TZ=zone)  # fmt: skip
        assert (ran.code, ran.error["code"], ran.error["field"]) == (
            2,
            "naive_instant",
            "valid_from",
        )


def test_c14_the_repeated_hour_is_ordered_by_its_offsets(store):
    store.ask("write", "ned", "alarm", "on", "--valid-from", "2024-10-27T02:30:00+02:00")
    store.ask("write", "ned", "alarm", "off", "--valid-from", "2024-10-27T02:10:00+01:00")
    assert store.ask("current", "ned", "alarm")["value"] == "off"
    before = store.ask("current", "ned", "alarm", "--as-of", "2024-10-27T01:00:00Z")
    assert before["value"] == "on"


@pytest.mark.parametrize(
    ("local", "code", "instants"),
    [
        ("2024-10-27T02:30:00", "ambiguous_instant", ["02:30:00+02:00", "02:30:00+01:00"]),
        ("2024-03-31T02:30:00", "ambiguous_instant", ["02:30:00+02:00", "02:30:00+01:00"]),
    ],
)
def test_c14_a_wall_clock_time_that_is_no_single_instant_is_refused(store, local, code, instants):
    words = ["write", "ned", "alarm", "on", "--valid-from", local, "--timezone", "Europe/Madrid"]
    error = store.refused(*words)
    assert (error["code"], error["field"]) == (code, "valid_from")
    assert all(instant in error["message"] for instant in instants), error["message"]


def test_c14_a_wall_clock_time_with_its_zone_is_taken(store):
    written = store.ask("write", "ned", "alarm", "on", "--valid-from", "2024-10-27T04:30:00",
                        "--timezone", "Europe/Madrid")  # fmt: skip
    assert written["memory"]["valid_from"] == "2024-10-27T03:30:00Z"


# ---------------------------------------------------------------------------- C15: bare dates


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_c15_a_birthday_does_not_move_with_the_host(store, tmp_path, zone):
    schema = tmp_path / "schema.yaml"
    schema.write_text("attributes: {birth_day: {kind: date}}", encoding="utf-8")
    typed = ["--schema", str(schema)]

    def ask(*words):
        ran = store.spawn(*words, "--json", TZ=zone)
        assert ran.code in {0, 1}, ran
        return ran.json

    ask("write", "ola", "birth_date", "1990-03-01")
    ask("write", "ola", "birth_day", "1990-03-01", *typed)
    ask("write", "ola", "address", "4 Mill Row", "--valid-from", "2025-07-01")
    assert ask("current", "ola", "birth_date")["value"] == "1990-03-01"
    assert ask("current", "ola", "birth_day", *typed)["value"] == "1990-03-01"
    assert "1990-03-01" in store.spawn("current", "ola", "birth_day", *typed, TZ=zone).out
    assert ask("current", "ola", "address")["valid_from"] == "2025-07-01T00:00:00Z"
    assert ask("current", "ola", "address", "--as-of", "2025-07-01")["value"] == "4 Mill Row"
    assert ask("current", "ola", "address", "--as-of", "2025-06-30") is None
    assert "2025-07-01 00:00Z" in store.spawn("current", "ola", "address", TZ=zone).out


# ------------------------------------------------------------------------- C30: blank content

BLANK = ["", "   ", "\n\t", "\u200b", "\u00a0", "\u2003\u3000"]


def memories(store) -> int:
    return len(store.run("list", "--include", "history", "--json").json)


@pytest.mark.parametrize("blank", BLANK)
def test_c30_blank_is_refused_before_anything_is_stored(store, blank):
    store.ask("write", "kit", "pet", "newt")
    assert store.refused("write", "kit", "pet", blank)["field"] == "value"
    assert store.refused("write", "--text", blank)["field"] == "text"
    assert store.refused("capture", blank)["field"] == "content"
    assert store.refused("write", blank, "pet", "newt")["field"] == "subject"
    assert store.refused("write", "kit", blank, "newt")["field"] == "attribute"
    assert memories(store) == 1


def test_c30_a_missing_value_and_null_are_refused(store):
    store.ask("write", "kit", "pet", "newt")
    assert store.refused("write", "kit", "pet")["field"] == "value"
    assert store.refused("write", "kit", "pet", "--value-json", "null")["field"] == "value"
    assert store.refused("write")["category"] == "caller"
    assert memories(store) == 1


def test_c30_blank_lines_of_a_batch_are_told_and_the_others_stored(store):
    lines = "\n".join(
        f'{{"kind": "write", "subject": "kit", "attribute": "n{n}", "value": "{value}"}}'
        for n, value in enumerate(["ok one", "  ", "ok two"])
    )
    ran = store.run("import", "-", "--json", stdin=lines)
    assert (ran.code, ran.json["writes"], ran.json["failed"]) == (2, {"stored": 2}, 1)
    assert (ran.error["line"], ran.error["field"]) == (2, "value")
    assert memories(store) == 2


# --------------------------------------------------------- C31: characters a store cannot hold


def test_c31_nul_and_lone_surrogates_are_refused_everywhere(store):
    store.ask("write", "kit", "pet", "newt")
    for bad in (r"blue\u0000green", r"smile \ud83d end", r"\udc00"):
        assert store.refused("write", "kit", "c", "--value-json", f'"{bad}"')["field"] == "value"
        metadata = f'{{"x": "{bad}"}}'
        refused = store.refused("write", "kit", "c", "red", "--metadata", metadata)
        assert refused["field"].startswith("metadata")
        for line in (
            f'{{"kind": "write", "subject": "{bad}", "attribute": "c", "value": "red"}}',
            f'{{"kind": "episode", "content": "{bad}"}}',
        ):
            ran = store.run("import", "-", "--json", stdin=line)
            assert (ran.code, ran.json["failed"], ran.error["line"]) == (2, 1, 1)
    assert memories(store) == 1


def test_c31_a_bad_item_does_not_sink_its_batch(store):
    lines = "\n".join(
        f'{{"kind": "write", "subject": "kit", "attribute": "n{n}", "value": "{value}"}}'
        for n, value in enumerate(["good 1", r"bad\u0000", "good 2"])
    )
    ran = store.run("import", "-", "--json", stdin=lines)
    assert (ran.code, ran.json["writes"], ran.error["line"]) == (2, {"stored": 2}, 2)


@pytest.mark.parametrize("text", ["👩‍👩‍👧 and 🇵🇹", "e\u0301", "नमस्\u200dते", "שלום", "a\u200cb"])
def test_c31_what_can_be_held_comes_back_code_point_for_code_point(store, text):
    store.ask("write", "kit", "note", text)
    assert store.ask("current", "kit", "note")["value"] == text
    assert store.spawn("current", "kit", "note", "--json").json["value"] == text


# ----------------------------------------------------- C36, C37: names that look like others


def test_c36_no_scope_reads_another(store):
    tenants = ["birch", "birch-east", "bir_h", "birxh", "%", "b%", "Birch"]
    for tenant in tenants:
        store.ask("write", "s", "secret", tenant, "--tenant", tenant)
    for tenant in tenants:
        scope = ["--tenant", tenant]
        assert store.ask("current", "s", "secret", *scope)["value"] == tenant
        assert [row["value"] for row in store.ask("list", *scope)] == [tenant]
        assert len(store.ask("history", "s", "secret", *scope)) == 1
        memory_id = store.ask("list", *scope)[0]["memory_id"]
        others = [name for name in tenants if name != tenant]
        for other in others:
            refused = store.refused("provenance", memory_id, "--tenant", other)
            assert refused["code"] == "not_found"


def test_c36_no_subject_or_person_reads_another(store):
    names = ["u1", "u10", "u_1", "u%"]
    for name in names:
        store.ask("write", name, "secret", name, "--person", name)
    for name in names:
        mine = store.ask("list", "--person", name)
        assert [row["value"] for row in mine] == [name]
        assert store.run("list", "--subject", name, "--json").json == []
        assert len(store.ask("list", "--subject", name, "--person", name)) == 1


@pytest.mark.parametrize("option", ["--tenant", "--store", "--person"])
def test_c36_an_empty_scope_is_refused_and_never_means_all(store, option):
    store.ask("write", "s", "secret", "x")
    assert store.refused("list", option, "")["field"].startswith(option.strip("-"))
    assert store.refused("list", "--subject", "")["field"] == "subject"


@pytest.mark.parametrize("sep", [":", "/", ".", "|", "_", "__", "#", "\\", " ", "%2F", "../"])
def test_c37_parts_of_a_key_are_never_joined(store, sep):
    left = ["--tenant", f"a{sep}b"]
    right = ["--tenant", "a"]
    store.ask("write", "c", "color", "red", *left, "--person", "p")
    store.ask("write", f"b{sep}c", "color", "blue", *right, "--person", "p")
    assert store.ask("current", "c", "color", *left, "--person", "p")["value"] == "red"
    mine = store.ask("current", f"b{sep}c", "color", *right, "--person", "p")
    assert (mine["value"], mine["subject"]) == ("blue", f"b{sep}c")
    store.ask("erase-person", "p", *left)
    assert store.run("current", "c", "color", *left, "--person", "p").code == 1
    assert store.ask("current", f"b{sep}c", "color", *right, "--person", "p")["value"] == "blue"


# --------------------------------------------------------------------------- C42: wiping a person


def test_c42_erasing_one_person_leaves_everybody_else(store):
    for person, tenant in (("u1", "t1"), ("u2", "t1"), ("u1", "t2")):
        for n in range(2):
            store.ask("write", person, f"fact{n}", f"{person} {n}", "--person", person,
                      "--tenant", tenant)  # fmt: skip
    store.ask("erase-person", "u1", "--tenant", "t1", "--wait")
    assert store.run("list", "--person", "u1", "--tenant", "t1").code == 1
    assert len(store.ask("list", "--person", "u2", "--tenant", "t1")) == 2
    assert len(store.ask("list", "--person", "u1", "--tenant", "t2")) == 2


def test_c42_a_wipe_names_whom_it_wipes(store):
    store.ask("write", "u1", "fact", "x", "--person", "u1")
    assert store.refused("erase-person")["field"] == "person"
    assert store.refused("erase-person", "")["field"] == "person"
    assert store.refused("erase-person", "u1", "--subject", "u1")["category"] == "caller"
    nobody = store.ask("erase-person", "u9")
    assert sum(nobody["counts"].values()) == 0
    assert len(store.ask("list", "--person", "u1")) == 1


# ------------------------------------------------------------------------- C54: asking again


def test_c54_the_same_command_with_its_key_makes_one_fact(store):
    words = ["write", "ira", "seat", "1A", "--idempotency-key", "k1"]
    answers = [store.spawn(*words, "--json").json for _ in range(3)]
    assert unread(answers[0]) == unread(answers[1]) == unread(answers[2])
    assert len(store.ask("history", "ira", "seat")) == 1


def test_c54_a_repeated_statement_of_an_episode_makes_one_fact(store):
    capture = [
        "capture",
        "I sit in 1A.",
        "--external-id",
        "m1",
        "--occurred-at",
        "2026-06-01T09:00Z",
    ]
    for _ in range(3):
        episode = store.ask(*capture)["episode_id"]
        written = store.ask("write", "ira", "seat", "1A", "--episode", episode)
    assert written["memory"]["evidence_count"] == 1
    assert len(store.ask("history", "ira", "seat")) == 1


def test_c54_a_key_counts_per_tenant(store):
    words = ["write", "ira", "seat", "1A", "--idempotency-key", "k1"]
    first = store.ask(*words)["memory"]["memory_id"]
    second = store.ask(*words, "--tenant", "t2")["memory"]["memory_id"]
    assert first != second


# ------------------------------------------------------------------------- C70: confidence


@pytest.mark.parametrize(
    "bad", ["NaN", "nan", "Infinity", "-Infinity", "inf", "1.7", "85", "high", ""]
)
def test_c70_confidence_is_a_number_within_0_and_1(store, bad):
    store.ask("write", "kay", "jam", "quince")
    assert (
        store.refused("write", "kay", "jam", "plum", f"--confidence={bad}")["field"] == "confidence"
    )
    refused = store.refused("list", f"--min-confidence={bad}")
    assert refused["field"] == "min_confidence"
    assert store.ask("current", "kay", "jam")["value"] == "quince"


@pytest.mark.parametrize(
    "literal", ["NaN", "Infinity", "-Infinity", "1.7", "-0.2", '"0.8"', "true"]
)
def test_c70_confidence_in_a_file_is_a_json_number(store, literal):
    line = (
        '{"kind": "write", "subject": "kay", "attribute": "jam", "value": "plum", "confidence": %s}'
    )
    ran = store.run("import", "-", "--json", stdin=line % literal)
    assert (ran.code, ran.json["failed"]) == (2, 1)


@pytest.mark.parametrize("good", [0, 1, 0.1])
def test_c70_what_is_within_comes_back_as_written(store, good):
    store.ask("write", "kay", "jam", "plum", "--confidence", str(good))
    assert store.ask("current", "kay", "jam")["confidence"] == good
    line = (
        f'{{"kind":"write","subject":"kay","attribute":"tea","value":"mint","confidence":{good}}}'
    )
    assert store.run("import", "-", "--json", stdin=line).code == 0
    assert store.ask("current", "kay", "tea")["confidence"] == good


def test_c70_unknown_passes_no_minimum_and_sorts_last(store):
    for name, confidence in (("low", "0.2"), ("high", "0.9"), ("middle", "0.5")):
        store.ask("write", "kay", name, "x", "--confidence", confidence)
    ordered = store.ask("list", "--order", "confidence")
    assert [row["attribute"] for row in ordered] == ["high", "middle", "low"]
    at_least = store.ask("list", "--min-confidence", "0.5")
    assert {row["attribute"] for row in at_least} == {"high", "middle"}


def test_a_store_given_by_the_environment_is_used(store):
    store.ask("write", "kay", "jam", "plum")
    ran = store.spawn("list")
    assert "plum" in ran.out
    assert run("demo", "--json").code == 0
