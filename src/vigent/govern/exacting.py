"""Documents that take JSON for what it is: no text for a number, no number for true or false."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["Exacting"]

_LARGE: Final = 10**18


def _exact(schema: Any) -> Any:
    """Give a schema with its numbers and flags strict; other models have seen to theirs."""
    if isinstance(schema, list):
        return [_exact(one) for one in cast("list[Any]", schema)]
    if isinstance(schema, tuple):
        return tuple(_exact(one) for one in cast("tuple[Any, ...]", schema))
    if not isinstance(schema, dict):
        return schema
    told = cast("dict[str, Any]", schema)
    kind = told.get("type")
    if kind in _READ and not told.get("strict"):
        return core_schema.no_info_before_validator_function(
            _READ[str(kind)], cast("CoreSchema", {**told, "strict": True})
        )
    if kind == "bool":
        return {**told, "strict": True}
    parts = {name: _exact(told[name]) for name in _BELOW if name in told}
    if isinstance(told.get("fields"), dict):
        parts["fields"] = {name: _exact(field) for name, field in told["fields"].items()}
    return {**told, **parts}


def _number(value: object) -> object:
    return float(value) if isinstance(value, Decimal) else value


def _whole(value: object) -> object:
    if isinstance(value, Decimal) and value.is_finite() and abs(value) < _LARGE:
        return int(value) if value == value.to_integral_value() else value
    return value


_READ: Final = {"int": _whole, "float": _number}
_BELOW: Final = (
    "schema", "items_schema", "values_schema", "keys_schema", "choices", "definitions",
)  # fmt: skip


class Exacting(BaseModel):
    """A model whose numbers and flags are taken as they stand, and whose other fields are refused.

    A whole number may be written with a fraction of nothing (``8.0``). That holds in every field,
    however deep, without a word at the field.
    """

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler, /
    ) -> CoreSchema:
        """Make the schema strict in its numbers and flags."""
        return cast("CoreSchema", _exact(handler(source)))
