"""A store on each adapter, and one on a file for what needs several tenants or processes."""

from __future__ import annotations

import pytest

from vigent import Memory
from vigent.testing import FakeClock


@pytest.fixture
def clock():
    return FakeClock("2026-01-01T00:00:00Z")


@pytest.fixture(params=["sqlite", "inmemory"])
def memory(request, tmp_path, clock):
    """A store whose attribute ``allergy`` is multi-valued and ``birth_date`` a date."""
    path = tmp_path / "memory.db" if request.param == "sqlite" else ":memory:"
    schema = {
        "attributes": {"allergy": {"cardinality": "multi"}, "birth_date": "date"},
        "retention": {"keep-2y": 730},
    }
    with Memory.open(path, tenant="t1", schema=schema, clock=clock) as opened:
        yield opened


@pytest.fixture
def on_file(tmp_path, clock):
    """An opener of memories on one file: ``on_file("t1")``."""
    made: list[Memory] = []

    def opened(tenant: str = "t1", **options) -> Memory:
        options = {"clock": clock, **options}
        made.append(Memory.open(tmp_path / "shared.db", tenant=tenant, **options))
        return made[-1]

    yield opened
    for one in made:
        one.close()
