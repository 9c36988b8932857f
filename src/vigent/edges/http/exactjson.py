"""JSON as it is written here: numbers exact."""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["dumped"]


def dumped(content: Any) -> bytes:
    """Give JSON as bytes: quickly, or with integers of any size where there are some."""
    try:
        return orjson.dumps(content)
    except TypeError:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
