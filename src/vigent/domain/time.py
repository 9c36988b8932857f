"""Instants: how a time enters and how it leaves.

Inside Vigent an instant is a whole number of microseconds since 1970-01-01T00:00:00Z. The zone
of the machine plays no part anywhere: a time has an offset, or names a zone, or is refused.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from vigent.errors import AmbiguousInstant, InvalidInput, NaiveInstant

__all__ = [
    "DAY",
    "OPEN",
    "SECOND",
    "BareDate",
    "Instant",
    "Instantlike",
    "days_in",
    "instant_of",
    "iso",
    "named_zone",
    "parse_date",
    "parse_instant",
    "to_datetime",
]

Instant: TypeAlias = int
"""Microseconds since 1970-01-01T00:00:00Z."""

Instantlike: TypeAlias = str | dt.date | None
"""An instant as callers give it: ISO text, a datetime, or a date where a day will do."""

OPEN: Final[Instant] = 2**63 - 1
"""The end of a stretch that is still open; no instant of the calendar."""

BareDate: TypeAlias = Literal["refuse", "start", "end"]

_UTC: Final = dt.UTC
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=_UTC)
_EPOCH_WALL: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001  (adding to it gives UTC's wall clock)
_EPOCHDAY: Final = 719_163  # the ordinal of 1970-01-01
SECOND: Final[Instant] = 1_000_000
"""An instant counts microseconds."""
DAY: Final[Instant] = 86_400 * SECOND
"""A day of 24 hours."""
_FIRST: Final[Instant] = (1 - _EPOCHDAY) * DAY
_LAST: Final[Instant] = (dt.date.max.toordinal() - _EPOCHDAY + 1) * DAY - 1

# Only ASCII digits: "\d" would take those of other scripts too.
_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?:([Zz])|([+-])([0-9]{2}):?([0-9]{2})(?::([0-9]{2}))?)?)?"
)
# The plain spellings, which the standard library reads faster.
_PLAIN: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Zone files that mean the host's own zone, or count leap seconds.
_NO_ZONES: Final = ("localtime", "posixrules", "Factory")


def parse_instant(
    value: object,
    field: str,
    *,
    timezone: str | None = None,
    bare_date: BareDate = "refuse",
) -> Instant:
    """Read an instant from a datetime, a date or an ISO 8601 text.

    An offset in the value counts before ``timezone`` (an IANA name). Without either the value is
    refused (``NaiveInstant``); a wall-clock time that its zone has twice or never is refused too
    (``AmbiguousInstant``, naming both instants). A bare date is taken as ``bare_date`` says: the
    first or the last microsecond of that day in the zone (UTC when none is given). Years are
    0001 to 9999, in UTC.
    """
    if isinstance(value, str):
        if _PLAIN.fullmatch(value):
            try:
                gap = dt.datetime.fromisoformat(value) - _EPOCH
            except ValueError:
                pass  # the careful reader below says what is wrong
            else:
                return _in_range(_micros(gap), field)
        return _from_text(value, field, timezone, bare_date)
    if isinstance(value, dt.datetime):
        return _from_datetime(value, field, timezone, bare_date)
    if isinstance(value, dt.date):
        return _from_day(value.toordinal() - _EPOCHDAY, field, timezone, bare_date)
    raise InvalidInput(
        field,
        "must be a datetime with an offset or an ISO 8601 text such as"
        f" 2026-06-03T10:00:00Z, not {type(value).__name__}",
    )


def days_in(fields: Mapping[str, Any], zone: str, *, ends: bool = False) -> dict[str, Any]:
    """Give fields with bare dates as ISO instants in a zone, all else as it is.

    A date is the start of its day, with ``ends`` the last microsecond of it.
    """
    edge: BareDate = "end" if ends else "start"
    return {
        name: iso(parse_instant(given, name, timezone=zone, bare_date=edge))
        if isinstance(given, str) and _DATE.fullmatch(given)
        else given
        for name, given in fields.items()
    }


def to_datetime(instant: Instant) -> dt.datetime:
    """Give the instant as a datetime in UTC, exact to the microsecond (not for ``OPEN``)."""
    return _EPOCH + dt.timedelta(0, 0, instant)


@lru_cache(maxsize=4096)
def instant_of(text: str) -> Instant:
    """Give back the instant that ``iso`` wrote."""
    return parse_instant(text, "instant")


@lru_cache(maxsize=4096)
def iso(instant: Instant) -> str:
    """Give the instant as ISO 8601 text in UTC, with a fraction only where it has one."""
    return (_EPOCH_WALL + dt.timedelta(0, 0, instant)).isoformat() + "Z"


def parse_date(value: object, field: str) -> dt.date:
    """Read a calendar date from a date or a text YYYY-MM-DD; a datetime is refused."""
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return dt.date.fromisoformat(value)
        except ValueError as error:
            raise InvalidInput(field, f"is no date of the calendar: {value!r}") from error
    shown = repr(value[:40]) if isinstance(value, str) else type(value).__name__
    raise InvalidInput(field, f"must be a date YYYY-MM-DD, not {shown}")


# ------------------------------------------------------------------------------- readers


def _from_text(text: str, field: str, timezone: str | None, bare_date: BareDate) -> Instant:
    found = _INSTANT.fullmatch(text)
    if found is None:
        day = "" if bare_date == "refuse" else ", nor a bare date such as 2026-06-03"
        raise InvalidInput(
            field, f"is no ISO 8601 instant such as 2026-06-03T10:00:00Z{day}: {text[:40]!r}"
        )
    year, month, day, hour, minute, second, fraction, z, sign, oh, om, os = found.groups()
    try:
        days = dt.date(int(year), int(month), int(day)).toordinal() - _EPOCHDAY
    except ValueError as error:
        raise InvalidInput(field, f"is no date of the calendar: {text!r}") from error
    if hour is None:
        return _from_day(days, field, timezone, bare_date)
    h, m, s = int(hour), int(minute), int(second or 0)
    if h > 23 or m > 59 or s > 59:
        raise InvalidInput(field, f"is no time of the day: {text!r}")
    wall = days * DAY + (h * 3600 + m * 60 + s) * 1_000_000
    if fraction is not None:
        if len(fraction) > 6:
            raise InvalidInput(field, "has more than 6 digits of a second; the limit is 6")
        wall += int(fraction.ljust(6, "0"))
    if z is not None:
        return wall  # within the calendar, since the date is
    if sign is None:
        return _from_wall(wall, field, timezone, bare_date)
    if int(oh) > 23 or int(om) > 59 or int(os or 0) > 59:
        raise InvalidInput(field, f"has no valid offset: {text!r}")
    offset = (int(oh) * 3600 + int(om) * 60 + int(os or 0)) * 1_000_000
    return _in_range(wall - offset if sign == "+" else wall + offset, field)


def _from_datetime(
    value: dt.datetime, field: str, timezone: str | None, bare_date: BareDate
) -> Instant:
    offset = value.utcoffset()
    gap = value.replace(tzinfo=None) - _EPOCH_WALL
    wall = _micros(gap)
    if offset is None:
        return _from_wall(wall, field, timezone, bare_date)
    if not isinstance(value.tzinfo, dt.timezone):
        # A zone's own datetime says with ``fold`` which of two it is, but may not exist at all.
        other = value.replace(fold=1 - value.fold).utcoffset() or offset
        before, after = (other, offset) if value.fold else (offset, other)
        if before < after:
            raise _never(wall, _micros(before), _micros(after), field, str(value.tzinfo))
    return _in_range(wall - _micros(offset), field)


def _from_wall(wall: int, field: str, timezone: str | None, bare_date: BareDate) -> Instant:
    if timezone is None:
        # Where a day is taken, so is the zone it is a day of.
        advice = "" if bare_date == "refuse" else " or give a timezone"
        raise NaiveInstant(field, f"has no offset: {iso(wall)[:-1]}; add one (Z, +02:00){advice}")
    before, after = _offsets(wall, timezone)
    if before == after:
        return _in_range(wall - before, field)
    if before < after:
        raise _never(wall, before, after, field, timezone)
    raise AmbiguousInstant(
        field,
        f"{iso(wall)[:-1]} happens twice in {timezone}:"
        f" {_with_offset(wall, before)} and {_with_offset(wall, after)}; give one with its offset",
    )


def _from_day(days: int, field: str, timezone: str | None, bare_date: BareDate) -> Instant:
    if bare_date == "refuse":
        raise NaiveInstant(
            field,
            f"{iso(days * DAY)[:10]} is a day, not an instant; give a time with its offset",
        )
    start = days * DAY
    if timezone is None:
        return start if bare_date == "start" else start + DAY - 1
    wall = start if bare_date == "start" else start + DAY - 1
    before, after = _offsets(wall, timezone)
    if before < after:  # the clock jumped over this edge of the day: take the jump itself
        jump = _jump(wall - after, wall - before, before, timezone)
        return _in_range(jump if bare_date == "start" else jump - 1, field)
    # Where the edge happens twice, a day begins at the first and is over after the last.
    return _in_range(wall - (before if bare_date == "start" else after), field)


# --------------------------------------------------------------------------------- zones


def named_zone(name: object, field: str = "timezone") -> dt.tzinfo:
    """Give a zone by its IANA name, UTC for None; raises InvalidInput."""
    if name is None:
        return dt.UTC
    if not isinstance(name, str):
        raise InvalidInput(field, f"must be text, not {type(name).__name__}")
    return _zone(name)


@lru_cache(maxsize=256)
def _zone(name: str) -> zoneinfo.ZoneInfo:
    if name in _NO_ZONES or name.startswith(("right/", "posix/")):
        raise InvalidInput("timezone", f"{name!r} names no zone; give an IANA name")
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            "timezone", f"unknown zone {name[:64]!r}; give an IANA name such as Europe/Madrid"
        ) from error


def _offsets(wall: int, timezone: str) -> tuple[int, int]:
    """Give the zone's offsets at a wall-clock time, before and after a change of clocks there."""
    if not isinstance(timezone, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("timezone", f"must be an IANA name, not {type(timezone).__name__}")
    zone = _zone(timezone)
    local = (_EPOCH_WALL + dt.timedelta(0, 0, wall)).replace(tzinfo=zone)
    before = local.utcoffset() or dt.timedelta()
    after = local.replace(fold=1).utcoffset() or dt.timedelta()
    return _micros(before), _micros(after)


def _jump(low: Instant, high: Instant, before: int, timezone: str) -> Instant:
    """Find the first instant in (low, high] at which the offset is no longer ``before``."""
    zone = _zone(timezone)
    while high - low > 1:
        middle = (low + high) // 2
        offset = to_datetime(middle).astimezone(zone).utcoffset() or dt.timedelta()
        if _micros(offset) == before:
            low = middle
        else:
            high = middle
    return high


def _micros(delta: dt.timedelta) -> int:
    return delta.days * DAY + delta.seconds * 1_000_000 + delta.microseconds


def _with_offset(wall: int, offset: int) -> str:
    zone = dt.timezone(dt.timedelta(0, 0, offset))
    return (_EPOCH_WALL + dt.timedelta(0, 0, wall)).replace(tzinfo=zone).isoformat()


def _never(wall: int, before: int, after: int, field: str, zone: str) -> AmbiguousInstant:
    return AmbiguousInstant(
        field,
        f"{iso(wall)[:-1]} does not exist in {zone}: the clock jumps over it; it would be"
        f" {_with_offset(wall, before)} or {_with_offset(wall, after)}; give one with its offset",
    )


def _in_range(instant: Instant, field: str) -> Instant:
    if _FIRST <= instant <= _LAST:
        return instant
    raise InvalidInput(field, "must lie in the years 0001 to 9999 (UTC)")
