"""Candidates through the whole path: capture, gate, reconcile, commit, and what is left of them."""

from __future__ import annotations

import pytest

from tests.acceptance.candidates import NOW, World
from vigent import Memory, MemoryDelta, Refuse
from vigent.errors import InvalidInput, NotFound, TenantMismatch
from vigent.testing import FakeClock


@pytest.fixture(params=[":memory:", "file"])
def world(request, tmp_path):
    made = World(":memory:" if request.param == ":memory:" else tmp_path / "gate.db")
    yield made
    made.memory.close()


def test_what_is_accepted_is_in_force_with_its_evidence(world):
    found = world.learn("I live in Oslo.", attribute="city", value="Oslo", trust="document")
    assert (found.outcome, found.reasons, found.trust) == ("accepted", (), "person")
    record = world.memory.current("mira", "city")
    assert (record.value, record.trust, record.quote) == ("Oslo", "person", "I live in Oslo.")
    assert record.source_episode_id == found.episode_id
    assert record.memory_id == found.memory_id == found.result.memory.memory_id


def test_what_is_held_waits_by_its_reason_and_what_is_refused_leaves_a_trace(world):
    held = world.learn("I moved last week.", attribute="city", value="Rome")
    refused = world.learn("Do I like tea?", text="Likes tea", type="preference", quote="I like tea")
    assert (held.outcome, held.reason) == ("pending_review", "value_unsupported")
    assert (refused.outcome, refused.reason, refused.memory_id) == ("rejected", "asked", None)
    assert world.value("city") is None
    assert [i.memory.memory_id for i in world.memory.review.list("value_unsupported")] == [
        held.memory_id
    ]
    assert world.memory.review.list("asked") == ()
    told = {c.candidate_id: c for c in world.memory.candidates.list()}
    assert told[refused.candidate_id].delta["text"] == "Likes tea"
    assert [c.outcome for c in world.memory.candidates.list(held.episode_id)] == ["pending_review"]
    assert [c.reason for c in world.memory.candidates.list(outcome="rejected")] == ["asked"]


def test_the_same_candidate_has_the_same_answer(world):
    episode = world.said("I live in Oslo.")
    first = world.learn("I live in Oslo.", episode=episode, attribute="city", value="Oslo")
    again = world.learn("I live in Oslo.", episode=episode, attribute="city", value="Oslo")
    assert again == first
    assert len(world.memory.candidates.list()) == 1
    assert world.memory.current("mira", "city").evidence_count == 1


def test_a_foreign_tenant_and_a_missing_episode_are_refused(world):
    with pytest.raises(TenantMismatch):
        world.memory.candidates.learn(MemoryDelta(tenant_id="other", source_episode_id="x"))
    with pytest.raises(InvalidInput, match="source_episode_id"):
        world.memory.candidates.learn(MemoryDelta(tenant_id="default"))
    with pytest.raises(NotFound):
        world.memory.candidates.learn(MemoryDelta(tenant_id="default", source_episode_id="ep_x"))


def test_a_delta_names_the_field_that_does_not_fit():
    with pytest.raises(InvalidInput) as error:
        MemoryDelta.of({"tenant_id": "t", "assertion": "sung"})
    assert error.value.field == "assertion"
    with pytest.raises(InvalidInput) as error:
        MemoryDelta.of({"tenant_id": "t", "vibe": 1})
    assert error.value.field == "vibe"


def test_a_candidate_that_does_not_fit_the_schema_names_the_field(tmp_path):
    world = World(schema={"attributes": {"age": {"kind": "integer"}}})
    found = world.learn("I am old.", attribute="age", value="old")
    assert (found.outcome, found.reason, found.detail) == ("rejected", "schema_mismatch", "value")
    found = world.learn("I am 34.", attribute="a" * 5_000, value="34")
    assert (found.reason, found.detail) == ("schema_mismatch", "attribute")
    found = world.learn("I am 34.", attribute="age", value=34, type="lesson")
    assert (found.reason, found.detail) == ("schema_mismatch", "type")


