"""``vigent eval`` on small made-up files in the form of the public sets."""

from __future__ import annotations

import json

import pytest

from tests.integration.command_line import ROOT, run, spawn

SETS = ROOT / "tests" / "data" / "eval"
KEYS = [
    "dataset", "dialogues", "facts", "confirmed", "superseded", "retracted", "current", "as_of",
    "history", "provenance", "rejected", "writes_per_s",
]  # fmt: skip
PARTS = ("current", "as_of", "history", "provenance", "rejected")
DATASETS = ["sgd", "multiwoz", "woz", "timeqa"]


def last_line(ran):
    assert ran.code == 0, ran
    return json.loads(ran.out.splitlines()[-1])


@pytest.mark.parametrize("dataset", DATASETS)
def test_the_last_line_is_the_result_and_nothing_is_wrong(dataset):
    result = last_line(run("eval", dataset, str(SETS / dataset), "--json"))
    assert list(result) == KEYS
    assert result["dataset"] == dataset
    for part in PARTS:
        assert set(result[part]) == {"checked", "wrong"}
        assert result[part]["wrong"] == 0, part
    assert result["current"]["checked"] + result["as_of"]["checked"] > 0


def test_shuffled_and_repeated_it_ends_in_the_same_answers(tmp_path):
    def answers(*more: str) -> list[str]:
        file = tmp_path / "answers.jsonl"
        words = ["eval", "sgd", str(SETS / "sgd"), "--answers", str(file), "--json", *more]
        last_line(run(*words))
        return sorted(file.read_text(encoding="utf-8").splitlines())

    straight = answers()
    assert set(json.loads(straight[0])) == {
        "dataset", "dialogue", "turn", "service", "slot", "kind", "answer",
    }  # fmt: skip
    assert answers("--shuffle", "7") == straight
    db = ["--db", str(tmp_path / "eval.db")]
    assert answers(*db) == straight
    assert answers(*db) == straight


def test_limit_takes_only_so_many_dialogues():
    assert (
        last_line(run("eval", "sgd", str(SETS / "sgd"), "--limit", "1", "--json"))["dialogues"] == 1
    )


def test_for_people_it_is_a_table():
    out = run("eval", "sgd", str(SETS / "sgd")).out
    assert "as_of" in out
    assert "checked" in out


def test_the_users_own_store_is_left_alone(tmp_path):
    mine = tmp_path / "mine.db"
    assert spawn("eval", "woz", str(SETS / "woz"), VIGENT_DB=str(mine)).code == 0
    assert not mine.exists()


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["nosuch", str(SETS / "sgd")], "dataset"),
        (["sgd", str(SETS / "nowhere")], "path"),
        (["sgd", str(SETS / "sgd"), "--limit", "0"], "limit"),
        (["sgd", str(SETS / "sgd"), "--answers", "/nowhere/at/all"], "answers"),
    ],
)
def test_bad_input_names_the_field(words, field):
    ran = run("eval", *words, "--json")
    assert (ran.code, ran.error["field"]) == (2, field)


def test_an_unknown_set_is_told_all_there_are():
    told = run("eval", "foo", "x", "--json").error["message"]
    for name in ("sgd", "multiwoz", "woz", "timeqa", "locomo", "longmemeval", "gate", "extract"):
        assert name in told


def test_a_file_that_is_not_there_is_told_in_words():
    for dataset in ("sgd", "locomo", "gate"):
        ran = run("eval", dataset, "nothing")
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert "nothing" in ran.err
        assert "Errno" not in ran.err
