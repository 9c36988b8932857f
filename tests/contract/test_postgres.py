"""PostgreSQL keeps the contract."""

from __future__ import annotations

import pytest

from vigent import Memory
from vigent.testing.contract import MemoryContract
from vigent.testing.storage import StorageContract
from vigent.wiring import open_storage


class _OnPostgres:
    """A path of the suite stands for a database that is made for the test."""

    @pytest.fixture(autouse=True)
    def databases(self, postgres_store):
        self._urls: dict[str, str] = {}
        self._new = postgres_store

    def url_of(self, path) -> str:
        if str(path) not in self._urls:
            self._urls[str(path)] = self._new()
        return self._urls[str(path)]


class TestPostgresMemory(_OnPostgres, MemoryContract):
    def memory_at(self, path, **options):
        return Memory.open(self.url_of(path), **options)


class TestPostgresStorage(_OnPostgres, StorageContract):
    def storage_at(self, path):
        return open_storage(self.url_of(path))
