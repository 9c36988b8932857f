"""A migrated database for a test, without the minutes of making one each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tools.postgres import OWNER
from vigent import Memory
from vigent.wiring import open_storage


@pytest.fixture
def store_name(postgres, postgres_database) -> str:
    """The name of a database in which the tables of a store are."""
    made = postgres.template("migrated", lambda url: open_storage(url).close())
    return postgres_database(template=made)


@pytest.fixture
def store_url(postgres, store_name) -> str:
    """Its URL for the owner."""
    return postgres.url(store_name, OWNER)


@pytest.fixture
def memory_at(store_url) -> Iterator[Callable[..., Memory]]:
    """Opens memories on it, which are closed in the end."""
    opened: list[Memory] = []

    def at(**options) -> Memory:
        opened.append(Memory.open(store_url, **options))
        return opened[-1]

    yield at
    for memory in opened:
        memory.close()
