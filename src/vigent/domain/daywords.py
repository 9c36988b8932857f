"""The days that a text names, as seen from the day it was said: is a date somebody gives in it?

Unlike the time words of questions these look ahead as well, and a word may name several days
("next Friday"): a date is borne out by a text where it is one of them.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from vigent.domain.time import Instant, parse_instant, to_datetime

__all__ = ["Named", "date_said", "days_named"]

_DAY: Final = dt.timedelta(days=1)
_ISO: Final = re.compile(r"(?<![0-9-])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")
_NUMERIC: Final = re.compile(r"(?<![0-9./])([0-9]{1,2})([./])([0-9]{1,2})\2([0-9]{4})(?![0-9])")
_MONTHS: Final = (
    "january jan januar janvier januari enero", "february feb februar février februari febrero",
    "march mar märz mars maart marzo", "april apr avril abril", "may mai mei mayo",
    "june jun juni juin junio", "july jul juli juillet julio", "august aug août augustus agosto",
    "september sept sep septembre septiembre", "october oct oktober octobre octubre",
    "november nov novembre noviembre", "december dec dezember décembre diciembre",
)  # fmt: skip
_MONTH_OF: Final = {name: no for no, line in enumerate(_MONTHS, 1) for name in line.split()}
_MONTH: Final = f"(?P<month>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})"
_NUMBER: Final = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.|er)?"
_YEAR: Final = r"(?:,?\s+(?:de\s+|of\s+)?(?P<year>[12][0-9]{3}))?"
_WORDED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.]){_NUMBER}\s*(?:of\s+|de\s+)?{_MONTH}\b\.?{_YEAR}",
        rf"\b{_MONTH}\b\.?\s+(?:the\s+)?{_NUMBER}(?![\w:]){_YEAR}",
    )
)
_CHINESE: Final = re.compile(r"(?:([12][0-9]{3})年)?([0-9]{1,2})月([0-9]{1,2})[日号]")
_WEEKDAYS: Final = (
    "monday montag lundi lunes maandag", "tuesday dienstag mardi martes dinsdag",
    "wednesday mittwoch mercredi miércoles woensdag", "thursday donnerstag jeudi jueves donderdag",
    "friday freitag vendredi viernes vrijdag", "saturday samstag samedi sábado zaterdag",
    "sunday sonntag dimanche domingo zondag",
)  # fmt: skip
_WEEKDAY_OF: Final = {name: no for no, line in enumerate(_WEEKDAYS) for name in line.split()}
_WEEKDAY: Final = re.compile(
    rf"\b(?:(?P<lead>next|last|nächsten|letzten)\s+)?(?P<name>{'|'.join(_WEEKDAY_OF)})\b",
    re.IGNORECASE,
)
_NEAR: Final = re.compile(
    r"\b(?:(?P<p2>day after tomorrow|übermorgen|après-demain|pasado mañana|overmorgen)"
    r"|(?P<m2>day before yesterday|vorgestern|avant-hier|anteayer|eergisteren)"
    r"|(?P<p1>tomorrow|morgen|demain|mañana)|(?P<m1>yesterday|gestern|hier|ayer|gisteren)"
    r"|(?P<p0>today|tonight|this (?:morning|afternoon|evening)|heute|aujourd'hui|hoy|vandaag))\b"
    r"|(?P<c>后天|明天|今天|昨天)",
    re.IGNORECASE,
)
_STEPS: Final = {
    "p2": 2, "m2": -2, "p1": 1, "m1": -1, "p0": 0, "后天": 2, "明天": 1, "今天": 0, "昨天": -1,
}  # fmt: skip
_COUNTS: Final = {
    word: no
    for no, words in enumerate(
        ["", "a an one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve"]
    )
    for word in words.split()
}  # fmt: skip
_COUNT: Final = rf"[0-9]{{1,3}}|{'|'.join(_COUNTS)}"
_AMOUNT: Final = rf"(?P<count>{_COUNT}) (?P<unit>day|week|month|year)s?(?:['\u2019] time)?"
_AWAY: Final = re.compile(
    rf"\b(?:in {_AMOUNT}|{_AMOUNT.replace('P<count>', 'P<count2>').replace('P<unit>', 'P<unit2>')}"
    r" (?P<way>ago|from now|from today))\b",
    re.IGNORECASE,
)
_PERIOD: Final = re.compile(
    r"\b(?P<edge>(?:the )?(?:end|start|beginning) of )?(?P<which>next|this|last|the|of) "
    r"(?P<unit>week|month|year)\b",
    re.IGNORECASE,
)
_MONTH_ALONE: Final = re.compile(
    rf"\b(?P<edge>(?:the )?end of )?{_MONTH}\b\.?{_YEAR}", re.IGNORECASE
)
_YEAR_ALONE: Final = re.compile(r"(?<![0-9.,-])(?P<year>(?:19|20)[0-9]{2})(?![0-9-])")
_OF_MONTH: Final = re.compile(r"\bthe (?P<day>[0-9]{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_CLOCK: Final = re.compile(
    r"(?<![0-9:])(?P<hour>[01]?[0-9]|2[0-3])(?:[:.h](?P<minute>[0-5][0-9]))?\s*"
    r"(?P<half>[ap]\.?m\b\.?|o['\u2019]clock|uhr)?",
    re.IGNORECASE,
)

_Finder = Callable[[str, dt.date], Iterator[tuple[re.Match[str], set[dt.date]]]]


class Named(NamedTuple):
    """Words of a text that name a day, from ``start`` to ``stop``, and the days they may mean."""

    start: int
    stop: int
    days: frozenset[dt.date]


def days_named(text: str, today: dt.date) -> list[Named]:
    """Give what names a day in a text that was said on a day, in order; none overlap.

    Of a month or a year it is the first and the last day, and the one after; a day without a
    year is the latest and the next of that name.
    """
    found: list[Named] = []
    for finder in _FINDERS:
        for match, days in finder(text, today):
            start, stop = match.span()
            if days and not any(one.start < stop and start < one.stop for one in found):
                found.append(Named(start, stop, frozenset(days)))
    return sorted(found)


def date_said(
    text: str, given: str, *, at: Instant, timezone: str
) -> Literal["stated", "own", "unsupported"]:
    """Say whether a text bears out a date: an ISO date, or a time with or without an offset.

    ``at`` is when it was said, ``timezone`` the zone of who said it. "own" is the day on which it
    was said, where the words do not name it. Raises InvalidInput for what is no time.
    """
    zone = zoneinfo.ZoneInfo(timezone)
    today = to_datetime(at).astimezone(zone).date()
    clock: dt.time | None = None
    if len(given) == 10:
        instant = parse_instant(given, "date", timezone=timezone, bare_date="start")
        day = dt.date.fromisoformat(given)
    else:
        instant = parse_instant(given, "date", timezone=timezone)
        local = to_datetime(instant).astimezone(zone)
        day, clock = local.date(), local.time()
    if clock is not None and clock != dt.time(0) and clock not in _clocks(text):
        return "own" if instant == at else "unsupported"
    if any(day in one.days for one in days_named(text, today)):
        return "stated"
    return "own" if day == today else "unsupported"


def _clocks(text: str) -> set[dt.time]:
    """Give the times of the day that a text names."""
    found: set[dt.time] = {dt.time(12)} if re.search(r"\bnoon\b", text, re.IGNORECASE) else set()
    for match in _CLOCK.finditer(text):
        half = (match["half"] or "").lower()[:1]
        if not half and match["minute"] is None:
            continue  # a number alone is no time
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        if half in {"a", "p"}:
            if 1 <= hour <= 12:
                found.add(dt.time(hour % 12 + (12 if half == "p" else 0), minute))
            continue
        found.add(dt.time(hour, minute))
        if hour < 12 and half == "o":
            found.add(dt.time(hour + 12, minute))
    return found


# --------------------------------------------------------------------------------- finders


def _dates(*parts: tuple[int, int, int]) -> set[dt.date]:
    """Give those of some (year, month, day) that the calendar has."""
    found: set[dt.date] = set()
    for year, month, day in parts:
        with suppress(ValueError):
            found.add(dt.date(year, month, day))
    return found


def _nearest(today: dt.date, month: int, day: int) -> set[dt.date]:
    """Give the latest day of a name and the next, today counting as both."""
    every = sorted(_dates(*((today.year + off, month, day) for off in range(-4, 5))))
    before = [one for one in every if one <= today][-1:]
    return {*before, *[one for one in every if one >= today][:1]}


def _isos(text: str, _: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _ISO.finditer(text):
        yield match, _dates((int(match[1]), int(match[2]), int(match[3])))


def _numeric(text: str, _: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _NUMERIC.finditer(text):
        one, other, year = int(match[1]), int(match[3]), int(match[4])
        days = _dates((year, other, one))
        if match[2] == "/":  # which stands first is a matter of the country
            days |= _dates((year, one, other))
        yield match, days


def _worded(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for pattern in _WORDED:
        for match in pattern.finditer(text):
            month, day = _MONTH_OF[match["month"].lower()], int(match["day"])
            if match["year"]:
                yield match, _dates((int(match["year"]), month, day))
            else:
                yield match, _nearest(today, month, day)
    for match in _CHINESE.finditer(text):
        month, day = int(match[2]), int(match[3])
        if not 1 <= month <= 12:
            continue
        if match[1]:
            yield match, _dates((int(match[1]), month, day))
        else:
            yield match, _nearest(today, month, day)


def _near(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _NEAR.finditer(text):
        step = _STEPS[match[0] if match.lastgroup == "c" else str(match.lastgroup)]
        yield match, {today + step * _DAY}


def _away(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _AWAY.finditer(text):
        word = (match["count"] or match["count2"]).lower()
        count = int(word) if word.isdigit() else _COUNTS[word]
        if (match["way"] or "").lower() == "ago":
            count = -count
        unit = (match["unit"] or match["unit2"]).lower()
        if unit in {"day", "week"}:
            yield match, {today + count * (7 if unit == "week" else 1) * _DAY}
        else:
            months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
            year, month = divmod(months, 12)
            last = _first(year, month + 2) - _DAY
            yield match, _dates((year, month + 1, min(today.day, last.day)))


def _first(year: int, month: int) -> dt.date:
    """Give the first day of a month; the thirteenth is the first of the next year."""
    more, month = divmod(month - 1, 12)
    return dt.date(year + more, month + 1, 1)


def _weekdays(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    monday = today - today.weekday() * _DAY
    for match in _WEEKDAY.finditer(text):
        number, lead = _WEEKDAY_OF[match["name"].lower()], (match["lead"] or "").lower()
        coming = today + ((number - today.weekday() - 1) % 7 + 1) * _DAY
        before = today - ((today.weekday() - number - 1) % 7 + 1) * _DAY
        if lead in {"next", "nächsten"}:
            yield match, {coming, monday + (7 + number) * _DAY}
        elif lead in {"last", "letzten"}:
            yield match, {before, monday + (number - 7) * _DAY}
        else:
            yield match, {coming, before, *({today} if number == today.weekday() else ())}


def _span(start: dt.date, stop: dt.date) -> set[dt.date]:
    """Give the days that a stretch of days may stand for: its first, its last, the one after."""
    return {start, stop - _DAY, stop}


def _periods(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _PERIOD.finditer(text):
        which, unit = match["which"].lower(), match["unit"].lower()
        if which in {"the", "of"} and not match["edge"]:
            continue
        step = {"next": 1, "last": -1}.get(which, 0)
        if unit == "week":
            start = today - today.weekday() * _DAY + 7 * step * _DAY
            days = _span(start, start + 7 * _DAY) | {start + 4 * _DAY, today + 7 * step * _DAY}
        elif unit == "month":
            year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            days = _span(_first(year, month + 1), _first(year, month + 2))
        else:
            days = _span(dt.date(today.year + step, 1, 1), dt.date(today.year + step + 1, 1, 1))
        yield match, days


def _wide(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _MONTH_ALONE.finditer(text):
        month = _MONTH_OF[match["month"].lower()]
        if match["month"].lower() in {"may", "mar", "march", "mars"} and match["month"].islower():
            continue  # in small letters a verb, a walk, a planet
        years = [int(match["year"])] if match["year"] else [today.year + n for n in (-1, 0, 1)]
        days: set[dt.date] = set()
        for year in years:
            if 1 <= year < 9999:
                days |= _span(_first(year, month), _first(year, month + 1))
        yield match, days
    for match in _YEAR_ALONE.finditer(text):
        year = int(match["year"])
        yield match, _span(dt.date(year, 1, 1), dt.date(year + 1, 1, 1))


def _of_month(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _OF_MONTH.finditer(text):
        days: set[dt.date] = set()
        for step in (-1, 0, 1):
            year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            days |= _dates((year, month + 1, int(match["day"])))
        yield match, days


# The narrowest first: what is a day is not also the month in it.
_FINDERS: Final[tuple[_Finder, ...]] = (
    _isos, _numeric, _worded, _near, _away, _weekdays, _periods, _of_month, _wide,
)  # fmt: skip
