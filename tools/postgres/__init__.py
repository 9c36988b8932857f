"""PostgreSQL for tests, benches and ``make run DATABASE=postgres``, from registry packages."""

from __future__ import annotations

from tools.postgres.build import EXTENSIONS, Installation, Unavailable, installation
from tools.postgres.pooler import Pooler
from tools.postgres.server import APP, OWNER, SUPERUSER, Server

__all__ = [
    "APP",
    "EXTENSIONS",
    "OWNER",
    "SUPERUSER",
    "Installation",
    "Pooler",
    "Server",
    "Unavailable",
    "installation",
]
