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

from vigent.domain.dayphrases import LONG_PHRASES, SHORT_PHRASES
from vigent.domain.dayspans import DAY, away, dates, first, nearest, period, span, weekday
from vigent.domain.time import Instant, parse_instant, to_datetime

__all__ = ["Named", "date_said", "day_of", "days_named"]

_ISO: Final = re.compile(r"(?<![0-9-])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")
_NUMERIC: Final = re.compile(r"(?<![0-9./])([0-9]{1,2})([./])([0-9]{1,2})\2([0-9]{4})(?![0-9])")
_DAY_AND_MONTH: Final = re.compile(
    r"(?<![0-9./])([0-9]{1,2})\.\s?([0-9]{1,2})\.(?:([0-9]{2})(?![0-9.]))?(?!\s?[0-9])"
)
_WIDE_DIGITS: Final = {0xFF10 + n: str(n) for n in range(10)}
_MONTHS: Final = (
    "january jan januar janvier januari enero janeiro января",
    "february feb februar février februari febrero fevereiro февраля",
    "march mar märz mars maart marzo março марта",
    "april apr avril abril апреля",
    "may mai mei mayo maio мая",
    "june jun juni juin junio junho июня",
    "july jul juli juillet julio julho июля",
    "august aug août augustus agosto августа",
    "september sept sep septembre septiembre setembro сентября",
    "october oct oktober octobre octubre outubro октября",
    "november nov novembre noviembre novembro ноября",
    "december dec dezember décembre diciembre dezembro декабря",
)
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
_LEADS: Final = {"next": 1, "nächsten": 1, "last": -1, "letzten": -1}
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
    text = text.translate(_WIDE_DIGITS)
    for finder in _FINDERS:
        with suppress(OverflowError, ValueError):  # beyond the calendar there are no days
            for match, days in finder(text, today):
                start, stop = match.span()
                if not any(one.start < stop and start < one.stop for one in found):
                    found.append(Named(start, stop, frozenset(days)))
    return sorted(one for one in found if one.days)  # "31 June" is no month either


def day_of(at: Instant, zone: dt.tzinfo) -> dt.date:
    """Give the day that an instant lies on in a zone."""
    try:
        return to_datetime(at).astimezone(zone).date()
    except OverflowError:  # the first or the last day there is
        return to_datetime(at).date()


def date_said(
    text: str, given: str, *, at: Instant, timezone: str
) -> Literal["stated", "own", "unsupported"]:
    """Say whether a text bears out a date: an ISO date, or a time with or without an offset.

    ``at`` is when it was said, ``timezone`` the zone of who said it. "own" is the day on which it
    was said, where the words do not name it. Raises InvalidInput for what is no time.
    """
    zone = zoneinfo.ZoneInfo(timezone)
    today = day_of(at, zone)
    clock: dt.time | None = None
    if len(given) == 10:
        instant = parse_instant(given, "date", timezone=timezone, bare_date="start")
        day = dt.date.fromisoformat(given)
    else:
        instant = parse_instant(given, "date", timezone=timezone)
        try:
            local = to_datetime(instant).astimezone(zone)
        except OverflowError:  # the first or the last day there is
            return "unsupported"
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


def _isos(text: str, _: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _ISO.finditer(text):
        yield match, dates((int(match[1]), int(match[2]), int(match[3])))


def _numeric(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _NUMERIC.finditer(text):
        one, other, year = int(match[1]), int(match[3]), int(match[4])
        days = dates((year, other, one))
        if match[2] == "/":  # which stands first is a matter of the country
            days |= dates((year, one, other))
        yield match, days
    for match in _DAY_AND_MONTH.finditer(text):
        day, month = int(match[1]), int(match[2])
        if match[3]:
            yield match, dates((2000 + int(match[3]), month, day))
        else:
            yield match, nearest(today, month, day)


def _worded(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for pattern in _WORDED:
        for match in pattern.finditer(text):
            month, day = _MONTH_OF[match["month"].lower()], int(match["day"])
            if match["year"]:
                yield match, dates((int(match["year"]), month, day))
            else:
                yield match, nearest(today, month, day)
    for match in _CHINESE.finditer(text):
        month, day = int(match[2]), int(match[3])
        if not 1 <= month <= 12:
            continue
        if match[1]:
            yield match, dates((int(match[1]), month, day))
        else:
            yield match, nearest(today, month, day)


def _near(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _NEAR.finditer(text):
        step = _STEPS[match[0] if match.lastgroup == "c" else str(match.lastgroup)]
        yield match, {today + step * DAY}


def _away(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _AWAY.finditer(text):
        word = (match["count"] or match["count2"]).lower()
        count = int(word) if word.isdigit() else _COUNTS[word]
        if (match["way"] or "").lower() == "ago":
            count = -count
        unit = (match["unit"] or match["unit2"]).lower()
        yield match, away(today, count, unit)


def _weekdays(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _WEEKDAY.finditer(text):
        number, lead = _WEEKDAY_OF[match["name"].lower()], (match["lead"] or "").lower()
        yield match, weekday(today, number, _LEADS.get(lead))


def _periods(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _PERIOD.finditer(text):
        which, unit = match["which"].lower(), match["unit"].lower()
        if which in {"the", "of"} and not match["edge"]:
            continue
        yield match, period(today, {"next": 1, "last": -1}.get(which, 0), unit)


def _wide(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _MONTH_ALONE.finditer(text):
        month = _MONTH_OF[match["month"].lower()]
        if match["month"].lower() in {"may", "mar", "march", "mars"} and match["month"].islower():
            continue  # in small letters a verb, a walk, a planet
        years = [int(match["year"])] if match["year"] else [today.year + n for n in (-1, 0, 1)]
        days: set[dt.date] = set()
        for year in years:
            if 1 <= year < 9999:
                days |= span(first(year, month), first(year, month + 1))
        yield match, days
    for match in _YEAR_ALONE.finditer(text):
        year = int(match["year"])
        yield match, span(dt.date(year, 1, 1), dt.date(year + 1, 1, 1))


def _of_month(text: str, today: dt.date) -> Iterator[tuple[re.Match[str], set[dt.date]]]:
    for match in _OF_MONTH.finditer(text):
        days: set[dt.date] = set()
        for step in (-1, 0, 1):
            year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            days |= dates((year, month + 1, int(match["day"])))
        yield match, days


# The narrowest first: what is a day is not also the month in it.
_FINDERS: Final[tuple[_Finder, ...]] = (
    _isos, _numeric, _worded, *LONG_PHRASES, _near, _away, _weekdays, _periods, _of_month,
    *SHORT_PHRASES, _wide,
)  # fmt: skip
