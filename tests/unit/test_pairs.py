"""Two stores that are told the same must answer the same, in the same order."""

from __future__ import annotations

from typing import Any

import pytest

from vigent import Memory
from vigent.testing.pairs import Disagreement, Pair


class Told:
    """Answers every question with the same list."""

    def __init__(self, *answer: Any) -> None:
        self.answer = list(answer)

    def history(self) -> list[Any]:
        return self.answer

    list = history


def test_the_same_in_another_order_is_a_disagreement():
    pair: Any = Pair
    assert pair(Told("a", "b"), Told("a", "b")).do("list") == ["a", "b"]
    with pytest.raises(Disagreement):
        pair(Told("a", "b"), Told("b", "a")).do("list")


def test_stretches_of_a_history_that_tie_stand_in_one_order_too():
    early, late, beside = (
        {"valid_from": at, "recorded_from": 1, "value": value}
        for at, value in ((1, "a"), (2, "b"), (2, "c"))
    )
    pair: Any = Pair
    assert pair(Told(early, late), Told(early, late)).do("history") == [early, late]
    with pytest.raises(Disagreement):
        pair(Told(early, late, beside), Told(early, beside, late)).do("history")


def test_ids_are_each_store_s_own_and_stay_what_they_were():
    one, other = (f"mem_{letter * 26}" for letter in "ab")
    assert Pair(*map(_as_memory, ([one], [other]))).do("list") == [one]
    pair = Pair(*map(_as_memory, ([{"n": 1, "id": one}, {"n": 2, "id": one}],
                                  [{"n": 1, "id": other}, {"n": 2, "id": one}])))  # fmt: skip
    with pytest.raises(Disagreement, match="was"):
        pair.do("list")


def _as_memory(answer: list[Any]) -> Any:
    return Told(*answer)


def test_what_a_write_ends_is_told_in_order_of_recording():
    """It comes upon them in the order of salted digests, which is another in each store."""
    schema = {"attributes": {"langs": {"cardinality": "multi"}}}
    said = {"subject": "mira", "attribute": "langs", "valid_from": "2020-01-01T00:00Z"}
    values = [f"v{n}" for n in range(8)]
    with Memory.open(":memory:", schema=schema) as memory:
        for value in values:
            memory.write(**said, value=value)
        done = memory.write(**said, value=["v3"], mode="replace")
    assert [record.value for record in done.ended] == [v for v in values if v != "v3"]
