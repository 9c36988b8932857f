"""What a store declares: attributes, memory types, retention, and the ranks of trust.

These are the frozen objects that a write looks into; they are built once per schema version.
Users declare in ``vigent.schema``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from decimal import Context, Decimal, localcontext
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast, get_args

import jsonschema.validators
import referencing
import referencing.exceptions
from jsonschema.exceptions import SchemaError

from vigent.domain.text import MAX_TYPE, canonical_text, check_name
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

Kind: TypeAlias = Literal[
    "text", "integer", "decimal", "boolean", "date", "instant", "duration", "enum", "entity", "json"
]
UnknownRule: TypeAlias = Literal["accept", "review", "reject"]

KINDS: Final[tuple[str, ...]] = get_args(Kind)
TRUST: Final = ("document", "assistant", "tool", "application", "person", "reviewer")
"""Trust of sources, low to high."""

_RANKS: Final = {name: rank for rank, name in enumerate(TRUST)}
_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "kind": KINDS,
    "cardinality": ("single", "multi"),
    "sensitivity": ("normal", "personal", "sensitive"),
    "conflict": ("latest", "most_trusted", "most_confident", "contest", "reject"),
}
_RULES: Final = ("accept", "review", "reject")


def trust_rank(name: object, field: str = "trust") -> int:
    """Give the rank of a trust name, 0 (document) to 5 (reviewer)."""
    rank = _RANKS.get(name) if isinstance(name, str) else None
    if rank is None:
        raise InvalidInput(field, f"must be one of {', '.join(TRUST)}, not {str(name)[:40]!r}")
    return rank


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
    layer: Literal["semantic", "procedural", "episodic"] = "semantic"
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
        MemoryType("behaviour", "procedural", person_word=True),
        MemoryType(
            "episode",
            "episodic",
            service_only=True,
            fields=("span", "thread", "items", "intent", "result", "result_basis"),
        ),
        MemoryType("lesson", "procedural", service_only=True, fields=("kind", "basis")),
        MemoryType("reflection", service_only=True, importance=8, fields=("episodes",)),
    )
}


def fact_like(name: str) -> MemoryType:
    """Give the type that an undeclared name stands for: one treated like ``fact``."""
    return MemoryType(name)


# ---------------------------------------------------------------------------- attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeDefinition:
    """One declared attribute.

    ``enum`` maps each accepted spelling, as canonical text, to the id it stands for.
    ``half_life_days`` and ``recurrence`` are positive; ``retention`` names a policy of the schema.
    Raises ``SchemaMismatch`` naming the attribute and the part that does not fit.
    """

    name: str
    kind: Kind = "text"
    unit: str | None = None
    cardinality: Literal["single", "multi"] = "single"
    aliases: tuple[str, ...] = ()
    description: str | None = None
    sensitivity: Literal["normal", "personal", "sensitive"] = "normal"
    conflict: Literal["latest", "most_trusted", "most_confident", "contest", "reject"] = "latest"
    min_trust: str | None = None
    retention: str | None = None
    half_life_days: float | None = None
    recurrence: int = 1
    enum: Mapping[str, str] = field(default_factory=dict[str, str])
    json_schema: Mapping[str, Any] | None = None
    multi: bool = field(init=False)
    min_rank: int = field(init=False)
    json_problem: Callable[[Any], tuple[str, str] | None] | None = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        path = f"attributes.{self.name}"
        put = object.__setattr__
        put(self, "name", check_name(self.name, "attributes"))
        put(self, "aliases", tuple(check_name(a, f"{path}.aliases") for a in self.aliases))
        for part, allowed in _CHOICES.items():
            if getattr(self, part) not in allowed:
                raise SchemaMismatch(f"{path}.{part}", f"must be one of {', '.join(allowed)}")
        _positive(self.half_life_days, f"{path}.half_life_days", (int, float))
        _positive(self.recurrence, f"{path}.recurrence", (int,))
        min_trust = self.min_trust
        rank = 0 if min_trust is None else trust_rank(min_trust, f"{path}.min_trust")
        put(self, "min_rank", rank)
        put(self, "multi", self.cardinality == "multi")
        put(self, "enum", _spellings(self.enum, path))
        if (self.kind == "enum") != bool(self.enum):
            raise SchemaMismatch(f"{path}.enum", "must list the values of an enum, and only there")
        if self.json_schema is not None and self.kind != "json":
            raise SchemaMismatch(f"{path}.json_schema", "fits the kind json only")
        check = None if self.json_schema is None else _compile(self.json_schema, path)
        put(self, "json_problem", check)

    def to_dict(self) -> dict[str, Any]:
        """Give the definition as JSON-ready values, without what is left at its default."""
        shown: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if part.init and part.name != "name" and value not in (part.default, {}):
                shown[part.name] = list(value) if part.name == "aliases" else value
        if self.enum:
            targets = dict.fromkeys(self.enum.values())
            shown["enum"] = {
                target: [s for s, to in self.enum.items() if to == target and s != target]
                for target in targets
            }
        return shown


def _positive(value: object, path: str, kinds: tuple[type, ...]) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < 10**9:  # type: ignore[operator]
        raise SchemaMismatch(path, "must be a positive number")


def _spellings(enum: Mapping[str, str], path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for spelling, target in [*((t, t) for t in dict.fromkeys(enum.values())), *enum.items()]:
        name = check_name(target, f"{path}.enum")
        key = canonical_text(check_name(spelling, f"{path}.enum"))
        if found.setdefault(key, name) != name:
            raise SchemaMismatch(f"{path}.enum", f"{key!r} stands for both {found[key]} and {name}")
    return found


# --------------------------------------------------------------------------- JSON Schema

# Nothing is ever fetched: a reference to a schema elsewhere stays unresolved.
_OFFLINE: Final[referencing.Registry[Any]] = referencing.Registry()
# Wide enough that a remainder of any two numbers within the limits is exact.
_EXACT: Final = Context(prec=5_000)


def _is_integer(_checker: object, value: object) -> bool:
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return isinstance(value, int) and not isinstance(value, bool)


def _compile(schema: Mapping[str, Any], path: str) -> Callable[[Any], tuple[str, str] | None]:
    library = cast("Any", jsonschema.validators)  # its own annotations are incomplete
    exact = _with_decimals(schema)
    base = library.validator_for(exact, default=library.Draft202012Validator)
    try:
        base.check_schema(exact)
    except SchemaError as error:
        raise SchemaMismatch(
            f"{path}.json_schema", f"is no JSON Schema: {error.message[:200]}"
        ) from error
    checker = base.TYPE_CHECKER.redefine("integer", _is_integer)
    validator = library.extend(base, type_checker=checker)(exact, registry=_OFFLINE)

    def problem(value: Any) -> tuple[str, str] | None:
        try:
            with localcontext(_EXACT):
                error = next(iter(validator.iter_errors(value)), None)
        except referencing.exceptions.Unresolvable as unresolved:
            return "", f"the JSON Schema refers to {unresolved.ref!r}, which is not part of it"
        except RecursionError:
            return "", "the JSON Schema refers to itself without end"
        if error is None:
            return None
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
        return where, error.message[:200]

    return problem


def _with_decimals(schema: Any) -> Any:
    """Make the schema's numbers exact, so that they compare with exact values."""
    if isinstance(schema, float):
        return Decimal(repr(schema))
    if isinstance(schema, Mapping):
        return {k: _with_decimals(v) for k, v in cast("Mapping[str, Any]", schema).items()}
    if isinstance(schema, list):
        return [_with_decimals(v) for v in cast("list[Any]", schema)]
    return schema


# -------------------------------------------------------------------------------- schema


class Schema:
    """One version of what a store declares; immutable once made.

    Names and aliases of attributes are one name space; a name twice in it is refused, as is a
    retention policy that is not declared.
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
        return self._names.get(name)

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
        _positive(each.half_life_days, f"{path}.half_life_days", (int, float))
        built_in = BUILT_IN_TYPES.get(each.name)
        # A built-in type keeps what it means; only how long it lasts can be set.
        found[each.name] = (
            each
            if built_in is None
            else built_in._replace(retention=each.retention, half_life_days=each.half_life_days)
        )
    return found
