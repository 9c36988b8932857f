"""Values: never coerced, exact on the way back, equal only where they are."""

from __future__ import annotations

import datetime as dt
import enum
import json
import unicodedata
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vigent.domain.schema import AttributeDefinition
from vigent.domain.values import Value, canonical, decode, jsonable, render
from vigent.errors import (
    AmbiguousInstant,
    InvalidInput,
    LimitExceeded,
    NaiveInstant,
    SchemaMismatch,
)

UTC = dt.UTC
NFD_NAME = "Zoe\u0308 Nu\u0301n\u0303ez"
NFC_NAME = "Zo\u00eb N\u00fa\u00f1ez"


def declared(kind: str, **more: Any) -> AttributeDefinition:
    return AttributeDefinition(name="thing", kind=kind, **more)


PLAN = declared("enum", enum={"basic": "basic", "Basic plan": "basic", "plus": "plus"})


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Word(str):
    __slots__ = ()


# ------------------------------------------------------------------- kind by Python type


@pytest.mark.parametrize(
    ("value", "kind", "stored", "canon"),
    [
        ("  Rome  now ", "text", "  Rome  now ", "t:Rome now"),
        ("1", "text", "1", "t:1"),
        ("2026-06-03", "text", "2026-06-03", "t:2026-06-03"),
        (Word("x"), "text", "x", "t:x"),
        (Colour.RED, "text", "red", "t:red"),
        (True, "boolean", "true", "b:true"),
        (False, "boolean", "false", "b:false"),
        (1, "integer", "1", "n:1"),
        (Level.HIGH, "integer", "3", "n:3"),
        (-(10**30), "integer", "-1" + "0" * 30, "n:-1" + "0" * 30),
        (1.0, "decimal", "1.0", "n:1"),
        (0.1, "decimal", "0.1", "n:0.1"),
        (-0.0, "decimal", "-0.0", "n:0"),
        (1e22, "decimal", "1E+22", "n:1" + "0" * 22),
        (Decimal("1.50"), "decimal", "1.50", "n:1.5"),
        (Decimal("1E+3"), "decimal", "1E+3", "n:1000"),
        (Decimal("0E+5"), "decimal", "0E+5", "n:0"),
        (Decimal("1e400"), "decimal", "1E+400", "n:1" + "0" * 400),
        (dt.date(1990, 3, 1), "date", "1990-03-01", "d:1990-03-01"),
        (
            dt.datetime(2026, 6, 3, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            "instant",
            "2026-06-03T10:00:00Z",
            "i:2026-06-03T10:00:00Z",
        ),
        (dt.timedelta(days=1, hours=2), "duration", "P1DT2H", "p:93600000000"),
        (dt.timedelta(microseconds=-1), "duration", "-PT0.000001S", "p:-1"),
        (dt.timedelta(0), "duration", "PT0S", "p:0"),
        ({"b": 1.0, "a": [None]}, "json", '{"b":1.0,"a":[null]}', 'j:{"a":[null],"b":1}'),
        (["x", 2], "json", '["x",2]', 'j:["x",2]'),
    ],
)
def test_undeclared_the_kind_follows_the_type(value, kind, stored, canon):
    assert canonical(value, None) == Value(kind, stored, canon)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        Decimal("-Infinity"),
        b"x",
        object(),
        {1},
        (1,),
        1j,
        "",
        "  ",
        "\u200b",
        "\u00a0",
        "a\0b",
        "\ud83d",
        {"a": float("nan")},
        {"a": b""},
        {"a\0": 1},
        {"a": "\u202e"},
    ],
)
def test_what_is_no_value_is_refused_naming_the_field(value):
    with pytest.raises(InvalidInput) as caught:
        canonical(value, None, "items[3].value")
    assert str(caught.value.field).startswith("items[3].value")


def test_null_is_refused_with_the_way_out():
    for definition in (None, declared("json"), declared("text")):
        with pytest.raises(InvalidInput, match="value: must not be null; use retract"):
            canonical(None, definition)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x" * 8001, "has 8001 characters; the limit is 8000"),
        (10**1000, "the limit is 1000"),
        (Decimal("1." + "1" * 1000), "has 1001 digits; the limit is 1000"),
        (Decimal("1E+1001"), "exponent 1001; the limit is 1000"),
        (Decimal("1E-1001"), "exponent -1001; the limit is 1000"),
        (["x" * 7997], "has 8001 characters as JSON; the limit is 8000"),
    ],
)
def test_what_is_too_large_is_refused_with_the_limit(value, words):
    with pytest.raises(LimitExceeded, match=words):
        canonical(value, None)


