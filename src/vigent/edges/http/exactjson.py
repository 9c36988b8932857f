"""JSON as it is read and written here: numbers exact, no NaN, no name twice."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, NoReturn

import orjson

__all__ = ["dumped", "strict_json"]


def strict_json(text: str | bytes) -> Any:
    """Read JSON strictly; raises JSONDecodeError, also for what only a lax reader takes."""
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_distinct
        )
    except json.JSONDecodeError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:
        reason = "is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise json.JSONDecodeError(reason, "", 0) from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def dumped(content: Any) -> bytes:
    """Give JSON as bytes: quickly, or with integers of any size where there are some."""
    try:
        return orjson.dumps(content)
    except TypeError:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
