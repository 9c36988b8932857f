"""Accepts what a caller says: everything is checked here, before any lock is taken."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from vigent.domain.jsontext import check_metadata
from vigent.domain.schema import AttributeDefinition, MemoryType, Schema, fact_like, trust_rank
from vigent.domain.text import (
    MAX_TEXT,
    MAX_TYPE,
    canonical_subject,
    canonical_text,
    check_id,
    check_name,
    clean_text,
)
from vigent.domain.time import OPEN, Instant, iso, parse_date, parse_instant
from vigent.domain.values import Value, canonical
from vigent.errors import InvalidInput, SchemaMismatch

__all__ = ["UNSET", "Draft", "accept", "accept_retraction", "accept_update", "deadline", "unset"]


class _Unset:
    """Stands where nothing was given; None is a value of its own in some places."""

    def __repr__(self) -> str:
        return "<unset>"


UNSET: Final = _Unset()
_MODES: Final = ("change", "correction", "replace")
_STATES: Final = ("open", "done", "cancelled")
_APPLICATION: Final = 3
_MAX_SOURCE: Final = 2_000


def unset(value: object) -> bool:
    """Whether nothing was given."""
    return value is UNSET


@dataclass(slots=True)
class Draft:
    """One request, checked. ``values`` has one value, or those of a replacement; none for a
    retraction that names none."""

    person: str
    subject: str
    name: str
    attribute: str
    definition: AttributeDefinition | None
    type: str
    retract: bool
    mode: str
    values: tuple[Value, ...]
    text: str | None
    flagged: bool
    valid_from: Instant | None
    valid_to: Instant
    corrects: str | None
    supersedes: str | None
    confidence: float | None
    importance: int
    fields: str
    source_episode: str | None
    quote: str | None
    source: str | None
    trust: str
    trust_rank: int
    expires_at: Instant | None
    ttl_days: int | None
    retention: str | None
    metadata: str | None
    expect: str | None
    held: str | None = None
    end_given: bool = False

    @property
    def multi(self) -> bool:
        """Whether each value has a timeline of its own."""
        return not self.attribute or (self.definition is not None and self.definition.multi)


def accept(
    schema: Schema,
    person: str,
    *,
    subject: object = None,
    attribute: object = None,
    value: object = UNSET,
    text: object = None,
    type: object = "fact",
    valid_from: object = None,
    valid_to: object = None,
    mode: object = "change",
    corrects: object = None,
    supersedes: object = None,
    confidence: object = UNSET,
    importance: object = None,
    due: object = None,
    source_episode_id: object = None,
    quote: object = None,
    source: object = None,
    trust: object = "application",
    timezone: str | None = None,
    expires_at: object = None,
    ttl_days: object = None,
    retention_policy: object = None,
    metadata: object = None,
    expect: object = None,
) -> Draft:
    """Check a write; raises InvalidInput naming the first field that does not fit."""
    if mode not in _MODES:
        raise InvalidInput("mode", f"must be one of {', '.join(_MODES)}")
    memory_type, held = _type(schema, type)
    name, canon = ("", "") if subject is None else _subject(subject)
    definition = None
    if attribute is None:
        if not unset(value):
            raise InvalidInput("attribute", "must be given with a value")
        if text is None:
            raise InvalidInput("value", "must be given (or text, for a memory in free text)")
        values, said, flagged = _free_text(text)
        attribute_name = ""
        if mode == "replace":
            raise InvalidInput("mode", "replace is for a multi-valued attribute")
    else:
        if text is not None:
            raise InvalidInput("text", "cannot stand beside an attribute; give its value")
        attribute_name, definition, unknown = _attribute(schema, attribute)
        held = held or unknown
        if not name:
            raise InvalidInput("subject", "must be given with an attribute")
        if unset(value):
            raise InvalidInput("value", "must be given")
        values = _values(value, definition, mode, timezone)
        said, flagged = None, _was_cleaned(value, values)
    rank = trust_rank(trust)
    if memory_type.person_word and rank < _APPLICATION:
        held = held or "needs the person's own word"
    start = _start(valid_from, timezone)
    end = OPEN if valid_to is None else parse_instant(
        valid_to, "valid_to", timezone=timezone, bare_date="start"
    )
    if start is not None and end <= start:
        raise InvalidInput("valid_to", "must be after valid_from")
    return Draft(
        person=person,
        subject=canon,
        name=name,
        attribute=attribute_name,
        definition=definition,
        type=memory_type.name,
        retract=False,
        mode=str(mode),
        values=values,
        text=said,
        flagged=flagged,
        valid_from=start,
        valid_to=end,
        corrects=_reference(corrects, "corrects"),
        supersedes=_reference(supersedes, "supersedes"),
        confidence=_confidence(confidence, rank),
        importance=_importance(importance, memory_type),
        fields=_fields(memory_type, due, timezone),
        source_episode=_reference(source_episode_id, "source_episode_id"),
        quote=_words(quote, "quote", MAX_TEXT),
        source=_words(source, "source", _MAX_SOURCE),
        trust=str(trust),
        trust_rank=rank,
        **deadline(schema, expires_at, ttl_days, retention_policy, timezone),
        metadata=None if metadata is None else check_metadata(metadata),
        expect=_reference(expect, "expect"),
        held=held,
        end_given=valid_to is not None,
    )


def accept_retraction(
    schema: Schema,
    person: str,
    *,
    subject: object,
    attribute: object,
    value: object = UNSET,
    valid_from: object = None,
    mode: object = "change",
    source_episode_id: object = None,
    quote: object = None,
    source: object = None,
    trust: object = "application",
    timezone: str | None = None,
) -> Draft:
    """Check a retraction; raises InvalidInput naming the first field that does not fit."""
    if mode not in ("change", "correction"):
        raise InvalidInput("mode", "must be one of change, correction")
    if subject is None:
        raise InvalidInput("subject", "must be given")
    if attribute is None:
        raise InvalidInput("attribute", "must be given")
    name, canon = _subject(subject)
    attribute_name, definition, _ = _attribute(schema, attribute)
    named = () if unset(value) else (canonical(value, definition, timezone=timezone),)
    return Draft(
        person=person, subject=canon, name=name, attribute=attribute_name,
        definition=definition, type="fact", retract=True, mode=str(mode), values=named, text=None,
        flagged=False, valid_from=_start(valid_from, timezone), valid_to=OPEN, corrects=None,
        supersedes=None, confidence=None, importance=5, fields="{}",
        source_episode=_reference(source_episode_id, "source_episode_id"),
        quote=_words(quote, "quote", MAX_TEXT), source=_words(source, "source", _MAX_SOURCE),
        trust=str(trust), trust_rank=trust_rank(trust), expires_at=None, ttl_days=None,
        retention=None, metadata=None, expect=None,
    )  # fmt: skip


def accept_update(schema: Schema, type: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Check the fields of an in-place change; gives the columns to set."""
    known = schema.type(type) or fact_like(type)
    out: dict[str, Any] = {}
    if "confidence" in changes:
        out["confidence"] = _confidence(changes["confidence"], _APPLICATION)
    if "importance" in changes:
        out["importance"] = _importance(changes["importance"], known)
    if "metadata" in changes:
        out["metadata"] = check_metadata(changes["metadata"])
    own: dict[str, Any] = {}
    for field in ("due", "state"):
        if field in changes:
            if field not in known.fields:
                raise InvalidInput(field, f"is not a field of the type {type}")
            own[field] = (
                _due(changes[field], changes.get("timezone"))
                if field == "due"
                else _choice(changes[field], field, _STATES)
            )
    if own:
        out["own"] = own
    out.update(
        deadline(
            schema,
            changes.get("expires_at"),
            changes.get("ttl_days"),
            changes.get("retention_policy"),
            changes.get("timezone"),
        )
    )
    return out


