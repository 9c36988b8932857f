"""SQLite keeps the contract."""

from __future__ import annotations

from vigent import Memory
from vigent.testing.contract import MemoryContract
from vigent.testing.storage import StorageContract
from vigent.wiring import open_storage


class TestSqliteMemory(MemoryContract):
    def memory_at(self, path, **options):
        return Memory.open(path, **options)


class TestSqliteStorage(StorageContract):
    def storage_at(self, path):
        return open_storage(path)
