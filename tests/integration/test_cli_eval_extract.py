"""``vigent eval extract``: a scripted model answers, the whole way, and some goes wrong."""

from __future__ import annotations

import json

import pytest

from tests.faultcodes import FAULTS
from tests.integration.command_line import ROOT, run
from vigent.domain.gate.codes import CODES
from vigent.rehearsal import extract
from vigent.rehearsal.corrupting import WAYS

SETS = ROOT / "tests" / "data" / "eval"
FAILED = {"invalid_model_output", "model_refusal", "output_cut_off"}


def told(ran):
    return json.loads(ran.out.splitlines()[-1])


@pytest.mark.parametrize("dataset", ["sgd", "multiwoz"])
def test_gold_labels_end_in_the_gold_state(dataset):
    ran = run("eval", "extract", dataset, str(SETS / dataset), "--json", "--corrupt", "0")
    assert ran.code == 0, ran
    found = told(ran)
    assert found["wrong"] == []
    assert found["corrupted"] == 0
    assert found["right"] == found["candidates"] > 0
    # One label stands in no turn that was said: the gate holds it, and the person confirms it.
    held = {"value_unsupported": 1} if dataset == "multiwoz" else {}
    assert found["confirmed_by_the_person"] == held
    assert found["slots_checked"] > 0


def many(tmp_path, count=40):
    """Write dialogues of two windows each, in the form of SGD."""
    slots = [{"name": n, "is_categorical": False, "possible_values": []} for n in ("place", "day")]
    services = [{"service_name": "Trips", "slots": slots}]
    (tmp_path / "made_schema.json").write_text(json.dumps(services), encoding="utf-8")

    def turn(who, text, **slots):
        frames = [{"service": "Trips", "set": {k: [v] for k, v in slots.items()}}] if slots else []
        return {"s": who, "u": text, "f": frames}

    lines: list[str] = []
    for number in range(count):
        turns = [
            turn("U", "A trip to Skye on friday, please.", place="Skye", day="friday"),
            turn("S", "There is one at noon."),
            *[turn(who, "Let me see.") for who in "USUSUS"],
            turn("U", "Make it Mull on monday.", place="Mull", day="monday"),
            turn("S", "It is done."),
        ]
        final = {"Trips": {"place": ["Mull"], "day": ["monday"]}}
        story = {"id": f"made_{number}", "turns": turns, "final": final}
        lines.append(json.dumps(story))
    (tmp_path / "made.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_of_what_goes_wrong_in_twelve_ways_nothing_is_in_force(tmp_path):
    ran = run("eval", "extract", "sgd", str(many(tmp_path)), "--json")
    found = told(ran)
    assert ran.code == 0, found
    assert found["wrong"] == []
    assert found["candidates"] == 160
    assert tuple(found["by_way"]) == WAYS
    assert len(WAYS) == 12
    assert found["corrupted"] + found["lost_with_the_answer"] == 32
    for way, got in found["by_way"].items():
        assert got["n"] > 0, way
        assert got["in_force"] == 0, way
        assert set(got["reasons"]) <= {*CODES, *FAULTS, *FAILED}, way
        assert sum(got["reasons"].values()) == got["n"], way
    reasons = {way: next(iter(got["reasons"])) for way, got in found["by_way"].items()}
    assert reasons == {
        "wrong_quote": "evidence_missing",
        "wrong_speaker": "assistant_word",
        "invented_date": "date_unsupported",
        "unknown_slot": "unknown_attribute",
        "other_key": "other_key",
        "duplicate": "duplicate",
        "injected_instruction": "instruction_untrusted",
        "other_person": "other_person",
        "confidence_out_of_range": "confidence_unknown",
        "malformed": "invalid_model_output",
        "refusal": "model_refusal",
        "cut_off": "output_cut_off",
    }


def test_another_seed_spoils_others(tmp_path):
    folder = many(tmp_path, 12)
    one, same, other = (
        told(run("eval", "extract", "sgd", str(folder), "--json", "--seed", seed))
        for seed in ("3", "3", "4")
    )
    for each in (one, same, other):
        assert each["wrong"] == []
        del each["seconds"]
    assert one == same
    assert extract.EXTRACTABLE == ("sgd", "multiwoz")


def test_a_state_that_is_not_the_right_ones_is_told(tmp_path, capsys):
    """The command ends with 1 where the store held something before that the set does not say."""
    folder, db = many(tmp_path, 1), str(tmp_path / "mine.db")
    words = ["--db", db, "--person", "customer made_0"]
    ran = run(
        "write", "made_0", "Trips.day", "sunday", "--valid-from", "2026-01-01T00:03:00Z", *words
    )
    assert ran.code == 0, ran
    ran = run("eval", "extract", "sgd", str(folder), "--json", "--corrupt", "0", "--db", db)
    assert ran.code == 1, ran
    assert told(ran)["wrong"][0]["wrong"] in {"state", "not in force"}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["extract", "sgd"], "path"),
        (["extract", "woz", "x"], "dataset"),
        (["extract", "sgd", "x", "--corrupt", "0.9"], "corrupt"),
        (["sgd", "x", "--seed", "1"], "dataset"),
        (["extract", "sgd", "x", "--shuffle", "1"], "dataset"),
    ],
)
def test_what_does_not_fit_is_named(words, named):
    ran = run("eval", *words, "--json")
    assert ran.code == 2
    assert json.loads(ran.err)["field"] == named