def test_unknown_attributes_follow_the_stores_rule():
    world = World(schema={"unknown_attributes": "review"})
    found = world.learn("I live in Oslo.", attribute="city", value="Oslo")
    assert (found.outcome, found.reason) == ("pending_review", "unknown_attribute")


def test_a_callers_own_checks_are_part_of_the_gate():
    def no_rum(delta, state):
        assert delta.trust == "person"
        return Refuse("no_rum") if delta.value == "rum" else None

    world = World(checks=[no_rum])
    assert world.learn("I drink rum.", attribute="drink", value="rum").reason == "no_rum"
    assert world.learn("I drink tea.", attribute="drink", value="tea").outcome == "accepted"


# -------------------------------------------------------------------------- judging again


def test_after_a_change_of_policy_a_candidate_is_judged_again(tmp_path):
    path = tmp_path / "p.db"
    mail = {"attribute": "email", "value": "m@example.org"}
    with World(path, settings={"gate": {"contacts": "review"}}).memory as memory:
        world = World.__new__(World)
        world.memory, world.clock = memory, FakeClock(NOW)
        held = world.learn("Mail m@example.org", **mail)
        assert (held.outcome, held.reason) == ("pending_review", "contact_data")
        assert memory.candidates.judge(held.candidate_id).outcome == "pending_review"
    with Memory.open(path, person="mira", clock=FakeClock(NOW)) as memory:
        judged = memory.candidates.judge(held.candidate_id)
        assert (judged.outcome, judged.memory_id) == ("accepted", held.memory_id)
        assert memory.current("mira", "email").value == "m@example.org"
        assert memory.review.list() == ()
        assert memory.candidates.judge(held.candidate_id).judged == judged.judged


def test_what_was_accepted_stays_when_the_policy_grows_stricter(tmp_path):
    path = tmp_path / "p.db"
    world = World(path)
    kept = world.learn("Mail m@example.org", attribute="email", value="m@example.org")
    world.memory.close()
    with Memory.open(
        path, person="mira", clock=FakeClock(NOW), settings={"gate": {"contacts": "reject"}}
    ) as memory:
        assert memory.candidates.judge(kept.candidate_id).outcome == "accepted"
        assert memory.current("mira", "email") is not None


def test_a_refused_candidate_may_be_let_in_later_and_a_held_one_be_refused(tmp_path):
    path = tmp_path / "p.db"
    world = World(path, settings={"gate": {"contacts": "reject", "min_confidence": 0.5}})
    refused = world.learn("Mail m@example.org", attribute="email", value="m@example.org")
    held = world.learn("Call +351 912 345 678", attribute="fax", value="+351 912 345 678",
                       confidence=0.2)  # fmt: skip
    assert (refused.outcome, held.outcome) == ("rejected", "rejected")
    world.memory.close()
    with Memory.open(
        path, person="mira", clock=FakeClock(NOW), settings={"gate": {"min_confidence": 0.5}}
    ) as memory:
        assert memory.candidates.judge(refused.candidate_id).outcome == "accepted"
        again = memory.candidates.judge(held.candidate_id)
        assert (again.outcome, again.reason) == ("pending_review", "confidence_low")
    with Memory.open(
        path, person="mira", clock=FakeClock(NOW), settings={"gate": {"contacts": "reject"}}
    ) as memory:
        third = memory.candidates.judge(held.candidate_id)
        assert (third.outcome, third.reason) == ("rejected", "contact_data")
        assert memory.review.list() == ()


def test_what_somebody_decided_is_not_judged_again(world):
    held = world.learn("I moved last week.", attribute="city", value="Rome")
    world.memory.review.reject(held.memory_id)
    assert world.memory.candidates.judge(held.candidate_id).judged == 1


# ---------------------------------------------------------------------------------- review


def test_a_reviewer_edits_and_accepts(world):
    held = world.learn("I moved last week.", attribute="city", value="Rome")
    done = world.memory.review.accept(held.memory_id, edits={"value": "Lund"})
    assert (done.memory.value, done.memory.trust) == ("Lund", "reviewer")
    assert done.memory.memory_id == held.memory_id
    other = world.learn("I moved again.", attribute="city", value="Bonn")
    with pytest.raises(InvalidInput, match="trust"):
        world.memory.review.accept(other.memory_id, edits={"trust": "person"})
    assert [i.memory.value for i in world.memory.review.list()] == ["Bonn"]


