"""Values: how one enters, is stored, is compared, and comes back.

A value has a kind. Its stored form is text that gives back the very same value; its canonical
form is text that all equal values share: ``1`` equals ``1.0``, ``true`` is not ``1``, and
``"1"`` is not ``1``.
"""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple, cast

from vigent.domain.jsontext import (
    canonical_json,
    check_json,
    decimal_text,
    integer_text,
    normal_number,
    parse_json,
)
from vigent.domain.schema import AttributeDefinition
from vigent.domain.text import MAX_TEXT, canonical_subject, canonical_text, clean_text, has_hidden
from vigent.domain.time import DAY, SECOND, iso, parse_date, parse_instant
from vigent.errors import (
    AmbiguousInstant,
    InvalidInput,
    LimitExceeded,
    NaiveInstant,
    SchemaMismatch,
)

__all__ = ["Value", "canonical", "decode", "jsonable", "render"]


class Value(NamedTuple):
    """A checked value: its kind, the text that gives it back, the text it is compared by."""

    kind: str
    stored: str
    canon: str


_Reader = Callable[[Any, str, str | None], Value]


def canonical(
    value: object,
    definition: AttributeDefinition | None,
    field: str = "value",
    *,
    timezone: str | None = None,
) -> Value:
    """Check a value and give its stored and canonical forms.

    Undeclared, the kind follows the Python type. Declared, the value must fit the kind
    (``SchemaMismatch`` with path and reason); an integer fits a decimal, ISO 8601 text fits a
    date, an instant and a duration, and nothing else is converted. Text and JSON are at most
    8,000 characters, numbers 1,000 digits. ``timezone`` reads a naive instant. Hidden characters
    are taken out of text: then ``stored`` differs from what was given.
    """
    if value is None:
        raise InvalidInput(field, "must not be null; use retract")
    if definition is not None:
        return _declared(value, definition, field, timezone)
    if type(value) is str:  # by far the most frequent
        return _text(value, field, timezone)
    reader = _BY_TYPE.get(type(value))
    if reader is None:
        value = value.value if isinstance(value, enum.Enum) else value
        reader = next((r for kind, r in _BY_BASE if isinstance(value, kind)), None)
        if reader is None:
            raise InvalidInput(field, f"cannot hold a value of the type {type(value).__name__}")
    return reader(value, field, timezone)


_SEVERAL: Final = ("list", "tuple", "set", "frozenset")


def _declared(
    value: object, definition: AttributeDefinition, field: str, timezone: str | None
) -> Value:
    kind = definition.kind
    if isinstance(value, enum.Enum):
        value = value.value if isinstance(value.value, str) else value.name
    if kind == "enum":
        return _enum(value, definition, field)
    if kind == "json":
        return _declared_json(value, definition, field)
    accepted, reader = _DECLARED[kind]
    if not isinstance(value, accepted) or (kind != "boolean" and isinstance(value, bool)):
        given = type(value).__name__
        many = definition.multi and given in _SEVERAL
        hint = "; write one value per call, or all of them with mode='replace'" if many else ""
        raise _mismatch(field, definition, f"must be {_A[kind]}, not {given}{hint}")
    try:
        return reader(value, field, timezone)
    except (LimitExceeded, NaiveInstant, AmbiguousInstant):
        raise
    except InvalidInput as error:
        if error.field != field:  # the zone, not the value
            raise
        raise _mismatch(field, definition, error.message.removeprefix(f"{field}: ")) from error


def _mismatch(field: str, definition: AttributeDefinition, reason: str) -> SchemaMismatch:
    return SchemaMismatch(field, f"{definition.name} is declared as {definition.kind}: {reason}")


# ------------------------------------------------------------------------------- readers


def _text(value: str, field: str, _timezone: str | None) -> Value:
    text, _ = clean_text(value, field, MAX_TEXT)
    return Value("text", text, "t:" + canonical_text(text))


def _boolean(value: bool, _field: str, _timezone: str | None) -> Value:
    text = "true" if value else "false"
    return Value("boolean", text, "b:" + text)


def _integer(value: int, field: str, _timezone: str | None) -> Value:
    text = integer_text(value, field)
    return Value("integer", text, "n:" + text)


