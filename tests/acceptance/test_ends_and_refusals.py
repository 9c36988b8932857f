"""What ends a value at its own instant, what is refused or said, and what a correction keeps."""

from __future__ import annotations

import pytest

from tests.timelines import KEY, NOW, at, say, tell, timeline
from vigent import Memory
from vigent.errors import ConflictError, InvalidInput
from vigent.testing import FakeClock


@pytest.fixture(params=["inmemory", "sqlite"])
def fresh(request, tmp_path):
    """A maker of memories with a schema of one's own; each is checked when the test is over."""
    made: list[Memory] = []

    def make(**city) -> Memory:
        path = ":memory:" if request.param == "inmemory" else tmp_path / "m.db"
        schema = {"attributes": {"city": {"kind": "text", **city}}} if city else None
        made.append(Memory.open(path, clock=FakeClock(NOW), schema=schema))
        return made[-1]

    yield make
    for memory in made:
        assert memory.check().ok
        memory.close()


@pytest.mark.parametrize("policy", ["latest", "most_trusted", "most_confident"])
@pytest.mark.parametrize("word", ["none@5", "end:A@5"])
def test_a_retraction_at_the_values_own_start_ends_it(fresh, policy, word):
    memory = fresh(conflict=policy)
    say(memory, "A@5")
    assert say(memory, word).outcome == "retracted"
    assert timeline(memory) == ""


@pytest.mark.parametrize("policy", ["most_trusted", "most_confident"])
def test_values_at_one_instant_end_by_the_tie_rule_of_a_multi_valued_attribute(fresh, policy):
    memory = fresh(conflict=policy, cardinality="multi")
    tell(memory, "A@5 B@5")
    assert memory.retract(**KEY, value="A", valid_from=at(5)).outcome == "retracted"
    assert timeline(memory) == "B[5,)"
    memory.write(**KEY, value=["C"], mode="replace", valid_from=at(5))
    assert timeline(memory) == "C[5,)"
    assert memory.retract(**KEY, valid_from=at(5)).outcome == "retracted"
    assert timeline(memory) == ""


def test_a_retraction_of_less_trust_at_the_values_own_start_waits(fresh):
    memory = fresh(conflict="most_trusted")
    say(memory, "A@5", trust="person")
    held = say(memory, "none@5", trust="document")
    assert (held.outcome, timeline(memory)) == ("pending_review", "A[5,)")
    memory.review.accept(held.memory.memory_id)
    assert timeline(memory) == ""


def test_an_accepted_never_was_of_a_value_takes_every_memory_of_it(fresh):
    memory = fresh(min_trust="person")
    tell(memory, "A[11,21) B@21", trust="person")
    held = memory.retract(**KEY, value="A", mode="correction", trust="document")
    assert held.outcome == "pending_review"
    assert memory.review.accept(held.memory.memory_id).outcome == "retracted"
    assert timeline(memory) == "B[21,)"


def test_a_correction_heeds_what_it_expects_in_force(fresh):
    memory = fresh()
    a, b = tell(memory, "A[1,5) B@5")
    named = {"mode": "correction", "corrects": a.memory.memory_id}
    for request in (named, {"mode": "correction"}, {"mode": "correction", "valid_from": at(2)}):
        with pytest.raises(ConflictError) as refused:
            memory.write(**KEY, value="C", expect="mem_other", **request)
        assert refused.value.field == "expect"
    assert timeline(memory) == "A[1,5) B[5,)"
    memory.write(**KEY, value="C", expect=a.memory.memory_id, **named)
    memory.write(**KEY, value="D", expect=b.memory.memory_id, mode="correction")
    assert timeline(memory) == "C[1,5) D[5,)"


def test_a_nomination_that_cannot_be_followed_is_told(fresh):
    memory = fresh()
    other = memory.write(type="preference", text="tea").memory.memory_id
    keyed = say(memory, "A@5", supersedes=other)
    assert (keyed.outcome, keyed.reason) == ("stored", "supersedes_skipped")
    for id in ("mem_nope", other, keyed.memory.memory_id):
        done = memory.write(text=f"coffee and {id}", supersedes=id)
        assert (done.outcome, done.ended, done.reason) == ("stored", (), "supersedes_skipped")
    followed = memory.write(text="water", supersedes=done.memory.memory_id)
    assert (followed.outcome, followed.reason) == ("superseded", None)


def test_corrects_without_the_mode_is_refused(fresh):
    memory = fresh()
    id = say(memory, "A@5").memory.memory_id
    with pytest.raises(InvalidInput) as refused:
        say(memory, "B@5", corrects=id)
    assert (refused.value.field, timeline(memory)) == ("corrects", "A[5,)")


def test_evidence_counts_distinct_episodes_and_what_cites_none_for_itself(fresh):
    memory = fresh(min_trust="person")
    cited = memory.capture("I live in A", occurred_at=at(5)).id
    say(memory, "A@5", trust="person", source_episode_id=cited)
    for day, more in enumerate(({"source_episode_id": cited}, {}, {}), start=6):
        weak = {"trust": "document", "confidence": 0.5}
        assert say(memory, f"A@{day}", **weak, **more).outcome == "confirmed"
    assert memory.current(**KEY).evidence_count == 3
    say(memory, "A@20", trust="person")
    assert memory.current(**KEY).evidence_count == 4


@pytest.mark.parametrize("options", [{}, {"cardinality": "multi"}])
def test_a_corrected_word_does_not_put_an_ended_thing_back_in_force(fresh, options):
    memory = fresh(**options)
    first, _ = tell(memory, "Kestrel@2 end:Kestrel@11")
    named = {"mode": "correction", "corrects": first.memory.memory_id}
    fixed = memory.write(**KEY, value="Kestrel Freight", **named)
    assert fixed.outcome == "corrected"
    assert timeline(memory) == "Kestrel Freight[2,11)"
    again = memory.write(
        **KEY, value="Kestrel Air", mode="correction", corrects=fixed.memory.memory_id
    )
    assert timeline(memory) == "Kestrel Air[2,11)"
    longer = {"mode": "correction", "corrects": again.memory.memory_id, "valid_to": at(14)}
    memory.write(**KEY, value="Kestrel Sea", **longer)
    assert timeline(memory) == "Kestrel Sea[2,14)"


def test_a_corrected_word_ends_where_another_value_followed_a_named_retraction(fresh):
    memory = fresh()
    first = say(memory, "A@2")
    tell(memory, "B@20 end:A@11")
    named = {"mode": "correction", "corrects": first.memory.memory_id}
    memory.write(**KEY, value="C", **named)
    assert timeline(memory) == "C[2,11) B[20,)"


def test_never_was_of_a_value_takes_every_part_of_a_memory_that_stands_apart(fresh):
    memory = fresh()
    tell(memory, "A@1 B@5 A@6")
    say(memory, "Z[3,8)", mode="correction")
    assert timeline(memory) == "A[1,3) Z[3,8) A[8,)"
    memory.retract(**KEY, value="A", mode="correction")
    assert timeline(memory) == "Z[3,8)"


def test_never_was_of_a_value_takes_both_sides_of_a_corrected_interval(fresh):
    memory = fresh()
    tell(memory, "A@1 B[4,5)")
    say(memory, "Z[3,8)", mode="correction")
    assert timeline(memory) == "A[1,3) Z[3,8) A[8,)"
    memory.retract(**KEY, value="A", mode="correction")
    assert timeline(memory) == "Z[3,8)"
