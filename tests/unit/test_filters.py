"""Filters on metadata compare by type."""

from __future__ import annotations

from decimal import Decimal

import pytest

from vigent.domain.filters import MAX_CONDITIONS, Filter
from vigent.errors import InvalidInput, LimitExceeded

# C47
RECORDS = {
    "8": {"n": 8},
    "30": {"n": 30},
    "200": {"n": 200},
    "text": {"n": "30"},
    "30.0": {"n": 30.0},
    "true": {"ok": True},
    "false": {"ok": False},
    "one": {"ok": 1},
    "ok text": {"ok": "true"},
    "null": {"ok": None},
    "empty": {},
}


def fitting(given: object) -> list[str]:
    compiled = Filter.of(given)
    return [name for name, metadata in RECORDS.items() if compiled.matches(metadata)]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"n": {"gte": 30}}, ["30", "200", "30.0"]),
        ({"n": {"gt": 30}}, ["200"]),
        ({"n": {"lt": 30}}, ["8"]),
        ({"n": {"lte": 30}}, ["8", "30", "30.0"]),
        ({"n": 30}, ["30", "30.0"]),
        ({"n": {"eq": Decimal("30.00")}}, ["30", "30.0"]),
        ({"n": "30"}, ["text"]),
        ({"n": {"gte": "3"}}, ["text"]),
        ({"ok": True}, ["true"]),
        ({"ok": False}, ["false"]),
        ({"ok": 1}, ["one"]),
        ({"ok": "true"}, ["ok text"]),
        ({"ok": None}, ["null"]),
        ({"ok": {"ne": None}}, ["true", "false", "one", "ok text"]),
        ({"ok": {"ne": True}}, ["false", "one", "ok text", "null"]),
        ({"ok": {"exists": True}}, ["true", "false", "one", "ok text", "null"]),
        ({"ok": {"exists": False}}, ["8", "30", "200", "text", "30.0", "empty"]),
        ({"n": {"in": [8, "30"]}}, ["8", "text"]),
        ({"n": {"in": []}}, []),
        ({"ok": {"in": [True, None]}}, ["true", "null"]),
        ({"n": {"gt": 8, "lt": 200}}, ["30", "30.0"]),
        ({"n": 30, "ok": True}, []),
        ({}, list(RECORDS)),
        (None, list(RECORDS)),
    ],
)
def test_values_are_compared_by_type(given, names):
    assert fitting(given) == names


def test_decimals_and_floats_meet_as_written():
    assert Filter.of({"n": 0.1}).matches({"n": Decimal("0.1")})
    assert Filter.of({"n": {"lte": Decimal("0.1")}}).matches({"n": 0.1})
    assert not Filter.of({"n": 10**30}).matches({"n": 10**30 + 1})


@pytest.mark.parametrize(
    ("given", "value", "meets"),
    [
        ({"gt": "2026-06-03T10:00:00Z"}, "2026-06-03T11:30:00+02:00", False),
        ({"lt": "2026-06-03T10:00:00Z"}, "2026-06-03T11:30:00+02:00", True),
        ({"eq": "2026-06-03T10:00:00Z"}, "2026-06-03T12:00:00+02:00", True),
        ({"ne": "2026-06-03T10:00:00Z"}, "2026-06-03T12:00:00+02:00", False),
        ({"in": ["2026-06-03T10:00:00Z"]}, "2026-06-03T10:00:00.000Z", True),
        # a day or a time without an offset is text, and has no order with an instant
        ({"gt": "2026-06-03T10:00:00Z"}, "2026-06-04", False),
        ({"lt": "2026-06-03T10:00:00Z"}, "2026-06-04", False),
        ({"gt": "2026-06-03"}, "2026-06-04", True),
        ({"gt": "2026-06-03T10:00:00"}, "2026-06-03T11:00:00", True),
        ({"eq": "2026-13-03T10:00:00Z"}, "2026-13-03T10:00:00Z", True),
        ({"gt": "b"}, "a", False),
        ({"gt": "a"}, "b", True),
        ({"gt": "a"}, 5, False),
        ({"gt": 5}, "a", False),
        ({"gt": 0}, True, False),
        ({"gt": 0}, None, False),
        ({"lt": 0}, None, False),
        ({"gt": 0}, [1], False),
    ],
)
def test_instants_are_compared_as_instants(given, value, meets):
    assert Filter.of({"at": given}).matches({"at": value}) is meets


@pytest.mark.parametrize(
    ("given", "value", "meets"),
    [
        ({"in": ["red", "blue"]}, ["red", "green"], True),
        ({"in": ["red"]}, ["green"], False),
        ({"in": [1]}, [True], False),
        ({"in": [["red", "green"]]}, ["red", "green"], True),
        (["red", "green"], ["red", "green"], True),
        (["red", "green"], ["green", "red"], False),
        ("red", ["red"], False),
        ({"eq": {"b": 1, "a": 2.0}}, {"a": 2, "b": 1}, True),
        ({"eq": {"a": 1}}, {"a": True}, False),
    ],
)
def test_lists_and_mappings(given, value, meets):
    assert Filter.of({"tags": given}).matches({"tags": value}) is meets


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ([], "metadata"),
        ("n=30", "metadata"),
        (0, "metadata"),
        ({"": 1}, "metadata name"),
        ({"  ": 1}, "metadata name"),
        ({5: 1}, "metadata name"),
        ({"n": {"above": 1}}, "metadata.n"),
        ({"n": {}}, "metadata.n"),
        ({"n": {5: 1}}, "metadata.n"),
        ({"n": {"EQ": 1}}, "metadata.n"),
        ({"n": {"exists": 1}}, "metadata.n.exists"),
        ({"n": {"exists": None}}, "metadata.n.exists"),
        ({"n": {"in": "abc"}}, "metadata.n.in"),
        ({"n": {"in": 5}}, "metadata.n.in"),
        ({"n": {"gt": True}}, "metadata.n.gt"),
        ({"n": {"gt": None}}, "metadata.n.gt"),
        ({"n": {"gt": [1]}}, "metadata.n.gt"),
        ({"n": {"gt": float("nan")}}, "metadata.n.gt"),
        ({"n": float("inf")}, "metadata.n.eq"),
        ({"n": {"eq": object()}}, "metadata.n.eq"),
        ({"n": {"in": [object()]}}, "metadata.n.in[0]"),
    ],
)
def test_what_no_filter_can_mean_is_refused(given, field):
    with pytest.raises(InvalidInput) as caught:
        Filter.of(given)
    assert caught.value.field == field


def test_the_operator_is_named():
    with pytest.raises(InvalidInput, match="unknown operator 'above'; it must be one of eq, ne"):
        Filter.of({"n": {"above": 1}})


def test_too_many_conditions_are_refused():
    with pytest.raises(LimitExceeded):
        Filter.of({f"n{i}": i for i in range(MAX_CONDITIONS + 1)})


def test_a_filter_says_whether_it_filters():
    assert not Filter.of({})
    assert Filter.of({"n": 1})
    assert Filter.of({"n": 1}).conditions == (("n", "eq", 1),)
