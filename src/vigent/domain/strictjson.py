"""Reading JSON that others wrote, strictly: numbers exact, no NaN, no name twice."""

from __future__ import annotations

import json
import math
from codecs import BOM_UTF8
from decimal import Decimal
from typing import Any, NoReturn

__all__ = ["no_constant", "strict_json"]


def strict_json(text: str | bytes, *, exact: bool = True) -> Any:
    """Read JSON strictly; raises JSONDecodeError, also for what only a lax reader takes.

    Bytes are UTF-8, with or without a mark of it at their begin. A number with a fraction or an
    exponent is a Decimal, unless ``exact`` is false: then it is a float, and must be finite.
    """
    try:
        if isinstance(text, bytes):
            text = text.removeprefix(BOM_UTF8).decode()
        return json.loads(
            text,
            parse_float=Decimal if exact else _finite,
            parse_constant=no_constant,
            object_pairs_hook=_distinct,
        )
    except json.JSONDecodeError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise _Unfit(_reason(error), "", 0) from error


def no_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python would read; raises ValueError."""
    raise _Lax(f"{name} is not a JSON number")


class _Unfit(json.JSONDecodeError):
    """What is wrong with the text as a whole, or at a place that is not known."""

    def __str__(self) -> str:
        return self.msg


class _Lax(ValueError):
    """Something that only a lax reader takes."""


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it must be UTF-8"
    if isinstance(error, _Lax):
        return str(error)
    return "a number in it has too many digits, or too large an exponent"


def _finite(digits: str) -> float:
    found = float(digits)
    if math.isinf(found):
        raise _Lax(f"the number {digits[:40]} is too large")
    return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Lax(f"the name {name[:80]!r} stands twice in one object")
        found[name] = value
    return found
