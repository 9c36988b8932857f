"""Rules of writing that hold between requests: batches, ties, candidates, what is forgotten."""

from __future__ import annotations

import pickle
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.timelines import KEY, NOW, at, say, tell, timeline
from vigent import Hold, Memory, MemoryDelta
from vigent.errors import AlreadyCorrected, IdempotencyMismatch, InvalidInput, NotFound
from vigent.testing import FakeClock

TIED = {"valid_from": at(5)}


@pytest.fixture(params=["inmemory", "sqlite"])
def fresh(request, tmp_path):
    """A maker of memories: on one path, under one clock, with a schema of one's own."""
    made: list[Memory] = []
    clock = FakeClock(NOW)

    def make(**schema) -> Memory:
        path = ":memory:" if request.param == "inmemory" else tmp_path / "m.db"
        made.append(Memory.open(path, clock=clock, schema=schema or None))
        return made[-1]

    make.clock = clock
    yield make
    for memory in made:
        memory.close()


def city(**options) -> dict:
    return {"attributes": {"city": {"kind": "text", **options}}}


def test_a_batch_sees_what_it_changed_of_another_key_before(fresh):
    memory = fresh()
    tell(memory, "a@1")
    say(memory, "x@1", subject="acme")
    memory.write_many([
        {**KEY, "value": "trip", "valid_from": at(2), "valid_to": at(3)},
        {**KEY, "subject": "acme", "value": "y", "valid_from": at(2)},
        {**KEY, "value": "b", "valid_from": at(4)},
    ])  # fmt: skip
    assert timeline(memory) == "a[1,2) trip[2,3) a[3,4) b[4,)"
    assert timeline(memory, subject="acme") == "x[1,2) y[2,)"
    assert memory.check().ok


def test_an_idempotency_key_counts_within_a_batch_too(fresh):
    memory = fresh()
    first, again, other = memory.write_many([
        {**KEY, "value": "Porto", "idempotency_key": "k"},
        {**KEY, "value": "Porto", "idempotency_key": "k"},
        {**KEY, "value": "Lugo", "idempotency_key": "k"},
    ])  # fmt: skip
    assert again.memory.memory_id == first.memory.memory_id
    assert isinstance(other, IdempotencyMismatch)
    assert memory.current(**KEY).value == "Porto"


def test_recorded_time_rises_also_where_a_candidate_follows_in_one_batch(fresh):
    memory = fresh()
    tell(memory, "a@1")
    memory.write_many([
        {**KEY, "value": "b"},
        {**KEY, "value": "c", "type": "preference", "trust": "assistant", "confidence": 0.5},
        {**KEY, "value": "d"},
    ])  # fmt: skip
    said = [row.recorded_from for row in memory.history(**KEY)]
    assert said == sorted(said)
    assert memory.current(**KEY).value == "d"
    assert memory.check().ok


def test_the_more_trusted_of_one_instant_stands_whatever_came_last(fresh):
    memory = fresh(**city(conflict="most_trusted"))
    memory.write(**KEY, value="A", trust="person", **TIED)
    result = memory.write(**KEY, value="B", trust="application", **TIED)
    assert result.outcome == "pending_review"
    assert memory.current(**KEY).value == "A"
    assert memory.check().ok


def test_a_tie_is_the_latest_again_once_the_policy_is(tmp_path):
    with Memory.open(tmp_path / "m.db", schema=city(conflict="most_trusted")) as memory:
        memory.write(**KEY, value="A", trust="person", **TIED)
    with Memory.open(tmp_path / "m.db", schema=city()) as memory:
        memory.write(**KEY, value="B", trust="application", **TIED)
        assert memory.current(**KEY).value == "B"
        assert memory.check().ok


