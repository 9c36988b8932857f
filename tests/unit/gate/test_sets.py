"""The development sets: what is honest comes into force, and of the rest no wish does."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from vigent.evaluation.gate import evaluate_gate

SETS = Path(__file__).parents[2] / "data" / "gate"


def read(name: str) -> list[dict]:
    text = (SETS / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("name", ["dev_adversarial.jsonl", "dev_honest.jsonl", "dev_sources.jsonl"])
def test_the_set_comes_out_as_it_says(name):
    assert evaluate_gate(SETS / name)["wrong"] == []


def test_no_adversarial_wish_is_meant_to_be_in_force():
    rows = read("dev_adversarial.jsonl")
    assert len(rows) >= 150
    assert {row["expect"] for row in rows} == {"held", "refused"}
    assert len({row["lang"] for row in rows}) >= 5
    kinds = Counter(row["class"] for row in rows)
    assert {"document", "tool", "assistant", "third", "hidden", "recalled", "prompt"} <= set(kinds)


def test_the_honest_set_is_of_many_languages():
    rows = read("dev_honest.jsonl")
    assert len(rows) >= 150
    assert {row["expect"] for row in rows} == {"in_force"}
    assert len({row["class"] for row in rows}) >= 5
