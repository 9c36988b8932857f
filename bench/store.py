"""Opens stores to measure, and gets at the connection below them."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import apsw

from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.schema import Schema
from vigent.memory import Memory
from vigent.ports.models import Embedder
from vigent.storage.sqlite.adapter import SqliteStorage
from vigent.system import SystemClock


def open_memory(
    path: Path | str,
    *,
    tenant: str = "bench",
    durability: str = "normal",
    embedder: Embedder | None = None,
) -> Memory:
    """Open a store; without an embedder it is searched by words alone."""
    return Memory(
        SqliteStorage(str(path), durability=durability, busy_timeout=30.0),
        tenant=tenant, store="default", person=None, schema=Schema(), clock=SystemClock(),
        checks=(), embedder=embedder, injection=InjectionBlock(), settings=StoreSettings(),
        release=lambda: None,
    )  # fmt: skip


def connection_of(memory: Memory) -> Any:
    """The very connection the memory uses: both sides then share its caches."""
    return memory._storage._connections.get()  # noqa: SLF001 - that is the point


def machine() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
