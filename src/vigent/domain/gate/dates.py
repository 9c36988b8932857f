"""Times of a nomination: against its words, the message's time and the speaker's zone."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, Final, NamedTuple

from vigent.domain.daywords import date_said, day_of, days_named
from vigent.domain.time import Instant, iso, named_zone, parse_instant
from vigent.errors import InvalidInput

__all__ = ["Dates", "check_dates", "resolved_day"]

_UNTIL: Final = re.compile(
    r"(?:\b(?:until|till|til|through|thru|up to|bis(?: zum| einschließlich)?|jusqu'(?:au|à|en)"
    r"|hasta(?: el)?|até(?: o| dia)?)|到|直到|至)\s*(?:the\s|and including\s)?$",
    re.IGNORECASE,
)
_DATE_VALUE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?")


class Dates(NamedTuple):
    """What of the dates is kept: ``invalid`` and ``unsupported`` name the first field that is so.

    A start on the message's own day that no words name is left out: then the message's time is
    the start. An end that is named with "until" is moved to the first day after.
    """

    valid_from: Any
    valid_to: Any
    invalid: str | None = None
    unsupported: str | None = None


def resolved_day(words: str, *, at: Instant, timezone: str) -> dt.date | None:
    """Give the one day that words name, said at an instant by somebody in a zone; else None."""
    named = days_named(words, day_of(at, named_zone(timezone)))
    days = {day for one in named for day in one.days}
    return next(iter(days)) if len(days) == 1 else None


def check_dates(
    *,
    valid_from: Any,
    valid_to: Any,
    due: Any,
    value: Any,
    words: str,
    at: Instant,
    timezone: str,
) -> Dates:
    """Hold every date that is given against the words, which were said at ``at``."""
    start, end = _text(valid_from), _text(valid_to)
    for name, given in (("valid_from", start), ("valid_to", end), ("due", _text(due))):
        if given is not None and not _is_date(given, name, timezone):
            return Dates(valid_from, valid_to, invalid=name)
    unsupported = None
    if start is not None:
        said = date_said(words, start, at=at, timezone=timezone)
        if said == "own":
            start = None
        elif said == "unsupported":
            unsupported = "valid_from"
    if end is not None:
        end, known = _end(end, words, at, timezone)
        unsupported = unsupported or (None if known else "valid_to")
    for name, given in (("due", _text(due)), ("value", _text(value))):
        if given is None or (name == "value" and not _is_value(given, timezone)):
            continue
        if date_said(words, given, at=at, timezone=timezone) != "stated":
            unsupported = unsupported or name
    if not _in_order(start, end, at, timezone):
        return Dates(start, end, invalid="valid_to")
    return Dates(start, end, unsupported=unsupported)


def _text(given: Any) -> str | None:
    if isinstance(given, dt.datetime | dt.date):
        return given.isoformat()
    return given if isinstance(given, str) else None if given is None else str(given)


def _is_date(given: str, name: str, timezone: str) -> bool:
    try:
        parse_instant(given, name, timezone=timezone, bare_date="start")
    except InvalidInput:
        return False
    return True


def _is_value(given: str, timezone: str) -> bool:
    return _DATE_VALUE.fullmatch(given) is not None and _is_date(given, "value", timezone)


def _end(end: str, words: str, at: Instant, timezone: str) -> tuple[str, bool]:
    """Give an end as it is kept, and whether the words bear it out."""
    today = day_of(at, named_zone(timezone))
    if len(end) == 10:
        day = dt.date.fromisoformat(end)
        for one in days_named(words, today):
            last = _UNTIL.search(words[: one.start]) is not None
            if last and day in one.days and day + dt.timedelta(1) not in one.days:
                return (day + dt.timedelta(1)).isoformat(), True
            if last and day - dt.timedelta(1) in one.days:
                return end, True
    return end, date_said(words, end, at=at, timezone=timezone) == "stated"


def _in_order(start: str | None, end: str | None, at: Instant, timezone: str) -> bool:
    if end is None:
        return True
    begins = iso(at) if start is None else start
    first = parse_instant(begins, "valid_from", timezone=timezone, bare_date="start")
    return parse_instant(end, "valid_to", timezone=timezone, bare_date="start") > first
