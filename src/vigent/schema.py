"""Declaring what a store remembers: as Pydantic classes, as a mapping, or as YAML or JSON.

::

    class Traveller(MemorySchema):
        passport_deadline: date = Attribute(aliases=["passport expiry"], min_trust="application")
        allergies: list[str] = Attribute(cardinality="multi", sensitivity="personal")
        plan: Literal["basic", "plus"]

    schema = load_schema(Traveller)

The keys of a file are the same words: ``attributes``, ``types``, ``retention``,
``unknown_attributes``, ``unknown_types`` and ``version``; each attribute has ``kind`` and the
keywords of ``Attribute``.
"""

from __future__ import annotations

import datetime as dt
import enum
import os
import types
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, TypeAlias, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.errors import (
    PydanticInvalidForJsonSchema,
    PydanticSchemaGenerationError,
    PydanticUndefinedAnnotation,
)
from pydantic.fields import FieldInfo

from vigent.domain.schema import AttributeDefinition, MemoryType, RetentionPolicy, Schema
from vigent.errors import InvalidInput, SchemaMismatch
from vigent.schemafile import read_mapping

__all__ = ["Attribute", "Entity", "MemorySchema", "SchemaSource", "load_schema"]


class _EntityMark:
    """Says of a text that it names an entity."""


Entity: TypeAlias = Annotated[str, _EntityMark()]
"""Annotation of an attribute whose value is the name of another subject."""


class MemorySchema(BaseModel):
    """Base of classes whose fields declare attributes; see ``Attribute``."""

    model_config = ConfigDict(arbitrary_types_allowed=True, protected_namespaces=(), extra="forbid")


SchemaSource: TypeAlias = (
    type[MemorySchema]
    | Iterable[type[MemorySchema]]
    | Schema
    | Mapping[str, Any]
    | str
    | os.PathLike[str]
    | None
)

_OPTIONS: Final = "vigent"


def Attribute(  # noqa: N802  (stands where pydantic has Field)
    *,
    name: str | None = None,
    description: str | None = None,
    aliases: Iterable[str] = (),
    kind: str | None = None,
    unit: str | None = None,
    cardinality: Literal["single", "multi"] | None = None,
    sensitivity: Literal["normal", "personal", "sensitive"] | None = None,
    conflict: Literal["latest", "most_trusted", "most_confident", "contest", "reject"]
    | None = None,
    min_trust: str | None = None,
    retention: str | None = None,
    half_life_days: float | None = None,
    recurrence: int | None = None,
    enum: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    json_schema: Mapping[str, Any] | None = None,
) -> Any:
    """Declare one attribute of a ``MemorySchema``; what is left out keeps its default.

    ``kind`` follows the annotation unless given. ``name`` is the attribute's name where it can be
    no Python name. ``enum`` gives an id's other spellings. ``sensitivity`` and ``recurrence`` are
    declared and have no effect yet. Checked by ``load_schema``.
    """
    given: dict[str, Any] = {
        "name": name,
        "aliases": list(aliases) or None,
        "kind": kind,
        "unit": unit,
        "cardinality": cardinality,
        "sensitivity": sensitivity,
        "conflict": conflict,
        "min_trust": min_trust,
        "retention": retention,
        "half_life_days": half_life_days,
        "recurrence": recurrence,
        "enum": _as_spellings(enum),
        "json_schema": json_schema,
    }
    options = {key: value for key, value in given.items() if value is not None}
    return Field(default=None, description=description, json_schema_extra={_OPTIONS: options})