def test_the_largest_values_come_back():
    for value in (
        "x" * 8000,
        10**1000 - 1,
        -(10**1000) + 1,
        Decimal("1E+1000"),
        Decimal("1E-1000"),
    ):
        kind, stored, _ = canonical(value, None)
        assert decode(kind, stored) == value


def test_hidden_characters_are_taken_out_so_that_stored_differs():
    assert canonical("a\u202eb", None).stored == "ab"
    assert canonical("a\u200db", None).stored == "a\u200db"


def test_a_naive_datetime_needs_the_timezone():
    naive = dt.datetime(2025, 7, 1, 8)
    with pytest.raises(NaiveInstant):
        canonical(naive, None)
    assert canonical(naive, None, timezone="Europe/Madrid").stored == "2025-07-01T06:00:00Z"


# ------------------------------------------------------------------------ declared kinds


@pytest.mark.parametrize(
    ("kind", "value", "stored", "canon"),
    [
        ("text", " a  b", " a  b", "t:a b"),
        ("integer", 7, "7", "n:7"),
        ("decimal", 7, "7", "n:7"),
        ("decimal", 2**200, str(2**200), f"n:{2**200}"),
        ("decimal", 7.5, "7.5", "n:7.5"),
        ("boolean", True, "true", "b:true"),
        ("date", "2026-06-03", "2026-06-03", "d:2026-06-03"),
        ("date", dt.date(2026, 6, 3), "2026-06-03", "d:2026-06-03"),
        ("instant", "2026-06-03T12:00:00+02:00", "2026-06-03T10:00:00Z", "i:2026-06-03T10:00:00Z"),
        ("duration", "P2W", "P14D", "p:1209600000000"),
        ("duration", "PT90M", "PT1H30M", "p:5400000000"),
        ("duration", "-P1DT0.5S", "-P1DT0.5S", "p:-86400500000"),
        ("duration", dt.timedelta(seconds=1), "PT1S", "p:1000000"),
        ("entity", "Zo\u00cb  NU\u0301N\u0303EZ", "Zo\u00cb  NU\u0301N\u0303EZ", "r:zoë núñez"),
        ("json", "word", '"word"', 'j:"word"'),
        ("json", {"a": 1}, '{"a":1}', 'j:{"a":1}'),
    ],
)
def test_a_value_that_fits_its_declared_kind(kind, value, stored, canon):
    assert canonical(value, declared(kind)) == Value(kind, stored, canon)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", 1),
        ("text", True),
        ("text", {}),
        ("text", dt.date(2026, 6, 3)),
        ("integer", 1.0),
        ("integer", "1"),
        ("integer", True),
        ("integer", Decimal(1)),
        ("decimal", "1"),
        ("decimal", True),
        ("boolean", 1),
        ("boolean", "true"),
        ("boolean", 0.0),
        ("date", "3 June"),
        ("date", "2026-02-30"),
        ("date", "2026-06-03T10:00:00Z"),
        ("date", 20260603),
        ("date", dt.datetime(2026, 6, 3, tzinfo=UTC)),
        ("instant", "soon"),
        ("instant", dt.date(2026, 6, 3)),
        ("instant", 0),
        ("duration", "P1M"),
        ("duration", "P1Y"),
        ("duration", "P"),
        ("duration", "PT"),
        ("duration", "P1DT"),
        ("duration", "PT1.5H"),
        ("duration", "PT0.1234567S"),
        ("duration", "2 days"),
        ("duration", 5),
        ("duration", "P999999999DT24H"),
        ("duration", "P1W1D"),
        ("duration", ""),
        ("entity", 5),
        ("entity", "a\0b"),
        ("entity", " "),
        ("json", {1, 2}),
        ("json", {"a": float("nan")}),
    ],
)
def test_a_value_is_never_coerced_into_its_kind(kind, value):
    with pytest.raises(InvalidInput) as caught:
        canonical(value, declared(kind), "value")
    assert str(caught.value.field).startswith("value")
    if kind != "json":
        assert isinstance(caught.value, SchemaMismatch)
        assert f"thing is declared as {kind}" in caught.value.message