def test_the_most_confident_of_three_stands(fresh):
    memory = fresh(**city(conflict="most_confident"))
    for value, confidence in (("A", 0.3), ("B", 0.9)):
        memory.write(**KEY, value=value, confidence=confidence, **TIED)
    memory.write_many([{**KEY, "value": "C", "confidence": 0.5, **TIED}])
    assert memory.current(**KEY).value == "B"
    assert memory.check().ok


def test_a_check_holds_a_retraction_too(fresh, tmp_path):
    path = ":memory:"
    with Memory.open(path, checks=[lambda *_: Hold("ask first")]) as memory:
        memory.write(**KEY, value="Porto")
        result = memory.propose(MemoryDelta(tenant_id="default", confidence=0.5, **KEY, value=None))
        assert (result.outcome, result.reason) == ("pending_review", "ask first")
        assert memory.current(**KEY).value == "Porto"
        (item,) = memory.review.list()
        memory.review.accept(item.memory.memory_id)
        assert memory.current(**KEY) is None


def test_a_memory_that_copies_bear_on_is_corrected_once(fresh):
    memory = fresh()
    first = say(memory, "A@10").memory.memory_id
    say(memory, "B[5,15)", mode="correction")
    memory.write(**KEY, value="C", mode="correction", corrects=first)
    with pytest.raises(AlreadyCorrected):
        memory.write(**KEY, value="D", mode="correction", corrects=first)
    assert memory.check().ok


def test_a_policy_that_is_no_longer_declared_stops_no_write(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path, schema={"retention": {"brief": 9}}) as memory:
        memory.write(**KEY, value="A", retention_policy="brief")
    with Memory.open(path) as memory:
        assert memory.write(**KEY, value="A").outcome == "confirmed"
        assert memory.write(**KEY, value="B").outcome == "superseded"
        assert memory.update(memory.current(**KEY).memory_id, importance=7).importance == 7


class TestCandidates:
    def wait(self, memory: Memory, person: str, **more) -> str:
        return memory.write(
            **KEY, value="A", type="preference", trust="assistant", confidence=0.5,
            person=person, **more,
        ).memory.memory_id  # fmt: skip

    def test_one_person_decides_nothing_of_another(self, tmp_path):
        path = tmp_path / "m.db"
        with Memory.open(path) as memory:
            id = self.wait(memory, "p1")
        with Memory.open(path, person="p2") as memory:
            for decide in (memory.review.accept, memory.review.reject):
                with pytest.raises(NotFound):
                    decide(id)
        with Memory.open(path, person="p1") as memory:
            assert memory.review.accept(id).outcome == "stored"

    def test_past_its_time_it_waits_no_longer(self, fresh):
        memory = fresh()
        id = self.wait(memory, "p1", ttl_days=3)
        fresh.clock.advance(days=4)
        assert memory.review.list() == ()
        with pytest.raises(NotFound):
            memory.review.accept(id)

    def test_what_is_quoted_of_another_persons_episode_is_not_told(self, fresh):
        memory = fresh()
        episode = memory.capture("the safe opens with 1234", person="p1")
        for quote in ("opens with 1234", "opens with 9999"):
            with pytest.raises(NotFound):
                memory.propose(
                    MemoryDelta(
                        tenant_id="default",
                        confidence=0.5,
                        **KEY,
                        value="x",
                        quote=quote,
                        source_episode_id=episode.id,
                    ),
                    person="p2",
                )


def left(path: Path, word: str) -> list[str]:
    found = [p for p in path.parent.iterdir() if re.search(word.encode(), p.read_bytes())]
    return [p.name for p in found]


