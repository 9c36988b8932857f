"""Schemas: declared as classes, mappings or files, and the same thing in each form."""

from __future__ import annotations

import enum
import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel

from vigent.domain.schema import (
    BUILT_IN_TYPES,
    TRUST,
    AttributeDefinition,
    MemoryType,
    RetentionPolicy,
    Schema,
    fact_like,
    trust_rank,
)
from vigent.domain.values import canonical
from vigent.errors import InvalidInput, SchemaMismatch
from vigent.schema import Attribute, Entity, MemorySchema, load_schema

DAY = 86_400_000_000


class Address(BaseModel):
    street: str
    zip: int


class Seat(enum.Enum):
    AISLE = "aisle"
    WINDOW = "window"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Traveller(MemorySchema):
    passport_deadline: date = Attribute(
        description="When the passport runs out",
        aliases=["passport expiry"],
        min_trust="application",
        conflict="most_trusted",
    )
    allergies: list[str] = Attribute(cardinality="multi", sensitivity="personal", recurrence=2)
    plan: Literal["basic", "plus"] = Attribute(enum={"basic": ["Basic plan", "starter"]})
    seat: Seat | None
    level: Level
    home: Address
    doctor: Entity
    friends: set[Entity]
    weight: Annotated[Decimal, Attribute(unit="kg", half_life_days=90)]
    notes: dict[str, Any]
    scores: list[int]
    seen: datetime
    stay: timedelta
    nights: int
    ratio: float
    vegan: bool
    nickname: str
    manager: str = Attribute(kind="entity", name="line manager")


SCHEMA = load_schema(Traveller)


# ------------------------------------------------------------------------------- classes


@pytest.mark.parametrize(
    ("name", "kind", "multi"),
    [
        ("passport_deadline", "date", False),
        ("allergies", "text", True),
        ("plan", "enum", False),
        ("seat", "enum", False),
        ("level", "enum", False),
        ("home", "json", False),
        ("doctor", "entity", False),
        ("friends", "entity", True),
        ("weight", "decimal", False),
        ("notes", "json", False),
        ("scores", "json", False),
        ("seen", "instant", False),
        ("stay", "duration", False),
        ("nights", "integer", False),
        ("ratio", "decimal", False),
        ("vegan", "boolean", False),
        ("nickname", "text", False),
        ("line manager", "entity", False),
    ],
)
def test_the_annotation_says_the_kind(name, kind, multi):
    found = SCHEMA.attribute(name)
    assert found is not None
    assert (found.name, found.kind, found.multi) == (name, kind, multi)


def test_every_field_is_an_attribute_and_nothing_else():
    assert [a.name for a in SCHEMA.attributes] == [
        *(name for name in Traveller.model_fields if name != "manager"),
        "line manager",
    ]
    assert SCHEMA.attribute("manager") is None
    assert SCHEMA.attribute("unheard of") is None
    assert SCHEMA.version == 1


def test_options_reach_the_definition():
    found = SCHEMA.attribute("passport_deadline")
    assert found == AttributeDefinition(
        name="passport_deadline",
        kind="date",
        description="When the passport runs out",
        aliases=("passport expiry",),
        min_trust="application",
        conflict="most_trusted",
    )
    assert SCHEMA.attribute("passport expiry") is found
    assert found.min_rank == 3
    allergies = SCHEMA.attribute("allergies")
    assert (allergies.sensitivity, allergies.recurrence) == ("personal", 2)
    weight = SCHEMA.attribute("weight")
    assert (weight.unit, weight.half_life_days) == ("kg", 90)


def test_what_is_not_said_has_its_default():
    plain = AttributeDefinition(name="x")
    assert (plain.kind, plain.cardinality, plain.multi, plain.sensitivity) == (
        "text",
        "single",
        False,
        "normal",
    )
    assert (plain.conflict, plain.min_trust, plain.min_rank, plain.retention) == (
        "latest",
        None,
        0,
        None,
    )
    assert (plain.unit, plain.aliases, plain.half_life_days, plain.recurrence) == (
        None,
        (),
        None,
        1,
    )
    assert (plain.enum, plain.json_schema, plain.json_problem) == ({}, None, None)