def test_a_declared_instant_says_what_is_wrong_with_its_time():
    kind = declared("instant")
    with pytest.raises(NaiveInstant):
        canonical("2026-06-03T10:00:00", kind)
    with pytest.raises(NaiveInstant):
        canonical("2026-06-03", kind)
    with pytest.raises(AmbiguousInstant):
        canonical("2024-10-27T02:30:00", kind, timezone="Europe/Madrid")
    with pytest.raises(InvalidInput) as caught:
        canonical("2024-10-27T02:30:00", kind, timezone="Mars/Olympus")
    assert caught.value.field == "timezone"


def test_an_enum_takes_its_ids_and_spellings():
    for value in ("basic", "Basic plan", " Basic  plan "):
        assert canonical(value, PLAN) == Value("enum", "basic", "e:basic")
    colours = declared("enum", enum={"red": "red"})
    assert canonical(Colour.RED, colours) == Value("enum", "red", "e:red")
    for wrong in ("Plus", "", "gold", 1, True, ["plus"]):
        with pytest.raises(SchemaMismatch, match="must be one of basic, plus"):
            canonical(wrong, PLAN)


def test_json_is_checked_against_its_schema_with_the_path():
    address = declared(
        "json",
        json_schema={
            "type": "object",
            "properties": {
                "zip": {"type": "integer"},
                "share": {"type": "number", "multipleOf": 0.1, "maximum": 1},
                "lines": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["zip"],
        },
    )
    assert canonical({"zip": 1.0, "share": 0.3}, address).canon == 'j:{"share":0.3,"zip":1}'
    for wrong, path in (
        ({"zip": "1"}, "value.zip"),
        ({"zip": True}, "value.zip"),
        ({"zip": 1.5}, "value.zip"),
        ({"zip": 1, "share": 0.35}, "value.share"),
        ({"zip": 1, "share": Decimal("1.0000000000000000000001")}, "value.share"),
        ({"zip": 1, "lines": ["x", 2]}, "value.lines[1]"),
        ({}, "value"),
        ("text", "value"),
    ):
        with pytest.raises(SchemaMismatch) as caught:
            canonical(wrong, address)
        assert caught.value.field == path


@pytest.mark.filterwarnings("ignore")  # a fetch would warn first, and fail for that alone
def test_a_json_schema_elsewhere_is_never_fetched(tmp_path):
    # A file that would be found, and would accept, if anything were fetched.
    elsewhere = tmp_path / "address.json"
    elsewhere.write_text("{}", encoding="utf-8")
    remote = declared("json", json_schema={"$ref": elsewhere.as_uri()})
    with pytest.raises(SchemaMismatch, match="which is not part of it"):
        canonical({}, remote)


def test_a_json_schema_checks_numbers_of_any_size_exactly():
    tenths = declared("json", json_schema={"items": {"multipleOf": 0.1}})
    assert canonical([Decimal("1e400"), 10**900, Decimal("1e-1")], tenths).kind == "json"
    with pytest.raises(SchemaMismatch):
        canonical([Decimal("1e-400")], tenths)


def test_a_json_schema_without_end_is_a_mismatch():
    with pytest.raises(SchemaMismatch, match="without end"):
        canonical([], declared("json", json_schema={"$ref": "#"}))


# ------------------------------------------------------------------------------- equality


def canon(value: object, definition: AttributeDefinition | None = None) -> str:
    return canonical(value, definition).canon


@pytest.mark.parametrize(
    "equal",
    [
        [1, 1.0, Decimal(1), Decimal("1.000"), Decimal("10E-1")],
        [100, 1e2, Decimal("1E+2")],
        [0, 0.0, -0.0, Decimal("-0.000")],
        [NFD_NAME, NFC_NAME, f"  {NFC_NAME.replace(' ', '   ')}\n"],
        [{"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0}],
        [dt.timedelta(days=1), dt.timedelta(hours=24)],
        [
            dt.datetime(2026, 6, 3, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
            dt.datetime(2026, 6, 3, 10, tzinfo=UTC),
        ],
    ],
)
def test_equal_values_share_one_canonical_form(equal):
    assert len({canon(v) for v in equal}) == 1


def test_different_values_never_share_one():
    different = [
        1,
        "1",
        True,
        "true",
        [1],
        ["1"],
        [True],
        {"1": 1},
        1.5,
        "1.5",
        Decimal("1.50000000000000001"),
        2**53,
        2**53 + 1,
        0.1,
        Decimal("0.1000000000000000055511151231257827"),
        "a",
        "A",
        "a b",
        "á",
        "n:1",
        dt.date(2026, 6, 3),
        "2026-06-03",
        dt.datetime(2026, 6, 3, tzinfo=UTC),
        dt.timedelta(seconds=1),
        "ﬁ",
        "fi",
        False,
        0,
        [],
        {},
        [None],
        "null",
        -1,
    ]
    assert len({canon(v) for v in different}) == len(different)


numbers = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)


@given(numbers, numbers)
def test_numbers_are_equal_exactly_when_their_forms_are(a, b):
    assert (canon(a) == canon(b)) == (a == b)


@given(st.integers(-(10**6), 10**6), st.integers(0, 6), st.integers(0, 3))
def test_trailing_zeros_are_no_difference(digits, places, zeros):
    number = Decimal(digits).scaleb(-places)
    longer = Decimal(f"{number:f}" + ("" if places else ".") + "0" * zeros)
    assert canon(number) == canon(longer)


# ----------------------------------------------------------------------------- round trips

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
scalars = (
    st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda f: Decimal(repr(f)))
    | st.dates()
    | st.datetimes(timezones=st.just(UTC))
    | st.timedeltas()
)
trees = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(texts.filter(bool), inner, max_size=4)
    ),
    max_leaves=10,
).filter(lambda tree: isinstance(tree, dict | list))


