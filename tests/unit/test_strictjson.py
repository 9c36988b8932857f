"""JSON of others is read strictly, and says in a line what is wrong with it."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from vigent.domain.strictjson import strict_json


def test_numbers_keep_every_digit():
    assert strict_json(b'\xef\xbb\xbf{"a": [1.10, 9007199254740993]}') == {
        "a": [Decimal("1.10"), 9007199254740993]
    }
    assert isinstance(strict_json("1.5", exact=False), float)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NaN", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ('[{"a": 1, "a": 1}]', "the name 'a' stands twice in one object"),
        (b'"\xff"', "it must be UTF-8"),
        ("[" * 100_000, "it is nested too deeply"),
        ("9" * 5_000, "a number in it has too many digits, or too large an exponent"),
        ("{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
    ],
)
def test_what_only_a_lax_reader_takes_is_refused(text, told):
    with pytest.raises(json.JSONDecodeError) as raised:
        strict_json(text)
    assert str(raised.value) == told


def test_a_float_that_is_too_large_is_refused():
    with pytest.raises(json.JSONDecodeError, match="1e999 is too large"):
        strict_json("[1e999]", exact=False)
    assert strict_json("1e999") == Decimal("1e999")
