"""A client of a service keeps the contract of memory, over a real server."""

from __future__ import annotations

from tests.serving import Served
from vigent.testing.contract import MemoryContract


class TestClient(MemoryContract):
    def memory_at(self, path, **options):
        return Served.open(path, **options)
