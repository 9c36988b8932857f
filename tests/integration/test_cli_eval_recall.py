"""``vigent eval locomo`` and ``longmemeval`` on small made-up files in the form of the sets."""

from __future__ import annotations

import json

import pytest

from tests.integration.command_line import ROOT, run
from vigent import Memory
from vigent.testing import FakeClock

SETS = ROOT / "tests" / "data" / "eval"
QUESTIONS = {"locomo": 6, "longmemeval": 2}


def last_line(ran):
    assert ran.code == 0, ran
    return json.loads(ran.out.splitlines()[-1])


@pytest.mark.parametrize("dataset", QUESTIONS)
def test_the_last_line_has_the_shares_by_category(dataset):
    result = last_line(run("eval", dataset, str(SETS / dataset), "--json"))
    assert (result["dataset"], result["questions"]) == (dataset, QUESTIONS[dataset])
    for share in ("recall", "any", "all"):
        assert list(result[share]) == ["5", "10", "25", "50"]
        # Each question has its turn among the few there are.
        assert result[share]["50"] == 1.0
    of_all = sum(kind["questions"] for kind in result["by_category"].values())
    assert of_all == QUESTIONS[dataset]
    assert 0 < result["p50_ms"] <= result["p95_ms"]
    assert result["index_s"] > 0


def test_the_core_categories_stand_apart():
    result = last_line(run("eval", "locomo", str(SETS / "locomo"), "--json"))
    assert result["core_categories"]["categories"] == ["1", "2", "3", "4"]
    assert result["core_categories"]["questions"] == 6
    assert set(result["by_category"]) == {"1", "2", "4"}


@pytest.mark.parametrize("dataset", QUESTIONS)
def test_each_answer_is_a_line_and_a_second_run_adds_nothing(tmp_path, dataset):
    def answers(name):
        file = tmp_path / name
        said = ["eval", dataset, str(SETS / dataset), "--answers", str(file), "--json"]
        last_line(run(*said, "--db", str(tmp_path / "eval.db")))
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    first = answers("one.jsonl")
    assert len(first) == QUESTIONS[dataset]
    for line in first:
        assert set(line) == {
            "dataset", "conversation", "question", "category", "evidence", "ranked",
        }  # fmt: skip
        assert set(line["evidence"]) <= set(line["ranked"])
        assert len(set(line["ranked"])) == len(line["ranked"])
    assert answers("two.jsonl") == first


def test_the_conversation_is_found_by_its_own_person_only(tmp_path):
    db = str(tmp_path / "eval.db")
    last_line(run("eval", "locomo", str(SETS / "locomo"), "--json", "--db", db))
    with Memory.open(db, clock=FakeClock("2024-05-03T00:00:00Z")) as memory:
        asked = {"query": "copper kettle", "include": "episodes"}
        assert len(memory.search(**asked)) == 0
        assert len(memory.search(**asked, person="locomo-made-2-1")) == 0
        found = memory.search(**asked, person="locomo-made-1-0")
        assert found[0].episode.speaker == "Ormund"


def test_limit_takes_only_so_many_conversations():
    result = last_line(run("eval", "locomo", str(SETS / "locomo"), "--limit", "1", "--json"))
    assert result["questions"] == 4


def test_for_people_it_is_a_table():
    out = run("eval", "locomo", str(SETS / "locomo")).out
    assert "@10" in out
    assert "100.0" in out


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["locomo", str(SETS / "longmemeval")], "path"),
        (["longmemeval", str(SETS / "locomo")], "path"),
        (["locomo", str(SETS / "nowhere")], "path"),
        (["locomo", str(SETS / "locomo"), "--shuffle", "3"], "shuffle"),
        (["locomo", str(SETS / "locomo"), "--limit", "0"], "limit"),
        (["locomo", str(SETS / "locomo"), "--answers", "/nowhere/at/all"], "answers"),
    ],
)
def test_bad_input_names_the_field(words, field):
    ran = run("eval", *words, "--json")
    assert (ran.code, ran.error["field"]) == (2, field)


@pytest.mark.parametrize("damage", ["[]", "{", '[{"conversation": {}, "qa": [1]}]', "[1, 2]"])
def test_a_damaged_file_is_refused(tmp_path, damage):
    (tmp_path / "made.json").write_text(damage)
    for dataset in QUESTIONS:
        ran = run("eval", dataset, str(tmp_path), "--json")
        assert (ran.code, ran.error["field"]) == (2, "path"), ran


def test_a_turn_without_words_is_left_out_and_named(tmp_path):
    made = json.loads((SETS / "locomo" / "made.json").read_text(encoding="utf-8"))
    made[0]["conversation"]["session_1"][1]["text"] = " "
    file = tmp_path / "made.json"
    file.write_text(json.dumps(made), encoding="utf-8")
    result = last_line(run("eval", "locomo", str(file), "--json"))
    assert result["blank_turns"] == ["made-1-0 D1:2"]
    assert result["questions"] == QUESTIONS["locomo"]
    assert "made-1-0 D1:2" in run("eval", "locomo", str(file)).out