def _decimal(value: Decimal | float, field: str, _timezone: str | None) -> Value:
    if isinstance(value, int):
        integer_text(value, field)
        exact = Decimal(value)
    else:
        exact = value if isinstance(value, Decimal) else Decimal(float.__repr__(value))
    return Value("decimal", decimal_text(exact, field), "n:" + normal_number(exact))


def _date(value: object, field: str, _timezone: str | None) -> Value:
    text = parse_date(value, field).isoformat()
    return Value("date", text, "d:" + text)


def _instant(value: object, field: str, timezone: str | None) -> Value:
    text = iso(parse_instant(value, field, timezone=timezone))
    return Value("instant", text, "i:" + text)


def _duration(value: dt.timedelta | str, field: str, _timezone: str | None) -> Value:
    delta = _parse_duration(value, field) if isinstance(value, str) else value
    micros = delta.days * DAY + delta.seconds * SECOND + delta.microseconds
    return Value("duration", _duration_text(micros), f"p:{micros}")


def _entity(value: str, field: str, _timezone: str | None) -> Value:
    written, subject = canonical_subject(value, field)
    return Value("entity", written, "r:" + subject)


def _json(value: object, field: str, _timezone: str | None) -> Value:
    text = check_json(value, field, MAX_TEXT)
    if not text.isascii() and has_hidden(text):
        raise InvalidInput(field, "must not contain invisible tag characters or bidi overrides")
    return Value("json", text, "j:" + canonical_json(text))


def _enum(value: object, definition: AttributeDefinition, field: str) -> Value:
    found = None
    if isinstance(value, str):
        found = definition.enum.get(value) or definition.enum.get(canonical_text(value))
    if found is None:
        allowed = ", ".join(dict.fromkeys(definition.enum.values()))
        raise _mismatch(field, definition, f"must be one of {allowed}, not {str(value)[:40]!r}")
    return Value("enum", found, "e:" + found)


def _declared_json(value: object, definition: AttributeDefinition, field: str) -> Value:
    result = _json(value, field, None)
    if definition.json_problem is not None:
        problem = definition.json_problem(parse_json(result.stored))
        if problem is not None:
            raise _mismatch(field + problem[0], definition, problem[1])
    return result


_BY_TYPE: Final[Mapping[type, _Reader]] = {
    str: _text,
    bool: _boolean,
    int: _integer,
    float: _decimal,
    Decimal: _decimal,
    dt.datetime: _instant,
    dt.date: _date,
    dt.timedelta: _duration,
    dict: _json,
    list: _json,
}
# A datetime is a date too, so it stands first.
_BY_BASE: Final[tuple[tuple[type, _Reader], ...]] = (
    (str, _text),
    (int, _integer),
    (float, _decimal),
    (Decimal, _decimal),
    (dt.datetime, _instant),
    (dt.date, _date),
    (dt.timedelta, _duration),
    (Mapping, _json),
    (list, _json),
)
_DECLARED: Final[Mapping[str, tuple[tuple[type, ...], _Reader]]] = {
    "text": ((str,), _text),
    "integer": ((int,), _integer),
    "decimal": ((Decimal, int, float), _decimal),
    "boolean": ((bool,), _boolean),
    "date": ((dt.date, str), _date),
    "instant": ((dt.datetime, str), _instant),
    "duration": ((dt.timedelta, str), _duration),
    "entity": ((str,), _entity),
}
_A: Final[Mapping[str, str]] = {
    "text": "text",
    "integer": "an integer",
    "decimal": "a number",
    "boolean": "true or false",
    "date": "a date",
    "instant": "an instant",
    "duration": "a duration",
    "entity": "the name of an entity",
}

# ------------------------------------------------------------------------------ durations

_ISO_DURATION: Final = re.compile(
    r"(-)?P(?:([0-9]{1,9})W|(?:([0-9]{1,9})D)?"
    r"(?:T(?:([0-9]{1,12})H)?(?:([0-9]{1,12})M)?(?:([0-9]{1,15})(?:[.,]([0-9]{1,6}))?S)?)?)"
)