def test_declared_classes_read_values():
    assert canonical("starter", SCHEMA.attribute("plan")).canon == "e:basic"
    assert canonical(Seat.AISLE, SCHEMA.attribute("seat")).canon == "e:aisle"
    assert canonical(Level.HIGH, SCHEMA.attribute("level")).canon == "e:HIGH"
    assert canonical({"street": "Mill Row", "zip": 4}, SCHEMA.attribute("home")).kind == "json"
    with pytest.raises(SchemaMismatch) as caught:
        canonical({"street": "Mill Row", "zip": "4"}, SCHEMA.attribute("home"))
    assert caught.value.field == "value.zip"
    with pytest.raises(SchemaMismatch):
        canonical(["a"], SCHEMA.attribute("scores"))


def test_several_classes_make_one_schema_and_inherited_fields_count():
    class Base(MemorySchema):
        city: str

    class More(Base):
        country: str

    assert [a.name for a in load_schema([More, Base]).attributes] == ["city", "country"]

    class Other(MemorySchema):
        city: int

    with pytest.raises(SchemaMismatch, match=r"Other\.city: 'city' is declared twice"):
        load_schema([Base, Other])


def test_annotations_without_a_kind_are_refused_with_their_path():
    class Two(MemorySchema):
        value: int | str

    class Raw(MemorySchema):
        value: object.__class__

    class Numbers(MemorySchema):
        value: Literal[1, 2]

    class Extra(MemorySchema):
        value: Literal["a"] = Attribute(enum=["b"])

    for cls in (Two, Raw, Numbers, Extra):
        with pytest.raises(SchemaMismatch) as caught:
            load_schema(cls)
        assert str(caught.value.field).startswith(f"{cls.__name__}.value")
    for wrong in (int, [int], [Traveller, 5]):
        with pytest.raises(InvalidInput):
            load_schema(wrong)


# ----------------------------------------------------------------------- mappings, files

YAML = """
version: 3
unknown_attributes: review
unknown_types: reject
retention:
  trial: 30
  forever: null
types:
  recipe: {retention: trial, half_life_days: 10}
  preference: {half_life_days: 180}
attributes:
  city:
  age: integer
  plan:
    kind: enum
    enum:
      basic: [Basic plan]
      plus:
  colour: {kind: enum, enum: [red, blue], aliases: [color]}
  email: {sensitivity: sensitive, retention: trial, min_trust: person, recurrence: 2, unit: none}
  home: {kind: json, json_schema: {type: object, required: [zip]}}
"""


def test_yaml_json_and_mapping_say_the_same(tmp_path):
    by_yaml = tmp_path / "schema.yaml"
    by_yaml.write_text(YAML, encoding="utf-8")
    schema = load_schema(by_yaml)
    assert (schema.version, schema.unknown_attributes, schema.unknown_types) == (
        3,
        "review",
        "reject",
    )
    assert schema.retention("trial") == RetentionPolicy("trial", 30)
    assert schema.retention("forever").days is None
    assert schema.attribute("city") == AttributeDefinition(name="city")
    assert schema.attribute("age").kind == "integer"
    assert canonical("Basic plan", schema.attribute("plan")).stored == "basic"
    assert canonical("blue", schema.attribute("color")).stored == "blue"
    assert schema.attribute("email").min_rank == 4
    assert schema.type("recipe") == MemoryType("recipe", retention="trial", half_life_days=10)
    assert schema.type("preference") == BUILT_IN_TYPES["preference"]._replace(half_life_days=180)

    by_json = tmp_path / "schema.json"
    by_json.write_text(json.dumps(schema.to_dict()), encoding="utf-8")
    for same in (load_schema(str(by_json)), load_schema(schema.to_dict())):
        assert same.to_dict() == schema.to_dict()
        assert same.attributes == schema.attributes
        assert same.types == schema.types
        assert same.policies == schema.policies