@given(scalars)
def test_a_value_comes_back_as_it_went_in(value):
    kind, stored, form = canonical(value, None)
    back = decode(kind, stored)
    assert back == value
    assert type(back) is type(value)
    assert canonical(back, None) == (kind, stored, form)
    if isinstance(value, Decimal):
        assert back.as_tuple() == value.as_tuple()


@given(texts)
def test_text_comes_back_code_point_for_code_point(text):
    try:
        kind, stored, form = canonical(text, None)
    except InvalidInput:
        return
    assert decode(kind, stored) == stored
    if stored == text:
        assert canonical(unicodedata.normalize("NFD", text), None).canon == form


@given(trees)
def test_json_comes_back_as_it_went_in(tree):
    try:
        kind, stored, _ = canonical(tree, None)
    except InvalidInput:  # a hidden character
        return
    assert decode(kind, stored) == tree
    assert json.loads(json.dumps(jsonable(kind, stored))) == tree


@given(st.timedeltas())
def test_a_duration_reads_back_from_its_own_spelling(delta):
    value = canonical(delta, None)
    assert canonical(value.stored, declared("duration")) == value


# --------------------------------------------------------------------------------- output


@pytest.mark.parametrize(
    ("value", "shown", "words"),
    [
        ("Rome", "Rome", "Rome"),
        (2**70, 2**70, str(2**70)),
        (Decimal("1.50"), "1.50", "1.50"),
        (True, True, "yes"),
        (False, False, "no"),
        (dt.date(1990, 3, 1), "1990-03-01", "1990-03-01"),
        (dt.datetime(2026, 6, 3, 10, tzinfo=UTC), "2026-06-03T10:00:00Z", "2026-06-03T10:00:00Z"),
        (dt.timedelta(days=2, hours=1), "P2DT1H", "2 days 1 hour"),
        (dt.timedelta(seconds=-1.5), "-PT1.5S", "minus 1.5 seconds"),
        (dt.timedelta(0), "PT0S", "0 seconds"),
        (
            {"city": "Lima", "n": [1, 0.5], "ok": True, "x": None},
            {"city": "Lima", "n": [1, 0.5], "ok": True, "x": None},
            "city: Lima, n: 1, 0.5, ok: yes, x: nothing",
        ),
        ([Decimal("1e400"), Decimal("0.1")], ["1E+400", 0.1], "1E+400, 0.1"),
    ],
)
def test_a_value_as_json_and_in_words(value, shown, words):
    kind, stored, _ = canonical(value, None)
    out = jsonable(kind, stored)
    assert out == shown
    assert type(out) is type(shown)
    json.dumps(out, allow_nan=False)
    assert render(kind, stored) == words


def test_decode_gives_python_objects():
    assert decode("instant", "2026-06-03T10:00:00Z") == dt.datetime(2026, 6, 3, 10, tzinfo=UTC)
    assert decode("instant", "2026-06-03T10:00:00Z").tzinfo is UTC
    assert decode("enum", "basic") == "basic"
    assert decode("entity", "Zoë Núñez") == "Zoë Núñez"
    assert decode("boolean", "false") is False
    assert decode("json", '{"a":1.10}') == {"a": Decimal("1.10")}
