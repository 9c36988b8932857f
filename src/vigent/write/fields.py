"""Checks single fields of a request, each naming the field and the limit where it does not fit."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Final, NamedTuple, cast

from vigent.domain.schema import AttributeDefinition, MemoryType, Schema, fact_like
from vigent.domain.text import MAX_TEXT, MAX_TYPE, canonical_text, check_id, check_name, clean_text
from vigent.domain.time import Instant, iso, parse_date, parse_instant
from vigent.domain.values import Value, canonical
from vigent.errors import InvalidInput, SchemaMismatch
from vigent.write.draft import unset

__all__ = [
    "APPLICATION",
    "Deadline",
    "attribute_of",
    "choice",
    "confidence_of",
    "deadline",
    "due_of",
    "free_text",
    "importance_of",
    "memory_type",
    "own_fields",
    "reference",
    "start_of",
    "values_of",
    "was_cleaned",
    "words_of",
]

_SEVERAL: Final = (list, tuple, set, frozenset)
APPLICATION: Final = 3
"""The rank of trust from which a source need not say how sure it is."""


class Deadline(NamedTuple):
    """How long something is kept, where a caller says so: one of these at most is given."""

    expires_at: Instant | None = None
    ttl_days: int | None = None
    retention: str | None = None


_NOTHING_SAID: Final = Deadline()


def deadline(
    schema: Schema,
    expires_at: object,
    ttl_days: object,
    retention_policy: object,
    timezone: str | None,
) -> Deadline:
    """Check how long to keep something: at most one of the three ways to say it."""
    if expires_at is None and ttl_days is None and retention_policy is None:
        return _NOTHING_SAID
    if sum(x is not None for x in (expires_at, ttl_days, retention_policy)) > 1:
        raise InvalidInput(
            "expires_at", "give only one of expires_at, ttl_days and retention_policy"
        )
    if ttl_days is not None and (
        isinstance(ttl_days, bool) or not isinstance(ttl_days, int) or not 0 < ttl_days <= 36_500
    ):
        raise InvalidInput("ttl_days", "must be a whole number of days from 1 to 36500")
    return Deadline(
        None if expires_at is None else parse_instant(expires_at, "expires_at", timezone=timezone),
        ttl_days,
        None if retention_policy is None else schema.retention(retention_policy).name,
    )


def memory_type(schema: Schema, type: object) -> tuple[MemoryType, str | None]:
    """Give the type a name stands for, and why a memory of it is held, if it is."""
    known = schema.type(type) if isinstance(type, str) else None
    if known is not None:
        if known.service_only:
            raise InvalidInput("type", f"{known.name} is written by the service only")
        return known, None
    name = check_name(type, "type", MAX_TYPE)
    if schema.unknown_types == "reject":
        raise SchemaMismatch("type", f"{name!r} is not declared in this store's schema")
    return fact_like(name), "unknown_type" if schema.unknown_types == "review" else None


def attribute_of(
    schema: Schema, attribute: object
) -> tuple[str, AttributeDefinition | None, str | None]:
    """Give an attribute by its canonical name, its definition, and why it is held, if it is."""
    name = check_name(attribute, "attribute")
    definition = schema.attribute(name)
    if definition is not None:
        return definition.name, definition, None
    if schema.unknown_attributes == "reject":
        raise SchemaMismatch("attribute", f"{name!r} is not declared in this store's schema")
    return name, None, "unknown_attribute" if schema.unknown_attributes == "review" else None


def free_text(text: object) -> tuple[tuple[Value, ...], str, bool]:
    """Check a text; gives it as a value, as it is kept, and whether anything was taken out."""
    said, flagged = clean_text(text, "text", MAX_TEXT)
    return (Value("text", said, "t:" + canonical_text(said)),), said, flagged


def values_of(
    value: object, definition: AttributeDefinition | None, mode: object, timezone: str | None
) -> tuple[Value, ...]:
    """Check a value, or the values of a replacement."""
    if mode != "replace":
        return (canonical(value, definition, timezone=timezone),)
    if definition is None or not definition.multi:
        raise InvalidInput("mode", "replace is for a multi-valued attribute")
    several = isinstance(value, _SEVERAL)
    many = list(cast("Iterable[object]", value)) if several else [value]
    found: dict[str, Value] = {}
    for i, one in enumerate(many):
        checked = canonical(one, definition, f"value[{i}]", timezone=timezone)
        found.setdefault(checked.canon, checked)
    return tuple(found.values())


def was_cleaned(given: object, values: tuple[Value, ...]) -> bool:
    """Whether hidden characters were taken out of a text."""
    return len(values) == 1 and values[0].kind == "text" and values[0].stored != given


def start_of(valid_from: object, timezone: str | None) -> Instant | None:
    """Check when something begins; a bare date is the start of that day."""
    if valid_from is None:
        return None
    return parse_instant(valid_from, "valid_from", timezone=timezone, bare_date="start")


def reference(given: object, field: str) -> str | None:
    """Check the id of something that is named."""
    return None if given is None else check_id(given, field)


def words_of(given: object, field: str, limit: int) -> str | None:
    """Check a short text that goes with a statement."""
    return None if given is None else clean_text(given, field, limit)[0]


def confidence_of(given: object, rank: int) -> float | None:
    """Check a confidence; sources from application up need not give one."""
    if given is None or unset(given):
        if rank < APPLICATION:
            raise InvalidInput("confidence", "must be given by a source below application")
        return 1.0
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
        raise InvalidInput("confidence", "must be a number from 0 to 1")
    if not isinstance(given, Decimal) or given.is_finite():
        try:
            number = float(given)
        except OverflowError:
            number = math.inf
        if 0.0 <= number <= 1.0:
            return number
    raise InvalidInput("confidence", "must be a number from 0 to 1")


def importance_of(given: object, type: MemoryType) -> int:
    """Check an importance, from 1 to 10."""
    if given is None:
        return type.importance
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 10:
        raise InvalidInput("importance", "must be a whole number from 1 to 10")
    return given


def own_fields(type: MemoryType, due: object, timezone: str | None) -> str:
    """Give the type's own fields as JSON."""
    if not type.fields:
        if due is not None:
            raise InvalidInput("due", f"is not a field of the type {type.name}")
        return "{}"
    if type.name != "commitment":
        return "{}"
    return json.dumps({"due": due_of(due, timezone), "state": "open"})


def due_of(due: object, timezone: str | None) -> str | None:
    """Check when something is due: a date or an instant."""
    if due is None:
        return None
    if isinstance(due, dt.date) and not isinstance(due, dt.datetime):
        return due.isoformat()
    if isinstance(due, str) and len(due) == 10:
        return parse_date(due, "due").isoformat()
    return iso(parse_instant(due, "due", timezone=timezone))


def choice(given: object, field: str, allowed: tuple[str, ...]) -> str:
    """Check that something is one of a few words."""
    if given not in allowed:
        raise InvalidInput(field, f"must be one of {', '.join(allowed)}")
    return str(given)
