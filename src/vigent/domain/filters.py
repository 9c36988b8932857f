"""Filters on metadata: checked once, then asked of many records."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias, cast

from vigent.domain.jsontext import canonical_json, check_json
from vigent.domain.text import check_name
from vigent.domain.time import parse_instant
from vigent.errors import InvalidInput, LimitExceeded

__all__ = ["MAX_CONDITIONS", "OPERATORS", "Filter"]

OPERATORS: Final = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "exists")
"""What a field can be compared by."""
MAX_CONDITIONS: Final = 100
"""Conditions of one filter, at most."""

_INSTANT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.,]+(?:[Zz]|[+-][0-9:]{4,8})")
_Key: TypeAlias = tuple[str, Hashable]
_Test: TypeAlias = Callable[[_Key, Any], bool]
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on metadata, all of which have to hold; none at all let everything through.

    Values are compared by type: 8 is less than 30 and "30" is no number, ``true`` is not 1, and 1
    is 1.0. Texts that are both ISO 8601 instants with an offset are compared as instants, other
    texts by their code points; an instant and another text have no order, nor have two types.

    ``null`` is a value like others. A missing field meets ``{"exists": false}`` and nothing else,
    not even ``ne``. ``in`` takes a list: of a field that is a list itself it asks for a common
    item, or the whole list among the given ones.
    """

    conditions: tuple[tuple[str, str, Any], ...] = ()
    _tests: tuple[tuple[str, _Test | None, bool], ...] = ()

    @classmethod
    def of(cls, given: object, field: str = "metadata") -> Filter:
        """Compile ``{"field": value}`` or ``{"field": {"operator": value}}``, joined by "and".

        ``None`` and ``{}`` filter nothing. Raises InvalidInput, naming the path, for an unknown
        operator, an empty name or a value of a wrong type.
        """
        if given is None:
            return cls()
        if not isinstance(given, Mapping):
            raise InvalidInput(field, f"must be a mapping, not {type(given).__name__}")
        conditions: list[tuple[str, str, Any]] = []
        tests: list[tuple[str, _Test | None, bool]] = []
        for name, asked in cast("Mapping[object, object]", given).items():
            key = check_name(name, f"{field} name")
            path = f"{field}.{key}"
            operators = cast("Mapping[object, object]", asked)
            if not isinstance(asked, Mapping):
                operators = {"eq": asked}
            if not operators:
                raise InvalidInput(path, f"must name one of {', '.join(OPERATORS)}")
            for operator, value in operators.items():
                if not isinstance(operator, str) or operator not in OPERATORS:
                    raise InvalidInput(
                        path,
                        f"has the unknown operator {str(operator)[:40]!r};"
                        f" it must be one of {', '.join(OPERATORS)}",
                    )
                tests.append((key, *_compiled(operator, value, f"{path}.{operator}")))
                conditions.append((key, operator, value))
        if len(conditions) > MAX_CONDITIONS:
            raise LimitExceeded(
                field, f"has {len(conditions)} conditions; the limit is {MAX_CONDITIONS}"
            )
        return cls(tuple(conditions), tuple(tests))

    def __bool__(self) -> bool:
        return bool(self._tests)

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Say whether a record's metadata meet every condition."""
        for name, test, present in self._tests:
            value = metadata.get(name, _MISSING)
            if (value is not _MISSING) is not present:
                return False
            if test is not None and not test(_key(value), value):
                return False
        return True


def _compiled(operator: str, value: object, path: str) -> tuple[_Test | None, bool]:
    """Give the test of a value that is there, and whether one has to be there."""
    if operator == "exists":
        if not isinstance(value, bool):
            raise InvalidInput(path, f"must be true or false, not {type(value).__name__}")
        return None, value
    if operator == "in":
        if not isinstance(value, list | tuple):
            raise InvalidInput(path, f"must be a list, not {type(value).__name__}")
        return _among(cast("Sequence[object]", value), path), True
    check_json(value, path)
    key = _key(value)
    if operator == "eq":
        return (lambda other, _: other == key), True
    if operator == "ne":
        return (lambda other, _: other != key), True
    if key[0] not in {"number", "text", "instant"}:
        raise InvalidInput(path, f"must be a number or text, not {_shown(value)}")
    return _ordered(operator, key), True


def _among(values: Sequence[object], path: str) -> _Test:
    check_json(values, path)
    keys = frozenset(map(_key, values))

    def test(key: _Key, value: Any) -> bool:
        if key in keys:
            return True
        return isinstance(value, list | tuple) and any(
            _key(item) in keys for item in cast("Sequence[object]", value)
        )

    return test


def _ordered(operator: str, key: _Key) -> _Test:
    kind, limit = key[0], cast("Any", key[1])
    tests: dict[str, Callable[[Any], bool]] = {
        "gt": lambda value: value > limit,
        "gte": lambda value: value >= limit,
        "lt": lambda value: value < limit,
        "lte": lambda value: value <= limit,
    }
    compare = tests[operator]
    return lambda other, _: other[0] == kind and compare(other[1])


def _key(value: object) -> _Key:
    """Give what stands for a value in comparisons: its kind, and equal things for equal values."""
    if value is None or isinstance(value, bool):
        return "constant", repr(value)
    if isinstance(value, float):
        return "number", Decimal(float.__repr__(value))
    if isinstance(value, int | Decimal):
        return "number", value
    if isinstance(value, str):
        return _text_key(value)
    return "json", canonical_json(check_json(value, limit=1_000_000))


def _text_key(text: str) -> _Key:
    if _INSTANT.fullmatch(text):
        try:
            return "instant", parse_instant(text, "metadata")
        except InvalidInput:
            pass  # looks like one, but is no time of the calendar
    return "text", text


def _shown(value: object) -> str:
    return "null" if value is None else type(value).__name__
