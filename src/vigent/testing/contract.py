"""What every adapter has to do: small tests, one claim each, for pytest.

An adapter of your own runs them with a few lines::

    class TestMine(MemoryContract):
        def memory_at(self, path, **options):
            return Memory.open(MyStorage(path), **options)

``MyStorage`` is a ``vigent.ports.storage.Storage``; its own claims are in
``vigent.testing.storage``.
"""

from __future__ import annotations

import abc
import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest

from vigent.errors import (
    AlreadyCorrected,
    ErasedPerson,
    Forbidden,
    IdempotencyMismatch,
    InvalidInput,
    NaiveInstant,
    NotFound,
    SchemaMismatch,
    UnavailableError,
    UnexpectedMemory,
)
from vigent.memory import Memory
from vigent.testing.aliases import AliasClaims
from vigent.testing.clock import FakeClock
from vigent.testing.contexts import ContextClaims
from vigent.testing.forgetting import ForgettingClaims
from vigent.testing.threads import ThreadClaims

__all__ = ["CONTRACT_SCHEMA", "MemoryContract"]

CONTRACT_SCHEMA: Final[dict[str, Any]] = {
    "attributes": {
        "allergy": {"cardinality": "multi"},
        "trusted": {"min_trust": "person"},
        "contested": {"conflict": "contest"},
        "fixed": {"conflict": "reject"},
        "sure": {"half_life_days": 10},
        "born": "date",
        "amount": "decimal",
        "count": "integer",
        "agrees": "boolean",
        "profile": "json",
    },
    "types": {"preference": {"half_life_days": 5}},
    "retention": {"brief": 2},
}
"""What the memories of the suite are opened with."""

_KEY: Final[dict[str, Any]] = {"subject": "mira", "attribute": "city"}
_NOW: Final = "2026-06-01T00:00:00Z"
_FEB, _MAR, _APR, _MAY = (f"2026-0{month}-01T00:00:00Z" for month in (2, 3, 4, 5))


def _values(records: Any) -> list[Any]:
    return [record.value for record in records]


