"""A transaction notes once for those who go through all tenants that it wrote."""

from __future__ import annotations

import psycopg
import pytest

SCHEMA = {"attributes": {"likes": {"cardinality": "multi"}}}


@pytest.fixture
def noted(postgres, store_name):
    with psycopg.connect(postgres.url(store_name), autocommit=True) as connection:

        def rows() -> tuple[int, ...]:
            found = connection.execute(
                "SELECT (SELECT count(*) FROM activity), (SELECT count(*) FROM passage_made),"
                " (SELECT count(DISTINCT tx) FROM passage_made)"
            ).fetchone()
            assert found is not None
            return found

        yield connection, rows


def test_a_batch_notes_it_once(memory_at, noted):
    connection, rows = noted
    memory = memory_at(schema=SCHEMA, embedder="none")
    before = rows()
    # Values of one attribute are written one after another, each seen by the next.
    memory.write_many(
        {"subject": "mira", "attribute": "likes", "value": f"v{n}"} for n in range(40)
    )
    assert [a - b for a, b in zip(rows(), before, strict=True)] == [1, 1, 1]
    last = "SELECT (SELECT max(no) FROM passage_made) > (SELECT max(no) FROM passage)"
    assert connection.execute(last).fetchone() == (True,)
    memory.capture("I like tea", role="user", thread="t")
    assert [a - b for a, b in zip(rows(), before, strict=True)] == [2, 2, 2]
    memory.write_many([{"subject": "mira", "attribute": "likes"}])  # refused: nothing is written
    assert [a - b for a, b in zip(rows(), before, strict=True)] == [2, 2, 2]
