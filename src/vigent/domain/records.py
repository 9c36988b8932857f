"""What readers get: one memory as it stands over one stretch of valid and recorded time.

A record reads from a statement (or the packed content of one) and decodes what is asked for:
a read that only wants the value pays only for the value.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, Self, TypeVar, cast, overload

import orjson

from vigent.domain.content import (
    AT,
    CONTENT_FIELDS,
    beyond_json,
    content_of,
    moment_of,
    pack,
    shown_columns,
)
from vigent.domain.statements import KeyId, Statement
from vigent.domain.text import canonical_subject, is_own, own_name
from vigent.domain.time import DAY, OPEN, Instant, instant_of, iso, to_datetime
from vigent.domain.values import decode, jsonable

__all__ = ["CONTENT_FIELDS", "Record", "Stretch", "pack"]

T = TypeVar("T")


class Stretch(NamedTuple):
    """The two intervals a record stands for."""

    valid_from: Instant
    valid_to: Instant
    recorded_from: Instant
    recorded_to: Instant | None


class _Field(Generic[T]):
    """A field of a record, read from its content when asked for."""

    __slots__ = ("convert", "index")

    def __init__(self, name: str, convert: Callable[[Any], T] | None = None) -> None:
        self.index = AT[name]
        self.convert = convert

    @overload
    def __get__(self, record: None, owner: type) -> _Field[T]: ...
    @overload
    def __get__(self, record: Record, owner: type) -> T: ...
    def __get__(self, record: Record | None, owner: type) -> _Field[T] | T:
        if record is None:
            return self
        found = record.content[self.index]
        return found if self.convert is None else self.convert(found)


def _moment(value: Instant | None) -> dt.datetime | None:
    return None if value is None or value >= OPEN else to_datetime(value)


def _text_instant(value: Instant | None) -> str | None:
    return None if value is None or value >= OPEN else iso(value)


def _json_object(text: str) -> dict[str, Any]:
    return {} if text == "{}" else cast("dict[str, Any]", json.loads(text))


class Record:
    """One memory over one stretch of time, as answered at ``as_of`` and ``known_at``.

    Instants are datetimes in UTC; ``valid_to`` and ``recorded_to`` are None while open.
    ``confidence`` is the stored number, ``effective_confidence`` what is left of it by its
    half-life at the time of the read; None means unknown. Records compare by what they say.
    """

    __slots__ = (
        "_content",
        "_half_life",
        "_replaced",
        "_source",
        "answered_at",
        "key",
        "known",
        "name",
        "replacer",
        "stretch",
        "valid_at",
    )

    def __init__(
        self,
        key: KeyId,
        name: str,
        source: Statement | str,
        stretch: Stretch,
        *,
        replaced: str | Callable[[], str | None] | None,
        replacer: str | None,
        valid_at: Instant,
        known: Instant,
        answered_at: Instant,
        half_life_days: float | Callable[[KeyId, str], float | None] | None,
    ) -> None:
        self.key = key
        self.name = name
        self._source = source
        self._content: tuple[Any, ...] | list[Any] | None = None
        self.stretch = stretch
        self._replaced = replaced
        self.replacer = replacer
        self.valid_at = valid_at
        self.known = known
        self.answered_at = answered_at
        self._half_life = half_life_days

    @property
    def content(self) -> tuple[Any, ...] | list[Any]:
        """The shown columns of the statement, in the order of ``CONTENT_FIELDS``."""
        content = self._content
        if content is None:
            source = self._source
            content = orjson.loads(source) if isinstance(source, str) else shown_columns(source)
            self._content = content
        return content

    @property
    def made(self) -> Instant:
        """When it was made, in microseconds: ``created_at``."""
        return int(self.content[AT["created_at"]])

    memory_id = _Field[str]("id")
    memory_type = _Field[str]("type")
    text = _Field["str | None"]("text")
    schema_version = _Field[int]("schema_version")
    valid_from_basis = _Field[str]("basis")
    source_episode_id = _Field["str | None"]("source_episode")
    source = _Field["str | None"]("source")
    quote = _Field["str | None"]("quote")
    speaker = _Field["str | None"]("speaker")
    trust = _Field[str]("trust")
    confidence = _Field["float | None"]("confidence")
    importance = _Field[int]("importance")
    evidence_count = _Field[int]("evidence_count")
    retrieved_count = _Field[int]("retrieved_count")
    contested = _Field[bool]("contested", bool)
    status = _Field[str]("status")
    retention_policy = _Field["str | None"]("retention")
    expires_at = _Field["dt.datetime | None"]("expires_at", _moment)
    created_at = _Field["dt.datetime | None"]("created_at", _moment)
    last_changed_at = _Field["dt.datetime | None"]("last_changed_at", _moment)
    confirmed_at = _Field["dt.datetime | None"]("confirmed_at", _moment)
    metadata = _Field["dict[str, Any]"]("metadata", _json_object)
    fields = _Field["dict[str, Any]"]("fields", _json_object)

    @property
    def value(self) -> Any:
        """The value as a Python object of its kind; None for free text."""
        content = self.content
        kind = content[2]
        if kind == "text":
            return content[3]
        return None if kind is None else decode(kind, content[3])

    @property
    def value_kind(self) -> str | None:
        """The kind of the value: text, integer, decimal, boolean, date, instant and so on."""
        return cast("str | None", self.content[2])

    @property
    def tenant_id(self) -> str:
        """The tenant the memory belongs to."""
        return self.key.tenant

    @property
    def store_id(self) -> str:
        """The store that holds it."""
        return self.key.store

    @property
    def person_id(self) -> str | None:
        """The person whose memory it is; None when shared."""
        return self.key.person or None

    @property
    def subject(self) -> str | None:
        """What it is about, as first written."""
        return self.name or None

    @property
    def attribute(self) -> str | None:
        """The property it states; None for free text."""
        return self.key.attribute or None

    @property
    def valid_from(self) -> dt.datetime:
        """From when it holds."""
        return to_datetime(self.stretch.valid_from)

    @property
    def valid_to(self) -> dt.datetime | None:
        """The first instant at which it no longer holds; None while open."""
        return _moment(self.stretch.valid_to)

    @property
    def recorded_from(self) -> dt.datetime:
        """Since when the store has believed this stretch."""
        return to_datetime(self.stretch.recorded_from)

    @property
    def recorded_to(self) -> dt.datetime | None:
        """When the store stopped believing this stretch; None while it does."""
        return _moment(self.stretch.recorded_to)

    @property
    def supersedes_memory_id(self) -> str | None:
        """The memory it followed or corrected."""
        found = self._replaced
        if found is None or isinstance(found, str):
            return found
        self._replaced = found = found()
        return found

    @property
    def half_life_days(self) -> float | None:
        """In how many days half of the confidence is left; None where it does not fade."""
        found = self._half_life
        if callable(found):
            self._half_life = found = found(self.key, self.memory_type)
        return found

    @property
    def superseded_by(self) -> str | None:
        """The memory that followed or corrected it."""
        return self.replacer

    @property
    def as_of(self) -> dt.datetime:
        """The instant of valid time the answer stands for."""
        return to_datetime(self.valid_at)

    @property
    def known_at(self) -> dt.datetime:
        """The instant of recorded time the answer stands for."""
        return to_datetime(self.known)

    @property
    def effective_confidence(self) -> float | None:
        """``confidence * 0.5 ** (age_in_days / half_life)``, aged from the last change."""
        content = self.content
        confidence = cast("float | None", content[12])
        half_life = self.half_life_days
        if confidence is None or half_life is None:
            return confidence
        since = max(content[21], content[22] or content[21])
        age = max(0, self.answered_at - since) / DAY
        return confidence * 0.5 ** (age / half_life)

    def reaches(self, least: float | None) -> bool:
        """Whether its effective confidence is at least this; one that is unknown reaches none."""
        effective = self.effective_confidence
        return least is None or (effective is not None and effective >= least)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back the record that ``to_dict`` wrote, with nothing lost."""
        subject, attribute = found["subject"] or "", found["attribute"] or ""
        named = own_name(subject) if is_own(attribute) else subject
        key = KeyId(
            found["tenant_id"], found["store_id"], found["person_id"] or "",
            canonical_subject(named)[1] if named == subject and subject else named,
            attribute, "" if attribute else found["memory_type"],
        )  # fmt: skip
        stretch = Stretch(
            instant_of(found["valid_from"]), moment_of(found["valid_to"], OPEN),
            instant_of(found["recorded_from"]), moment_of(found["recorded_to"], None),
        )  # fmt: skip
        one = cls(
            key, subject, "", stretch,
            replaced=found["supersedes_memory_id"], replacer=found["superseded_by"],
            valid_at=instant_of(found["as_of"]), known=instant_of(found["known_at"]),
            answered_at=instant_of(found["answered_at"]), half_life_days=found["half_life_days"],
        )  # fmt: skip
        one._content = content_of(found)
        return one

    def to_dict(self) -> dict[str, Any]:
        """Give the record as JSON-ready values, in a fixed order, the type's own fields last.

        A value of JSON with numbers that no float holds stands there once more, as JSON text
        under ``value_json``.
        """
        c = self.content
        kind = c[2]
        stretch = self.stretch
        return {
            "tenant_id": self.key.tenant,
            "memory_id": c[0],
            "store_id": self.key.store,
            "person_id": self.key.person or None,
            "memory_type": c[1],
            "subject": self.name or None,
            "attribute": self.key.attribute or None,
            "value": None if kind is None else jsonable(kind, c[3]),
            "value_kind": kind,
            "text": c[4],
            "schema_version": c[5],
            "valid_from": iso(stretch.valid_from),
            "valid_to": _text_instant(stretch.valid_to),
            "valid_from_basis": c[6],
            "recorded_from": iso(stretch.recorded_from),
            "recorded_to": _text_instant(stretch.recorded_to),
            "supersedes_memory_id": self.supersedes_memory_id,
            "superseded_by": self.replacer,
            "source_episode_id": c[7],
            "source": c[8],
            "quote": c[9],
            "speaker": c[10],
            "trust": c[11],
            "confidence": c[12],
            "effective_confidence": self.effective_confidence,
            "importance": c[13],
            "evidence_count": c[14],
            "retrieved_count": c[15],
            "contested": bool(c[16]),
            "status": c[17],
            "retention_policy": c[18],
            "expires_at": _text_instant(c[19]),
            "created_at": _text_instant(c[20]),
            "last_changed_at": _text_instant(c[21]),
            "confirmed_at": _text_instant(c[22]),
            "half_life_days": self.half_life_days,
            "as_of": iso(self.valid_at),
            "known_at": iso(self.known),
            "answered_at": iso(self.answered_at),
            "metadata": _json_object(c[23]),
            **_json_object(c[24]),
            **beyond_json(kind, c[3]),
        }

    def __getattr__(self, name: str) -> Any:
        """Give one of the type's own fields (``due``, ``state`` …)."""
        if name.startswith("_"):
            raise AttributeError(name)
        fields = self.fields
        if name in fields:
            return fields[name]
        raise AttributeError(name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with everything looked up."""
        named = {
            "replaced": self.supersedes_memory_id, "replacer": self.replacer,
            "valid_at": self.valid_at, "known": self.known, "answered_at": self.answered_at,
            "half_life_days": self.half_life_days,
        }  # fmt: skip
        return _unpickled, ((self.key, self.name, self._source, self.stretch), named)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return (
            self.key == other.key
            and self.stretch == other.stretch
            and list(self.content) == list(other.content)
            and (self.supersedes_memory_id, self.replacer)
            == (other.supersedes_memory_id, other.replacer)
        )

    def __hash__(self) -> int:
        return hash((self.key, self.memory_id, self.stretch))

    def __repr__(self) -> str:
        what = self.text if self.attribute is None else f"{self.attribute}={self.value!r}"
        until = _text_instant(self.stretch.valid_to) or "open"
        return (
            f"<Record {self.memory_id} {self.subject or ''} {what} "
            f"[{iso(self.stretch.valid_from)}, {until}) {self.status}>"
        )


def _unpickled(said: tuple[Any, ...], named: dict[str, Any]) -> Record:
    return Record(*said, **named)
