"""Moves memory between stores for tests, and compares what is there before and after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from vigent.moving.exporting import Export
from vigent.moving.importing import Imported, import_lines
from vigent.system import RandomIds, SystemClock
from vigent.wiring import open_storage

HEADS = (
    "head_from", "head_to", "head_recorded", "head_expires", "head_replaced", "head_replacer",
    "head",
)  # fmt: skip


def exported(storage: Any, tenant: str = "default", person: str | None = None) -> list[bytes]:
    """Every line of an export."""
    return list(Export(storage, tenant, person, now=SystemClock().now()).lines())


def imported(storage: Any, lines: list[bytes], **more: Any) -> Imported:
    return import_lines(storage, lines, clock=SystemClock(), ids=RandomIds(), **more)


def body(lines: list[bytes], *, heads: bool = True) -> list[Any]:
    """What of an export must be the same everywhere: all but its first line.

    A store in memory keeps no quick answers; without ``heads`` they are left out, and the digest.
    """
    if heads:
        return list(lines[1:])
    rows = [json.loads(line) for line in lines[1:]]
    return [{k: v for k, v in row.items() if k not in (*HEADS, "digest")} for row in rows]


@contextmanager
def store_at(where: Path | str) -> Iterator[Any]:
    with closing(open_storage(str(where))) as storage:
        yield storage