def test_many_are_decided_each_by_itself(world):
    one = world.learn("I moved last week.", attribute="city", value="Rome")
    two = world.learn("I changed jobs.", attribute="job", value="nurse")
    first, missing = world.memory.review.decide([one.memory_id, "mem_x"], "accept")
    assert (first.memory.value, missing.code) == ("Rome", "not_found")
    assert (
        world.memory.review.decide([two.memory_id], "reject", reason="no")[0].status == "rejected"
    )
    assert world.memory.review.list() == ()
    with pytest.raises(InvalidInput, match="decision"):
        world.memory.review.decide([], "maybe")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------ recurrence


def test_a_weak_signal_rises_with_the_third_independent_session():
    world = World(schema={"attributes": {"mood": {"recurrence": 3}}})
    tired = {"attribute": "mood", "value": "tired"}
    outcomes = [
        world.learn(f"I'm tired. {n}", thread=thread, quote="I'm tired.", **tired)
        for n, thread in enumerate(["t1", "t1", "t2", "t3"])
    ]
    assert [c.outcome for c in outcomes] == ["buffered", "buffered", "buffered", "accepted"]
    assert [c.detail for c in outcomes[:3]] == ["1 of 3", "1 of 3", "2 of 3"]
    record = world.memory.current("mira", "mood")
    assert (record.value, record.evidence_count) == ("tired", 4)
    assert world.memory.review.list() == ()


def test_buffered_candidates_can_be_accepted_by_a_reviewer():
    world = World(schema={"attributes": {"mood": {"recurrence": 2}}})
    held = world.learn("I'm tired.", attribute="mood", value="tired")
    assert world.memory.review.list("recurrence")[0].memory.status == "buffered"
    assert world.value("mood") is None
    world.memory.review.accept(held.memory_id)
    assert world.value("mood") == "tired"


# ---------------------------------------------------------------------- change, correction


@pytest.mark.parametrize(
    ("changed", "denied"),
    [
        ("She corrected the deadline, it is now 30 June.", "It was never the 15th, it is 30 June."),
        ("Der Termin wurde auf den 30. Juni verlegt.", "Es war nie der 15., es ist der 30. Juni."),
        ("Cambió la fecha, ahora es el 30 de junio.", "Nunca fue el 15, es el 30 de junio."),
        ("La date a changé, c'est le 30 juin.", "Ça n'a jamais été le 15, c'est le 30 juin."),
    ],
)
def test_a_change_and_a_correction_end_differently(changed, denied):
    ended = {}
    for said in (changed, denied):
        world = World()
        first = {"subject": "project", "attribute": "deadline"}
        world.memory.write(**first, value="2026-06-15", valid_from="2026-06-01")
        world.learn(said, **first, value="2026-06-30", mode="correction")
        assert world.value("deadline", "project") == "2026-06-30"
        ended[said] = world.value("deadline", "project", as_of="2026-06-05")
    assert ended == {changed: "2026-06-15", denied: "2026-06-30"}


def test_a_retraction_ends_something_and_never_was_takes_it_back(world):
    world.memory.write(subject="mira", attribute="sport", value="squash", valid_from="2026-01-01")
    found = world.learn("I've given up squash.", attribute="sport")
    assert (found.outcome, found.result.outcome) == ("accepted", "retracted")
    assert (world.value("sport"), world.value("sport", as_of="2026-02-01")) == (None, "squash")
    world.memory.write(subject="mira", attribute="city", value="Rome", valid_from="2026-01-01")
    found = world.learn("I never lived in Rome.", attribute="city", mode="correction")
    assert found.result.outcome == "retracted"
    assert world.value("city", as_of="2026-02-01") is None
    found = world.learn("I quit chess.", attribute="chess")
    assert (found.outcome, found.result.outcome) == ("accepted", "noop")


