"""JSON as it is read and written here: numbers exact, no NaN, no name twice."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, NoReturn

import orjson

__all__ = ["dumped", "strict_json"]


def strict_json(text: str | bytes) -> Any:
    """Read JSON strictly; raises JSONDecodeError, also for what only a lax reader takes.

    Bytes are UTF-8, with or without a mark of it at their begin.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        return json.loads(
            text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_distinct
        )
    except json.JSONDecodeError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise json.JSONDecodeError(_reason(error), "", 0) from error


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it must be UTF-8"
    if isinstance(error, _Lax):
        return str(error)
    return "a number in it has too many digits, or too large an exponent"


class _Lax(ValueError):
    """Something that only a lax reader takes."""


def _no_constant(name: str) -> NoReturn:
    raise _Lax(f"{name} is not a JSON number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Lax("a name stands twice in one object")
    return found


def dumped(content: Any) -> bytes:
    """Give JSON as bytes: quickly, or with integers of any size where there are some."""
    try:
        return orjson.dumps(content)
    except TypeError:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
