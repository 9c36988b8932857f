"""Odd text: byte forms, length, nothing at all, and characters that cannot be kept."""

from __future__ import annotations

import contextlib
import unicodedata

import pytest

from vigent import VigentError
from vigent.errors import InvalidInput, LimitExceeded

NFC = "Zo\u00eb N\u00fa\u00f1ez"
NFD = unicodedata.normalize("NFD", NFC)
BLANK = ["", "   ", "\n\t", "\u200b", "\u00a0"]
BROKEN = ["blue\u0000green", "smile \ud83d end"]


class TestC25ByteForms:
    def test_one_subject_whichever_way_it_is_written(self, memory):
        assert (len(NFC), len(NFD)) == (9, 12)
        memory.write(subject=NFC, attribute="city", value="Vigo")
        memory.write(subject=NFD, attribute="city", value="Lugo")
        for name in (NFC, NFD, NFC.upper(), f"  {NFD} "):
            assert memory.current(name, "city").value == "Lugo"
            assert [r.value for r in memory.list(subject=name)] == ["Lugo"]
        assert {r.subject for r in memory.list(include="history")} == {NFC}
        for query in ("N\u00fa\u00f1ez", "Nu\u0301n\u0303ez", "nunez"):
            assert [r.value for r in memory.search(query).records] == ["Lugo"]

    @pytest.mark.parametrize("value", [NFC, NFD, "\ufb01ne", "\uff21"])
    def test_a_value_comes_back_as_given(self, memory, value):
        memory.write(subject="a", attribute="b", value=value)
        assert memory.current("a", "b").value == value

    def test_equal_values_in_two_forms_confirm(self, memory):
        memory.write(subject="a", attribute="b", value=NFC)
        assert memory.write(subject="a", attribute="b", value=NFD).outcome == "confirmed"

    def test_a_person_in_the_decomposed_form_is_refused(self, memory):
        with pytest.raises(InvalidInput) as refused:
            memory.write(subject="a", attribute="b", value="c", person=NFD)
        assert refused.value.field == "person"
        with pytest.raises(InvalidInput):
            memory.erase_person(NFD)

    def test_forgetting_reaches_the_subject_by_either_form(self, memory):
        memory.write(subject=NFC, attribute="city", value="Vigo")
        assert memory.forget(memory.current(NFD, "city").memory_id).forgotten
        assert memory.current(NFC) == {}


class TestC28LongText:
    def test_a_value_over_the_limit_is_refused_naming_it(self, memory):
        for field, request in {
            "value": {"subject": "a", "attribute": "b", "value": "x" * 2_000_000},
            "text": {"text": "x" * 8_001},
        }.items():
            with pytest.raises(LimitExceeded) as refused:
                memory.write(**request)
            assert refused.value.field == field
            assert "8,000" in str(refused.value) or "8000" in str(refused.value)
        assert list(memory.list()) == []

    def test_what_is_at_the_limit_comes_back_whole(self, memory):
        value = "w\u00f6rd " * 1_599 + "12345"
        memory.write(subject="a", attribute="b", value=value)
        assert memory.current("a", "b").value == value
        content = "x" * 1_000_000
        assert memory.capture(content).content == content
        with pytest.raises(LimitExceeded):
            memory.capture(content + "x")

    def test_a_long_query_is_answered(self, memory):
        memory.write(subject="yan", attribute="dentist", value="Dr Vane")
        found = memory.search("dentist " + "filler " * 1_100).records
        assert [r.value for r in found] == ["Dr Vane"]


