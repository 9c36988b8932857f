"""Fixtures: one PostgreSQL for a whole run, with a database of its own for each test.

Where none can be had, a test that asks for one fails and says why; it is never skipped.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    from tools.postgres import Pooler, Server

__all__ = [
    "postgres",
    "postgres_alone",
    "postgres_database",
    "postgres_pooler",
    "postgres_store",
    "postgres_url",
]


@pytest.fixture(scope="session")
def postgres() -> Server:
    """The server of this run, shared by all its processes; do not stop it (see ``postgres_alone``).

    Started at the first call. It goes when pytest itself has ended, however it ended.
    """
    from tools.postgres import Server  # noqa: PLC0415  # psycopg is loaded where it is needed

    run, owner = os.environ.get("PYTEST_XDIST_TESTRUNUID"), os.getppid()
    if run is None:
        run, owner = uuid4().hex, os.getpid()
    return Server.shared(Path(tempfile.gettempdir()) / f"vigent-pg-{run}", owner)


@pytest.fixture
def postgres_database(postgres: Server) -> Iterator[Callable[..., str]]:
    """Makes databases: ``postgres_database(template=…)`` gives a name; dropped after the test."""
    made: list[str] = []

    def make(*, template: str | None = None) -> str:
        made.append(postgres.new_database(**({"template": template} if template else {})))
        return made[-1]

    yield make
    for name in made:
        postgres.drop_database(name)


@pytest.fixture
def postgres_url(postgres: Server, postgres_database: Callable[..., str]) -> str:
    """The URL of a new database for its owner, with vector, btree_gist and pg_trgm in it."""
    from tools.postgres import OWNER  # noqa: PLC0415

    return postgres.url(postgres_database(), OWNER)


@pytest.fixture
def postgres_store(postgres: Server, postgres_database: Callable[..., str]) -> Callable[[], str]:
    """Makes databases in which the tables of a store are; gives the URL of each for its owner."""
    from tools.postgres import OWNER  # noqa: PLC0415

    def make() -> str:
        from vigent.wiring import open_storage  # noqa: PLC0415

        made = postgres.template("migrated", lambda url: open_storage(url).close())
        return postgres.url(postgres_database(template=made), OWNER)

    return make


@pytest.fixture
def postgres_alone() -> Iterator[Server]:
    """A server for one test, which may stop, restart and break it."""
    from tools.postgres import Server  # noqa: PLC0415

    with Server() as server:
        yield server


@pytest.fixture
def postgres_pooler(postgres: Server) -> Iterator[Pooler]:
    """A pgbouncer in transaction mode before the server: ``postgres_pooler.url(name, role)``."""
    from tools.postgres import Pooler, Unavailable  # noqa: PLC0415

    pooler = Pooler(postgres)
    try:
        pooler.start()
    except Unavailable as why:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"pgbouncer cannot be had here: {why}")
    with pooler:
        yield pooler