def deadline(
    schema: Schema,
    expires_at: object,
    ttl_days: object,
    retention_policy: object,
    timezone: str | None,
) -> dict[str, Any]:
    """Check how long to keep something: at most one of the three ways to say it."""
    if sum(x is not None for x in (expires_at, ttl_days, retention_policy)) > 1:
        raise InvalidInput(
            "expires_at", "give only one of expires_at, ttl_days and retention_policy"
        )
    if retention_policy is not None:
        schema.retention(retention_policy)
    if ttl_days is not None and (
        isinstance(ttl_days, bool) or not isinstance(ttl_days, int) or not 0 < ttl_days <= 36_500
    ):
        raise InvalidInput("ttl_days", "must be a whole number of days from 1 to 36500")
    return {
        "expires_at": None
        if expires_at is None
        else parse_instant(expires_at, "expires_at", timezone=timezone),
        "ttl_days": ttl_days,
        "retention": retention_policy,
    }


def _subject(subject: object) -> tuple[str, str]:
    return canonical_subject(subject)


def _type(schema: Schema, type: object) -> tuple[MemoryType, str | None]:
    known = schema.type(type) if isinstance(type, str) else None
    if known is not None:
        if known.service_only:
            raise InvalidInput("type", f"{known.name} is written by the service only")
        return known, None
    name = check_name(type, "type", MAX_TYPE)
    if schema.unknown_types == "reject":
        raise SchemaMismatch("type", f"{name!r} is not declared in this store's schema")
    return fact_like(name), "unknown_type" if schema.unknown_types == "review" else None