def test_a_schema_of_classes_survives_its_own_dict():
    again = load_schema(json.loads(json.dumps(SCHEMA.to_dict())))
    assert again.attributes == SCHEMA.attributes
    assert load_schema(SCHEMA) is SCHEMA


def test_keywords_go_before_what_the_source_says():
    schema = load_schema(
        Traveller, version=7, retention={"trial": 5}, types={"recipe": None}, unknown_types="review"
    )
    assert (schema.version, schema.unknown_types, schema.unknown_attributes) == (
        7,
        "review",
        "accept",
    )
    assert schema.retention("trial").days == 5
    assert schema.type("recipe") == MemoryType("recipe")
    assert load_schema({"version": 2}, version=4).version == 4
    assert load_schema(SCHEMA, unknown_attributes="reject").unknown_attributes == "reject"


def test_no_source_is_an_empty_schema():
    schema = load_schema(None)
    assert (schema.version, schema.attributes) == (0, ())
    assert (schema.unknown_attributes, schema.unknown_types) == ("accept", "accept")


@pytest.mark.parametrize(
    ("mapping", "path"),
    [
        ({"atributes": {}}, "atributes"),
        ({"attributes": {"a": {"knd": "text"}}}, "attributes.a.knd"),
        ({"attributes": {"a": "txt"}}, "attributes.a.kind"),
        ({"attributes": {"a": {"cardinality": "many"}}}, "attributes.a.cardinality"),
        ({"attributes": {"a": {"sensitivity": "secret"}}}, "attributes.a.sensitivity"),
        ({"attributes": {"a": {"conflict": "first"}}}, "attributes.a.conflict"),
        ({"attributes": {"a": {"min_trust": "god"}}}, "attributes.a.min_trust"),
        ({"attributes": {"a": {"retention": "short"}}}, "attributes.a.retention"),
        ({"attributes": {"a": {"half_life_days": 0}}}, "attributes.a.half_life_days"),
        ({"attributes": {"a": {"half_life_days": float("nan")}}}, "attributes.a.half_life_days"),
        ({"attributes": {"a": {"half_life_days": "9"}}}, "attributes.a.half_life_days"),
        ({"attributes": {"a": {"recurrence": True}}}, "attributes.a.recurrence"),
        ({"attributes": {"a": {"recurrence": 0}}}, "attributes.a.recurrence"),
        ({"attributes": {"a": {"aliases": "b"}}}, "attributes.a.aliases"),
        ({"attributes": {"a": {"aliases": ["b\0"]}}}, "attributes.a.aliases"),
        ({"attributes": {"a": {"kind": "enum"}}}, "attributes.a.enum"),
        ({"attributes": {"a": {"enum": ["x"]}}}, "attributes.a.enum"),
        ({"attributes": {"a": {"kind": "enum", "enum": [True]}}}, "attributes.a.enum"),
        (
            {"attributes": {"a": {"kind": "enum", "enum": {"x": ["z"], "y": ["z"]}}}},
            "attributes.a.enum",
        ),
        (
            {"attributes": {"a": {"kind": "enum", "enum": {"x": ["y"], "y": []}}}},
            "attributes.a.enum",
        ),
        ({"attributes": {"a": {"json_schema": {}}}}, "attributes.a.json_schema"),
        (
            {"attributes": {"a": {"kind": "json", "json_schema": {"type": "x"}}}},
            "attributes.a.json_schema",
        ),
        ({"attributes": {"a": {"aliases": ["b"]}, "b": "text"}}, "attributes.b"),
        ({"attributes": {" a": "text"}}, "attributes"),
        ({"attributes": {5: "text"}}, "attributes.5"),
        ({"attributes": ["a"]}, "attributes"),
        ({"types": {"x" * 65: None}}, "types"),
        ({"types": {"recipe": {"retention": "short"}}}, "types.recipe.retention"),
        ({"types": {"recipe": {"half_life_days": -1}}}, "types.recipe.half_life_days"),
        ({"retention": {"standard": 5}}, "retention.standard"),
        ({"retention": {"keep": 5}}, "retention.keep"),
        ({"retention": {"trial": 0}}, "retention.trial"),
        ({"retention": {"trial": 1.5}}, "retention.trial"),
        ({"unknown_attributes": "ignore"}, "unknown_attributes"),
        ({"version": "1"}, "version"),
        ({"version": -1}, "version"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(mapping, path):
    with pytest.raises(InvalidInput) as caught:
        load_schema(mapping)
    assert caught.value.field == path


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("s.yaml", "attributes: {a: text, a: date}", "'a' stands twice"),
        ("s.json", '{"attributes": {"a": "text", "a": "date"}}', "'a' stands twice"),
        ("s.json", '{"attributes": {"a": {"half_life_days": NaN}}}', "NaN is not a JSON number"),
        ("s.json", '{"attributes": {"a": {"half_life_days": 1e999}}}', "1e999 is too large"),
        ("s.yaml", "attributes: {a: {half_life_days: .nan}}", "line 1, column 34: .nan is not"),
        ("s.yaml", "attributes: {a: {half_life_days: -.inf}}", "-.inf is not a finite number"),
        ("s.yaml", "attributes: [", "cannot parse"),
        ("s.json", "{", "cannot parse"),
        ("s.yaml", "- a", "must hold a mapping"),
        ("s.yaml", "!!python/object/apply:os.getcwd []", "cannot parse"),
    ],
)
def test_a_file_is_read_strictly(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=words):
        load_schema(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot read .*none\.yaml"):
        load_schema(tmp_path / "none.yaml")


def test_an_empty_file_is_an_empty_schema(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("", encoding="utf-8")
    assert load_schema(path).attributes == ()


# ------------------------------------------------------------------ types, trust, retention


def test_the_built_in_types():
    table = {
        t.name: (t.service_only, t.person_word, t.importance, t.fields)
        for t in BUILT_IN_TYPES.values()
    }
    assert table == {
        "fact": (False, False, 5, ()),
        "preference": (False, True, 5, ()),
        "commitment": (False, False, 5, ("due", "state")),
        "behaviour": (False, True, 5, ()),
        "episode": (
            True,
            False,
            5,
            ("span", "thread", "items", "intent", "result", "result_basis"),
        ),
        "lesson": (True, False, 5, ("kind", "basis")),
        "reflection": (True, False, 8, ("episodes",)),
    }
    assert Schema().type("recipe") is None
    assert fact_like("recipe") == MemoryType("recipe")


def test_trust_has_one_order():
    assert TRUST == ("document", "assistant", "tool", "application", "person", "reviewer")
    assert [trust_rank(name) for name in TRUST] == [0, 1, 2, 3, 4, 5]
    for wrong in ("Person", "", None, 3, "root", ["person"]):
        with pytest.raises(InvalidInput, match="must be one of document, assistant") as caught:
            trust_rank(wrong, "trust")
        assert caught.value.field == "trust"


def test_retention_counts_from_the_last_change():
    schema = Schema(policies=[RetentionPolicy("trial", 30)])
    assert schema.retention("standard").expires_at(5) == 5 + 730 * DAY
    assert schema.retention("trial").expires_at(0) == 30 * DAY
    assert schema.retention("keep").expires_at(5) is None
    with pytest.raises(InvalidInput, match="known are standard, keep, trial") as caught:
        schema.retention("short")
    assert caught.value.field == "retention_policy"
    with pytest.raises(InvalidInput):
        schema.retention(None)


def test_a_definition_made_directly_is_checked_too():
    for wrong in ({"recurrence": True}, {"recurrence": 1.5}, {"half_life_days": False}):
        with pytest.raises(SchemaMismatch) as caught:
            AttributeDefinition(name="a", **wrong)
        assert caught.value.field == f"attributes.a.{next(iter(wrong))}"


def test_definitions_cannot_be_changed():
    with pytest.raises(AttributeError):
        SCHEMA.attribute("plan").kind = "text"
    assert not hasattr(SCHEMA, "__dict__")
