"""A client of a service keeps the contract of memory, over a real server.

Each claim is the one that every adapter is asked; those that a service cannot be asked are left
out with their reason.
"""

from __future__ import annotations

import pytest

from tests.serving import Served
from vigent.testing.contract import MemoryContract

CANNOT = {
    "test_what_is_given_is_counted_with_the_next_write": "the service counts in its own time",
}


class TestClient(MemoryContract):
    def memory_at(self, path, **options):
        return Served.open(path, **options)

    @pytest.fixture(autouse=True)
    def askable(self, request):
        name = request.node.originalname
        if name in CANNOT:
            pytest.skip(CANNOT[name])

    def test_a_thread_begins_empty(self, memory):
        """As everywhere, but for the ids that a service issues."""
        made = memory.threads.create("p1", "helper", {"title": "Trip"}, "t")
        assert (made.id, made.person, made.agent) == ("t", "p1", "helper")
        assert (made.metadata, made.ttl_days, made.last_position) == ({"title": "Trip"}, 90, 0)
        assert memory.threads.get("t", person="p1") == made
        assert memory.threads.items(made) == ()
        assert memory.threads.create().id.startswith("thr_")
