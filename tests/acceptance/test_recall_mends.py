"""Recall keeps to the time and the room that are given."""

from __future__ import annotations

import pytest

from vigent import Memory, StoreSettings
from vigent.domain.query import NOTHING_THEN
from vigent.testing import FakeClock

TIGHT = {"budget_tokens": 10_000, "memory_share": 0.1}


@pytest.fixture
def here():
    clock = FakeClock("2026-06-10T14:00:00Z")
    with Memory.open(":memory:", clock=clock) as memory:
        yield memory


@pytest.fixture
def counted():
    clock = FakeClock("2026-06-10T14:00:00Z")
    settings = StoreSettings(count_tokens=len)
    with Memory.open(":memory:", clock=clock, person="ana", settings=settings) as memory:
        yield memory


def values(answer):
    return [hit.record.value for hit in answer if hit.record is not None]


@pytest.mark.parametrize("when", ["on 2 June", "in 2019"])
def test_what_began_later_is_no_answer_for_then(here, when):
    here.write(text="Mira lives in Braga", valid_from="2026-06-03")
    assert len(here.search(f"Where did Mira live {when}?")) == 0
    assert "Braga" not in here.context(f"Where did Mira live {when}?").block


def test_a_fact_of_a_message_or_of_its_write_does_not_leak_into_the_past(here):
    said = here.capture(
        "I have just moved to Braga", occurred_at="2026-06-08T09:00:00Z", speaker="Mira"
    )
    here.write(
        subject="Mira", attribute="city", value="Braga", source_episode_id=said.id,
        quote="moved to Braga",
    )  # fmt: skip
    here.write(subject="Mira", attribute="employer", value="Moss")
    for question in ("Who lived in Braga on 2 June?", "Who worked at Moss in May?",
                     "What was Mira's city on 2 June?"):  # fmt: skip
        assert values(here.search(question)) == [], question
        assert here.context(question).block == "", question


def test_text_without_a_date_is_given_as_not_in_force_then(here):
    here.write(text="Mira works the night shift at Moss")
    answer = here.search("Did Mira work at Moss on 2 June?")
    assert [hit.in_force for hit in answer] == [False]
    assert NOTHING_THEN in answer.plan.notes
    context = here.context("Did Mira work at Moss on 2 June?")
    assert '"in_force":false' in context.block
    assert NOTHING_THEN in context.trace.notes


def test_a_date_is_no_name_and_a_bare_month_may_be(here):
    for value, start in (("15 June", "2026-05-01"), ("30 June", "2026-06-03")):
        here.write(subject="Mira", attribute="deadline", value=value, valid_from=start)
    here.write(subject="June", attribute="city", value="Rome")
    for when in ("on 2 June 2026", "on 2 June", "in May 2026"):
        assert values(here.search(f"What was Mira's deadline {when}?")) == ["15 June"], when
    notes = here.search("What was Mira's deadline before June?").plan.notes
    assert "'before June' may mean june: no filter of time" in notes


def test_instants_in_a_question_are_taken_and_what_is_not_is_named(here):
    for value, start in (("15 June", "2026-05-01"), ("30 June", "2026-06-02T09:00:00Z")):
        here.write(subject="Mira", attribute="deadline", value=value, valid_from=start)
    for when, value in (
        ("as of 2026-06-02T10:00:00+02:00", "15 June"), ("at 2026-06-02T10:00Z", "30 June"),
    ):  # fmt: skip
        assert values(here.search(f"What was Mira's deadline {when}?")) == [value], when
    words = "on 29 March 2026 at 2:30am"
    notes = here.search(f"What was Mira's deadline {words}?", timezone="Europe/Berlin").plan.notes
    assert f"{words!r} could not be taken as a time: no filter of time" in notes


def test_history_has_the_stretches_of_the_window_alone(here):
    here.write(text="Ana fed the lemur", valid_from="2026-06-05")
    here.write(text="Bo fed the lemur", valid_from="2026-01-05", valid_to="2026-01-09")
    found = here.search("Who fed the lemur in January?", include="history")
    assert [hit.excerpt for hit in found] == ["Bo fed the lemur"]


def test_the_parts_of_a_score_make_it_where_a_time_is_named(here):
    here.capture("The lemur was fed by Tomas", occurred_at="2026-01-05T10:00:00Z")
    hit = here.search("Who fed the lemur in January?", include="episodes")[0]
    assert hit.parts["said_then"] == pytest.approx(0.03)
    assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)


def test_a_slip_in_a_name_alone_is_forgiven(here):
    for name in ("Katarzyna", "Mira"):
        here.write(subject=name, attribute="city", value="Rome")
    found = here.search("What about Katarzina?", recipe="precise")
    assert [hit.record.key.subject for hit in found] == ["katarzyna"]


def test_the_budget_of_a_search_skips_before_its_limit_counts(here):
    for number in range(2):
        here.write(text=f"zebra {number} " + "zebra zoo " * 60)
    here.write(text="zebra small")
    answer = here.search("zebra", limit=2, budget_tokens=20)
    assert [hit.excerpt for hit in answer] == ["zebra small"]
    assert answer.dropped_by_budget == 2


def test_a_small_commitment_stands_behind_many_large_ones(counted):
    for number in range(10):
        counted.write(
            type="commitment", text=f"{number} " + "x" * 450 * 2, person=None, due="2026-06-11"
        )
    counted.write(type="commitment", text="pay rent", due="2026-06-12")
    assert "pay rent" in counted.context("hello", **TIGHT).block


def test_a_small_rule_stands_behind_many_large_ones(counted):
    counted.write(type="behaviour", text="be brief")
    for number in range(12):
        counted.write(type="behaviour", text=f"{number} " + "x " * 1_000)
    assert "be brief" in counted.context("hello", **TIGHT).block


def test_a_small_fact_stands_behind_many_large_ones(counted):
    counted.write(text="the zebra is small in these parts of the land")
    for number in range(45):
        counted.write(text=f"zebra {number} " + "zebra " * 300)
    assert "is small" in counted.context("zebra", **TIGHT).block


def test_what_stands_before_the_first_user_item_is_a_turn(here):
    here.threads.create(id="a")
    here.threads.append("a", "Lisbon or Rome?", role="assistant")
    alone = here.context("Which?", thread="a")
    assert [m.text for m in alone.messages] == ["Lisbon or Rome?", "Which?"]
    here.threads.append("a", "the second", role="user")
    answer = here.context(thread="a")
    assert [m.text for m in answer.messages] == ["Lisbon or Rome?", "the second"]
    assert answer.trace.turns == 1
