"""Accepts what a caller says: everything is checked here, before any lock is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vigent.domain.jsontext import check_metadata
from vigent.domain.schema import AttributeDefinition, MemoryType, Schema, fact_like, trust_rank
from vigent.domain.text import MAX_TEXT, canonical_subject
from vigent.domain.time import OPEN, parse_instant
from vigent.domain.values import Value, canonical
from vigent.errors import InvalidInput
from vigent.write.draft import UNSET, Draft, unset
from vigent.write.fields import (
    APPLICATION,
    attribute_of,
    choice,
    confidence_of,
    deadline,
    due_of,
    free_text,
    importance_of,
    memory_type,
    own_fields,
    reference,
    start_of,
    values_of,
    was_cleaned,
    words_of,
)

__all__ = [
    "RETRACT_FIELDS",
    "WRITE_FIELDS",
    "Request",
    "accept",
    "accept_retraction",
    "accept_update",
]

_MODES: Final = ("change", "correction", "replace")
_STATES: Final = ("open", "done", "cancelled")
_MAX_SOURCE: Final = 2_000
_IN_PLACE: Final = frozenset(
    {"confidence", "importance", "metadata", "expires_at", "ttl_days", "retention_policy", "due",
     "state", "timezone"}
)  # fmt: skip


@dataclass(slots=True)
class Request:
    """A write as it was asked for; nothing is checked yet."""

    subject: Any = None
    attribute: Any = None
    value: Any = UNSET
    text: Any = None
    type: Any = "fact"
    valid_from: Any = None
    valid_to: Any = None
    mode: Any = "change"
    corrects: Any = None
    supersedes: Any = None
    confidence: Any = UNSET
    importance: Any = None
    due: Any = None
    source_episode_id: Any = None
    quote: Any = None
    source: Any = None
    trust: Any = "application"
    timezone: Any = None
    expires_at: Any = None
    ttl_days: Any = None
    retention_policy: Any = None
    metadata: Any = None
    expect: Any = None


def accept(schema: Schema, person: str, r: Request) -> Draft:
    """Check a write; raises InvalidInput naming the first field that does not fit."""
    about = _About.of(schema, r)
    rank = trust_rank(r.trust)
    held = about.held
    if about.type.person_word and rank < APPLICATION:
        held = held or "needs the person's own word"
    confidence = confidence_of(r.confidence, rank)
    if confidence is None or confidence < schema.min_confidence:
        held = held or ("confidence is less than the store asks" if schema.min_confidence else None)
    start = start_of(r.valid_from, r.timezone)
    end = (
        OPEN
        if r.valid_to is None
        else parse_instant(r.valid_to, "valid_to", timezone=r.timezone, bare_date="start")
    )
    if start is not None and end <= start:
        raise InvalidInput("valid_to", "must be after valid_from")
    retract, end_given = False, r.valid_to is not None
    # In the order of the fields: named, thirty of them take twice as long to hand over.
    return Draft(
        person, about.subject, about.name, about.attribute, about.definition, about.type.name,
        retract, str(r.mode), about.values, about.text, about.flagged, start, end,
        reference(r.corrects, "corrects"), reference(r.supersedes, "supersedes"),
        confidence, importance_of(r.importance, about.type),
        own_fields(about.type, r.due, r.timezone),
        reference(r.source_episode_id, "source_episode_id"),
        words_of(r.quote, "quote", MAX_TEXT), words_of(r.source, "source", _MAX_SOURCE),
        str(r.trust), rank,
        *deadline(schema, r.expires_at, r.ttl_days, r.retention_policy, r.timezone),
        None if r.metadata is None else check_metadata(r.metadata),
        reference(r.expect, "expect"), held, end_given,
    )  # fmt: skip


@dataclass(slots=True)
class _About:
    """What a write is about, and what it says of it."""

    subject: str
    name: str
    attribute: str
    definition: AttributeDefinition | None
    type: MemoryType
    values: tuple[Value, ...]
    text: str | None
    flagged: bool
    held: str | None

    @classmethod
    def of(cls, schema: Schema, r: Request) -> _About:
        if r.mode not in _MODES:
            raise InvalidInput("mode", f"must be one of {', '.join(_MODES)}")
        if r.corrects is not None and r.mode != "correction":
            raise InvalidInput("corrects", 'is for mode="correction"')
        known, held = memory_type(schema, r.type)
        name, canon = ("", "") if r.subject is None else canonical_subject(r.subject)
        if r.attribute is None:
            if not unset(r.value) or r.text is None:
                raise InvalidInput("attribute", "must be given with a value, or text without both")
            if r.mode == "replace":
                raise InvalidInput("mode", "replace is for a multi-valued attribute")
            values, said, flagged = free_text(r.text)
            return cls(canon, name, "", None, known, values, said, flagged, held)
        if r.text is not None:
            raise InvalidInput("text", "cannot stand beside an attribute; give its value")
        attribute_name, definition, unknown = attribute_of(schema, r.attribute)
        if not name:
            raise InvalidInput("subject", "must be given with an attribute")
        if unset(r.value):
            raise InvalidInput("value", "must be given")
        values = values_of(r.value, definition, r.mode, r.timezone)
        flagged = was_cleaned(r.value, values)
        return cls(
            canon, name, attribute_name, definition, known, values, None, flagged,
            held or unknown,
        )  # fmt: skip


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
    name, canon = canonical_subject(subject)
    attribute_name, definition, _ = attribute_of(schema, attribute)
    named = () if unset(value) else (canonical(value, definition, timezone=timezone),)
    return Draft(
        person=person, subject=canon, name=name, attribute=attribute_name,
        definition=definition, type="fact", retract=True, mode=str(mode), values=named, text=None,
        flagged=False, valid_from=start_of(valid_from, timezone), valid_to=OPEN, corrects=None,
        supersedes=None, confidence=None, importance=5, fields="{}",
        source_episode=reference(source_episode_id, "source_episode_id"),
        quote=words_of(quote, "quote", MAX_TEXT), source=words_of(source, "source", _MAX_SOURCE),
        trust=str(trust), trust_rank=trust_rank(trust), expires_at=None, ttl_days=None,
        retention=None, metadata=None, expect=None,
    )  # fmt: skip


WRITE_FIELDS: Final = frozenset(Request.__dataclass_fields__)
RETRACT_FIELDS: Final = frozenset(
    {"subject", "attribute", *(accept_retraction.__kwdefaults__ or ())}
)


def accept_update(schema: Schema, type: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Check the fields of an in-place change; gives the columns to set. None leaves as it is."""
    changes = {name: value for name, value in changes.items() if value is not None or name == "due"}
    unknown = sorted(changes.keys() - _IN_PLACE)
    if unknown:
        raise InvalidInput(unknown[0], f"cannot be updated; only {', '.join(sorted(_IN_PLACE))}")
    known = schema.type(type) or fact_like(type)
    out: dict[str, Any] = {}
    if "confidence" in changes:
        out["confidence"] = confidence_of(changes["confidence"], APPLICATION)
    if "importance" in changes:
        out["importance"] = importance_of(changes["importance"], known)
    if "metadata" in changes:
        out["metadata"] = check_metadata(changes["metadata"])
    own: dict[str, Any] = {}
    for field in ("due", "state"):
        if field in changes:
            if field not in known.fields:
                raise InvalidInput(field, f"is not a field of the type {type}")
            own[field] = (
                due_of(changes[field], changes.get("timezone"))
                if field == "due"
                else choice(changes[field], field, _STATES)
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
        )._asdict()
    )
    return out
