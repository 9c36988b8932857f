"""Public data replayed end to end, on small made-up files of each format."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from vigent import Memory, Record
from vigent.errors import InvalidInput
from vigent.evaluation import DATASETS, evaluate

DATA = Path(__file__).parents[1] / "data" / "eval"

EXPECTED = {
    "sgd": {
        "dialogues": 3,
        "facts": 8,
        "confirmed": 1,
        "superseded": 4,
        "retracted": 1,
        "current": {"checked": 7, "wrong": 0},
        "as_of": {"checked": 20, "wrong": 0},
        "history": {"checked": 8, "wrong": 0},
        "provenance": {"checked": 7, "wrong": 0},
        "rejected": {"checked": 10, "wrong": 0},
    },
    "multiwoz": {
        "dialogues": 2,
        "facts": 8,
        "confirmed": 0,
        "superseded": 3,
        "retracted": 2,
        "current": {"checked": 6, "wrong": 0},
        "as_of": {"checked": 20, "wrong": 0},
        "history": {"checked": 7, "wrong": 0},
        "provenance": {"checked": 6, "wrong": 0},
        "rejected": {"checked": 2, "wrong": 0},
    },
    "woz": {
        "dialogues": 2,
        "facts": 5,
        "confirmed": 0,
        "superseded": 1,
        "retracted": 1,
        "current": {"checked": 4, "wrong": 0},
        "as_of": {"checked": 9, "wrong": 0},
        "history": {"checked": 5, "wrong": 0},
        "provenance": {"checked": 4, "wrong": 0},
        "rejected": {"checked": 2, "wrong": 0},
    },
    "timeqa": {
        "dialogues": 3,
        "facts": 6,
        "confirmed": 1,
        "superseded": 0,
        "retracted": 0,
        "current": {"checked": 2, "wrong": 0},
        "as_of": {"checked": 9, "wrong": 0},
        "history": {"checked": 2, "wrong": 0},
        "provenance": {"checked": 7, "wrong": 0},
        "rejected": {"checked": 2, "wrong": 0},
    },
}


def figures(report: dict) -> dict:
    return {key: value for key, value in report.items() if key not in {"dataset", "writes_per_s"}}


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rows(db: Path, dataset: str) -> list[Record]:
    with Memory.open(str(db)) as memory:
        return list(memory.list(include="history"))


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_question_is_answered_rightly(dataset: str):
    report = evaluate(dataset, DATA / dataset)
    assert figures(report) == EXPECTED[dataset]
    assert list(report) == [
        "dataset",
        "dialogues",
        "facts",
        "confirmed",
        "superseded",
        "retracted",
        "current",
        "as_of",
        "history",
        "provenance",
        "rejected",
        "writes_per_s",
    ]
    assert report["dataset"] == dataset
    assert report["writes_per_s"] > 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dataset", DATASETS)
def test_the_order_of_writing_changes_no_answer(dataset: str, seed: int, tmp_path: Path):
    straight, mixed = tmp_path / "straight.jsonl", tmp_path / "mixed.jsonl"
    evaluate(dataset, DATA / dataset, db=":memory:", answers=straight)
    report = evaluate(dataset, DATA / dataset, db=":memory:", shuffle=seed, answers=mixed)
    assert figures(report) == EXPECTED[dataset]
    assert read_lines(mixed) == read_lines(straight)


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_second_run_on_the_same_store_changes_nothing(dataset: str, tmp_path: Path):
    db = tmp_path / "again.db"
    evaluate(dataset, DATA / dataset, db=str(db))
    before = rows(db, dataset)
    report = evaluate(dataset, DATA / dataset, db=str(db), shuffle=3)
    assert figures(report) == EXPECTED[dataset]
    assert rows(db, dataset) == before
    assert before


def test_the_answers_can_be_compared_with_the_file(tmp_path: Path):
    path = tmp_path / "answers.jsonl"
    evaluate("sgd", DATA / "sgd", db=":memory:", answers=path)
    lines = read_lines(path)
    assert len(lines) == 7 + 20 + 8 + 7 + 10
    assert {tuple(line) for line in lines} == {
        ("dataset", "dialogue", "turn", "service", "slot", "kind", "answer")
    }
    stories = {
        story["id"]: story
        for story in map(json.loads, (DATA / "sgd" / "small.jsonl").read_text().splitlines())
    }
    for line in lines:
        story = stories[line["dialogue"]]
        if line["kind"] == "provenance":
            turn = story["turns"][line["turn"]]
            assert line["answer"] == turn["u"]
            frame = next(f for f in turn["f"] if f["service"] == line["service"])
            assert line["slot"] in frame["set"]
        if line["kind"] == "current" and line["dialogue"] != "7_00002":
            assert line["answer"].split() in [
                text.split() for text in story["final"][line["service"]][line["slot"]]
            ]
        if line["kind"] == "rejected":
            assert line["answer"] is None
    (time,) = (x for x in lines if x["kind"] == "history" and x["slot"] == "time")
    assert time["answer"] == [
        {
            "value": "half past six",
            "valid_from": "2026-01-01T00:00:00Z",
            "valid_to": "2026-01-01T00:04:00Z",
        },
        {"value": "seven", "valid_from": "2026-01-01T00:04:00Z", "valid_to": None},
    ]


def test_several_values_are_answered_as_a_list(tmp_path: Path):
    path = tmp_path / "answers.jsonl"
    evaluate("timeqa", DATA / "timeqa" / "small.json", db=":memory:", answers=path)
    office = {
        line["turn"]: line["answer"]
        for line in read_lines(path)
        if line["kind"] == "as_of" and line["dialogue"] == "/wiki/Ada_Example#P39"
    }
    assert office == {
        0: ["clerk", "mayor", "warden"],
        1: ["clerk", "mayor", "warden"],
        2: ["clerk", "mayor", "warden"],
        3: ["warden"],
        4: [],
        7: ["mayor"],
    }


def test_a_memory_that_differs_from_the_file_is_counted_as_wrong(tmp_path: Path):
    db = tmp_path / "spoilt.db"
    evaluate("woz", DATA / "woz", db=str(db))
    with Memory.open(str(db)) as memory:
        memory.write(subject="3", attribute="area", value="west", valid_from="2026-01-01T00:01:30Z")
    report = evaluate("woz", DATA / "woz", db=str(db))
    assert report["current"] == {"checked": 4, "wrong": 1}
    assert report["as_of"] == {"checked": 9, "wrong": 1}
    assert report["history"] == {"checked": 5, "wrong": 1}
    assert report["provenance"] == {"checked": 4, "wrong": 1}
    assert report["superseded"] == 2


def test_a_limit_takes_the_first_dialogues_and_progress_is_told(tmp_path: Path):
    told: list[tuple[str, int, int]] = []
    report = evaluate(
        "multiwoz",
        DATA / "multiwoz",
        db=":memory:",
        limit=1,
        progress=lambda *step: told.append(step),
    )
    assert report["dialogues"] == 1
    assert report["current"] == {"checked": 4, "wrong": 0}
    stages = {stage: (done, total) for stage, done, total in told}
    assert stages == {"reading": (1, 1), "writing": (8, 8), "asking": (25, 25)}


def test_another_file_with_the_same_ids_needs_another_store(tmp_path: Path):
    other = tmp_path / "other"
    shutil.copytree(DATA / "woz", other)
    text = (other / "small.json").read_text().replace("Something cheap", "Anything cheap")
    (other / "small.json").write_text(text)
    db = tmp_path / "one.db"
    evaluate("woz", DATA / "woz", db=str(db))
    with pytest.raises(InvalidInput, match="another file") as caught:
        evaluate("woz", other, db=str(db))
    assert caught.value.field == "db"


@pytest.mark.parametrize(
    ("dataset", "path", "limit", "field"),
    [
        ("chess", DATA, None, "dataset"),
        ("sgd", DATA / "missing", None, "path"),
        ("sgd", DATA / "woz", None, "path"),
        ("woz", DATA / "woz", 0, "limit"),
    ],
)
def test_what_does_not_fit_is_named(dataset: str, path: Path, limit: int | None, field: str):
    with pytest.raises(InvalidInput) as caught:
        evaluate(dataset, path, limit=limit)
    assert caught.value.field == field


def test_a_malformed_file_and_an_unwritable_answers_file_are_named(tmp_path: Path):
    bad = tmp_path / "bad.json"
    bad.write_text('[{"dialogue_idx": 1, "dialogue": [{"belief_state": 7}]}]')
    with pytest.raises(InvalidInput) as caught:
        evaluate("woz", bad)
    assert caught.value.field == "path"
    with pytest.raises(InvalidInput) as caught:
        evaluate("woz", DATA / "woz", answers=tmp_path / "no" / "such" / "folder.jsonl")
    assert caught.value.field == "answers"
