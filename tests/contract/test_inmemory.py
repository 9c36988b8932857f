"""Memory that ends with the process keeps the contract, but for keeping."""

from __future__ import annotations

from vigent import Memory
from vigent.storage.migrate import migrations_of
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


def test_rows_in_memory_are_those_of_the_newest_schema():
    with open_storage(":memory:").snapshot() as snapshot:
        newest = migrations_of("vigent.storage.sqlite")[-1].number
        assert snapshot.engine().schema == newest