class MemoryContract(ThreadClaims, AliasClaims, ContextClaims, ForgettingClaims, abc.ABC):
    """The claims of memory, asked of one adapter through its public face.

    ``durable`` says whether what was written is there when the path is opened again.
    """

    durable: ClassVar[bool] = True

    @abc.abstractmethod
    def memory_at(self, path: Path, **options: Any) -> Memory:
        """Open a memory on the adapter, at a path in which nothing else is."""

    @pytest.fixture
    def clock(self) -> FakeClock:
        """A clock that stands at the first of June 2026."""
        return FakeClock(_NOW)

    @pytest.fixture
    def memory(self, tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
        """An empty memory under ``CONTRACT_SCHEMA``."""
        with self.memory_at(tmp_path / "memory", schema=CONTRACT_SCHEMA, clock=clock) as opened:
            yield opened

    # --------------------------------------------------------------------------- changes

    def test_nothing_said_is_nothing_in_force(self, memory: Memory) -> None:
        assert memory.current(**_KEY) is None
        assert dict(memory.current("mira")) == {}
        assert memory.history(**_KEY) == ()
        assert list(memory.list()) == []

    def test_what_is_written_is_in_force(self, memory: Memory) -> None:
        done = memory.write(**_KEY, value="Porto")
        assert done.outcome == "stored"
        assert memory.current(**_KEY) == done.memory

    def test_a_change_ends_the_value_before(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        done = memory.write(**_KEY, value="Braga", valid_from=_APR)
        assert done.outcome == "superseded"
        assert _values(done.ended) == ["Porto"]
        assert memory.current(**_KEY).value == "Braga"
        assert memory.current(**_KEY, as_of=_MAR).value == "Porto"

    def test_links_lead_both_ways(self, memory: Memory) -> None:
        old = memory.write(**_KEY, value="Porto", valid_from=_FEB).memory
        new = memory.write(**_KEY, value="Braga", valid_from=_APR).memory
        assert old is not None
        assert new is not None
        assert new.supersedes_memory_id == old.memory_id
        assert memory.get(old.memory_id).superseded_by == new.memory_id

    def test_a_value_said_again_confirms(self, memory: Memory) -> None:
        first = memory.write(**_KEY, value="Porto").memory
        done = memory.write(**_KEY, value="  Porto ")
        assert done.outcome == "confirmed"
        assert first is not None
        assert done.memory is not None
        assert done.memory.memory_id == first.memory_id
        assert len(memory.history(**_KEY)) == 1

    def test_a_late_older_fact_displaces_nothing(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Braga", valid_from=_APR)
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        assert memory.current(**_KEY).value == "Braga"
        assert memory.current(**_KEY, as_of=_MAR).value == "Porto"

    def test_a_value_with_an_end_lets_the_one_before_resume(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        memory.write(**_KEY, value="Rome", valid_from=_MAR, valid_to=_APR)
        assert memory.current(**_KEY).value == "Porto"
        assert memory.current(**_KEY, as_of=_MAR).value == "Rome"

    def test_an_interval_holds_its_start_and_not_its_end(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Rome", valid_from=_MAR, valid_to=_APR)
        assert memory.current(**_KEY, as_of=_MAR).value == "Rome"
        assert memory.current(**_KEY, as_of=_APR) is None

    def test_an_interval_of_nothing_is_refused(self, memory: Memory) -> None:
        with pytest.raises(InvalidInput) as refused:
            memory.write(**_KEY, value="Rome", valid_from=_MAR, valid_to=_MAR)
        assert refused.value.field == "valid_to"

    def test_the_episode_says_since_when(self, memory: Memory) -> None:
        episode = memory.capture("I live in Porto", occurred_at=_FEB)
        done = memory.write(**_KEY, value="Porto", source_episode_id=episode.id)
        assert done.memory is not None
        assert done.memory.valid_from == episode.occurred_at
        assert done.memory.valid_from_basis == "episode"

    def test_an_episode_that_is_not_there_is_refused(self, memory: Memory) -> None:
        with pytest.raises(NotFound) as refused:
            memory.write(**_KEY, value="Porto", source_episode_id="ep_none")
        assert refused.value.field == "source_episode_id"
        assert list(memory.list()) == []

    def test_recorded_time_rises_when_the_clock_steps_back(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        first = memory.write(**_KEY, value="Porto").memory
        clock.advance(days=-30)
        second = memory.write(**_KEY, value="Braga").memory
        assert first is not None
        assert second is not None
        assert second.recorded_from > first.recorded_from
        assert memory.current(**_KEY).value == "Braga"

    def test_the_expected_memory_may_be_named(self, memory: Memory) -> None:
        first = memory.write(**_KEY, value="Porto").memory
        assert first is not None
        memory.write(**_KEY, value="Braga", expect=first.memory_id)
        with pytest.raises(UnexpectedMemory):
            memory.write(**_KEY, value="Faro", expect=first.memory_id)
        assert memory.current(**_KEY).value == "Braga"

    # ------------------------------------------------------------------ corrections, ends

    def test_a_correction_changes_the_past(self, memory: Memory, clock: FakeClock) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        clock.advance(days=1)
        done = memory.write(**_KEY, value="Braga", mode="correction")
        assert done.outcome == "corrected"
        assert memory.current(**_KEY, as_of=_MAR).value == "Braga"
        assert memory.current(**_KEY, as_of=_MAR, known_at=_NOW).value == "Porto"

    def test_the_corrected_says_so(self, memory: Memory) -> None:
        old = memory.write(**_KEY, value="Porto", valid_from=_FEB).memory
        assert old is not None
        memory.write(**_KEY, value="Braga", mode="correction", corrects=old.memory_id)
        assert memory.get(old.memory_id).status == "corrected"
        with pytest.raises(AlreadyCorrected):
            memory.write(**_KEY, value="Faro", mode="correction", corrects=old.memory_id)

    def test_an_interval_is_corrected_alone(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        memory.write(**_KEY, value="Rome", valid_from=_MAR, valid_to=_APR, mode="correction")
        found = [memory.current(**_KEY, as_of=when).value for when in (_FEB, _MAR, _APR)]
        assert found == ["Porto", "Rome", "Porto"]

    def test_a_correction_of_nothing_is_a_change(self, memory: Memory) -> None:
        assert memory.write(**_KEY, value="Porto", mode="correction").outcome == "stored"

    def test_a_retraction_ends(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        done = memory.retract(**_KEY, valid_from=_APR)
        assert done.outcome == "retracted"
        assert memory.current(**_KEY) is None
        assert memory.current(**_KEY, as_of=_MAR).value == "Porto"

    def test_a_retraction_that_names_a_value_touches_no_other(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        assert memory.retract(**_KEY, value="Rome").outcome == "noop"
        assert memory.current(**_KEY).value == "Porto"

    def test_a_retraction_of_nothing_is_remembered(self, memory: Memory) -> None:
        assert memory.retract(**_KEY, valid_from=_APR).outcome == "noop"
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        assert memory.current(**_KEY) is None
        assert memory.current(**_KEY, as_of=_MAR).value == "Porto"

    def test_what_never_was_goes_from_the_past(self, memory: Memory, clock: FakeClock) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        clock.advance(days=1)
        memory.retract(**_KEY, mode="correction")
        assert memory.current(**_KEY, as_of=_MAR) is None
        assert memory.current(**_KEY, as_of=_MAR, known_at=_NOW).value == "Porto"

    # ------------------------------------------------------------------ many values, text

    def test_members_stand_side_by_side(self, memory: Memory) -> None:
        for value in ("nuts", "eggs"):
            assert memory.write(subject="mira", attribute="allergy", value=value).ended == ()
        assert _values(memory.current("mira", "allergy")) == ["nuts", "eggs"]

    def test_a_member_ends_alone(self, memory: Memory) -> None:
        for value in ("nuts", "eggs"):
            memory.write(subject="mira", attribute="allergy", value=value)
        memory.retract(subject="mira", attribute="allergy", value="nuts")
        assert _values(memory.current("mira", "allergy")) == ["eggs"]

    def test_a_replacement_ends_all_others(self, memory: Memory) -> None:
        for value in ("nuts", "eggs"):
            memory.write(subject="mira", attribute="allergy", value=value, valid_from=_FEB)
        said: dict[str, Any] = {"subject": "mira", "attribute": "allergy", "mode": "replace"}
        memory.write(**said, value=["eggs", "milk"], valid_from=_APR)
        assert set(_values(memory.current("mira", "allergy"))) == {"eggs", "milk"}
        memory.write(subject="mira", attribute="allergy", value="kiwi", valid_from=_MAR)
        assert set(_values(memory.current("mira", "allergy"))) == {"eggs", "milk"}

    def test_free_text_is_kept_and_confirmed(self, memory: Memory) -> None:
        first = memory.write(text="likes the window seat", type="preference")
        again = memory.write(text="likes the window seat", type="preference")
        assert (first.outcome, again.outcome) == ("stored", "confirmed")
        assert [r.text for r in memory.list(type="preference")] == ["likes the window seat"]

    def test_free_text_is_superseded_by_name(self, memory: Memory) -> None:
        old = memory.write(text="likes the window", type="preference").memory
        assert old is not None
        memory.write(text="likes the aisle", type="preference", supersedes=old.memory_id)
        assert [r.text for r in memory.list(type="preference")] == ["likes the aisle"]

    # ---------------------------------------------------------------------------- values

    @pytest.mark.parametrize(
        ("attribute", "value"),
        [
            ("born", dt.date(1990, 3, 1)),
            ("amount", Decimal("12345678901234567890.000000001")),
            ("count", 10**30),
            ("agrees", False),
            ("profile", {"a": [1, None, {"b": "c"}]}),
            ("city", "👩‍👩‍👧 Nu\u0301n\u0303ez"),
        ],
    )
    def test_values_come_back_exactly(self, memory: Memory, attribute: str, value: Any) -> None:
        memory.write(subject="mira", attribute=attribute, value=value)
        assert memory.current("mira", attribute).value == value

    @pytest.mark.parametrize(
        ("attribute", "value"),
        [("born", "1 March"), ("amount", "12"), ("count", 1.5), ("count", True), ("agrees", 1)],
    )
    def test_a_value_of_another_kind_is_refused(
        self, memory: Memory, attribute: str, value: Any
    ) -> None:
        with pytest.raises((SchemaMismatch, InvalidInput)):
            memory.write(subject="mira", attribute=attribute, value=value)
        assert list(memory.list()) == []

    def test_a_subject_is_one_in_every_spelling(self, memory: Memory) -> None:
        memory.write(subject="Zo\u00eb  N", attribute="city", value="Vigo")
        assert memory.current("zoe\u0308 n", "city").value == "Vigo"

    def test_a_time_without_an_offset_is_refused(self, memory: Memory) -> None:
        with pytest.raises(NaiveInstant):
            memory.write(**_KEY, value="Porto", valid_from="2026-01-01T00:00:00")

    # ------------------------------------------------------------------------- questions

    def test_history_tells_every_stretch_in_order(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        memory.write(**_KEY, value="Braga", valid_from=_APR)
        rows = memory.history(**_KEY)
        assert _values(rows) == ["Porto", "Porto", "Braga"]
        assert [r.recorded_to is None for r in rows] == [False, True, True]

    def test_provenance_tells_who_said_it(self, memory: Memory) -> None:
        episode = memory.capture("I live in Porto", speaker="Mira")
        done = memory.write(
            **_KEY, value="Porto", source_episode_id=episode.id, quote="live in Porto"
        )
        assert done.memory is not None
        (evidence,) = memory.provenance(done.memory.memory_id).evidence
        assert evidence.episode == episode
        assert (evidence.quote, evidence.speaker) == ("live in Porto", "Mira")

    def test_visibility_tells_whose_it_is(self, memory: Memory) -> None:
        done = memory.write(**_KEY, value="Porto", person="p1")
        assert done.memory is not None
        seen = memory.visibility(done.memory.memory_id, person="p1")
        assert (seen.tenant, seen.store, seen.person) == ("default", "default", "p1")

    @pytest.mark.parametrize("axis", ["valid", "recorded"])
    def test_diff_tells_what_changed(self, memory: Memory, axis: Any) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        memory.write(**_KEY, value="Braga", valid_from=_APR)
        since, until = (_MAR, _MAY) if axis == "valid" else (_NOW, "2027-01-01T00:00:00Z")
        (change,) = memory.diff(since=since, until=until, axis=axis)
        assert _values(change.before) == ["Porto"]
        assert "Braga" in _values(change.after)

    def test_a_search_finds_only_what_is_in_force(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto old", valid_from=_FEB)
        memory.write(**_KEY, value="Braga", valid_from=_APR)
        assert memory.search("porto").hits == ()
        assert _values(memory.search("BRAGA mira").records) == ["Braga"]
        found = memory.search("porto", include="history")
        assert [(hit.excerpt, hit.in_force) for hit in found] == [("mira · city: Porto old", False)]

    def test_what_is_rare_is_found_among_many(self, memory: Memory) -> None:
        memory.write(subject="mira", attribute="document", value="passport")
        items = [{"subject": "mira", "attribute": "mood", "value": f"m{n}"} for n in range(600)]
        memory.write_many(items)
        assert _values(memory.search("mira passport", limit=1).records) == ["passport"]
        assert _values(memory.search("m599", limit=1).records) == ["m599"]

    def test_what_is_past_its_time_takes_no_place(self, memory: Memory, clock: FakeClock) -> None:
        memory.write(subject="mira", attribute="a", value="blue boat")
        memory.write(subject="mira", attribute="b", value="blue boat", ttl_days=1)
        memory.write(subject="mira", attribute="c", value="blue boat", valid_from="2026-07-01")
        clock.advance(days=2)
        (found,) = memory.search("blue boat", limit=1).records
        assert found.attribute == "a"

    def test_a_script_without_spaces_is_found_side_by_side(self, memory: Memory) -> None:
        for n, value in enumerate(("東京", "京東")):
            memory.write(subject="mira", attribute=f"a{n}", value=value)
        assert _values(memory.search("東京").records) == ["東京"]
        assert memory.search("東北").hits == ()

    def test_a_person_and_what_is_shared_are_ranked_together(self, memory: Memory) -> None:
        memory.write(subject="mira", attribute="a", value="blue boat")
        memory.write(subject="mira", attribute="b", value="boat", person="p1")
        memory.write(subject="mira", attribute="c", value="blue boat", person="p2")
        assert _values(memory.search("blue boat", person="p1").records) == ["blue boat", "boat"]
        assert _values(memory.search("blue boat", subject="MIRA").records) == ["blue boat"]
        assert memory.search("blue boat", subject="acme").hits == ()

    def test_what_was_said_is_found_when_asked_for(self, memory: Memory) -> None:
        thread = memory.threads.create(person="p1")
        said = memory.threads.append(thread, "my brother plays the oboe", role="user")
        memory.threads.append(thread, "sealed oboe", role="user", sealed=True)
        assert memory.search("oboe", person="p1").hits == ()
        (hit,) = memory.search("oboe", person="p1", include="episodes")
        assert (hit.kind, hit.id) == ("episode", said.id)
        assert memory.search("oboe", include="episodes").hits == ()
        memory.threads.delete(thread)
        assert memory.search("oboe", person="p1", include="episodes").hits == ()

    def test_a_list_is_in_order_of_recording(self, memory: Memory, clock: FakeClock) -> None:
        for n in (3, 1, 2):
            memory.write(subject="mira", attribute=f"a{n}", value=n)
            clock.advance(seconds=1)
        assert _values(memory.list()) == [3, 1, 2]

    def test_confidence_fades_with_its_half_life(self, memory: Memory, clock: FakeClock) -> None:
        memory.write(subject="mira", attribute="sure", value="x", confidence=0.8)
        clock.advance(days=10)
        found = memory.current("mira", "sure")
        assert found.confidence == pytest.approx(0.8)
        assert found.effective_confidence == pytest.approx(0.4)

    def test_confidence_fades_with_the_half_life_of_its_type(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        memory.write(**_KEY, value="Porto", type="preference", confidence=0.8)
        done = memory.write(subject="mira", attribute="sure", value="x", type="preference")
        clock.advance(days=10)
        found = memory.current(**_KEY)
        assert found.effective_confidence == pytest.approx(0.2)
        assert memory.get(found.memory_id).effective_confidence == found.effective_confidence
        assert done.memory is not None
        assert memory.current("mira", "sure").half_life_days == 10

    # -------------------------------------------------------------------- trust and review

    def test_a_source_below_the_minimum_waits(self, memory: Memory) -> None:
        said: dict[str, Any] = {"subject": "mira", "attribute": "trusted"}
        memory.write(**said, value="a", trust="person")
        done = memory.write(**said, value="b", trust="document", confidence=0.9)
        assert done.outcome == "pending_review"
        assert memory.current("mira", "trusted").value == "a"

    def test_what_is_accepted_enters(self, memory: Memory) -> None:
        said: dict[str, Any] = {"subject": "mira", "attribute": "contested", "valid_from": _FEB}
        memory.write(**said, value="a")
        assert memory.write(**said, value="b").outcome == "pending_review"
        assert memory.current("mira", "contested").contested
        (item,) = memory.review.list()
        assert memory.review.accept(item.memory.memory_id).outcome == "corrected"
        assert memory.current("mira", "contested").value == "b"
        assert memory.review.list() == ()

    def test_what_is_rejected_stays_on_record(self, memory: Memory) -> None:
        said: dict[str, Any] = {"subject": "mira", "attribute": "contested", "valid_from": _FEB}
        memory.write(**said, value="a")
        memory.write(**said, value="b")
        (item,) = memory.review.list()
        memory.review.reject(item.memory.memory_id, "no")
        assert memory.current("mira", "contested").value == "a"
        assert not memory.current("mira", "contested").contested
        assert _values(memory.list(status="rejected")) == ["b"]

    def test_a_candidate_spoils_no_later_write(self, memory: Memory) -> None:
        said: dict[str, Any] = {"subject": "mira", "attribute": "contested", "valid_from": _FEB}
        items: list[dict[str, Any]] = [
            {**said, "value": "a"},
            {**said, "value": "b"},
            {**_KEY, "value": "Porto"},
        ]
        done = memory.write_many(items)
        assert [getattr(r, "outcome", None) for r in done] == [
            "stored", "pending_review", "stored",
        ]  # fmt: skip
        assert len(memory.review.list()) == 1

    def test_another_value_of_the_same_instant_may_be_refused(self, memory: Memory) -> None:
        said: dict[str, Any] = {"subject": "mira", "attribute": "fixed", "valid_from": _FEB}
        memory.write(**said, value="a")
        assert memory.write(**said, value="b").outcome == "rejected"

    # ------------------------------------------------------------------------ atomicity

    def test_a_request_run_again_changes_nothing(self, memory: Memory) -> None:
        first = memory.write(**_KEY, value="Porto", idempotency_key="k")
        assert memory.write(**_KEY, value="Porto", idempotency_key="k") == first
        with pytest.raises(IdempotencyMismatch):
            memory.write(**_KEY, value="Braga", idempotency_key="k")

    def test_an_episode_run_again_changes_nothing(self, memory: Memory) -> None:
        episode = memory.capture("I live in Porto", external_id="m1")
        assert memory.capture("I live in Porto", external_id="m1") == episode
        for _ in range(2):
            done = memory.write(**_KEY, value="Porto", source_episode_id=episode.id)
            assert done.outcome == "stored"
        assert len(memory.history(**_KEY)) == 1

    def test_a_batch_answers_for_each(self, memory: Memory) -> None:
        good, bad = memory.write_many([{**_KEY, "value": "Porto"}, {**_KEY, "value": " "}])
        assert getattr(good, "outcome", None) == "stored"
        assert isinstance(bad, InvalidInput)

    def test_an_atomic_batch_is_all_or_nothing(self, memory: Memory) -> None:
        missing: dict[str, Any] = {
            **_KEY,
            "value": "Faro",
            "mode": "correction",
            "corrects": "mem_none",
        }
        with pytest.raises(NotFound):
            memory.write_many([{**_KEY, "value": "Porto"}, missing], atomic=True)
        assert list(memory.list(include="history")) == []
        assert memory.check().ok

    # ----------------------------------------------------------------- scope, forgetting

    def test_a_person_sees_their_own_and_the_shared(self, memory: Memory) -> None:
        for person in (None, "p1", "p2"):
            memory.write(subject="mira", attribute=f"of {person}", value="x", person=person)
        assert set(memory.current("mira", person="p1")) == {"of None", "of p1"}
        assert set(memory.current("mira")) == {"of None"}

    def test_ones_own_goes_before_the_shared(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Braga", person="p1")
        memory.write(**_KEY, value="Porto")
        assert memory.current(**_KEY, person="p1").value == "Braga"
        assert memory.current(**_KEY, person="p2").value == "Porto"

    def test_the_shared_is_not_a_persons_to_change(self, memory: Memory) -> None:
        done = memory.write(**_KEY, value="Porto")
        assert done.memory is not None
        with pytest.raises(Forbidden):
            memory.forget(done.memory.memory_id, person="p1")
        with pytest.raises(NotFound):
            memory.get("mem_none")

    def test_forgetting_leaves_a_gap(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto", valid_from=_FEB)
        gone = memory.write(**_KEY, value="Rome", valid_from=_MAR).memory
        assert gone is not None
        assert memory.forget(gone.memory_id).forgotten
        assert memory.current(**_KEY) is None
        assert memory.current(**_KEY, as_of=_FEB).value == "Porto"
        with pytest.raises(NotFound):
            memory.get(gone.memory_id)
        assert "Rome" not in _values(memory.history(**_KEY))

    def test_past_its_time_nothing_is_read(self, memory: Memory, clock: FakeClock) -> None:
        memory.write(**_KEY, value="Porto", retention_policy="brief")
        clock.advance(days=2)
        assert memory.current(**_KEY) is None
        assert memory.history(**_KEY) == ()
        assert memory.sweep() == 1
        assert memory.check().ok

    def test_an_update_changes_what_it_names(self, memory: Memory) -> None:
        done = memory.write(**_KEY, value="Porto", metadata={"a": 1}, importance=3)
        assert done.memory is not None
        after = memory.update(done.memory.memory_id, importance=9)
        assert (after.importance, after.metadata, after.value) == (9, {"a": 1}, "Porto")

    def test_an_erased_person_is_gone_and_nobody_else(self, memory: Memory) -> None:
        for person in ("p1", "p2"):
            memory.capture("hello", person=person, external_id="m")
            memory.write(**_KEY, value=f"of {person}", person=person)
        memory.erase_person("p1")
        assert memory.current(**_KEY, person="p1") is None
        assert memory.current(**_KEY, person="p2").value == "of p2"
        assert memory.search("of", person="p1").hits == ()
        assert memory.check().ok

    def test_what_was_said_before_the_erasure_does_not_come_back(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        memory.erase_person("p1")
        with pytest.raises(ErasedPerson):
            memory.capture("hello", person="p1", occurred_at=_FEB)
        clock.advance(seconds=1)
        assert memory.capture("hello again", person="p1").person == "p1"

    def test_an_episode_after_an_erasure_takes_no_others_place(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        memory.capture("of p1", person="p1")
        kept = memory.capture("of p2", person="p2")
        memory.erase_person("p1")
        clock.advance(seconds=1)
        memory.capture("of p3", person="p3")
        done = memory.write(**_KEY, value="x", source_episode_id=kept.id, person="p2")
        assert done.memory is not None
        (evidence,) = memory.provenance(done.memory.memory_id, person="p2").evidence
        assert evidence.episode == kept

    def test_a_closed_memory_says_so(self, memory: Memory) -> None:
        memory.write(**_KEY, value="Porto")
        memory.current(**_KEY)
        memory.close()
        asks: tuple[Callable[[], object], ...] = (
            lambda: memory.current(**_KEY),
            lambda: memory.current("mira"),
            lambda: memory.search("porto"),
            lambda: memory.write(**_KEY, value="Braga"),
            lambda: memory.erase_person("p1", dry_run=True),
            lambda: list(memory.list()),
            memory.sweep,
            memory.check,
        )
        for ask in asks:
            with pytest.raises(UnavailableError, match="closed"):
                ask()

    def test_what_was_written_is_there_when_opened_again(self, tmp_path: Path) -> None:
        if not self.durable:
            pytest.skip("the adapter keeps nothing")
        with self.memory_at(tmp_path / "again") as memory:
            done = memory.write(**_KEY, value="Porto")
        with self.memory_at(tmp_path / "again") as memory:
            assert memory.current(**_KEY) == done.memory
