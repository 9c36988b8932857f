"""Reads named SQL out of a ``queries.sql`` file: ``-- name: x``, a sentence, the statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import LiteralString, cast

__all__ = ["load_queries", "load_script"]

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load_script(package: str, *path: str) -> str:
    """Give the text of an SQL file that ships with a package."""
    return files(package).joinpath(*path).read_text(encoding="utf-8")


def load_queries(package: str) -> Mapping[str, LiteralString]:
    """Give a package's named queries. They are part of the program, so literal strings."""
    parts = _NAME.split(load_script(package, "queries.sql"))[1:]
    queries: dict[str, LiteralString] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        if name in queries:
            raise ValueError(f"query {name} is there twice")
        lines = [line for line in body.strip().splitlines() if not line.startswith("--")]
        queries[name] = cast("LiteralString", "\n".join(lines).rstrip().removesuffix(";"))
    return queries
