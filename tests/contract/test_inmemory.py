"""Memory that ends with the process keeps the contract, but for keeping."""

from __future__ import annotations

from vigent import Memory
from vigent.testing.contract import MemoryContract
from vigent.testing.storage import StorageContract
from vigent.wiring import open_storage


class TestMemoryInMemory(MemoryContract):
    durable = False

    def memory_at(self, _path, **options):
        return Memory.open(":memory:", **options)


class TestStorageInMemory(StorageContract):
    def storage_at(self, _path):
        return open_storage(":memory:")
