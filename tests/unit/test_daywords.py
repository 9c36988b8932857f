"""The days that words name, from the day they were said."""

from __future__ import annotations

import datetime as dt

import pytest

from vigent.domain.daywords import date_said, days_named
from vigent.domain.time import parse_instant
from vigent.errors import InvalidInput

WEDNESDAY = dt.date(2026, 6, 3)


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("today", "2026-06-03"),
        ("the day after tomorrow", "2026-06-05"),
        ("Tomorrow!", "2026-06-04"),
        ("the day before yesterday", "2026-06-01"),
        ("in two weeks", "2026-06-17"),
        ("in a month", "2026-07-03"),
        ("3 days ago", "2026-05-31"),
        ("two years from now", "2028-06-03"),
        ("next Friday", "2026-06-05 2026-06-12"),
        ("last Friday", "2026-05-29"),
        ("on Friday", "2026-05-29 2026-06-05"),
        ("on Wednesday", "2026-05-27 2026-06-03 2026-06-10"),
        ("2026-06-30", "2026-06-30"),
        ("30.06.2026", "2026-06-30"),
        ("03/04/2026", "2026-03-04 2026-04-03"),
        ("30 June", "2025-06-30 2026-06-30"),
        ("June 30th, 2027", "2027-06-30"),
        ("the 3rd of June", "2026-06-03"),
        ("29 February", "2024-02-29 2028-02-29"),
        ("am 30. Juni 2026", "2026-06-30"),
        ("el 3 de julio de 2026", "2026-07-03"),
        ("6月30日", "2025-06-30 2026-06-30"),
        ("morgen", "2026-06-04"),
        ("the 5th", "2026-05-05 2026-06-05 2026-07-05"),
        ("end of the month", "2026-06-01 2026-06-30 2026-07-01"),
        ("since 2024", "2024-01-01 2024-12-31 2025-01-01"),
        ("in June 2027", "2027-06-01 2027-06-30 2027-07-01"),
        ("I may march", ""),
        ("I have 3 cats and 30 euros", ""),
        ("31 June", ""),
        ("", ""),
    ],
)
def test_words_name_days(words, days):
    named = days_named(words, WEDNESDAY)
    found = sorted({day.isoformat() for one in named for day in one.days})
    assert found == days.split()


def test_several_days_stand_in_order_and_apart():
    found = days_named("from 30 May until 2 June, or tomorrow", WEDNESDAY)
    assert [one.start for one in found] == [5, 18, 29]


def test_the_first_and_the_last_day_of_the_calendar_are_no_trouble():
    for day in (dt.date.max, dt.date.min):
        assert days_named("2026-06-03, next month, in 3 days, June, yesterday, tomorrow", day)


SAID = parse_instant("2026-06-03T21:30:00Z", "at")


@pytest.mark.parametrize(
    ("words", "given", "zone", "verdict"),
    [
        ("tomorrow", "2026-06-04", "UTC", "stated"),
        ("tomorrow", "2026-06-04", "Asia/Tokyo", "own"),
        ("tomorrow", "2026-06-05", "Asia/Tokyo", "stated"),
        ("today", "2026-06-03", "UTC", "stated"),
        ("I moved", "2026-06-03", "UTC", "own"),
        ("I moved", "2026-06-02", "UTC", "unsupported"),
        ("tomorrow at 3pm", "2026-06-04T15:00:00", "UTC", "stated"),
        ("tomorrow at 15:00", "2026-06-04T15:00:00Z", "UTC", "stated"),
        ("tomorrow at 3pm", "2026-06-04T16:00:00Z", "UTC", "unsupported"),
        ("tomorrow", "2026-06-04T15:00:00Z", "UTC", "unsupported"),
        ("tomorrow", "2026-06-04T00:00:00Z", "UTC", "stated"),
        ("just now", "2026-06-03T21:30:00Z", "UTC", "own"),
    ],
)
def test_a_date_is_borne_out_by_words(words, given, zone, verdict):
    assert date_said(words, given, at=SAID, timezone=zone) == verdict


def test_what_is_no_time_is_refused():
    with pytest.raises(InvalidInput):
        date_said("tomorrow", "2026-02-30", at=SAID, timezone="UTC")