def load_schema(
    source: SchemaSource,
    *,
    version: int | None = None,
    types: Mapping[str, Any] | None = None,
    retention: Mapping[str, int | None] | None = None,
    unknown_attributes: Literal["accept", "review", "reject"] | None = None,
    unknown_types: Literal["accept", "review", "reject"] | None = None,
) -> Schema:
    """Make a schema from classes, a mapping, a YAML or JSON file, or ``None`` for an empty one.

    The keywords set what classes cannot say, and go before what a mapping or file says.
    Raises ``SchemaMismatch`` or ``InvalidInput``, naming the path of what does not fit.
    """
    given = {
        "version": version,
        "types": types,
        "retention": retention,
        "unknown_attributes": unknown_attributes,
        "unknown_types": unknown_types,
    }
    options = {key: value for key, value in given.items() if value is not None}
    if isinstance(source, Schema):
        return _from_mapping({**source.to_dict(), **options}) if options else source
    if source is None:
        return _from_mapping({"version": 0, **options})
    if isinstance(source, str | os.PathLike):
        return _from_mapping({**read_mapping(source), **options})
    if isinstance(source, Mapping):
        return _from_mapping({**cast("Mapping[str, Any]", source), **options})
    if not isinstance(source, type | Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("schema", "must be classes, a mapping, or the path of a file")
    classes = [source] if isinstance(source, type) else list(source)
    return _from_mapping({"attributes": _from_classes(classes), **options})


# ------------------------------------------------------------------------------ mappings


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _AttributeSpec(_Strict):
    kind: str = "text"
    unit: str | None = None
    cardinality: str = "single"
    aliases: list[str] = []
    description: str | None = None
    sensitivity: str = "normal"
    conflict: str = "latest"
    min_trust: str | None = None
    retention: str | None = None
    half_life_days: float | None = None
    recurrence: int = 1
    enum: list[str] | dict[str, list[str] | None] = []
    json_schema: dict[str, Any] | None = None


class _TypeSpec(_Strict):
    retention: str | None = None
    half_life_days: float | None = None


class _SchemaSpec(_Strict):
    version: Annotated[int, Field(ge=0)] = 1
    attributes: dict[str, _AttributeSpec] = {}
    types: dict[str, _TypeSpec] = {}
    retention: dict[str, int | None] = {}
    unknown_attributes: Literal["accept", "review", "reject"] = "accept"
    unknown_types: Literal["accept", "review", "reject"] = "accept"


def _from_mapping(given: Mapping[str, Any]) -> Schema:
    shaped = dict(given)
    for part in ("attributes", "types"):
        inner: Any = shaped.get(part)
        if isinstance(inner, Mapping):
            entries = cast("Mapping[Any, Any]", inner)
            shaped[part] = {name: _spelled_out(spec) for name, spec in entries.items()}
        elif inner is None:
            shaped.pop(part, None)
    try:
        spec = _SchemaSpec.model_validate(shaped)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise SchemaMismatch(_path(first["loc"]), _reason(first)) from error
    return Schema(
        spec.version,
        [_define(name, each) for name, each in spec.attributes.items()],
        [
            MemoryType(name, retention=t.retention, half_life_days=t.half_life_days)
            for name, t in spec.types.items()
        ],
        [RetentionPolicy(name, days) for name, days in spec.retention.items()],
        unknown_attributes=spec.unknown_attributes,
        unknown_types=spec.unknown_types,
    )


def _spelled_out(spec: Any) -> Any:
    """Take a lone word for the kind, and nothing for the defaults."""
    if isinstance(spec, str):
        return {"kind": spec}
    return {} if spec is None else spec


def _define(name: str, spec: _AttributeSpec) -> AttributeDefinition:
    given = {key: getattr(spec, key) for key in spec.model_fields_set}
    values: Any = given.pop("enum", None)
    if isinstance(values, list):
        given["enum"] = {v: v for v in cast("list[str]", values)}
    elif values:
        spellings = cast("dict[str, list[str] | None]", values)
        given["enum"] = {s: v for v, more in spellings.items() for s in (v, *(more or ()))}
        if len(given["enum"]) < sum(
            1 + len(set(more or ()) - {v}) for v, more in spellings.items()
        ):
            raise SchemaMismatch(f"attributes.{name}.enum", "has one spelling for two values")
    return AttributeDefinition(name=name, **given)


def _path(loc: tuple[int | str, ...]) -> str:
    # Pydantic adds the branch of a union it tried; a path ends before it.
    shown: list[str] = []
    for part in loc:
        if isinstance(part, str) and "[" in part:
            break
        shown.append(str(part))
    return ".".join(shown) or "schema"


def _reason(error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return "is not a known key"
    message = str(error["msg"])
    return message[0].lower() + message[1:]


# ------------------------------------------------------------------------------- classes

_PLAIN_KINDS: Final[dict[Any, str]] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    float: "decimal",
    Decimal: "decimal",
    dt.date: "date",
    dt.datetime: "instant",
    dt.timedelta: "duration",
}
_MANY: Final = (list, set, frozenset, tuple)


def _from_classes(classes: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for cls in classes:
        if not (isinstance(cls, type) and issubclass(cls, MemorySchema)):
            raise InvalidInput("schema", f"must be a MemorySchema class, not {cls!r:.60}")
        try:
            cls.model_rebuild()
        except PydanticUndefinedAnnotation as error:
            raise SchemaMismatch(f"{cls.__name__}.{error.name}", "is not defined") from error
        for field_name, info in cls.model_fields.items():
            path = f"{cls.__name__}.{field_name}"
            name, spec = _from_field(field_name, info, path)
            if name in found and found[name] != spec:
                raise SchemaMismatch(path, f"{name!r} is declared twice")
            found[name] = spec
    return found


def _from_field(field_name: str, info: FieldInfo, path: str) -> tuple[str, dict[str, Any]]:
    extra = info.json_schema_extra
    options: dict[str, Any] = dict(cast("Any", extra).get(_OPTIONS, {})) if extra else {}
    name = str(options.pop("name", field_name))
    marked = any(isinstance(m, _EntityMark) for m in info.metadata)
    read: dict[str, Any] = (
        {"kind": "entity"} if marked else _from_annotation(info.annotation, options, path)
    )
    values = options.pop("enum", None)
    if values is not None:
        options["enum"] = _with_spellings(read.get("enum"), values, f"{path}.enum")
    spec = {**read, **options}
    if info.description is not None:
        spec["description"] = info.description
    return name, spec


def _as_spellings(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, ())  # pyright: ignore[reportUnknownArgumentType]


def _with_spellings(declared: Any, given: Any, path: str) -> dict[str, list[str]]:
    """Add the spellings of ``Attribute(enum=…)`` to the values that the annotation has."""
    more = _as_spellings(given) or {}
    values: dict[str, Any] = declared or more
    if set(more) - set(values):
        raise SchemaMismatch(path, "has values that the annotation does not have")
    return {value: list(more.get(value) or ()) for value in values}


def _from_annotation(annotation: Any, options: Mapping[str, Any], path: str) -> dict[str, Any]:
    if options.get("kind") is not None:
        return {}
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        marked = any(isinstance(m, _EntityMark) for m in args[1:])
        return {"kind": "entity"} if marked else _from_annotation(args[0], options, path)
    if origin in {Union, types.UnionType}:
        rest = [a for a in args if a is not type(None)]
        if len(rest) == 1:
            return _from_annotation(rest[0], options, path)
        raise SchemaMismatch(path, "must have one kind of value, not a choice of several")
    if (origin or annotation) in _MANY:
        return _from_many(annotation, args, options, path)
    return _from_plain(annotation, path)


def _from_plain(annotation: Any, path: str) -> dict[str, Any]:
    if annotation in _PLAIN_KINDS:
        return {"kind": _PLAIN_KINDS[annotation]}
    named = isinstance(annotation, type) and issubclass(annotation, enum.Enum)
    if named or get_origin(annotation) is Literal:
        return {"kind": "enum", "enum": _enum_values(annotation, get_args(annotation), path)}
    return {"kind": "json", "json_schema": _json_schema(annotation, path)}


def _from_many(
    annotation: Any, args: tuple[Any, ...], options: Mapping[str, Any], path: str
) -> dict[str, Any]:
    of_set = (get_origin(annotation) or annotation) in {set, frozenset}
    if options.get("cardinality", "multi" if of_set else "single") == "single":
        return {"kind": "json", "json_schema": _json_schema(annotation, path)}
    inner = args[0] if args else str
    return {**_from_annotation(inner, options, path), "cardinality": "multi"}


def _enum_values(annotation: Any, args: tuple[Any, ...], path: str) -> dict[str, list[str]]:
    if not args:
        members = list(cast("type[enum.Enum]", annotation))
        by_value = all(isinstance(m.value, str) for m in members)
        return {m.value if by_value else m.name: [] for m in members}
    if not all(isinstance(a, str) for a in args):
        raise SchemaMismatch(path, "must have text values only in its Literal")
    return {a: [] for a in args}


def _json_schema(annotation: Any, path: str) -> dict[str, Any] | None:
    try:
        return TypeAdapter(annotation).json_schema() or None
    except (PydanticInvalidForJsonSchema, PydanticSchemaGenerationError) as error:
        raise SchemaMismatch(path, f"has no kind of value for {annotation!r:.60}") from error
