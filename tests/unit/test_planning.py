"""How a search is checked and understood."""

from __future__ import annotations

import pytest

from vigent.domain.naming import Mentions, Unresolved
from vigent.domain.query import TimeWords
from vigent.domain.time import parse_instant
from vigent.errors import AmbiguousInstant, InvalidInput, LimitExceeded
from vigent.read.planning import asked_of, expanded, plan_of

NOW = parse_instant("2026-06-10T14:00:00Z", "now")
EXACT = Mentions(("mira",), ("deadline",), (), ("mira",))
NOTHING = Mentions()


def at(text: str) -> int:
    return parse_instant(text, "at", timezone="UTC", bare_date="start")


def end(text: str) -> int:
    return parse_instant(text, "at", timezone="UTC", bare_date="end")


MARCH = TimeWords("in March", None, at("2026-03-01"), at("2026-04-01"))
SECOND = TimeWords("on 2 June", end("2026-06-02"), None, None)


def plan(mentions=EXACT, time_words=None, query="When is Mira's deadline?", **given):
    asked = asked_of(query, **given)
    return plan_of(asked, now=NOW, mentions=mentions, time_words=time_words)


def test_one_subject_and_one_attribute_are_exact():
    found = plan()
    assert (found.subjects, found.attributes) == (("mira",), ("deadline",))
    assert found.exact
    assert found.arms == ("state",)
    assert found.notes == ()


@pytest.mark.parametrize(
    ("mentions", "exact"),
    [
        (EXACT, True),
        (EXACT._replace(attributes=("deadline", "seat")), False),
        (EXACT._replace(left=("former",)), False),
        (EXACT._replace(attributes=()), False),
        (EXACT._replace(subjects=()), False),
        (EXACT._replace(subjects=("mira", "omar")), False),
        (EXACT._replace(unresolved=(Unresolved("alex", ("p1", "p2")),)), False),
        (NOTHING, False),
    ],
)
def test_what_is_exact(mentions, exact):
    found = plan(mentions)
    assert found.exact is exact
    assert found.arms == (("state",) if exact else ("words", "vectors"))


def test_two_attributes_are_exact_where_both_are_asked_for():
    two = EXACT._replace(attributes=("deadline", "seat"))
    assert plan(two, query="Mira's deadline and seat").exact
    assert not plan(two, query="Mira's seat's deadline").exact


def test_asked_to_expand_state_stands_first_whatever_else_is_asked():
    assert plan(EXACT._replace(left=("former",)), expand="always").exact


@pytest.mark.parametrize(
    ("mentions", "expand", "arms"),
    [
        (EXACT, "auto", ("state",)),
        (EXACT, "always", ("state", "words", "vectors")),
        (EXACT, "never", ("state",)),
        (NOTHING, "auto", ("words", "vectors")),
        (NOTHING, "always", ("words", "vectors")),
        (NOTHING, "never", ("state",)),
    ],
)
def test_expand_says_which_arms_run(mentions, expand, arms):
    assert plan(mentions, expand=expand).arms == arms


def test_never_says_that_nothing_is_searched():
    assert "expand is never" in plan(NOTHING, expand="never").notes[0]


def test_an_exact_question_without_an_answer_is_expanded():
    more = expanded(plan(), "state has no answer")
    assert more.arms == ("state", "words", "vectors")
    assert more.notes == ("state has no answer",)
    assert expanded(plan(), "why").arms == ("state", "words", "vectors")


def test_a_day_in_words_is_the_point_at_which_state_is_read():
    found = plan(time_words=SECOND)
    assert (found.as_of, found.after, found.before) == (end("2026-06-02"), None, None)
    assert found.time_words == SECOND


def test_a_window_bounds_episodes_and_reads_state_at_its_end():
    found = plan(time_words=MARCH)
    assert (found.as_of, found.after, found.before) == (
        end("2026-03-31"), at("2026-03-01"), at("2026-04-01"),
    )  # fmt: skip


def test_a_window_that_is_not_over_reads_state_now():
    june = TimeWords("in June", None, at("2026-06-01"), at("2026-07-01"))
    assert plan(time_words=june).as_of is None
    since = TimeWords("since 2 June", None, at("2026-06-02"), None)
    assert (plan(time_words=since).as_of, plan(time_words=since).after) == (None, at("2026-06-02"))


def test_before_a_time_is_what_held_until_it_began():
    found = plan(time_words=TimeWords("before April", None, None, at("2026-04-01")))
    assert (found.as_of, found.before) == (end("2026-03-31"), at("2026-04-01"))


def test_history_is_read_over_the_whole_window():
    found = plan(time_words=MARCH, include="history")
    assert (found.as_of, found.after, found.before) == (None, at("2026-03-01"), at("2026-04-01"))


def test_episodes_of_a_day_are_those_said_on_it():
    found = plan(time_words=SECOND, include="episodes")
    assert (found.as_of, found.after, found.before) == (
        None, at("2026-06-02"), at("2026-06-03"),
    )  # fmt: skip
    assert not found.exact


