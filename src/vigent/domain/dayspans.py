"""Days of the calendar, put together from parts: for the modules that read them out of words."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from typing import Final

__all__ = ["DAY", "away", "dates", "first", "nearest", "period", "span", "weekday"]

DAY: Final = dt.timedelta(days=1)


def dates(*parts: tuple[int, int, int]) -> set[dt.date]:
    """Give those of some (year, month, day) that the calendar has."""
    found: set[dt.date] = set()
    for year, month, day in parts:
        with suppress(ValueError):
            found.add(dt.date(year, month, day))
    return found


def nearest(today: dt.date, month: int, day: int) -> set[dt.date]:
    """Give the latest day of a name and the next, today counting as both."""
    every = sorted(dates(*((today.year + off, month, day) for off in range(-4, 5))))
    before = [one for one in every if one <= today][-1:]
    return {*before, *[one for one in every if one >= today][:1]}


def first(year: int, month: int) -> dt.date:
    """Give the first day of a month; the thirteenth is the first of the next year."""
    more, month = divmod(month - 1, 12)
    return dt.date(year + more, month + 1, 1)


def span(start: dt.date, stop: dt.date) -> set[dt.date]:
    """Give the days that a stretch of days may stand for: its first, its last, the one after."""
    return {start, stop - DAY, stop}


def away(today: dt.date, count: int, unit: str) -> set[dt.date]:
    """Give the day so many days, weeks, months or years away; before, where it is negative."""
    if unit in {"day", "week"}:
        return {today + count * (7 if unit == "week" else 1) * DAY}
    months = today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    last = first(year, month + 2) - DAY
    return dates((year, month + 1, min(today.day, last.day)))


def period(today: dt.date, step: int, unit: str) -> set[dt.date]:
    """Give the days that a week, month or year may stand for: this one, or so many further."""
    if unit == "week":
        start = today - today.weekday() * DAY + 7 * step * DAY
        return span(start, start + 7 * DAY) | {start + 4 * DAY, today + 7 * step * DAY}
    if unit == "month":
        year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
        return span(first(year, month + 1), first(year, month + 2))
    return span(dt.date(today.year + step, 1, 1), dt.date(today.year + step + 1, 1, 1))


def weekday(today: dt.date, number: int, lead: int | None) -> set[dt.date]:
    """Give the days that a day of the week may be: the next (1), the last (-1), or either."""
    monday = today - today.weekday() * DAY
    coming = today + ((number - today.weekday() - 1) % 7 + 1) * DAY
    before = today - ((today.weekday() - number - 1) % 7 + 1) * DAY
    if lead is None:
        return {coming, before, *({today} if number == today.weekday() else ())}
    if lead > 0:
        return {coming, monday + (7 + number) * DAY}
    return {before, monday + (number - 7) * DAY}
