"""Values in JSON and back, with nothing lost: what JSON has no kind for, and no room for."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from vigent.domain.jsontext import check_json
from vigent.domain.time import parse_date
from vigent.domain.values import decode, jsonable
from vigent.errors import InvalidInput

__all__ = ["exact_json", "named_value", "restored"]

_NAMED: Final[Mapping[str, Callable[[str], Any]]] = {
    "date": lambda text: parse_date(text, "value"),
    "instant": dt.datetime.fromisoformat,
    "duration": lambda text: decode("duration", text),
    "decimal": Decimal,
}


def named_value(kind: object, given: object, field: str = "value") -> Any:
    """Give the value that a text stands for, of a kind that JSON has not.

    Kinds are date, instant, duration and decimal. An instant may be without an offset: then it
    is for ``canonical`` to judge. Raises InvalidInput.
    """
    if kind not in _NAMED:
        raise InvalidInput(f"{field}_kind", f"must be one of {', '.join(_NAMED)}")
    if not isinstance(given, str):
        raise InvalidInput(field, f"must be text where {field}_kind is given")
    try:
        return _NAMED[str(kind)](given)
    except (ValueError, ArithmeticError):
        raise InvalidInput(field, f"is no {kind}: {given[:40]!r}") from None


def exact_json(stored: str) -> str | None:
    """Give JSON text where ``jsonable`` does not say all of it: numbers beyond floats, as text."""
    return None if check_json(jsonable("json", stored), "value", sys.maxsize) == stored else stored


def restored(kind: str, given: Any, exact: str | None = None) -> str:
    """Give back the stored text of a value that ``jsonable`` and ``exact_json`` wrote."""
    if kind == "integer":
        return int.__repr__(given)
    if kind == "boolean":
        return "true" if given else "false"
    if kind == "json":
        return check_json(given, "value", sys.maxsize) if exact is None else exact
    return given