def test_a_week_ago_is_a_point_of_state_and_a_week_of_episodes():
    words = TimeWords("a week ago", end("2026-06-03"), at("2026-06-01"), at("2026-06-08"))
    found = plan(time_words=words)
    assert (found.as_of, found.after, found.before) == words[1:]
    for include in ("episodes", "history"):
        found = plan(time_words=words, include=include)
        assert (found.as_of, found.after, found.before) == (None, *words[2:])


@pytest.mark.parametrize("field", ["as_of", "after", "before"])
def test_a_time_given_goes_before_words(field):
    found = plan(time_words=MARCH, **{field: "2026-05-01T00:00:00Z"})
    given = {"as_of": None, "after": None, "before": None, field: at("2026-05-01")}
    assert (found.as_of, found.after, found.before) == tuple(given.values())
    assert found.time_words is None
    assert found.notes == (f"{field} was given: 'in March' is no filter",)


def test_known_at_leaves_words_alone():
    found = plan(time_words=SECOND, known_at="2026-06-05")
    assert (found.known_at, found.as_of) == (end("2026-06-05"), end("2026-06-02"))


def test_a_subject_given_goes_before_names_in_the_question():
    unclear = Mentions(("omar",), ("seat",), (Unresolved("alex", ("p1", "p2")),), ("omar",))
    found = plan(unclear, subject="Mira", attribute="deadline")
    assert (found.subjects, found.attributes, found.exact) == (("mira",), ("deadline",), True)
    assert found.notes == (
        "subject was given: omar in the question is no filter",
        "attribute was given: seat in the question is no filter",
    )


def test_an_unresolved_name_is_noted_with_its_candidates():
    found = plan(EXACT._replace(unresolved=(Unresolved("alex", ("p1", "p2")),)))
    assert found.notes == ("'alex' may be p1 or p2: no filter",)


def test_time_words_that_are_a_known_name_are_no_time():
    april = TimeWords("before April", None, None, at("2026-04-01"))
    found = plan(Mentions(("april",), (), (), ("april",)), april)
    assert (found.as_of, found.before, found.time_words) == (None, None, None)
    assert found.notes == ("'before April' may mean april: no filter of time",)


def test_a_plan_shows_everything_it_decided():
    assert plan(time_words=SECOND).to_dict() == {
        "query": "When is Mira's deadline?", "recipe": "relevance", "include": "current",
        "timezone": "UTC", "as_of": "2026-06-02T23:59:59.999999Z", "known_at": None,
        "after": None, "before": None,
        "time_words": {
            "words": "on 2 June", "as_of": "2026-06-02T23:59:59.999999Z", "after": None,
            "before": None,
        },
        "subjects": ["mira"], "attributes": ["deadline"], "exact": True, "arms": ["state"],
        "notes": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"query": None}, "query"),
        ({"query": 5}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n\u200b"}, "query"),
        ({"query": "a\0b"}, "query"),
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": 5.0}, "limit"),
        ({"limit": "5"}, "limit"),
        ({"limit": 10**5000}, "limit"),
        ({"budget_tokens": -1}, "budget_tokens"),
        ({"budget_tokens": True}, "budget_tokens"),
        ({"include": "all"}, "include"),
        ({"include": None}, "include"),
        ({"include": ["current"]}, "include"),
        ({"expand": True}, "expand"),
        ({"recipe": "magic"}, "recipe"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"as_of": "2026-06-02T10:00"}, "as_of"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"known_at": 5}, "known_at"),
        ({"after": "2026-06-03", "before": "2026-06-03"}, "before"),
        ({"after": "2026-06-03", "before": "2026-06-02"}, "before"),
        ({"subject": ""}, "subject"),
        ({"attribute": " x"}, "attribute"),
        ({"metadata": {"n": {"above": 1}}}, "metadata.n"),
    ],
)
def test_wrong_arguments_are_refused_by_name(given, field):
    with pytest.raises(InvalidInput) as caught:
        asked_of(**{"query": "where", **given})
    assert caught.value.field == field


def test_a_query_has_at_most_8000_characters():
    assert asked_of("a" * 8000).query == "a" * 8000
    with pytest.raises(LimitExceeded):
        asked_of("a" * 8001)


def test_punctuation_alone_is_a_question_about_nothing():
    assert asked_of("?!").query == "?!"


def test_bare_days_are_taken_in_the_zone():
    asked = asked_of(
        "where", timezone="Pacific/Auckland", as_of="2026-06-02", known_at="2026-06-02",
        after="2026-06-01", before="2026-06-02",
    )  # fmt: skip
    assert asked.as_of == asked.known_at == parse_instant("2026-06-02T12:00:00Z", "at") - 1
    assert asked.after == parse_instant("2026-05-31T12:00:00Z", "at")
    assert asked.before == parse_instant("2026-06-01T12:00:00Z", "at")


def test_a_wall_clock_time_that_happens_twice_is_refused():
    with pytest.raises(AmbiguousInstant):
        asked_of("where", timezone="Europe/Madrid", as_of="2025-10-26T02:30:00")


def test_defaults():
    asked = asked_of("where")
    assert (asked.recipe, asked.include, asked.expand) == ("relevance", "current", "auto")
    assert (asked.limit, asked.budget_tokens, asked.timezone) == (10, None, "UTC")
    assert asked_of("where", limit=200, budget_tokens=0).budget_tokens == 0
