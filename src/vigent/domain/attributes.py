"""What is declared of one attribute; what every schema has, and the ranks of trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, cast, get_args

import jsonschema.validators
import referencing
import referencing.exceptions
from jsonschema.exceptions import SchemaError

from vigent.domain.text import canonical_text, check_name
from vigent.errors import InvalidInput, SchemaMismatch

__all__ = [
    "ENTITY_TYPE",
    "KINDS",
    "OBSERVATION",
    "RELATION",
    "TRUST",
    "AttributeDefinition",
    "built_in",
    "check_graph",
    "positive",
    "trust_rank",
]

Kind: TypeAlias = Literal[
    "text", "integer", "decimal", "boolean", "date", "instant", "duration", "enum", "entity", "json"
]

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


def trust_rank(name: object, field: str = "trust") -> int:
    """Give the rank of a trust name, 0 (document) to 5 (reviewer)."""
    rank = _RANKS.get(name) if isinstance(name, str) else None
    if rank is None:
        raise InvalidInput(field, f"must be one of {', '.join(TRUST)}, not {str(name)[:40]!r}")
    return rank


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
        positive(self.half_life_days, f"{path}.half_life_days", (int, float))
        positive(self.recurrence, f"{path}.recurrence", (int,))
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


def positive(value: object, path: str, kinds: tuple[type, ...]) -> None:
    """Refuse what is given and no positive number of some kinds."""
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


# --------------------------------------------------------------------------------- graph

ENTITY_TYPE: Final = "entity:type"
OBSERVATION: Final = "entity:observation"
RELATION: Final = "relation:"
"""What names of relations begin with: any such name is an attribute of many entities."""

_GRAPH: Final = {
    definition.name: definition
    for definition in (
        AttributeDefinition(name=ENTITY_TYPE, description="What sort of thing it is."),
        AttributeDefinition(
            name=OBSERVATION, cardinality="multi", description="One thing noted about it, in words."
        ),
    )
}


def built_in(name: str) -> AttributeDefinition | None:
    """Give an attribute that every schema has: those of a graph of entities."""
    return _relation(name) if name.startswith(RELATION) else _GRAPH.get(name)


@lru_cache(maxsize=1_000)
def _relation(name: str) -> AttributeDefinition:
    return AttributeDefinition(name=name, kind="entity", cardinality="multi")


def check_graph(definition: AttributeDefinition, name: str) -> None:
    """Refuse a name of the graph that is declared as something else."""
    graph = built_in(name)
    if graph is not None and (definition.kind, definition.multi) != (graph.kind, graph.multi):
        many = "several values" if graph.multi else "one value"
        raise SchemaMismatch(
            f"attributes.{definition.name}", f"{name!r} is of kind {graph.kind} and has {many}"
        )
