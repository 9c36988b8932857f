"""JSON as models write it: slips are mended by fixed rules, and nothing is guessed."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest

from vigent.domain.answerjson import first_problem, read_answer, whole_objects


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": "```"}\n```', {"a": "```"}),
        ('Here: {"a": 1}. Hope it helps {you}!', {"a": 1}),
        ('I read [1] and [2]: {"a": 1}', {"a": 1}),
        ("[1, 2]", [1, 2]),
        ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
        ('{"a": "x, ]"}', {"a": "x, ]"}),
        ('{"a": "C:\\dir \\u00e9 \\ud83d\\ude00 \\n \\\\"}', {"a": "C:\\dir é 😀 \n \\"}),
        ('{"a": "\\u12"}', {"a": "\\u12"}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"facts": [1], "facts": [2], "n": 1, "n": 2}', {"facts": [1, 2], "n": 2}),
        ('{"n": 0.1, "m": 1e2}', {"n": Decimal("0.1"), "m": Decimal("1e2")}),
        ('<think>{"no": 1}</think>\n{"a": 1}', {"a": 1}),
        ('{"a": {"b": 1}', {"b": 1}),
    ],
)  # fmt: skip
def test_what_is_meant_is_read(text, found):
    assert read_answer(text) == found


@pytest.mark.parametrize(
    "text",
    ["", "no", '"text"', "12", "{", '{"a": NaN}', '{"a": Infinity}', "[" * 100_000,
     '{"n": ' + "9" * 5_000 + "}"],
)  # fmt: skip
def test_what_is_none_is_none(text):
    assert read_answer(text) is None


def test_long_nonsense_is_read_in_time():
    begun = time.monotonic()
    for text in (
        '{"a": "' * 50_000,
        "{" * 300_000,
        '"\\' * 200_000,
        "```" * 100_000,
        "```json\n" * 100_000,
        "<think>" * 100_000,
        ", " * 300_000,
    ):
        read_answer(text)
    assert time.monotonic() - begun < 10


SCHEMA = {
    "type": "object",
    "properties": {
        "list": {"type": "array", "items": {"type": "object", "additionalProperties": False}}
    },
    "required": ["list"],
}


def test_a_problem_names_place_and_rule_and_no_content():
    assert first_problem({"list": []}, SCHEMA) is None
    missing = first_problem({"secret": 1}, SCHEMA)
    assert missing is not None
    assert (missing.shown, missing.told) == (
        "the answer breaks the rule required", "the answer: 'list' is a required property",
    )  # fmt: skip
    deep = first_problem({"list": [{}, {"my secret": 1}]}, SCHEMA)
    assert deep is not None
    assert deep.shown == "list/1 breaks the rule additionalProperties"
    assert "my secret" in deep.told


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"candidates": [{"a": 1}, {"b": [2]}, {"c": ', [{"a": 1}, {"b": [2]}]),
        ('[{"a": 1},\n {"a', [{"a": 1}]),
        ('{"candidates": [{"a', []),
        ('{"candidates": ["x", {"a": 1}]', []),
        ("", []),
        ("[", []),
    ],
)
def test_what_stands_whole_before_a_cut_is_found(text, found):
    assert whole_objects(text) == found
