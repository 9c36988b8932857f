"""Sets, negation, and confidence."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from vigent.errors import InvalidInput


def members(memory, **when):
    return {r.value for r in memory.current("tad", "allergy", **when)}


class TestC19SecondAllergy:
    def test_a_member_ends_no_other(self, memory, clock):
        first = memory.write(subject="tad", attribute="allergy", value="peanuts")
        between = first.memory.recorded_from
        clock.advance(days=1)
        second = memory.write(subject="tad", attribute="allergy", value="shellfish")
        again = memory.write(subject="tad", attribute="allergy", value=" peanuts")
        assert (second.outcome, again.outcome) == ("stored", "confirmed")
        assert (second.ended, again.ended) == ((), ())
        assert members(memory) == {"peanuts", "shellfish"}
        assert members(memory, as_of=between) == {"peanuts"}
        assert all(r.superseded_by is None for r in memory.current("tad", "allergy"))
        assert {r.value for r in memory.current("tad")["allergy"]} == {"peanuts", "shellfish"}

    def test_one_member_ends_alone(self, memory):
        for value in ("peanuts", "shellfish", "kiwi"):
            memory.write(subject="tad", attribute="allergy", value=value, valid_from="2025-01-01")
        done = memory.retract(subject="tad", attribute="allergy", value="kiwi")
        assert [r.value for r in done.ended] == ["kiwi"]
        assert members(memory) == {"peanuts", "shellfish"}
        memory.retract(subject="tad", attribute="allergy")
        assert members(memory) == set()
        assert members(memory, as_of="2025-06-01") == {"peanuts", "shellfish", "kiwi"}

    @pytest.mark.parametrize("late", [False, True])
    def test_a_replacement_holds_for_late_members_too(self, memory, late):
        def said():
            memory.write(subject="tad", attribute="allergy", value="kiwi", valid_from="2025-01-01")

        def replaced():
            memory.write(
                subject="tad", attribute="allergy", value=["peanuts", "eggs"], mode="replace",
                valid_from="2025-03-01",
            )  # fmt: skip

        for step in (replaced, said) if late else (said, replaced):
            step()
        assert members(memory) == {"peanuts", "eggs"}
        assert members(memory, as_of="2025-02-01") == {"kiwi"}


class TestC21NoLonger:
    def test_what_is_no_longer_so_ends_and_what_is_new_begins(self, memory):
        tram = memory.capture("I take the tram to work.", occurred_at="2024-05-01T00:00Z")
        bike = memory.capture("I no longer take the tram.", occurred_at="2025-05-01T00:00Z")
        said = {"subject": "vic", "attribute": "commute"}
        memory.write(**said, value="tram", source_episode_id=tram.id)
        memory.retract(**said, value="tram", source_episode_id=bike.id)
        memory.write(**said, value="bicycle", source_episode_id=bike.id)
        assert [r.value for r in memory.list(subject="vic")] == ["bicycle"]
        old = memory.current("vic", "commute", as_of="2024-06-01T00:00Z")
        assert old.value == "tram"
        assert old.to_dict()["valid_to"] == "2025-05-01T00:00:00Z"

    def test_nothing_is_invented_in_its_place(self, memory):
        said = {"subject": "wes", "attribute": "sport"}
        memory.write(**said, value="squash", valid_from="2024-05-01T00:00Z")
        done = memory.retract(**said, valid_from="2025-05-01T00:00Z")
        assert done.outcome == "retracted"
        assert memory.current("wes", "sport") is None
        assert memory.current("wes", "sport", as_of="2024-06-01T00:00Z").value == "squash"
        assert memory.search("squash").hits == ()

    @pytest.mark.parametrize("named", [{}, {"value": "golf"}])
    def test_retracting_what_never_was_is_accepted(self, memory, named):
        done = memory.retract(subject="wes", attribute="sport", **named)
        assert (done.outcome, done.memory, done.ended) == ("noop", None, ())
        memory.write(subject="wes", attribute="sport", value="golf", valid_from="2025-01-01")
        assert memory.current("wes", "sport") is None

    def test_never_was_takes_the_past_too(self, memory):
        said = {"subject": "wes", "attribute": "sport"}
        known = memory.write(**said, value="golf", valid_from="2025-01-01").memory.recorded_from
        memory.retract(**said, mode="correction")
        assert memory.current("wes", "sport", as_of="2025-06-01") is None
        then = memory.current("wes", "sport", as_of="2025-06-01", known_at=known)
        assert then.value == "golf"


class TestC70Confidence:
    @pytest.mark.parametrize(
        "bad",
        [math.nan, math.inf, -math.inf, "NaN", 1.7, -0.2, "0.8", "high", True, 85, Decimal("NaN")],
    )
    def test_what_is_no_number_from_0_to_1_is_refused(self, memory, bad):
        with pytest.raises(InvalidInput) as refused:
            memory.write(subject="a", attribute="b", value="c", confidence=bad)
        assert refused.value.field == "confidence"
        assert list(memory.list()) == []
        id = memory.write(subject="a", attribute="b", value="c").memory.memory_id
        with pytest.raises(InvalidInput):
            memory.update(id, confidence=bad)
        if not isinstance(bad, Decimal):
            with pytest.raises(InvalidInput):
                memory.list(min_confidence=bad)

    @pytest.mark.parametrize("good", [0, 1, 0.1, 0.5])
    def test_what_is_comes_back_as_written(self, memory, good):
        memory.write(subject="a", attribute="b", value="c", confidence=good)
        assert memory.current("a", "b").confidence == good

    def test_missing_means_sure_only_from_a_source_that_is_trusted(self, memory):
        for trust in ("reviewer", "person", "application"):
            memory.write(subject="a", attribute=trust, value="c", trust=trust)
            assert memory.current("a", trust).confidence == 1.0
        for trust in ("tool", "assistant", "document"):
            with pytest.raises(InvalidInput) as refused:
                memory.write(subject="a", attribute=trust, value="c", trust=trust)
            assert refused.value.field == "confidence"

    def test_a_minimum_and_an_order(self, memory):
        for n, confidence in enumerate((0.2, 0.9, 0.5)):
            memory.write(subject="a", attribute=f"b{n}", value="c", confidence=confidence)
        found = [r.confidence for r in memory.list(order="confidence")]
        assert found == [0.9, 0.5, 0.2]
        assert [r.confidence for r in memory.list(min_confidence=0.5)] == [0.9, 0.5]
