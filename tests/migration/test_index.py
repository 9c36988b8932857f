"""A store made before there was a search index is indexed when it is opened."""

from __future__ import annotations

import apsw
import pytest

from tests.migration.older import made_older
from vigent import Memory
from vigent.testing import FakeClock, HashEmbedder


@pytest.fixture
def clock():
    return FakeClock("2026-01-01T00:00:00Z")


def told(path, clock):
    with Memory.open(path, clock=clock) as memory:
        memory.write(subject="mira", attribute="city", value="Porto", valid_from="2025-01-01")
        memory.write(subject="mira", attribute="city", value="Braga", valid_from="2025-06-01")
        memory.write(text="Mira waters the ferns", person="ana")
        memory.forget(memory.write(text="zinnia forgotten").memory.memory_id)
        memory.threads.create(None, id="t")
        memory.threads.append("t", "zinnia said", role="user")
        memory.threads.append("t", "zinnia sealed", role="user", sealed=True)
        memory.threads.append("t", "zinnia thought", kind="reasoning")
        memory.capture("zinnia of ana " + "word " * 600, person="ana")
        for number in range(450):
            memory.write(subject=f"s{number}", attribute="n", value=f"number {number}")
    with Memory.open(path, clock=clock, store="other") as memory:
        memory.write(text="zinnia of the other store")
    with Memory.open(path, clock=clock, tenant="t2") as memory:
        memory.write(text="zinnia of the other tenant")


def answers(path, clock, **options):
    with Memory.open(path, clock=clock, **options) as memory:
        memory.index.catch_up()
        return [
            [h.to_dict(explain=True) for h in memory.search(query, person=person, **more)]
            for query in ("Mira's city", "zinnia", "ferns", "number 333", "Porto")
            for person in (None, "ana")
            for more in ({"include": "episodes"}, {"include": "history"})
        ]


@pytest.mark.parametrize("version", [2, 1])
@pytest.mark.parametrize("model", ["none", HashEmbedder()], ids=["words", "vectors"])
def test_it_answers_as_if_it_had_always_been_there(tmp_path, clock, version, model):
    path = tmp_path / "old.db"
    told(path, clock)
    scopes = [{}, {"store": "other"}, {"tenant": "t2"}]
    before = [answers(path, clock, embedder=model, **scope) for scope in scopes]
    assert any(before[0])
    if version == 1:  # a thread is known by its episodes alone, and that something is sealed not
        with Memory.open(path, clock=clock) as memory:
            memory.threads.delete("t")
            memory.capture("zinnia said", thread="t")
        before = [answers(path, clock, embedder=model, **scope) for scope in scopes]
    made_older(path, version)
    after = [answers(path, clock, embedder=model, **scope) for scope in scopes]
    for one, two in zip(before, after, strict=True):
        assert [[h["id"] for h in a] for a in one] == [[h["id"] for h in a] for a in two]
        for here, there in zip(one, two, strict=True):
            assert [h["score"] for h in here] == pytest.approx([h["score"] for h in there])


def test_what_was_stopped_half_way_goes_on(tmp_path, clock):
    path = tmp_path / "old.db"
    told(path, clock)
    made_older(path, 2)
    with Memory.open(path, clock=clock) as memory:
        assert len(memory.search("number 333")) > 0
    # A job that is still there has the index made once more, and no passage twice.
    connection = apsw.Connection(str(path))
    connection.execute(
        "INSERT INTO job (tenant, kind, lane, payload, state, run_at, attempts, lease_until,"
        " reason, person) SELECT tenant, kind, 'default', payload, state, 0, 0, NULL, NULL, ''"
        " FROM job WHERE kind = 'reindex' AND tenant = 'default'"
    )
    connection.execute("DELETE FROM passage WHERE no % 2")
    connection.close()
    Memory.open(path, clock=clock, store="other").close()
    with Memory.open(path, clock=clock) as memory:
        assert [h.excerpt for h in memory.search("number 333", limit=1)] == ["s333 · n: number 333"]
        assert memory.check().ok
    connection = apsw.Connection(str(path))
    twice = "SELECT 1 FROM passage GROUP BY tenant, kind, source, start HAVING count(*) > 1"
    assert list(connection.execute(twice)) == []
    assert list(connection.execute("SELECT count(*) FROM job WHERE kind = 'reindex'")) == [(1,)]
    connection.close()