# ------------------------------------------------------------------------ what is left of it


def test_what_is_refused_as_secret_is_kept_nowhere_but_in_what_was_said(tmp_path):
    path = tmp_path / "s.db"
    world = World(path)
    found = world.learn("My password is zq7-lantern.", attribute="wifi", value="zq7-lantern")
    assert (found.outcome, found.reason) == ("rejected", "secret")
    assert "zq7" not in str(world.memory.candidates.list()[0].to_dict())
    world.memory.erase_person("mira", wait=True)
    world.memory.close()
    assert b"zq7-lantern" not in b"".join(p.read_bytes() for p in tmp_path.iterdir())


def test_erasing_and_forgetting_take_candidates_along(tmp_path):
    path = tmp_path / "f.db"
    world = World(path)
    kept = world.learn("I live in Oslovelle.", attribute="city", value="Oslovelle")
    held = world.learn("I moved, guess where.", attribute="town", value="Romagnano")
    world.learn("Do I like quincejam?", text="Likes quincejam", type="preference",
                quote="I like quincejam")  # fmt: skip
    world.memory.forget(kept.memory_id)
    world.memory.forget(held.memory_id)
    told = [c.to_dict() for c in world.memory.candidates.list()]
    assert not any("Oslovelle" in str(c) or "Romagnano" in str(c) for c in told)
    assert world.memory.candidates.judge(held.candidate_id).outcome == "pending_review"
    assert world.memory.erase_person("mira", wait=True).counts["resource"] == 3
    assert world.memory.candidates.list() == ()
    world.memory.close()
    found = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert not any(word in found for word in (b"Oslovelle", b"Romagnano", b"quincejam"))


def test_candidates_go_with_their_episode(world):
    world.learn("Do I like tea?", text="Likes tea", type="preference", quote="I like tea")
    world.learn("I live in Oslo.", attribute="city", value="Oslo")
    world.clock.advance(days=91)
    assert [dict(c.delta) for c in world.memory.candidates.list()] == [{}, {}]
    world.memory.sweep()
    assert world.memory.candidates.list() == ()
    assert world.value("city") == "Oslo"


def test_a_person_does_not_see_or_judge_anothers_candidates(world):
    found = world.learn("Do I like tea?", text="Likes tea", quote="I like tea")
    assert world.memory.candidates.list(person="bo") == ()
    with pytest.raises(NotFound):
        world.memory.candidates.judge(found.candidate_id, person="bo")
    assert world.memory.check().ok


# ----------------------------------------------------------------------------- task state


def test_a_store_of_tasks_takes_what_is_asked_for():
    schema = {"attributes": {"seats": {}, "place": {}, "time": {}}}
    world = World(schema=schema, settings={"gate": {"requests": "accept"}})
    task = {"subject": "booking-1", "thread": "t"}
    said = "Can you find a table for two at Sino?"
    assert world.learn(said, attribute="place", value="Sino", **task).outcome == "accepted"
    world.said("Sino has one at 7:30, shall I book?", role="assistant", thread="t")
    assert world.learn("Sure.", attribute="time", value="7:30", **task).outcome == "accepted"
    found = world.learn("Great.", attribute="time", value="9:15", **task)
    assert (found.outcome, found.reason) == ("pending_review", "value_unsupported")
    found = world.learn(said, attribute="place", value="Sino", subject="mira")
    assert (found.outcome, found.reason) == ("rejected", "asked")
    world.memory.threads.create(person="bo", id="his")
    found = world.learn("I'm at Sino?", attribute="place", value="Sino", subject="bo")
    assert found.outcome == "rejected"
    strict = World(schema=schema)
    assert strict.learn(said, attribute="place", value="Sino", **task).reason == "asked"


def test_the_persons_own_name_stands_for_no_other():
    world = World()
    world.memory.write(subject="p9", attribute="name", value="Mira")
    world.learn("Mira lives in Oslo.", attribute="city", value="Oslo", subject="Mira")
    assert world.value("city", "mira") == "Oslo"
    assert world.value("city", "p9") is None