class TestForgottenIsGone:
    """No table keeps what was forgotten; the bytes are checked as they are after a purge."""

    @pytest.fixture
    def memory(self, tmp_path):
        self.path = tmp_path / "m.db"
        schema = {
            "attributes": {
                "home": {"kind": "text", "min_trust": "application"},
                "likes": {"kind": "text", "cardinality": "multi"},
            },
        }
        self.clock = FakeClock(NOW)
        with Memory.open(self.path, schema=schema, clock=self.clock) as memory:
            yield memory

    def gone(self, memory: Memory, word: str) -> bool:
        memory.erase_person("nobody", wait=True)
        return left(self.path, word) == []

    def test_a_candidate(self, memory):
        held = memory.write(
            **KEY, value="quokkatown", type="preference", trust="assistant", confidence=0.5
        )
        memory.forget(held.memory.memory_id)
        assert self.gone(memory, "quokkatown")

    def test_a_retraction_of_it_that_ended_nothing(self, memory):
        memory.retract(**KEY, value="quokkatown", valid_from=at(1))
        memory.forget(say(memory, "quokkatown@2").memory.memory_id)
        assert self.gone(memory, "quokkatown")

    def test_a_quote_with_which_one_of_many_was_retracted(self, memory):
        id = memory.write(subject="mira", attribute="likes", value="figs").memory.memory_id
        memory.retract(
            subject="mira", attribute="likes", value="figs", valid_from=at(1), quote="no quokkafigs"
        )
        memory.forget(id)
        assert self.gone(memory, "quokkafigs")

    def test_what_supported_it_when_a_write_finds_it_expired(self, memory):
        key = {"subject": "mira", "attribute": "home"}
        memory.write(**key, value="Lugo", ttl_days=3)
        memory.write(**key, value="Lugo", trust="tool", confidence=0.5, quote="quokkalane")
        self.clock.advance(days=9)
        memory.write(**key, value="Porto")
        memory.sweep()
        assert self.gone(memory, "quokkalane")


def test_results_can_be_pickled(fresh):
    memory = fresh()
    tell(memory, "a@1 b@2")
    result = say(memory, "c@3")
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.ended[0].supersedes_memory_id is not None


@pytest.mark.parametrize(
    "odd",
    [
        {"confidence": 10**400}, {"confidence": Decimal("sNaN")},
        {"confidence": Decimal("Infinity")},
        {5: 1, "zz": 2},
    ],
)  # fmt: skip
def test_no_odd_item_sinks_a_batch(fresh, odd):
    good = {**KEY, "value": "Porto"}
    first, bad, last = fresh().write_many([good, {**KEY, "value": "x", **odd}, good])
    assert (first.outcome, last.outcome) == ("stored", "confirmed")
    assert isinstance(bad, InvalidInput)


class TestExpiredInPassing:
    """A write forgets what it meets that is past its time, on every engine the same."""

    def test_what_it_does_not_touch_is_left_to_the_sweep(self, fresh):
        memory = fresh()
        memory.write(**KEY, value="B", ttl_days=2)
        memory.write(**KEY, value="A")
        fresh.clock.advance(days=2)
        memory.write(**KEY, value="A")
        assert memory.sweep() == 1

    def test_a_value_past_its_time_is_stored_again(self, fresh):
        memory = fresh()
        first = memory.write(**KEY, value="B", ttl_days=2).memory.memory_id
        fresh.clock.advance(days=2)
        again = memory.write(**KEY, value="B")
        assert (again.outcome, again.memory.supersedes_memory_id) == ("stored", None)
        with pytest.raises(NotFound):
            memory.get(first)
        assert memory.sweep() == 0

    def test_it_cannot_be_corrected_by_name(self, fresh):
        memory = fresh()
        first = memory.write(**KEY, value="B", ttl_days=2).memory.memory_id
        fresh.clock.advance(days=3)
        with pytest.raises(NotFound):
            memory.write(**KEY, value="C", mode="correction", corrects=first)
        assert memory.retract(**KEY, value="B", mode="correction").outcome == "noop"
        assert memory.check().ok

    @pytest.mark.parametrize("held", ["inside", "over"])
    def test_an_interval_corrected_over_it_brings_nothing_of_it_back(self, fresh, held):
        memory = fresh()
        tell(memory, "A@1")
        if held == "over":
            tell(memory, "Q@3", ttl_days=2)
            tell(memory, "X[6,8)")
        else:
            tell(memory, "Q@6", ttl_days=2)
        fresh.clock.advance(days=3)
        say(memory, "Z[5,12)", mode="correction")
        assert [r.value for r in memory.history(**KEY) if r.value == "Q"] == []
        assert memory.current(**KEY) is None
        assert memory.check().ok

    def test_nothing_names_it(self, fresh):
        memory = fresh()
        first = say(memory, "A@400").memory.memory_id
        memory.write(**KEY, value="B", valid_from=at(400), ttl_days=1)
        fresh.clock.advance(days=2)
        memory.write(**KEY, value="B")
        assert memory.get(first).superseded_by is None