def _parse_duration(text: str, field: str) -> dt.timedelta:
    found = _ISO_DURATION.fullmatch(text)
    if found is None or text[-1] in "PT":
        raise InvalidInput(
            field, f"is no ISO 8601 duration of weeks, days or less, such as P1DT2H: {text[:40]!r}"
        )
    sign, weeks, days, hours, minutes, seconds, fraction = found.groups(default="")
    micros = (int(weeks or 0) * 7 + int(days or 0)) * DAY
    micros += (int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)) * SECOND
    micros += int(fraction.ljust(6, "0"))
    try:
        return dt.timedelta(0, 0, -micros if sign else micros)
    except OverflowError as error:
        raise InvalidInput(field, "is longer than 999999999 days") from error


def _split(micros: int) -> tuple[int, int, int, str]:
    """Give days, hours, minutes and seconds (with what fraction there is) of a size."""
    days, rest = divmod(micros, DAY)
    hours, rest = divmod(rest, 3600 * SECOND)
    minutes, rest = divmod(rest, 60 * SECOND)
    seconds, rest = divmod(rest, SECOND)
    return (
        days,
        hours,
        minutes,
        f"{seconds}.{rest:06d}".rstrip("0").rstrip(".") if rest else str(seconds),
    )


def _duration_text(micros: int) -> str:
    days, hours, minutes, seconds = _split(abs(micros))
    date = f"{days}D" if days else ""
    time = f"{hours}H" if hours else ""
    time += f"{minutes}M" if minutes else ""
    time += f"{seconds}S" if seconds != "0" else ""
    if not date and not time:
        return "PT0S"
    return f"{'-' if micros < 0 else ''}P{date}{'T' if time else ''}{time}"


# --------------------------------------------------------------------------------- output


def decode(kind: str, stored: str) -> Any:
    """Give the value as a Python object, exactly as it was stored.

    Instants are datetimes in UTC; decimals, and numbers with a fraction inside JSON, are
    ``Decimal``; an enum is its id, an entity its written name.
    """
    if kind in {"text", "enum", "entity"}:
        return stored
    return _DECODERS[kind](stored)


def jsonable(kind: str, stored: str) -> Any:
    """Give the value as JSON has it: decimals, dates, instants and durations as text.

    Inside JSON a number stays a number where a float has its very value, and is text otherwise.
    """
    if kind == "integer":
        return int(stored)
    if kind == "boolean":
        return stored == "true"
    return _floats(parse_json(stored)) if kind == "json" else stored


def render(kind: str, stored: str) -> str:
    """Give the value in plain words, for people and for the search index."""
    if kind == "boolean":
        return "yes" if stored == "true" else "no"
    if kind == "duration":
        return _duration_words(stored)
    return _plain(parse_json(stored)) if kind == "json" else stored


def _decode_instant(stored: str) -> dt.datetime:
    return dt.datetime.fromisoformat(stored)


_DECODERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "integer": int,
    "decimal": Decimal,
    "boolean": "true".__eq__,
    "date": dt.date.fromisoformat,
    "instant": _decode_instant,
    "duration": lambda stored: _parse_duration(stored, "value"),
    "json": parse_json,
}


def _floats(value: Any) -> Any:
    if isinstance(value, Decimal):
        near = float(value)
        return near if Decimal(repr(near)) == value else str(value)
    if isinstance(value, dict):
        return {k: _floats(v) for k, v in cast("dict[str, Any]", value).items()}
    return [_floats(v) for v in cast("list[Any]", value)] if isinstance(value, list) else value


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}: {_plain(v)}" for k, v in cast("dict[str, Any]", value).items())
    if isinstance(value, list):
        return ", ".join(_plain(v) for v in cast("list[Any]", value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nothing" if value is None else str(value)


def _duration_words(stored: str) -> str:
    delta = _parse_duration(stored, "value")
    micros = delta.days * DAY + delta.seconds * SECOND + delta.microseconds
    days, hours, minutes, seconds = _split(abs(micros))
    parts = (
        (str(days), "day"),
        (str(hours), "hour"),
        (str(minutes), "minute"),
        (seconds, "second"),
    )
    told = [f"{n} {unit}{'' if n == '1' else 's'}" for n, unit in parts if n != "0"]
    return ("minus " if micros < 0 else "") + (" ".join(told) or "0 seconds")
