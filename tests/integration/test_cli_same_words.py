"""What Python can do with a memory, the command line can do by the same word."""

from __future__ import annotations

import pytest

from vigent import Memory
from vigent.testing import FakeClock


@pytest.fixture
def told(store):
    store.ask("write", "mira", "document", "passport", "--valid-from", "2026-06-01")
    store.ask("write", "mira", "city", "Lund", "--valid-from", "2026-06-03")
    return store


def test_search_finds_what_answers(told):
    found = told.ask("search", "mira passport")["hits"]
    assert [hit["record"]["value"] for hit in found] == ["passport", "Lund"]
    assert len(told.ask("search", "mira", "--limit", "1")["hits"]) == 1
    (hit,) = told.ask("search", "passport", "--subject", "MIRA", "--attribute", "document")["hits"]
    assert (hit["record"]["value"], hit["exact"]) == ("passport", True)
    nothing = told.run("search", "visa", "--json")
    assert (nothing.code, nothing.json["hits"]) == (1, [])
    assert "passport" in told.run("search", "passport").out
    assert told.refused("search", "mira", "--limit", "0")["field"] == "limit"


def test_get_shows_one_memory(told):
    record = told.ask("current", "mira", "city")
    found = told.ask("get", record["memory_id"])
    when = ("as_of", "known_at", "answered_at")  # each read has its own
    assert {n: v for n, v in found.items() if n not in when} == {
        n: record[n] for n in found if n not in when
    }
    assert record["memory_id"] in told.run("get", record["memory_id"]).out
    assert told.refused("get", "mem_none")["code"] == "not_found"


def test_update_changes_what_it_names(store):
    memory = store.ask("write", "--text", "send the form", "--type", "commitment",
                       "--importance", "3", "--metadata", '{"a": 1}')["memory"]  # fmt: skip
    after = store.ask("update", memory["memory_id"], "--state", "done", "--due", "2026-06-30",
                      "--confidence", "0.5", "--retention", "keep")  # fmt: skip
    assert (after["state"], after["confidence"], after["expires_at"]) == ("done", 0.5, None)
    assert (after["importance"], after["metadata"]) == (3, {"a": 1})
    assert "updated" in store.run("update", memory["memory_id"], "--importance", "9").out
    assert store.refused("update", memory["memory_id"], "--importance", "11")["code"]


def test_sweep_forgets_what_is_past_its_time(told):
    with Memory.open(told.path, clock=FakeClock("2020-01-01T00:00:00Z")) as memory:
        memory.write(subject="mira", attribute="code", value="4711", ttl_days=1)
    assert told.ask("sweep") == {"forgotten": 1}
    assert told.ask("sweep") == {"forgotten": 0}
    assert "Forgot 0" in told.run("sweep").out


def test_propose_hands_in_a_candidate(told, tmp_path):
    schema = tmp_path / "schema.yaml"
    schema.write_text("attributes: {city: {min_trust: person}}\n")
    said = ["propose", "mira", "city", "Faro", "--confidence", "0.9", "--schema", str(schema)]
    held = told.ask(*said)
    assert (held["outcome"], held["memory"]["trust"]) == ("pending_review", "assistant")
    assert told.ask("current", "mira", "city")["value"] == "Lund"
    taken = told.ask("propose", "mira", "age", "--value-json", "41", "--confidence", "1")
    assert (taken["outcome"], taken["memory"]["value"]) == ("stored", 41)
    gone = told.ask("propose", "mira", "age", "--trust", "person")
    assert gone["outcome"] == "retracted"


def test_a_person_is_linked_to_the_entity_they_are(told):
    done = told.ask("persons", "link", "p-1", "Mira")
    assert done == {"person_id": "p-1", "subject": "Mira"}
    assert len(told.ask("erase-person", "p-1", "--dry-run")["shared"]) == 2
    assert "p-1 is Mira." in told.run("persons", "link", "p-1", "Mira").out


def test_diff_and_list_take_times_of_a_zone(told):
    asked = ["diff", "--since", "2026-06-02T00:00", "--until", "2026-06-03T02:00"]
    assert told.refused(*asked)["code"] == "naive_instant"
    (change,) = told.ask(*asked, "--timezone", "Europe/Madrid")
    assert change["attribute"] == "city"
    ran = told.run(*asked[:3], "--until", "2026-06-03T01:00", "--timezone", "Europe/Madrid")
    assert ran.code == 1
    listed = told.ask("list", "--as-of", "2026-06-02T23:00", "--timezone", "UTC")
    assert [record["attribute"] for record in listed] == ["document"]