def _attribute(
    schema: Schema, attribute: object
) -> tuple[str, AttributeDefinition | None, str | None]:
    name = check_name(attribute, "attribute")
    definition = schema.attribute(name)
    if definition is not None:
        return definition.name, definition, None
    if schema.unknown_attributes == "reject":
        raise SchemaMismatch("attribute", f"{name!r} is not declared in this store's schema")
    return name, None, "unknown_attribute" if schema.unknown_attributes == "review" else None


def _free_text(text: object) -> tuple[tuple[Value, ...], str, bool]:
    said, flagged = clean_text(text, "text", MAX_TEXT)
    return (Value("text", said, "t:" + canonical_text(said)),), said, flagged


def _values(
    value: object, definition: AttributeDefinition | None, mode: object, timezone: str | None
) -> tuple[Value, ...]:
    if mode != "replace":
        return (canonical(value, definition, timezone=timezone),)
    if definition is None or not definition.multi:
        raise InvalidInput("mode", "replace is for a multi-valued attribute")
    many = value if isinstance(value, list | tuple | set | frozenset) else [value]
    found = {
        v.canon: v
        for i, one in enumerate(many)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        for v in (canonical(one, definition, f"value[{i}]", timezone=timezone),)
    }
    return tuple(found.values())


def _was_cleaned(given: object, values: tuple[Value, ...]) -> bool:
    return len(values) == 1 and values[0].kind == "text" and values[0].stored != given


def _start(valid_from: object, timezone: str | None) -> Instant | None:
    if valid_from is None:
        return None
    return parse_instant(valid_from, "valid_from", timezone=timezone, bare_date="start")


def _reference(given: object, field: str) -> str | None:
    return None if given is None else check_id(given, field)


def _words(given: object, field: str, limit: int) -> str | None:
    return None if given is None else clean_text(given, field, limit)[0]


def _confidence(given: object, rank: int) -> float | None:
    if given is None or unset(given):
        if rank < _APPLICATION:
            raise InvalidInput("confidence", "must be given by a source below application")
        return 1.0
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
        raise InvalidInput("confidence", "must be a number from 0 to 1")
    number = float(given)
    if not math.isfinite(number) or not 0.0 <= number <= 1.0:
        raise InvalidInput("confidence", "must be a number from 0 to 1")
    return number


def _importance(given: object, type: MemoryType) -> int:
    if given is None:
        return type.importance
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 10:
        raise InvalidInput("importance", "must be a whole number from 1 to 10")
    return given


def _fields(type: MemoryType, due: object, timezone: str | None) -> str:
    if not type.fields:
        if due is not None:
            raise InvalidInput("due", f"is not a field of the type {type.name}")
        return "{}"
    if type.name != "commitment":
        return "{}"
    return json.dumps({"due": _due(due, timezone), "state": "open"})


def _due(due: object, timezone: str | None) -> str | None:
    if due is None:
        return None
    if isinstance(due, dt.date) and not isinstance(due, dt.datetime):
        return due.isoformat()
    if isinstance(due, str) and len(due) == 10:
        return parse_date(due, "due").isoformat()
    return iso(parse_instant(due, "due", timezone=timezone))


def _choice(given: object, field: str, allowed: tuple[str, ...]) -> str:
    if given not in allowed:
        raise InvalidInput(field, f"must be one of {', '.join(allowed)}")
    return str(given)

