"""Instants: exact, never meaning two things, never read by the zone of the host."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vigent.domain.time import OPEN, iso, parse_date, parse_instant, to_datetime
from vigent.errors import AmbiguousInstant, InvalidInput, NaiveInstant

FIRST = -62_135_596_800_000_000  # 0001-01-01T00:00:00Z
LAST = 253_402_300_799_999_999  # 9999-12-31T23:59:59.999999Z
instants = st.integers(FIRST, LAST)


def at(text: str, **options: str) -> str:
    return iso(parse_instant(text, "valid_from", **options))


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1970-01-01T02:00+02:00", 0),
        ("1970-01-01T00:00:00-00:00", 0),
        ("1970-01-01t05:30:00,5+0530", 500_000),
        ("1970-01-01T00:17:30+00:17:30", 0),
        ("2026-06-03 10:00:00+00:00", 1_780_480_800_000_000),
        ("2026-06-03T10:00:00Z", 1_780_480_800_000_000),
        ("0001-01-01T00:00:00Z", FIRST),
        ("9999-12-31T23:59:59.999999Z", LAST),
    ],
)
def test_iso_text_is_read_to_the_microsecond(text, micros):
    assert parse_instant(text, "at") == micros


def test_the_repeated_hour_is_told_apart_by_its_offset():
    on = parse_instant("2024-10-27T02:30:00+02:00", "valid_from")
    off = parse_instant("2024-10-27T02:10:00+01:00", "valid_from")
    assert (iso(on), iso(off)) == ("2024-10-27T00:30:00Z", "2024-10-27T01:10:00Z")
    assert on < off


@pytest.mark.parametrize(
    "value",
    [
        "2025-04-01T08:00:00",
        "2025-04-01T08:00",
        dt.datetime(2025, 4, 1, 8),
        "2025-04-01",
        dt.date(2025, 4, 1),
    ],
)
def test_a_time_without_an_offset_is_refused_naming_the_field(value):
    with pytest.raises(NaiveInstant) as caught:
        parse_instant(value, "occurred_at")
    assert caught.value.field == "occurred_at"
    assert caught.value.code == "naive_instant"


@pytest.mark.parametrize(
    "value",
    [
        0,
        1_780_480_800,
        1.5,
        True,
        None,
        b"2026-06-03T10:00:00Z",
        "",
        "now",
        " 2026-06-03T10:00:00Z",
        "20260603T100000Z",
        "2026-06-03T10:00:00.1234567Z",
        "2026-02-30T10:00:00Z",
        "2026-06-03T24:00:00Z",
        "2026-06-03T10:60:00Z",
        "2026-06-03T10:00:60Z",
        "2026-06-03T10:00:00+24:00",
        "0001-01-01T00:00:00+02:00",
        "9999-12-31T23:59:59-00:01",
        "0000-01-01T00:00:00Z",
        "٢٠٢٦-06-03T10:00:00Z",
        "2026-06-03T10:00:00Z\n",
    ],
)
def test_what_is_no_instant_is_refused_naming_the_field(value):
    with pytest.raises(InvalidInput) as caught:
        parse_instant(value, "due", timezone="UTC")
    assert caught.value.field == "due"


def test_a_named_zone_reads_a_wall_clock_time():
    assert at("2025-07-01T08:00:00", timezone="Europe/Madrid") == "2025-07-01T06:00:00Z"
    assert at("2025-01-01T08:00:00.25", timezone="Europe/Madrid") == "2025-01-01T07:00:00.250000Z"
    naive = dt.datetime(2025, 7, 1, 8)
    assert iso(parse_instant(naive, "f", timezone="Europe/Madrid")) == "2025-07-01T06:00:00Z"


def test_an_offset_counts_before_the_named_zone():
    assert at("2025-07-01T08:00:00+05:00", timezone="Europe/Madrid") == "2025-07-01T03:00:00Z"


@pytest.mark.parametrize(
    ("wall", "both"),
    [
        ("2024-10-27T02:30:00", ("2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00")),
        ("2024-03-31T02:30:00", ("2024-03-31T02:30:00+01:00", "2024-03-31T02:30:00+02:00")),
    ],
)
def test_a_wall_clock_time_that_is_no_single_instant_is_refused_naming_both(wall, both):
    for value in (wall, dt.datetime.fromisoformat(wall)):
        with pytest.raises(AmbiguousInstant) as caught:
            parse_instant(value, "valid_from", timezone="Europe/Madrid")
        assert caught.value.field == "valid_from"
        assert [text in caught.value.message for text in both] == [True, True]


def test_the_edges_of_a_clock_change_are_plain():
    assert (
        at("2024-10-27T01:59:59.999999", timezone="Europe/Madrid") == "2024-10-26T23:59:59.999999Z"
    )
    assert at("2024-10-27T03:00:00", timezone="Europe/Madrid") == "2024-10-27T02:00:00Z"
    assert at("2024-03-31T03:00:00", timezone="Europe/Madrid") == "2024-03-31T01:00:00Z"


def test_a_datetime_with_a_zone_says_by_its_fold_which_instant_it_is():
    madrid = zoneinfo.ZoneInfo("Europe/Madrid")
    first = dt.datetime(2024, 10, 27, 2, 30, tzinfo=madrid)
    assert iso(parse_instant(first, "f")) == "2024-10-27T00:30:00Z"
    assert iso(parse_instant(first.replace(fold=1), "f")) == "2024-10-27T01:30:00Z"
    for fold in (0, 1):
        with pytest.raises(AmbiguousInstant):
            parse_instant(dt.datetime(2024, 3, 31, 2, 30, tzinfo=madrid, fold=fold), "f")


@pytest.mark.parametrize(
    "zone",
    [
        "Mars/Olympus",
        "",
        "../etc/passwd",
        "/etc/localtime",
        "Europe",
        "localtime",
        "right/UTC",
        "a\0b",
        3,
    ],
)
def test_an_unknown_zone_is_refused_naming_the_argument(zone):
    with pytest.raises(InvalidInput) as caught:
        parse_instant("2025-07-01T08:00:00", "valid_from", timezone=zone)
    assert caught.value.field == "timezone"


@pytest.mark.parametrize(
    ("day", "zone", "start", "end"),
    [
        ("2025-07-01", None, "2025-07-01T00:00:00Z", "2025-07-01T23:59:59.999999Z"),
        ("2025-07-01", "Europe/Madrid", "2025-06-30T22:00:00Z", "2025-07-01T21:59:59.999999Z"),
        # 23 and 25 hours long
        ("2024-03-31", "Europe/Madrid", "2024-03-30T23:00:00Z", "2024-03-31T21:59:59.999999Z"),
        ("2024-10-27", "Europe/Madrid", "2024-10-26T22:00:00Z", "2024-10-27T22:59:59.999999Z"),
        # midnight does not exist: the day begins at 01:00
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T01:59:59.999999Z"),
        # 23:00 to 24:00 happens twice: the day is over after the second
        ("2018-02-17", "America/Sao_Paulo", "2018-02-17T02:00:00Z", "2018-02-18T02:59:59.999999Z"),
        # 00:00 to 01:00 happens twice: the day begins at the first
        ("2024-11-03", "America/Havana", "2024-11-03T04:00:00Z", "2024-11-04T04:59:59.999999Z"),
        # the jump goes from 23:30 over midnight to 00:30
        ("1919-03-30", "America/Toronto", "1919-03-30T05:00:00Z", "1919-03-31T04:29:59.999999Z"),
        ("1919-03-31", "America/Toronto", "1919-03-31T04:30:00Z", "1919-04-01T03:59:59.999999Z"),
        # a day that never was is over when it would begin
        ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T09:59:59.999999Z"),
        ("9999-12-31", None, "9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_a_bare_date_is_the_first_or_the_last_microsecond_of_its_day(day, zone, start, end):
    for value in (day, dt.date.fromisoformat(day)):
        assert iso(parse_instant(value, "f", timezone=zone, bare_date="start")) == start
        assert iso(parse_instant(value, "f", timezone=zone, bare_date="end")) == end


def test_a_bare_date_whose_edge_leaves_the_calendar_is_refused():
    with pytest.raises(InvalidInput):
        parse_instant("9999-12-31", "as_of", timezone="America/Lima", bare_date="end")
    with pytest.raises(InvalidInput):
        parse_instant("0001-01-01", "as_of", timezone="Asia/Tokyo", bare_date="start")


@given(st.dates(), st.sampled_from(["UTC", "America/St_Johns", "Asia/Kolkata", "Africa/Cairo"]))
def test_days_follow_each_other_without_a_gap(day, zone):
    if day in (dt.date.min, dt.date.max) or (day + dt.timedelta(1)) == dt.date.max:
        return
    end = parse_instant(day, "f", timezone=zone, bare_date="end")
    last = to_datetime(end).astimezone(zoneinfo.ZoneInfo(zone))
    after = to_datetime(end + 1).astimezone(zoneinfo.ZoneInfo(zone))
    assert last.date() == day
    assert after.date() == day + dt.timedelta(1)
    start = parse_instant(day, "f", timezone=zone, bare_date="start")
    assert to_datetime(start).astimezone(zoneinfo.ZoneInfo(zone)).date() == day
    before = to_datetime(start - 1).astimezone(zoneinfo.ZoneInfo(zone))
    assert before.date() == day - dt.timedelta(1)


@given(instants)
def test_an_instant_survives_every_form(instant):
    assert parse_instant(iso(instant), "f") == instant
    shown = to_datetime(instant)
    assert shown.tzinfo is dt.UTC
    assert parse_instant(shown, "f") == instant
    assert (shown - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) == dt.timedelta(microseconds=instant)


@given(instants, st.integers(-23 * 60 - 59, 23 * 60 + 59))
def test_the_offset_changes_the_spelling_and_not_the_instant(instant, minutes):
    zone = dt.timezone(dt.timedelta(minutes=minutes))
    try:
        local = to_datetime(instant).astimezone(zone)
    except OverflowError:
        return
    assert parse_instant(local, "f") == instant
    assert parse_instant(local.isoformat(), "f") == instant


@given(instants, instants)
def test_text_of_whole_seconds_sorts_like_the_instants(a, b):
    a, b = a - a % 1_000_000, b - b % 1_000_000
    assert (iso(a) < iso(b)) == (a < b)


def test_a_fraction_stands_only_where_there_is_one():
    assert iso(1_780_480_800_000_000) == "2026-06-03T10:00:00Z"
    assert iso(1_780_480_800_123_456) == "2026-06-03T10:00:00.123456Z"
    assert iso(1_780_480_800_100_000) == "2026-06-03T10:00:00.100000Z"


def test_open_lies_behind_every_instant():
    assert OPEN == 2**63 - 1
    assert OPEN > LAST


def test_a_date_is_a_date_and_nothing_else():
    assert parse_date("1990-03-01", "born") == dt.date(1990, 3, 1)
    assert parse_date(dt.date(1990, 3, 1), "born") == dt.date(1990, 3, 1)
    for wrong in (
        "1990-3-1",
        "1990-02-29",
        "19900301",
        "1990-W09-4",
        dt.datetime(1990, 3, 1),
        1990,
        None,
    ):
        with pytest.raises(InvalidInput) as caught:
            parse_date(wrong, "born")
        assert caught.value.field == "born"


SCRIPT = """
from vigent.domain.time import iso, parse_instant, parse_date
print(iso(parse_instant("2025-05-01T08:00:00Z", "f")))
print(iso(parse_instant("2025-07-01", "f", bare_date="start")))
print(iso(parse_instant("2025-06-30", "f", bare_date="end")))
print(iso(parse_instant("2025-07-01T02:00", "f", timezone="Asia/Tokyo")))
print(parse_date("1990-03-01", "f"))
"""


def test_the_zone_of_the_host_plays_no_part():
    answers = set()
    for zone in ("UTC", "Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles"):
        env = {**os.environ, "TZ": zone, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True
        )
        answers.add(done.stdout)
    expected = (
        "2025-05-01T08:00:00Z\n2025-07-01T00:00:00Z\n2025-06-30T23:59:59.999999Z\n"
        "2025-06-30T17:00:00Z\n1990-03-01\n"
    )
    assert answers == {expected}
