"""Filters on a memory's metadata: typed comparisons, all of which must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any, Final, NamedTuple, cast

from vigent.domain.text import check_name
from vigent.errors import InvalidInput

__all__ = ["Condition", "check_filter", "fits"]

_ORDERED: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "gt": gt,
    "gte": ge,
    "lt": lt,
    "lte": le,
}
_OPERATORS: Final = ("eq", "ne", *_ORDERED, "in", "exists")
_MISSING: Final = object()


class Condition(NamedTuple):
    """One comparison of one field."""

    field: str
    operator: str
    value: Any


def check_filter(given: object, field: str = "metadata") -> tuple[Condition, ...]:
    """Check a filter: ``{"name": value}``, or ``{"name": {"op": value}}``; all must hold.

    Operators are eq, ne, gt, gte, lt, lte, in and exists. An empty filter filters nothing.
    Raises InvalidInput naming the part that does not fit.
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise InvalidInput(field, "must be an object of field names and values")
    found: list[Condition] = []
    for name, asked in cast("Mapping[object, object]", given).items():
        where = f"{field}.{check_name(name, field)}"
        if not isinstance(asked, Mapping):
            found.append(Condition(str(name), "eq", _plain(asked, where)))
            continue
        if not asked:
            raise InvalidInput(where, f"must name one of {', '.join(_OPERATORS)}")
        for operator, value in cast("Mapping[object, object]", asked).items():
            found.append(Condition(str(name), *_checked(operator, value, where)))
    return tuple(found)


def _checked(operator: object, value: object, where: str) -> tuple[str, Any]:
    if operator not in _OPERATORS:
        raise InvalidInput(where, f"knows {', '.join(_OPERATORS)}, not {str(operator)[:40]!r}")
    if operator == "exists":
        if not isinstance(value, bool):
            raise InvalidInput(where, "exists must be true or false")
        return "exists", value
    if operator == "in":
        if not isinstance(value, list | tuple):
            raise InvalidInput(where, "in must be a list of values")
        return "in", tuple(_plain(one, where) for one in cast("list[object]", value))
    if operator in _ORDERED and _sort(value) not in ("number", "text"):
        raise InvalidInput(where, f"{operator} must be a number or text")
    return str(operator), _plain(value, where)


def _plain(value: object, where: str) -> Any:
    if value is None or isinstance(value, str | bool | int | float | Decimal):
        return value
    raise InvalidInput(where, "must be text, a number, true, false or null")


def _sort(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    return "text" if isinstance(value, str) else "other"


def fits(conditions: tuple[Condition, ...], metadata: Mapping[str, Any]) -> bool:
    """Whether metadata meets all conditions.

    Values of two kinds are never equal and never in order: true is not 1, "8" is not 8. A field
    that is missing meets ``exists: false`` alone; null is a value like any other.
    """
    return all(
        _holds(condition, metadata.get(condition.field, _MISSING)) for condition in conditions
    )


def _holds(condition: Condition, there: Any) -> bool:
    _, operator, value = condition
    if operator == "exists":
        return (there is not _MISSING) == value
    if there is _MISSING:
        return False
    if operator == "in":
        return any(_same(there, one) for one in value)
    if operator in _ORDERED:
        return _sort(there) == _sort(value) and _ORDERED[operator](there, value)
    return _same(there, value) == (operator == "eq")


def _same(one: Any, other: Any) -> bool:
    return _sort(one) == _sort(other) and one == other