class TestC30Nothing:
    @pytest.mark.parametrize("blank", [*BLANK, None])
    def test_nothing_is_not_a_value(self, memory, blank):
        for request in (
            {"subject": "a", "attribute": "b", "value": blank},
            {"text": blank},
            {"subject": blank, "attribute": "b", "value": "c"},
            {"subject": "a", "attribute": blank, "value": "c"},
        ):
            with pytest.raises(InvalidInput):
                memory.write(**request)
        assert list(memory.list()) == []

    def test_a_missing_value_is_refused_by_name(self, memory):
        with pytest.raises(InvalidInput) as refused:
            memory.write(subject="a", attribute="b")
        assert refused.value.field == "value"

    @pytest.mark.parametrize("blank", BLANK)
    def test_an_episode_says_something(self, memory, blank):
        with pytest.raises(InvalidInput) as refused:
            memory.capture(blank)
        assert refused.value.field == "content"

    @pytest.mark.parametrize("blank", BLANK)
    def test_a_batch_answers_for_each(self, memory, blank):
        items = [{"subject": "a", "attribute": f"b{n}", "value": v}
                 for n, v in enumerate(("ok one", blank, "ok two"))]  # fmt: skip
        one, bad, two = memory.write_many(items)
        assert (one.outcome, two.outcome) == ("stored", "stored")
        assert isinstance(bad, InvalidInput)
        assert len(list(memory.list())) == 2

    @pytest.mark.parametrize("blank", BLANK)
    def test_a_batch_that_is_atomic_writes_all_or_nothing(self, memory, blank):
        items = [{"subject": "a", "attribute": "b", "value": v} for v in ("ok", blank)]
        with pytest.raises(InvalidInput):
            memory.write_many(items, atomic=True)
        assert list(memory.list()) == []

    @pytest.mark.parametrize("blank", ["", "   ", "?!", "\u200b"])
    def test_a_query_of_nothing_finds_nothing(self, memory, blank):
        memory.write(subject="a", attribute="b", value="c")
        with contextlib.suppress(InvalidInput):
            assert memory.search(blank).hits == ()


class TestC31BrokenText:
    @pytest.mark.parametrize("broken", BROKEN)
    def test_what_cannot_be_kept_is_refused_everywhere(self, memory, broken):
        good = {"subject": "a", "attribute": "b", "value": "c"}
        for change in (
            {"value": broken}, {"subject": broken}, {"attribute": broken}, {"quote": broken},
            {"source": broken}, {"metadata": {"k": broken}}, {"metadata": {broken: 1}},
            {"person": broken}, {"idempotency_key": broken}, {"type": broken},
        ):  # fmt: skip
            with pytest.raises(InvalidInput):
                memory.write(**{**good, **change})
        for change in ({"content": broken}, {"speaker": broken}, {"external_id": broken},
                       {"metadata": {"k": broken}}, {"thread": broken}):  # fmt: skip
            with pytest.raises(InvalidInput):
                memory.capture(**{"content": "fine", **change})
        assert list(memory.list()) == []

    @pytest.mark.parametrize("broken", BROKEN)
    def test_a_bad_item_sinks_no_other(self, memory, broken):
        items = [{"subject": "a", "attribute": f"b{n}", "value": v}
                 for n, v in enumerate(("good 1", broken, "good 2"))]  # fmt: skip
        done = memory.write_many(items)
        assert [isinstance(one, VigentError) for one in done] == [False, True, False]
        assert {r.value for r in memory.list()} == {"good 1", "good 2"}

    @pytest.mark.parametrize(
        "text",
        [
            "\U0001f469\u200d\U0001f469\u200d\U0001f467 and \U0001f1f5\U0001f1f9",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0915\u094d\u200d\u0937",
        ],
    )
    def test_joiners_and_emoji_come_back_code_point_for_code_point(self, memory, text):
        memory.write(subject="a", attribute="b", value=text)
        assert memory.current("a", "b").value == text
        assert memory.capture(text).content == text

    @pytest.mark.parametrize("broken", BROKEN)
    def test_a_question_with_broken_text_is_refused_or_finds_nothing(self, memory, broken):
        with pytest.raises(InvalidInput):
            memory.current(broken, "b")
        with contextlib.suppress(InvalidInput):
            assert memory.search(broken).hits == ()
