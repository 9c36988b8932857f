"""What requests hold that several resources share."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from vigent.domain.exact import named_value
from vigent.domain.time import days_in, iso, named_zone, parse_instant
from vigent.govern.exacting import Exacting
from vigent.service.caller import Caller

__all__ = [
    "Attribute",
    "Body",
    "Confidence",
    "Filters",
    "IndexId",
    "Instantlike",
    "Jsonlike",
    "Numberlike",
    "RecordId",
    "Timezone",
    "ValueKind",
    "Wordlike",
    "changed",
    "dated",
    "given",
    "settled",
    "valued",
    "written",
]

_DAY: Final = len("2026-06-30")
_DATES: Final = ("valid_from", "valid_to")

IndexId = Annotated[str, Field(min_length=1, max_length=200, description="A store, by id or name")]


def _known_zone(given: str | None) -> str | None:
    named_zone(given)
    return given


Timezone = Annotated[
    str | None,
    Field(max_length=100, description="IANA name of a time zone"),
    AfterValidator(_known_zone),
]


# What the engine checks itself, naming the field, comes as it is; only the schema is told here.
Jsonlike = Annotated[Any, WithJsonSchema({"description": "any JSON value"})]
Wordlike = Annotated[Any, WithJsonSchema({"type": ["string", "null"], "maxLength": 8000})]
Attribute = Annotated[Any, WithJsonSchema({"type": ["string", "null"], "maxLength": 200})]
Instantlike = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": ["string", "null"],
            "maxLength": 64,
            "description": "ISO 8601 with an offset, or a bare date; with timezone a local time",
        }
    ),
]
Confidence = Annotated[
    Any, WithJsonSchema({"type": ["number", "null"], "minimum": 0, "maximum": 1})
]
Numberlike = Annotated[Any, WithJsonSchema({"type": ["integer", "null"]})]
Filters = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": ["object", "null"],
            "description": 'field to value, or to {"op": value}; all of them have to hold',
        }
    ),
]
ValueKind = Annotated[
    Literal["date", "instant", "duration", "decimal"] | None,
    Field(description="what the text in value stands for, where JSON has no such kind"),
]


RecordId = Annotated[str, Path(pattern="^[A-Za-z0-9_]{1,200}$")]


class Body(Exacting):
    """The body of a request; unknown fields are refused."""


def dated(
    caller: Caller, fields: dict[str, Any], timezone: str | None, *, ends: bool = False
) -> dict[str, Any]:
    """Give fields with bare dates as instants, in the request's zone, the tenant's or UTC.

    A date is the start of its day, with ``ends`` the last microsecond of it. What is no bare
    date is left as it is; a time without an offset is then read in the request's zone only.
    """
    if not any(isinstance(given, str) and len(given) == _DAY for given in fields.values()):
        return dict(fields)
    return days_in(fields, caller.zone(timezone), ends=ends)


def settled(
    caller: Caller, fields: dict[str, Any], timezone: str | None, *, ends: bool = True
) -> dict[str, Any]:
    """Give fields as ISO instants with an offset, so that no other zone bears on them.

    Bare dates are as in ``dated``; a time without an offset is read in the request's zone only.
    """
    edge = "end" if ends else "start"
    return {
        name: given
        if given is None
        else iso(parse_instant(given, name, timezone=timezone, bare_date=edge))
        for name, given in dated(caller, fields, timezone, ends=ends).items()
    }


def valued(fields: dict[str, Any]) -> dict[str, Any]:
    """Give fields with the value as the kind that ``value_kind`` names, where it is named."""
    rest = {name: value for name, value in fields.items() if name != "value_kind"}
    if fields.get("value_kind") is None:
        return rest
    return {**rest, "value": named_value(fields["value_kind"], fields.get("value"))}


def written(caller: Caller, fields: dict[str, Any]) -> dict[str, Any]:
    """Give the fields of a write or retraction as the engine takes them."""
    fields = valued(fields)
    zone = fields.get("timezone")
    dates = {name: fields[name] for name in _DATES if name in fields}
    trust = caller.lowered(fields.get("trust"))
    return {**fields, **dated(caller, dates, zone), "trust": trust}


def given(body: BaseModel, *without: str) -> dict[str, Any]:
    """Give the fields of a body that were sent, but for some."""
    return {n: getattr(body, n) for n in body.model_fields_set if n not in without}


def changed(body: BaseModel, default: BaseModel, *without: str) -> dict[str, Any]:
    """Give the fields of a body that were sent, but for some; null is what it is by default."""
    sent = given(body, *without)
    return {n: getattr(default, n) if value is None else value for n, value in sent.items()}
