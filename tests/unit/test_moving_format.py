"""A row is a line and becomes the same row again, whatever is in it."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vigent.domain.moving import TABLES, VECTORS, decoder, encoder, places_of
from vigent.domain.time import OPEN
from vigent.errors import BadExport, CorruptStore

NUMBERS = [3, 4, 9, 100, 2**40]
REFERRED = dict.fromkeys(("key", "statement", "episode", "thread"), NUMBERS)
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
INT = st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from((0, OPEN)))
KINDS = {
    "text": TEXT,
    "int": INT,
    "real": st.floats(0, 1),
    "bytes": st.binary(max_size=20),
    "blob": st.binary(max_size=20),
    **dict.fromkeys(REFERRED, st.sampled_from(NUMBERS)),
}


def value(column):
    if column.name == "bears":
        return st.sampled_from((0, *NUMBERS))
    if column.default is None:
        return st.one_of(st.none(), KINDS[column.kind])
    return KINDS[column.kind]


ROWS = st.sampled_from((*TABLES, VECTORS)).flatmap(
    lambda table: st.tuples(st.just(table), st.tuples(*map(value, table.columns)))
)


def moved(table, row, *, base=1_000):
    """Write a row and read it again; numbers stand for their place after the base."""
    places = {name: places_of(numbers) for name, numbers in REFERRED.items()}
    numbered = (NUMBERS[1],) if table.numbered else ()
    line = encoder(table, places)((*numbered, *row))
    assert line.count(b"\n") == 1
    bases = dict.fromkeys((*REFERRED, table.name), base)
    counts = dict.fromkeys(REFERRED, len(NUMBERS))
    return decoder(table, bases, counts)(orjson.loads(line), 2)


def placed(table, row, *, base=1_000):
    return tuple(
        v if c.kind not in REFERRED or not v else base + NUMBERS.index(v) + 1
        for c, v in zip(table.columns, row, strict=True)
    )


@given(ROWS)
def test_a_row_comes_back_as_it_was(given_row):
    table, row = given_row
    back = moved(table, row)
    number = (1_002,) if table.numbered else ()
    assert back == (*number, *placed(table, row))
    assert [type(v) for v in back[len(number) :]] == [type(v) for v in row]


@given(ROWS)
def test_what_is_not_as_declared_is_refused(given_row):
    table, row = given_row
    places = {name: places_of(numbers) for name, numbers in REFERRED.items()}
    numbered = (4,) if table.numbered else ()
    line = json.loads(encoder(table, places)((*numbered, *row)))
    decode = decoder(table, {}, dict.fromkeys(REFERRED, len(NUMBERS)))
    for column in table.columns:
        for wrong in ([], {"x": 1}, None, True):
            with pytest.raises(BadExport, match=f"{table.name}.{column.name}"):
                decode({**line, column.name: wrong}, 1)
    with pytest.raises(BadExport, match="no column"):
        decode({**line, "unheard": 1}, 1)


def test_a_reference_to_nothing_is_told_where_there_must_be_something():
    belief = next(table for table in TABLES if table.name == "belief")
    row = (1, 7, b"", 3, 1, OPEN, 1, None)
    places = {"key": places_of([7]), "statement": places_of([1, 2])}
    with pytest.raises(CorruptStore, match=r"belief\.memory"):
        encoder(belief, places)(row)
    decode = decoder(belief, {}, {"key": 1, "statement": 2})
    line = {"table": "belief", "key": 1, "memory": 2, "valid_from": 1, "recorded_from": 1}
    assert decode(line, 1) == (1, 1, b"", 2, 1, OPEN, 1, None)
    for wrong in (0, 3, -1):
        with pytest.raises(BadExport, match="refers to no row"):
            decode({**line, "memory": wrong}, 1)
    with pytest.raises(BadExport, match=r"belief\.valid_from is missing"):
        decode({k: v for k, v in line.items() if k != "valid_from"}, 1)


@given(st.sets(st.integers(0, 10_000)), st.integers(0, 10_000))
def test_a_place_is_where_a_number_stands(numbers, number):
    rising = sorted(numbers)
    place = places_of(rising)(number)
    assert place == (rising.index(number) + 1 if number in numbers else None)
