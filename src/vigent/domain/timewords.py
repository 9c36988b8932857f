"""Time words of a question as an instant or a window.

``dateparser`` reads the expression, from the day it is told and never from the machine's clock;
here its reading is checked and becomes an interval. What is unsure gives nothing.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from functools import lru_cache
from typing import Any, Final, NamedTuple

from dateparser.date import DateDataParser

from vigent.domain.query import TimeWords
from vigent.domain.time import Instant, parse_instant, to_datetime
from vigent.domain.timegrammar import Expression, expression_of, instant_in, is_past, may_be_future
from vigent.errors import InvalidInput

__all__ = ["find_time_words", "read_time_words"]

_DAY: Final = dt.timedelta(days=1)
_NEAR: Final = dt.timedelta(days=92)
_YEAR: Final = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_DAY_OF_MONTH: Final = re.compile(r"(?<![0-9])[0-9]{1,2}(?![0-9])")
_WEEKDAYS: Final = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip
_BETWEEN: Final = re.compile(" (?:and|to|through) ", re.IGNORECASE)
_UNITS: Final = re.compile(r"day|week|month|year", re.IGNORECASE)


class _Span(NamedTuple):
    """Whole days ``[start, stop)``; ``yearless`` where the year was chosen here.

    ``last`` is the first day of the second of two times ("from March to May": 1 May).
    """

    start: dt.date
    stop: dt.date
    yearless: bool = False
    last: dt.date | None = None


def find_time_words(question: str, *, now: Instant, timezone: str) -> TimeWords | None:
    """Give the time that a question names, or None where it names none for sure.

    Days, weeks, months and years are those of ``timezone`` (an IANA name); weeks begin on Monday.
    A day is an ``as_of``, its last microsecond; a longer time is a window. Both are given for "two
    weeks ago", that day and the week it lies in, and for "from March to May": the window has both
    months, ``as_of`` is the last microsecond before the second begins. What has no year is the
    latest that has begun by ``now``. Two times in one question, times to come without a year, and
    words that may be no time give None. Raises InvalidInput for an unknown zone.
    """
    return read_time_words(question, now=now, timezone=timezone)[0]


def read_time_words(
    question: str, *, now: Instant, timezone: str
) -> tuple[TimeWords | None, str | None]:
    """Give the time that a question names, else the words that look like one and were not taken.

    Words not taken: of a day that there is not, an hour that the clocks skipped or had twice, a
    time that may be another one, and an instant in ISO form beside other times.
    """
    expression = expression_of(question)
    if expression is None:
        return None, instant_in(question)
    found = _found(expression, question, now, timezone)
    return found, (expression.words if found is None else None)


def _found(expression: Expression, question: str, now: Instant, timezone: str) -> TimeWords | None:
    # An unknown zone is the caller's mistake; whatever else is refused is no time of the question.
    parse_instant(dt.date(2000, 1, 1), "timezone", timezone=timezone, bare_date="start")
    try:
        found = _Calendar(now, timezone).time_of(expression, question)
    except (InvalidInput, OverflowError, ValueError):
        return None  # no such day, or a time that the clocks skipped or had twice
    if found is None:
        return None
    as_of, after, before = found
    if after is not None and (after >= now or (before is not None and before <= after)):
        return None
    if after is None and before is not None and before > now:
        return None
    return TimeWords(expression.words, as_of, after, before)


_Times = tuple[Instant | None, Instant | None, Instant | None]


class _Calendar:
    """The days of a zone as seen from an instant."""

    def __init__(self, now: Instant, timezone: str) -> None:
        self.timezone = timezone
        self.now = now
        self.today = to_datetime(now).astimezone(zoneinfo.ZoneInfo(timezone)).date()

    def time_of(self, expression: Expression, question: str) -> _Times | None:
        shape, lead, text = expression.shape, expression.lead, expression.text
        past, ahead = is_past(question), may_be_future(question)
        if shape in {"this", "weekday"} and (ahead or not past):
            return None
        if shape == "rolling":
            return None, self.first(self.back(text)), None
        if shape in {"ago", "instant"}:
            return self.ago(expression) if shape == "ago" else self.at_instant(lead, text)
        if shape == "pair":
            span = self.pair(text)
        elif shape == "edge":
            span = self.span(re.sub(r"^the \w+ of ", "", text, flags=re.IGNORECASE), "en")
        else:
            span = self.span(text, expression.language)
        if span is None or (span.yearless and self.unsure(span, past=past, ahead=ahead)):
            return None
        if expression.weekday and _WEEKDAYS[span.start.weekday()] != expression.weekday.lower():
            return None
        if shape == "edge":
            return self.edge(text, span)
        if expression.clock:
            return self.at_clock(span.start, expression.clock), None, None
        return self.placed(lead, span)

    def unsure(self, span: _Span, *, past: bool, ahead: bool) -> bool:
        """Say whether the coming day or month of that name may be meant instead."""
        if ahead:
            return True
        year = span.start.year + 1
        coming = span.start.replace(year=year, day=min(span.start.day, 28))
        return not past and coming - self.today <= _NEAR

    def placed(self, lead: str, span: _Span) -> _Times | None:
        first, end = self.first(span.start), self.first(span.stop)
        if lead == "since":
            return None, first, None
        if lead in {"before", "prior to"}:
            return None, None, first
        if lead == "after":
            return None, end, None
        if span.stop - span.start == _DAY:
            return end - 1, None, None
        if lead in {"as of", "as at"}:
            return (end - 1, None, None) if end <= self.now else None
        if span.last is None:
            return None, first, end
        # What held from one time to another need not hold for all of the other.
        point = self.first(span.last) - 1
        return (point if point < self.now else None), first, end

    def edge(self, text: str, span: _Span) -> _Times | None:
        if text.lower().startswith("the end"):
            end = self.first(span.stop)
            return (end - 1, None, None) if end <= self.now else None
        return self.last(span.start), None, None

    def pair(self, text: str) -> _Span | None:
        """Give the days from the one to the other, both ends taken in."""
        one, other = _BETWEEN.split(text, maxsplit=1)
        if _DAY_OF_MONTH.fullmatch(re.sub(r"(?:st|nd|rd|th)$", "", other.strip())):
            # "between June 3 and 9": the month stands with the first
            name = re.sub(r"[0-9]{1,2}(?:st|nd|rd|th)?", "", one).strip()
            other = f"{other} {name}"
        last = self.span(other, "en")
        if last is None:
            return None
        day = re.sub(r"(?:st|nd|rd|th)$", "", re.sub(r"^the ", "", one.strip()))
        if _DAY_OF_MONTH.fullmatch(day):
            if last.stop - last.start != _DAY:
                return None
            first = _Span(last.start.replace(day=int(day)), last.stop)
        elif not last.yearless and not _YEAR.search(one) and "last" not in one.lower():
            first = self.span(f"{one} {last.start.year}", "en")
        else:
            first = self.span(one, "en")
        if first is None or first.start >= last.start:
            return None
        if first.yearless and not last.yearless:
            return None
        return _Span(first.start, last.stop, last.yearless, last.start)

    def span(self, text: str, language: str) -> _Span | None:
        """Give the days that an expression names, where two readings of it agree."""
        bare = re.sub(r"^the ", "", text, flags=re.IGNORECASE)
        read = _read(bare, language, self.today)
        if read is None:
            return None
        day, period = read
        year = _YEAR.search(bare)
        if period != _wanted(bare) or (year and int(year.group()) != day.year):
            return None
        yearless = not year and bool(re.search(r"[a-z]", bare, re.IGNORECASE))
        lower = bare.lower()
        if lower.endswith("yesterday"):
            return _Span(day, day + _DAY)
        if lower.startswith(("last ", "this ")) or lower in _WEEKDAYS:
            return self.relative(lower, day, period)
        if period == "day":
            numbers = _DAY_OF_MONTH.findall(re.sub(r"[0-9]{4}(?:-[0-9]{2}-)?", "", bare))
            if not numbers or int(numbers[-1]) != day.day:
                return None
            if yearless and (day.month, day.day) == (self.today.month, self.today.day):
                day = self.today
            return _Span(day, day + _DAY, yearless) if day <= self.today or year else None
        if period == "month" and yearless and day.month == self.today.month:
            day = self.today
        found = _whole(day, period)
        return found._replace(yearless=yearless) if found else None

    def relative(self, lower: str, day: dt.date, period: str) -> _Span | None:
        if lower.startswith("this "):
            return _whole(self.today, lower[5:])
        if period != "day":
            return _whole(day, period)
        monday = self.today - dt.timedelta(days=self.today.weekday())
        if lower.startswith("last "):
            # Early in a week "last Monday" is this week's to some and the one before to others.
            return _Span(day, day + _DAY) if monday - 7 * _DAY <= day < monday else None
        return _Span(day, day + _DAY) if day.weekday() != self.today.weekday() else None

    def ago(self, expression: Expression) -> _Times | None:
        read = _read(expression.text, "en", self.today)
        unit = _UNITS.search(expression.text)
        if read is None or unit is None or read[1] != unit.group().lower():
            return None
        day, period = read
        if expression.lead == "since":
            return None, self.first(day), None
        if period == "day":
            return self.last(day), None, None
        span = _whole(day, period)
        if span is None:
            return None
        return self.last(day), self.first(span.start), self.first(span.stop)

    def back(self, text: str) -> dt.date:
        """Give the day from which "the last three weeks" count."""
        amount = re.sub(r"^the (?:last|past) ", "", text, flags=re.IGNORECASE)
        amount = amount if " " in amount else f"1 {amount}"
        read = _read(f"{amount} ago", "en", self.today)
        if read is None:
            raise InvalidInput("query", "names no stretch of time")
        return read[0]

    def at_instant(self, lead: str, text: str) -> _Times:
        at = parse_instant(text.upper().replace(" ", "T"), "query", timezone=self.timezone)
        if lead in {"since", "after"}:
            return None, at, None
        return (None, None, at) if lead in {"before", "prior to"} else (at, None, None)

    def at_clock(self, day: dt.date, clock: str) -> Instant:
        digits, half = clock.lower().removesuffix("am").removesuffix("pm"), clock.lower()[-2:]
        hours, minutes = (int(part) for part in f"{digits.strip()}:0".split(":")[:2])
        if half in {"am", "pm"}:
            if not 1 <= hours <= 12:
                raise InvalidInput("query", "names no time of the day")
            hours = hours % 12 + (12 if half == "pm" else 0)
        wall = dt.datetime.combine(day, dt.time(hours, minutes))
        return parse_instant(wall, "query", timezone=self.timezone)

    def first(self, day: dt.date) -> Instant:
        return parse_instant(day, "query", timezone=self.timezone, bare_date="start")

    def last(self, day: dt.date) -> Instant:
        return parse_instant(day, "query", timezone=self.timezone, bare_date="end")


def _wanted(bare: str) -> str:
    """Give how wide a time an expression names, by its looks alone."""
    lower = bare.lower()
    unit = _UNITS.search(lower) if lower.startswith(("last ", "this ")) else None
    if unit and not lower.endswith("day"):
        return unit.group()
    if lower.endswith("day") or _DAY_OF_MONTH.search(re.sub(r"[0-9]{1,2}月", "", bare)):
        return "day"
    return "year" if bare.isdigit() else "month"


def _whole(day: dt.date, period: str) -> _Span | None:
    """Give the week, month or year that a day lies in."""
    if period == "week":
        start = day - dt.timedelta(days=day.weekday())
        return _Span(start, start + 7 * _DAY)
    if period == "month":
        start = day.replace(day=1)
        return _Span(start, (start + 31 * _DAY).replace(day=1))
    if period == "year":
        return _Span(dt.date(day.year, 1, 1), dt.date(day.year + 1, 1, 1))
    return None


@lru_cache(maxsize=4096)
def _read(text: str, language: str, today: dt.date) -> tuple[dt.date, str] | None:
    """Let the library read an expression: the day it gives, and how wide it says that is."""
    settings: dict[str, Any] = {
        "RELATIVE_BASE": dt.datetime.combine(today, dt.time(12)),
        "PREFER_DATES_FROM": "past",
        "DATE_ORDER": "YMD" if text[:4].isdigit() else "DMY",
        "PREFER_LOCALE_DATE_ORDER": False,
        "TIMEZONE": "UTC",
        "PARSERS": ["relative-time", "absolute-time"],
    }
    found = DateDataParser(languages=[language], settings=settings).get_date_data(text)
    if found.date_obj is None or found.period is None:
        return None
    return found.date_obj.date(), found.period
