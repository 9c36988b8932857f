"""Data sets are replayed on PostgreSQL as on a file, by several clients at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from vigent import Memory
from vigent.evaluation import evaluate

DATA = Path(__file__).parents[1] / "data" / "eval"


@pytest.mark.parametrize("dataset", ["sgd", "multiwoz"])
def test_a_set_comes_to_the_same_as_on_a_file(dataset, store_url):
    here = evaluate(dataset, DATA / dataset, db=store_url)
    there = evaluate(dataset, DATA / dataset)
    for report in (here, there):
        assert report.pop("writes_per_s") > 0
    assert here == there
    assert [here[kind]["wrong"] for kind in ("current", "as_of", "history", "provenance")] == [
        0
    ] * 4


def test_each_dialogue_is_captured_once_in_its_order(store_url):
    for _ in range(2):
        evaluate("sgd", DATA / "sgd", db=store_url)
    with Memory.open(store_url, embedder="none") as memory:
        threads = memory.threads.list()
        assert threads
        for thread in threads:
            items = memory.threads.items(thread)
            said = [item.occurred_at for item in items]
            assert said == sorted(set(said))
