"""What a store declares: attributes, memory types, retention.

These are the frozen objects that a write looks into; they are built once per schema version.
Users declare in ``vigent.schema``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vigent.domain.attributes import (
    KINDS,
    TRUST,
    AttributeDefinition,
    built_in,
    check_graph,
    positive,
    trust_rank,
)
from vigent.domain.text import MAX_TYPE, check_name
from vigent.domain.time import DAY, Instant
from vigent.errors import InvalidInput, SchemaMismatch

__all__ = [
    "BUILT_IN_TYPES",
    "KINDS",
    "TRUST",
    "AttributeDefinition",
    "MemoryType",
    "RetentionPolicy",
    "Schema",
    "fact_like",
    "trust_rank",
]

UnknownRule: TypeAlias = Literal["accept", "review", "reject"]

_RULES: Final = ("accept", "review", "reject")


# ---------------------------------------------------------------------------- retention


class RetentionPolicy(NamedTuple):
    """How long a memory is kept, counted in days from its last change; ``None`` is for good."""

    name: str
    days: int | None

    def expires_at(self, last_change: Instant) -> Instant | None:
        """Give the instant from which the memory is out of every read, or ``None``."""
        return None if self.days is None else last_change + self.days * DAY


_POLICIES: Final = (RetentionPolicy("standard", 730), RetentionPolicy("keep", None))


# --------------------------------------------------------------------------------- types


class MemoryType(NamedTuple):
    """A type of memory. ``person_word``: from below ``application`` only on the person's word."""

    name: str
    service_only: bool = False
    person_word: bool = False
    importance: int = 5
    fields: tuple[str, ...] = ()
    retention: str | None = None
    half_life_days: float | None = None


BUILT_IN_TYPES: Final[Mapping[str, MemoryType]] = {
    t.name: t
    for t in (
        MemoryType("fact"),
        MemoryType("preference", person_word=True),
        MemoryType("commitment", fields=("due", "state")),
        MemoryType("behaviour", person_word=True),
        MemoryType(
            "episode",
            service_only=True,
            fields=("span", "thread", "items", "intent", "result", "result_basis"),
        ),
        MemoryType("lesson", service_only=True, fields=("kind", "basis")),
        MemoryType("reflection", service_only=True, importance=8, fields=("episodes",)),
    )
}


def fact_like(name: str) -> MemoryType:
    """Give the type that an undeclared name stands for: one treated like ``fact``."""
    return MemoryType(name)


# -------------------------------------------------------------------------------- schema