def test_an_accepted_candidate_is_remembered_by_its_request(fresh):
    memory = fresh(**city(conflict="contest"))
    memory.write(**KEY, value="A", **TIED)
    episode = memory.capture("B it is", occurred_at=at(5))
    request = {**KEY, "value": "B", "source_episode_id": episode.id, **TIED}
    accepted = memory.review.accept(memory.write(**request).memory.memory_id)
    memory.write(**KEY, value="C", mode="correction", corrects=accepted.memory.memory_id)
    before = [row.to_dict() for row in memory.history(**KEY)]
    memory.write(**request)
    assert [row.to_dict() for row in memory.history(**KEY)] == before
    assert memory.review.list() == ()


def test_an_update_with_none_leaves_a_field_as_it_is(fresh):
    memory = fresh()
    id = memory.write(**KEY, value="A", confidence=0.4, importance=7).memory.memory_id
    record = memory.update(id, confidence=None, importance=None, metadata={"a": 1})
    assert (record.confidence, record.importance, record.metadata) == (0.4, 7, {"a": 1})


def test_what_ended_is_shown_where_it_ended_also_where_it_goes_on_later(fresh):
    memory = fresh()
    tell(memory, "A@1 X[6,8)")
    say(memory, "Z[5,12)", mode="correction")
    say(memory, "C@7")
    assert timeline(memory) == "A[1,5) Z[5,7) C[7,12) A[12,)"
    (ended,) = say(memory, "B[3,5)").ended
    assert (ended.value, ended.valid_from.day, ended.valid_to.day) == ("A", 2, 4)
    assert timeline(memory) == "A[1,3) B[3,5) Z[5,7) C[7,12) A[12,)"


@pytest.mark.parametrize("verb", ["write", "retract"])
def test_an_answer_kept_about_a_person_goes_with_them(tmp_path, verb):
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        memory.persons.link("p", "Pia")
        key = {"subject": "Pia", "attribute": "seat", "idempotency_key": "pia@quokka.example"}
        given = {**key, "value": "1A"} if verb == "write" else {**key, "op": "retract"}
        (before,) = memory.write_many([given])
        memory.erase_person("p", wait=True)
        assert left(path, "quokka") == []
        (after,) = memory.write_many([given])
        assert after.outcome == before.outcome
        assert (after.memory is None) == (verb == "retract")


def test_a_correction_that_waits_keeps_the_start_of_its_memory(fresh):
    memory = fresh(**city(min_trust="person"))
    old = memory.write(**KEY, value="a", trust="person", valid_from=at(1)).memory
    new = {"trust": "document", "confidence": 0.9, "value": "b"}
    named = {"mode": "correction", "corrects": old.memory_id}
    with pytest.raises(InvalidInput) as refused:
        memory.write(**KEY, **new, **named, valid_to=at(1))
    assert refused.value.field == "valid_to"
    held = memory.write(**KEY, **new, **named, valid_to=at(3)).memory
    assert (held.status, held.valid_from) == ("pending_review", old.valid_from)
    memory.review.accept(held.memory_id)
    assert timeline(memory) == "b[1,3)"
    assert memory.check().ok
