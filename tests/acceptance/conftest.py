"""A store on each adapter, and one on a file for what needs several tenants or processes."""

from __future__ import annotations

import pytest

from vigent import Memory
from vigent.testing import FakeClock, HashEmbedder


@pytest.fixture
def clock():
    return FakeClock("2026-01-01T00:00:00Z")


# Over a server all of it takes minutes; the contract is asked of a client in ``make test`` too.
# On PostgreSQL each test has a database of its own, which takes minutes together.
ADAPTERS = ("sqlite", "inmemory", pytest.param("postgres", marks=pytest.mark.slow))


@pytest.fixture
def place_on(request, tmp_path):
    """Gives the place of an empty store on an adapter."""

    def place(adapter: str):
        if adapter == "postgres":
            return request.getfixturevalue("postgres_store")()
        return ":memory:" if adapter == "inmemory" else tmp_path / "memory.db"

    return place


@pytest.fixture(params=[*ADAPTERS, pytest.param("client", marks=pytest.mark.slow)])
def memory(request, place_on, clock):
    """A store whose attribute ``allergy`` is multi-valued and ``birth_date`` a date."""
    path = place_on(request.param)
    schema = {
        "attributes": {"allergy": {"cardinality": "multi"}, "birth_date": "date"},
        "retention": {"keep-2y": 730},
    }
    opener = served if request.param == "client" else Memory.open
    with opener(path, tenant="t1", schema=schema, clock=clock) as opened:
        yield opened


def served(path, **options):

    pytest.importorskip("fastapi")
    from tests.serving import Served  # noqa: PLC0415 - the service is an extra

    return Served.open(path, **options)


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


@pytest.fixture(
    params=[
        pytest.param((adapter, arm), id=f"{adapter}-{arm}", marks=marks)
        for adapter, marks in (
            ("sqlite", ()),
            ("inmemory", ()),
            ("postgres", (pytest.mark.slow,)),
        )
        for arm in ("words", "vectors")
    ]
)
def recall(request, place_on, clock):
    """A store on each adapter, searched by words alone and by words and vectors."""
    adapter, arm = request.param
    path = place_on(adapter)
    embedder = HashEmbedder(512) if arm == "vectors" else None
    with Memory.open(path, tenant="t1", clock=clock, embedder=embedder or "none") as opened:
        yield opened
