"""Search: each parameter, what stands before what, and what is never found."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vigent import Memory
from vigent.domain.passages import CHUNK, chunks
from vigent.domain.query import NOTHING_THEN
from vigent.domain.time import parse_instant
from vigent.domain.tokens import estimate_tokens
from vigent.errors import InvalidInput, NaiveInstant
from vigent.testing import FakeClock, HashEmbedder


def values(answer):
    return [record.value for record in answer.records]


def texts(answer):
    return [hit.excerpt for hit in answer]


@pytest.fixture
def told(recall, clock):
    """A few memories and messages of one household."""
    clock.set("2026-01-01T00:00:00Z")
    recall.write(subject="Mira", attribute="city", value="Porto", valid_from="2025-01-01",
                 metadata={"n": 1})  # fmt: skip
    recall.write(subject="Mira", attribute="city", value="Braga", valid_from="2025-09-01",
                 metadata={"n": 2})  # fmt: skip
    recall.write(subject="Tomas", attribute="city", value="Lisbon", type="preference")
    clock.advance(days=10)
    recall.write(text="Mira waters the ferns on Mondays", type="commitment", importance=9)
    recall.threads.create(None, id="t")
    recall.threads.append("t", "Where did you put the ferns?", role="user",
                          occurred_at="2026-01-05T10:00:00Z")  # fmt: skip
    recall.threads.append("t", "On the balcony, beside the basil.", role="assistant",
                          occurred_at="2026-01-05T10:01:00Z")  # fmt: skip
    clock.advance(days=10)
    return recall


class TestExactRows:
    def test_state_answers_alone_and_says_how(self, told):
        answer = told.search("Where is Mira's city?")
        (hit,) = answer
        assert (hit.record.value, hit.exact, hit.score, hit.in_force) == ("Braga", True, 1.0, True)
        plan = answer.plan
        assert (plan.subjects, plan.attributes, plan.exact) == (("mira",), ("city",), True)
        assert plan.arms == ("state",)

    def test_asked_to_expand_exact_rows_stand_before_fuzzy_ones(self, told):
        answer = told.search("Mira's city ferns Mondays", expand="always", include="current")
        assert answer[0].exact
        assert values(answer)[0] == "Braga"
        assert not any(hit.exact for hit in answer.hits[1:])
        assert len({hit.id for hit in answer}) == len(answer)
        assert "Mira waters the ferns on Mondays" in " ".join(texts(answer))

    def test_where_state_has_no_answer_words_are_tried(self, told):
        answer = told.search("Mira's city", as_of="2024-01-01")
        assert answer.plan.notes == ("state has no answer",)
        assert values(answer) == []
        assert set(answer.plan.arms) == {"state", "words", "vectors"}

    def test_never_expanded_it_is_state_or_nothing(self, told):
        assert values(told.search("Mira's city", expand="never")) == ["Braga"]
        answer = told.search("ferns", expand="never")
        assert (len(answer), answer.plan.arms) == (0, ("state",))

    def test_history_gives_each_memory_once(self, told):
        hits = told.search("Mira's city", include="history").hits
        assert [(h.record.value, h.in_force) for h in hits] == [("Porto", False), ("Braga", True)]
        assert len({h.id for h in hits}) == 2

    def test_a_given_subject_and_attribute_are_enough(self, told):
        assert values(told.search("anything at all", subject="MIRA", attribute="city")) == ["Braga"]
        assert values(told.search("Tomas?", subject="mira", attribute="city")) == ["Braga"]


class TestOwnBeforeShared:
    @pytest.mark.parametrize("expand", ["auto", "always"])
    def test_a_persons_own_value_goes_first(self, recall, expand):
        recall.write(subject="team", attribute="room", value="blue")
        recall.write(subject="team", attribute="room", value="green", person="ana")
        query = "the room of Team"
        assert values(recall.search(query, person="ana", expand=expand))[0] == "green"
        assert values(recall.search(query, expand=expand)) == ["blue"]
        assert values(recall.search(query, person="bo", expand=expand)) == ["blue"]

    @pytest.mark.parametrize("recipe", ["relevance", "precise", "blend", "confidence"])
    def test_a_persons_own_value_goes_first_among_what_is_found(self, recall, clock, recipe):
        recall.write(subject="Mira", attribute="city", value="Porto", person="mira")
        clock.advance(days=1)
        recall.write(subject="Mira", attribute="city", value="Braga")
        asked = {"recipe": recipe, "person": "mira"}
        assert values(recall.search("which city?", **asked)) == ["Porto", "Braga"]
        assert values(recall.search("which city?", limit=1, **asked)) == ["Porto"]
        assert values(recall.search("which city?", recipe=recipe)) == ["Braga"]

    def test_what_is_of_another_person_is_never_found(self, recall):
        recall.write(text="zinnia of ana", person="ana")
        recall.capture("said zinnia", person="ana")
        recall.write(text="zinnia for all")
        for person, count in ((None, 1), ("bo", 1), ("ana", 3)):
            found = recall.search("zinnia", include="episodes", person=person)
            assert len(found) == count
            assert found.index.passages == count


class TestParameters:
    def test_types(self, told):
        assert values(told.search("city", types=["preference"])) == ["Lisbon"]
        assert texts(told.search("ferns", types=["commitment"])) == [
            "Mira waters the ferns on Mondays"
        ]
        assert len(told.search("city", types=[])) == len(told.search("city"))
        for wrong in ("fact", 5, [""], [None]):
            with pytest.raises(InvalidInput) as refused:
                told.search("city", types=wrong)
            assert refused.value.field == "types"

    def test_types_of_episodes(self, told):
        asked = {"include": "episodes", "types": ["assistant"]}
        assert texts(told.search("balcony basil", **asked)) == ["On the balcony, beside the basil."]
        assert len(told.search("balcony", include="episodes", types=["tool_result"])) == 0

    def test_subject_and_attribute(self, told):
        assert set(values(told.search("city", subject="tomas"))) == {"Lisbon"}
        assert values(told.search("Braga Lisbon", attribute="city")) != []
        assert values(told.search("Braga Lisbon", attribute="diet")) == []
        assert values(told.search("city", subject="nobody")) == []

    def test_metadata(self, told):
        assert values(told.search("Braga", metadata={"n": 2})) == ["Braga"]
        assert values(told.search("Braga", metadata={"n": 1})) == []

    def test_as_of_and_known_at(self, told, clock):
        for query in ("Mira's city", "Porto Braga city"):
            assert values(told.search(query, as_of="2025-03-01", limit=1)) == ["Porto"]
            assert "Porto" not in values(told.search(query, as_of="2025-10-01"))
            assert values(told.search(query, known_at="2025-12-01")) == []
        told.write(subject="Mira", attribute="city", value="Faro", mode="correction")
        assert values(told.search("Mira's city")) == ["Faro"]
        assert values(told.search("Mira's city", known_at="2026-01-12")) == ["Braga"]
        found = told.search("Braga", known_at="2026-01-12", expand="always")
        assert "Braga" in values(found)
        assert "Braga" not in values(told.search("Braga", expand="always"))
        assert clock.now() <= told.search("Braga").known_at

    def test_after_and_before_bound_when_it_was_made_or_said(self, told):
        late = told.search("ferns", include="episodes", after="2026-01-06")
        assert texts(late) == ["Mira waters the ferns on Mondays"]
        early = told.search("ferns", include="episodes", before="2026-01-06")
        assert "Where did you put the ferns?" in texts(early)
        assert all(h.kind == "episode" for h in early if "ferns" in h.excerpt)
        exactly = {"after": "2026-01-05T10:00:00Z", "before": "2026-01-05T10:00:00.000001Z"}
        assert texts(told.search("ferns", include="episodes", **exactly)) == [
            "Where did you put the ferns?"
        ]
        with pytest.raises(InvalidInput) as refused:
            told.search("ferns", after="2026-01-06", before="2026-01-06")
        assert refused.value.field == "before"

    def test_after_and_before_bound_what_state_answers_too(self, told):
        for asked in ({"after": "2026-01-05"}, {"before": "2026-01-01"}):
            found = told.search("What is Mira's city?", **asked)
            assert "Braga" not in values(found)
            assert found.plan.notes == ("state has no answer",)
        assert values(told.search("What is Mira's city?", before="2026-01-05")) == ["Braga"]

    def test_an_attribute_may_be_given_by_an_alias(self, clock):
        schema = {"attributes": {"passport_deadline": {"aliases": ["passport expiry"]}}}
        with Memory.open(":memory:", clock=clock, embedder="none", schema=schema) as memory:
            memory.write(subject="Mira", attribute="passport_deadline", value="2026-06-30")
            found = memory.search("2026-06-30", attribute="passport expiry")
            assert (values(found), found.plan.attributes) == (
                ["2026-06-30"],
                ("passport_deadline",),
            )

    def test_a_time_without_an_offset_needs_a_zone(self, told):
        for field in ("as_of", "known_at", "after", "before"):
            with pytest.raises(NaiveInstant) as refused:
                told.search("ferns", **{field: "2026-01-02T10:00"})
            assert refused.value.field == field
        assert told.search("ferns", as_of="2026-01-12T10:00", timezone="UTC").hits

    @pytest.mark.parametrize("expand", ["auto", "always", "never"])
    def test_an_empty_store_has_no_hits_for_the_highest_limit(self, recall, expand):
        assert len(recall.search("ferns", limit=200, expand=expand)) == 0

    def test_include(self, told):
        kinds = {
            include: {h.kind for h in told.search("ferns", include=include)}
            for include in ("current", "history", "episodes")
        }
        assert kinds == {
            "current": {"memory"}, "history": {"memory"}, "episodes": {"memory", "episode"},
        }  # fmt: skip

    @pytest.mark.parametrize(
        "recipe", ["relevance", "precise", "blend", "confidence", "generative"]
    )
    def test_every_recipe_finds_it_and_says_what_its_score_is_made_of(self, told, recipe):
        answer = told.search("ferns Mondays", recipe=recipe, explain=True, expand="always")
        hit = answer[0]
        assert hit.excerpt == "Mira waters the ferns on Mondays"
        assert answer.plan.recipe == recipe
        assert 0 < hit.score <= 1
        assert hit.to_dict(explain=True)["parts"] == dict(hit.parts)
        assert "parts" not in hit.to_dict()
        named = {"blend": "confidence", "confidence": "confidence", "generative": "recency"}
        assert named.get(recipe, "words") in hit.parts

    def test_confidence_orders_by_confidence(self, recall):
        for value, confidence in (("low", 0.2), ("high", 0.9), ("middle", 0.5)):
            recall.write(text=f"zinnia {value}", confidence=confidence)
        found = texts(recall.search("zinnia low", recipe="confidence"))
        assert found == ["zinnia high", "zinnia middle", "zinnia low"]

    def test_a_date_is_a_day_of_the_zone(self, recall, clock):
        clock.set("2026-03-10T00:00:00Z")
        recall.write(
            subject="Mira", attribute="city", value="Porto", valid_from="2026-02-01T00:00:00Z"
        )
        recall.write(
            subject="Mira", attribute="city", value="Braga", valid_from="2026-03-01T20:00:00Z"
        )
        asked = {"as_of": "2026-03-01"}
        assert values(recall.search("Mira's city", **asked)) == ["Braga"]
        assert values(recall.search("Mira's city", timezone="Asia/Tokyo", **asked)) == ["Porto"]
        words = "What was Mira's city on 1 March 2026?"
        assert values(recall.search(words)) == ["Braga"]
        assert values(recall.search(words, timezone="Asia/Tokyo")) == ["Porto"]

    def test_limit(self, recall):
        for number in range(30):
            recall.write(text=f"zinnia number {number}")
        for limit in (1, 2, 29, 30, 200):
            assert len(recall.search("zinnia", limit=limit)) == min(30, limit)
        every = texts(recall.search("zinnia", limit=200))
        assert texts(recall.search("zinnia", limit=7)) == every[:7]

    @pytest.mark.parametrize(
        ("field", "wrong"),
        [
            ("limit", 0), ("limit", 201), ("limit", True), ("limit", "5"), ("limit", 2.0),
            ("budget_tokens", -5), ("budget_tokens", "9"), ("budget_tokens", True),
            ("recipe", "best"), ("recipe", None), ("include", "all"), ("expand", True),
            ("timezone", "Mars/Base"), ("timezone", 3), ("as_of", "soon"), ("known_at", 5.5),
            ("after", "2026-13-01"), ("before", ""), ("attribute", ""), ("subject", 7),
        ],
    )  # fmt: skip
    def test_what_does_not_fit_is_refused_by_name(self, recall, field, wrong):
        with pytest.raises(InvalidInput) as refused:
            recall.search("ferns", **{field: wrong})
        assert refused.value.field == field


class TestC68Budget:
    @pytest.fixture
    def three(self, recall):
        sizes = {"A": 40, "B": 5_000, "C": 30}
        for name, size in sizes.items():
            text = f"zinnia {name}"
            while estimate_tokens(f"{text} word") <= min(size, 1_500):
                text += " word"
            recall.write(text=text)
        return recall

    def test_what_is_larger_than_what_is_left_is_left_out_and_counted(self, three):
        every = {h.excerpt.split()[1]: h for h in three.search("zinnia")}
        for budget in (0, 10, 60, 120, 10_000):
            answers = [three.search("zinnia", budget_tokens=budget) for _ in range(2)]
            assert texts(answers[0]) == texts(answers[1])
            answer = answers[0]
            assert answer.estimated_tokens == sum(estimate_tokens(t) for t in texts(answer))
            assert answer.estimated_tokens <= budget
            assert len(answer) + answer.dropped_by_budget == 3
            assert all(h.excerpt == every[h.excerpt.split()[1]].excerpt for h in answer)
        names = {h.excerpt.split()[1] for h in three.search("zinnia", budget_tokens=120)}
        assert names == {"A", "C"}
        assert len(three.search("zinnia", budget_tokens=0)) == 0

    def test_without_one_all_are_there(self, three):
        answer = three.search("zinnia")
        assert (len(answer), answer.dropped_by_budget) == (3, 0)
        assert answer.to_dict()["estimated_tokens"] == answer.estimated_tokens > 300

    def test_state_keeps_to_it_too(self, recall):
        recall.write(subject="Mira", attribute="city", value="Porto")
        answer = recall.search("Mira's city", budget_tokens=1)
        assert (len(answer), answer.dropped_by_budget) == (0, 1)


class TestNeverFound:
    def test_what_may_not_be_shown(self, recall, clock):
        word = "zinnia"
        old = {"subject": "a", "attribute": "b"}
        recall.write(**old, value=f"{word} before", valid_from="2025-01-01")
        recall.write(**old, value="rose", valid_from="2025-06-01")
        recall.write(subject="a", attribute="c", value=f"{word} withdrawn")
        recall.retract(subject="a", attribute="c", mode="correction")
        recall.write(subject="a", attribute="d", value=f"{word} retracted", valid_from="2025-01-01")
        recall.retract(subject="a", attribute="d", valid_from="2025-06-01")
        recall.write(subject="a", attribute="e", value=f"{word} to come", valid_from="2027-01-01")
        recall.write(text=f"{word} short", ttl_days=1)
        recall.forget(recall.write(text=f"{word} forgotten").memory.memory_id)
        recall.threads.create(None, id="t")
        recall.threads.append("t", f"{word} sealed", role="user", sealed=True)
        recall.threads.append("t", f"{word} thought", kind="reasoning")
        recall.write(text=f"{word} of bo", person="bo")
        recall.capture(f"{word} said by bo", person="bo")
        clock.advance(days=2)
        for query in (word, f"{word} before", f"{word} sealed thought", f"{word} of bo"):
            for expand in ("auto", "always"):
                answer = recall.search(query, include="episodes", expand=expand)
                found = [h.excerpt for h in answer if word in h.excerpt]
                assert found == [], query
        history = recall.search(word, include="history")
        shown = {h.excerpt.rpartition(f"{word} ")[2] for h in history if word in h.excerpt}
        assert {"before", "retracted"} <= shown
        assert not shown & {"short", "forgotten", "of bo"}
        assert not any(h.in_force for h in history if word in h.excerpt)

    def test_a_candidate_that_waits_is_not_found_until_it_is_accepted(self, tmp_path, clock):
        schema = {"attributes": {"home": {"kind": "text", "min_trust": "application"}}}
        for path in (":memory:", tmp_path / "m.db"):
            with Memory.open(path, schema=schema, clock=clock) as memory:
                home = {"subject": "ana", "attribute": "home"}
                memory.write(**home, value="Bern", valid_from="2025-01-01")
                memory.write(**home, value="Faro", trust="tool", confidence=0.5)
                assert values(memory.search("Faro", expand="always")) == []
                assert values(memory.search("Ana's home", include="history")) == ["Bern"]
                assert values(memory.search("Ana's home")) == ["Bern"]
                (item,) = memory.review.list()
                memory.review.accept(item.memory.memory_id)
                assert values(memory.search("Faro", expand="always")) == ["Faro"]

    def test_a_question_without_an_answer_has_no_hits(self, told):
        for query in ("What is the price of copper in Chile?", "quantum chromodynamics"):
            assert len(told.search(query, include="episodes")) == 0
        assert len(told.search("Where are the ferns?", include="episodes")) > 0

    def test_a_named_subject_is_not_answered_by_another(self, told):
        for query in ("Tomas's diet", "Does Tomas live in Braga?"):
            # What names no subject may still be about him.
            assert set(values(told.search(query))) <= {"Lisbon", None}


class TestNames:
    def test_the_names_of_a_question(self, recall):
        recall.write(subject="p-17", attribute="name", value="Katarzyna Lis")
        recall.write(subject="p-17", attribute="city", value="Gdynia")
        answer = recall.search("Where does Katarzyna Lis live, which city?")
        assert answer.plan.subjects == ("p-17",)
        assert values(answer) == ["Gdynia"]
        recall.write(subject="p-17", attribute="name", value="Katarzyna Bem")
        assert recall.search("Katarzyna Bem's city").plan.subjects == ("p-17",)
        assert recall.search("Katarzyna Lis's city").plan.subjects == ()

    def test_two_of_one_name_are_no_filter_and_both_are_named(self, recall):
        recall.write(subject="Anna Berg", attribute="city", value="Bern")
        recall.write(subject="Anna Tal", attribute="city", value="Thun")
        answer = recall.search("What is Anna's city?")
        assert answer.plan.subjects == ()
        assert "anna berg or anna tal" in answer.plan.notes[0]
        assert sorted(values(answer)) == ["Bern", "Thun"]

    def test_a_slip_of_a_letter_is_forgiven_in_precise(self, recall):
        recall.write(subject="Katarzyna", attribute="city", value="Gdynia")
        recall.write(subject="Tomas", attribute="city", value="Lisbon")
        for written in ("Katarzyna", "Katarzina", "Katrzyna", "Katarzynna", "Kataryzna"):
            found = values(recall.search(f"city of {written}", recipe="precise"))
            assert found == ["Gdynia"], written

    def test_names_of_others_are_unknown(self, recall):
        recall.write(subject="Quillon", attribute="city", value="Faro", person="ana")
        assert recall.search("Quillon's city", person="bo").plan.subjects == ()
        assert recall.search("Quillon's city", person="ana").plan.subjects == ("quillon",)


class TestTimeWords:
    @pytest.fixture
    def moved(self, recall, clock):
        for day, city in (("2026-03-01", "Porto"), ("2026-06-03", "Braga")):
            clock.set(f"{day}T09:00:00Z")
            recall.write(subject="Mira", attribute="city", value=city, valid_from=day)
            recall.capture(f"Mira has moved to {city}", occurred_at=f"{day}T09:00:00Z")
        clock.set("2026-07-01T12:00:00Z")
        return recall

    def test_a_day_in_words_is_the_instant_of_state(self, moved):
        for words, city in (
            ("on 2 June", "Porto"), ("on 3 June", "Braga"), ("in May", "Porto"),
            ("on 2026-06-02", "Porto"), ("last month", "Braga"),
        ):  # fmt: skip
            answer = moved.search(f"What was Mira's city {words}?")
            assert values(answer) == [city], words
            assert answer.plan.time_words is not None

    def test_given_times_go_before_words(self, moved):
        answer = moved.search("What was Mira's city on 2 June?", as_of="2026-06-10")
        assert values(answer) == ["Braga"]
        assert "as_of was given" in answer.plan.notes[0]

    def test_what_was_told_later_of_that_time_is_found_and_not_as_in_force(self, recall, clock):
        clock.set("2026-07-01T12:00:00Z")
        recall.write(text="The picnic in May had zinnias on each table")
        answer = recall.search("Which zinnias were there at the picnic on 2 May?")
        assert len(answer) == 1
        assert not answer[0].in_force
        assert NOTHING_THEN in answer.plan.notes
        assert answer.plan.as_of == parse_instant("2026-05-02", "t", bare_date="end")
        assert len(recall.search("zinnias picnic", as_of="2026-05-02")) == 0

    def test_a_fact_that_began_later_is_no_answer_for_then(self, recall, clock):
        clock.set("2026-06-10T12:00:00Z")
        recall.write(subject="Ana", attribute="city", value="Faro", valid_from="2026-06-05")
        recall.write(subject="Bea", attribute="city", value="Lagos")
        for words in ("What was Ana's city on 2 June?", "What was Bea's city on 2 June?",
                      "Was Ana in Faro on 2 June?"):  # fmt: skip
            assert values(recall.search(words)) == [], words
            assert "Faro" not in recall.context(words).block
        assert values(recall.search("What was Ana's city on 6 June?")) == ["Faro"]

    def test_what_was_said_then_stands_higher(self, recall, clock):
        for month in ("04", "05", "06"):
            clock.set(f"2026-{month}-10T12:00:00Z")
            recall.capture("We ate at the harbour", occurred_at=f"2026-{month}-10T12:00:00Z")
        clock.set("2026-07-01T12:00:00Z")
        hits = recall.search("Where did we eat in May 2026?", include="episodes", expand="always")
        assert hits[0].at.month == 5
        assert len(hits) == 3


class TestChunks:
    @settings(max_examples=300, deadline=None)
    @given(
        st.text(max_size=200).flatmap(
            lambda piece: st.integers(1, 60).map(lambda times: piece * times)
        )
    )
    def test_no_character_is_lost_and_none_is_too_long(self, text):
        spans = list(chunks(text))
        assert "".join(text[a:b] for a, b in spans) == text
        assert all(b - a <= CHUNK for a, b in spans)
        assert all(b > a for a, b in spans[:-1])
        assert [b for _, b in spans[:-1]] == [a for a, _ in spans[1:]]

    @pytest.mark.parametrize("at", [0, 1_190, 1_195, 1_200, 1_205, 2_395, 4_000])
    def test_a_word_at_every_seam_is_findable(self, memory, at):
        filler = "abc def ghi " * 500
        content = f"{filler[:at]} needleword {filler[at:]}"
        memory.capture(content)
        (hit,) = memory.search("needleword", include="episodes", expand="always")
        assert "needleword" in hit.excerpt

    def test_a_long_item_is_one_hit(self, recall):
        recall.capture("zinnia and rose. " * 1_000)
        recall.capture("zinnia")
        assert len(recall.search("zinnia", include="episodes")) == 2


def script(memory: Memory, clock: FakeClock) -> None:
    for number in range(40):
        memory.write(
            subject=f"s{number % 7}", attribute=f"a{number % 5}", value=f"zinnia rose {number}",
            person=("p", None)[number % 2],
        )  # fmt: skip
        memory.capture(f"we spoke of zinnia {number % 9}", thread="t", external_id=str(number))
        clock.advance(seconds=1)
    memory.threads.create("p", id="u")
    memory.threads.append("u", "why the roses?", role="user", person="p")
    for number in range(0, 40, 7):
        found = memory.current(f"s{number % 7}", f"a{number % 5}")
        if found is not None:
            memory.forget(found.memory_id)


def asked(memory: Memory):
    out = []
    for query in ("zinnia", "rose 12", "S3's a3", "why roses", "zinnia 4"):
        for more in ({}, {"include": "history"}, {"include": "episodes", "recipe": "generative"}):
            for person in (None, "p"):
                answer = memory.search(query, person=person, limit=20, expand="always", **more)
                out.append([(h.score, h.kind, h.excerpt, h.exact, dict(h.parts)) for h in answer])
    return out


class TestSameAnswers:
    @pytest.mark.parametrize("arm", ["words", "vectors"])
    def test_both_adapters_and_a_new_index_agree_to_the_bit(self, tmp_path, arm):
        answers = []
        for path in (":memory:", tmp_path / "m.db"):
            clock = FakeClock("2026-01-01T00:00:00Z")
            model = HashEmbedder() if arm == "vectors" else "none"
            with Memory.open(path, clock=clock, embedder=model) as memory:
                script(memory, clock)
                memory.index.catch_up()
                answers.append(asked(memory))
                assert asked(memory) == answers[-1]
                done = memory.index.rebuild()
                assert (done.memories, done.episodes) == (memory_count(memory), 41)
                memory.index.catch_up()
                answers.append(asked(memory))
        assert answers[0] == answers[2]
        for again in answers[1::2]:
            for one, two in zip(answers[0], again, strict=True):
                assert [hit[1:4] for hit in one] == [hit[1:4] for hit in two]
                assert [hit[0] for hit in one] == pytest.approx([hit[0] for hit in two])

    def test_the_order_of_arrival_of_vectors_changes_nothing(self, tmp_path, clock):
        answers = []
        for name in ("at once", "late"):
            model = HashEmbedder()
            path = tmp_path / f"{name}.db"
            with Memory.open(path, clock=clock, embedder=model) as memory:
                for number in range(20):
                    memory.write(text=f"zinnia rose {number}")
                    if name == "at once":
                        memory.search("zinnia")
                        memory.index.catch_up()
                memory.index.catch_up()
                found = memory.search("zinnia rose 7", limit=20)
                answers.append([(h.excerpt, h.score) for h in found])
        assert answers[0] == answers[1]


def memory_count(memory: Memory) -> int:
    every = [*memory.list(include="history"), *memory.list(include="history", person="p")]
    return len({r.memory_id for r in every})


class TestIndexInMemory:
    def test_what_another_writes_and_deletes_is_seen_at_once(self, on_file):
        one, two = on_file(), on_file()
        kept = one.write(text="zinnia one").memory
        assert texts(two.search("zinnia")) == ["zinnia one"]
        two.write(text="zinnia two")
        assert sorted(texts(one.search("zinnia"))) == ["zinnia one", "zinnia two"]
        two.forget(kept.memory_id)
        assert texts(one.search("zinnia")) == ["zinnia two"]
        two.threads.create(None, id="t")
        two.threads.append("t", "zinnia said", role="user")
        assert len(one.search("zinnia", include="episodes")) == 2
        two.threads.delete("t")
        assert len(one.search("zinnia", include="episodes")) == 1
        two.write(text="zinnia of ana", person="ana")
        assert len(one.search("zinnia", person="ana")) == 2
        two.erase_person("ana")
        assert texts(one.search("zinnia", person="ana")) == ["zinnia two"]

    def test_searches_writes_and_a_rebuild_at_once(self, on_file):
        memory, other = on_file(embedder=HashEmbedder()), on_file(embedder=HashEmbedder())
        memory.write(text="zinnia first")
        problems: list[BaseException] = []

        def search():
            try:
                for _ in range(30):
                    assert "zinnia first" in texts(memory.search("zinnia first", limit=50))
            except BaseException as error:  # noqa: BLE001 - handed to the test
                problems.append(error)

        def write():
            try:
                for number in range(30):
                    kept = other.write(text=f"zinnia {number}").memory
                    if number % 3 == 0:
                        other.forget(kept.memory_id)
            except BaseException as error:  # noqa: BLE001 - handed to the test
                problems.append(error)

        threads = [threading.Thread(target=t) for t in (search, search, write)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            memory.index.rebuild()
        for thread in threads:
            thread.join()
        assert problems == []
        assert len(memory.search("zinnia", limit=50)) == 21
        assert memory.check().ok