class Schema:
    """One version of what a store declares; immutable once made.

    Names and aliases of attributes are one name space; a name twice in it is refused, as is a
    retention policy that is not declared. The attributes of a graph of entities are in every
    schema (``entity:type``, ``entity:observation``, ``relation:…``), so that what one surface
    writes every other reads alike; they are not declared as something else.
    """

    __slots__ = ("_names", "attributes", "default_retention", "half_lives", "min_confidence",
                 "policies", "types", "unknown_attributes", "unknown_types",
                 "version")  # fmt: skip

    def __init__(
        self,
        version: int = 0,
        attributes: Iterable[AttributeDefinition] = (),
        types: Iterable[MemoryType] = (),
        policies: Iterable[RetentionPolicy] = (),
        *,
        unknown_attributes: UnknownRule = "accept",
        unknown_types: UnknownRule = "accept",
    ) -> None:
        self.version = version
        self.attributes: tuple[AttributeDefinition, ...] = tuple(attributes)
        self.policies: Mapping[str, RetentionPolicy] = _policies(policies)
        self.types: Mapping[str, MemoryType] = {**BUILT_IN_TYPES, **_types(types)}
        self.unknown_attributes: UnknownRule = unknown_attributes
        self.unknown_types: UnknownRule = unknown_types
        self.half_lives: Mapping[str, float] = {}
        """Half-lives in days, by type, that a reader sets before the schema's own."""
        self.default_retention: str = _POLICIES[0].name
        """The policy where neither the type nor the attribute names one."""
        self.min_confidence: float = 0.0
        """What is said with less than this waits for a person's decision."""
        for name, rule in (("attributes", unknown_attributes), ("types", unknown_types)):
            if rule not in _RULES:
                raise SchemaMismatch(f"unknown_{name}", f"must be one of {', '.join(_RULES)}")
        self._names: dict[str, AttributeDefinition] = {}
        for definition in self.attributes:
            for name in dict.fromkeys((definition.name, *definition.aliases)):
                if name in self._names:
                    raise SchemaMismatch(f"attributes.{definition.name}", f"{name!r} stands twice")
                check_graph(definition, name)
                self._names[name] = definition
            if definition.retention is not None:
                self.retention(definition.retention, f"attributes.{definition.name}.retention")
        for declared in self.types.values():
            if declared.retention is not None:
                self.retention(declared.retention, f"types.{declared.name}.retention")

    def as_used(
        self,
        *,
        half_lives: Mapping[str, float],
        unknown_attributes: UnknownRule | None = None,
        unknown_types: UnknownRule | None = None,
        default_retention: str | None = None,
        min_confidence: float = 0.0,
    ) -> Schema:
        """Give the same schema with what a reader, and the settings of a store, say besides."""
        used = copy(self)
        used.half_lives = dict(half_lives)
        used.unknown_attributes = unknown_attributes or self.unknown_attributes
        used.unknown_types = unknown_types or self.unknown_types
        used.default_retention = default_retention or self.default_retention
        used.min_confidence = min_confidence
        return used

    def attribute(self, name: str) -> AttributeDefinition | None:
        """Give the definition under this name or alias, or ``None`` for an undeclared one."""
        return self._names.get(name) or built_in(name)

    def type(self, name: str) -> MemoryType | None:
        """Give the built-in or declared type, or ``None``; see ``fact_like``."""
        return self.types.get(name)

    def retention(self, name: object, field: str = "retention_policy") -> RetentionPolicy:
        """Give the retention policy of this name; an unknown one is refused, listing the known."""
        policy = self.policies.get(name) if isinstance(name, str) else None
        if policy is None:
            known = ", ".join(self.policies)
            raise InvalidInput(field, f"knows no policy {str(name)[:40]!r}; known are {known}")
        return policy

    def to_dict(self) -> dict[str, Any]:
        """Give the schema as JSON-ready values that ``vigent.schema.load_schema`` reads back."""
        standard = dict(_POLICIES)
        return {
            "version": self.version,
            "attributes": {d.name: d.to_dict() for d in self.attributes},
            "types": {
                t.name: {"retention": t.retention, "half_life_days": t.half_life_days}
                for t in self.types.values()
                if BUILT_IN_TYPES.get(t.name) != t
            },
            "retention": {p.name: p.days for p in self.policies.values() if p.name not in standard},
            "unknown_attributes": self.unknown_attributes,
            "unknown_types": self.unknown_types,
        }


def _policies(declared: Iterable[RetentionPolicy]) -> dict[str, RetentionPolicy]:
    found = {p.name: p for p in _POLICIES}
    for policy in declared:
        path = f"retention.{check_name(policy.name, 'retention', MAX_TYPE)}"
        if policy.name in found:
            raise SchemaMismatch(path, "stands already")
        days: object = policy.days
        if days is not None and (type(days) is not int or not 0 < days <= 36_500):
            raise SchemaMismatch(path, "must be a whole number of days, 1 to 36500, or null")
        found[policy.name] = policy
    return found


def _types(declared: Iterable[MemoryType]) -> dict[str, MemoryType]:
    found: dict[str, MemoryType] = {}
    for each in declared:
        path = f"types.{check_name(each.name, 'types', MAX_TYPE)}"
        if each.name in found:
            raise SchemaMismatch(path, "stands twice")
        positive(each.half_life_days, f"{path}.half_life_days", (int, float))
        known = BUILT_IN_TYPES.get(each.name)
        # A built-in type keeps what it means; only how long it lasts can be set.
        found[each.name] = (
            each
            if known is None
            else known._replace(retention=each.retention, half_life_days=each.half_life_days)
        )
    return found
