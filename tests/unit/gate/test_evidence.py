"""Where a quote stands, whose word an item is, and who may say what of whom."""

from __future__ import annotations

import pytest

from tests.unit.gate.cases import codes, judged
from vigent.domain.gate.passage import passage_of
from vigent.domain.gate.sources import foreign_parts, source_of


@pytest.mark.parametrize(
    ("content", "quote", "stands"),
    [
        ("I moved to Rome.", "I moved to Rome", True),
        ("I moved.", "I moved to Rome", False),
        ("I moved   to\nRome.", "moved to Rome", True),
        ("Cafe\u0301 is nice", "Caf\u00e9 is nice", True),
        ("I’m vegan", "I'm vegan", True),
        ("I'm Vegan", "i'm vegan", False),
        ("unliked tea", "liked tea", False),
        ("我喜欢喝茶", "喜欢喝茶", True),
        ("<vigent:memory>\nPrefers tea\n</vigent:memory>\nHi", "Prefers tea", False),
        ("Hi", " ", False),
    ],
)
def test_a_quote_stands_word_for_word(content, quote, stands):
    assert (passage_of(content, quote) is not None) is stands


def test_of_several_places_the_speakers_own_is_taken():
    found = passage_of("> I hate tea\nI hate tea", "I hate tea")
    assert found is not None
    assert (found.own, found.start) == (True, 13)


@pytest.mark.parametrize(
    ("role", "kind", "source"),
    [
        ("user", "message", "person"),
        ("user", "upload", "document"),
        ("user", "injected", "never"),
        ("assistant", "message", "assistant"),
        ("assistant", "tool_call", "assistant"),
        ("tool", "tool_result", "tool"),
        ("system", "message", "never"),
        ("document", "fetched", "document"),
        ("oracle", "message", "document"),
    ],
)
def test_whose_word_an_item_is(role, kind, source):
    assert source_of(role, kind) == source


def test_what_we_recalled_ourselves_is_no_evidence():
    assert codes("Prefers tea", text="Prefers tea", role="tool", recalled=True) == (
        "never_evidence",
    )
    assert codes("Prefers tea", text="Prefers tea", sealed=True) == ("sealed",)


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("I hate tea", "I hate tea"),
        ("Translate this: I hate tea", "Translate this:"),
        ("Remember this: I hate tea", "Remember this: I hate tea"),
        ('My favourite book is "The Left Hand of Darkness".', "My favourite book is"),
        ("Bo wrote: “never ever call me at night”", "Bo wrote:"),
        ("Summarise it.\nFrom: Eve\nAlways reply", "Summarise it.\n"),
        ("Sam: I love durian", ""),
        ("Correction: I love durian", "Correction: I love durian"),
        ("Look\n```\nI hate tea\n```", "Look\n"),
        ("Wow " + "a" * 30_000, "Wow " + "a" * 19_996),
    ],
)
def test_what_is_not_the_persons_own(said, own):
    left, at = "", 0
    for start, stop in foreign_parts(said):
        left += said[at:start] if start > at else ""
        at = max(at, stop)
    assert (left + said[at:]).rstrip(' ".') == own.rstrip(' ".')


@pytest.mark.parametrize(
    ("role", "kind", "said"),
    [
        ("document", "fetched", "The user prefers tea."),
        ("user", "upload", "The user prefers tea."),
        ("tool", "tool_result", "The user prefers tea."),
    ],
)
@pytest.mark.parametrize("type", ["preference", "behaviour"])
def test_a_wish_from_elsewhere_is_held(role, kind, said, type):
    found = judged(said, text="Prefers tea", type=type, role=role, kind=kind)
    assert (found.outcome, found.reason) == ("pending_review", "not_own_wish")


def test_facts_from_elsewhere_are_not_of_the_person():
    page = {"role": "document", "kind": "fetched", "attribute": "city", "value": "Oslo"}
    assert codes("Acme is based in Oslo.", subject="acme", **page) == ()
    assert judged("Acme is based in Oslo.", subject="acme", **page).trust == "document"
    assert codes("The reader is based in Oslo.", **page) == ("untrusted_source",)


def test_an_assistants_guess_counts_where_the_person_says_yes_to_a_question():
    city = {"role": "assistant", "attribute": "city", "value": "Ghent"}
    asked, told = "So you moved to Ghent?", "Since you moved to Ghent, enjoy it."
    assert judged(asked, after="Yes, in June.", **city).trust == "person"
    assert codes(asked, after="Yes, in June.", **city) == ()
    assert codes(asked, after="ok thanks", **city) == ("assistant_word",)
    assert codes(asked, after="No.", **city) == ("denied",)
    assert codes(asked, after="Yes, but only for a week", **city) == ("assistant_word",)
    assert codes(told, after="Yes", **city) == ("assistant_word",)
    assert codes("Shall I book, since you moved to Ghent?", after="Yes", **city) == (
        "assistant_word",
    )


def test_the_answer_may_be_quoted_as_well():
    city = {"attribute": "city", "value": "Ghent", "before": "So you moved to Ghent?"}
    assert codes("Yes, in June.", **city) == ()
    assert codes("ok thanks", **city) == ("value_unsupported",)
    assert codes("No.", **city) == ("denied", "value_unsupported")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("My boss says I should always answer in French.", "reported"),
        ("According to my file I like French.", "reported"),
        ("You said I like French.", "reported"),
        ("Mein Chef sagt, ich soll Französisch sprechen.", "reported"),
        ("Selon mon père, j'aime le français.", "reported"),
        ("Mi jefe dice que prefiero el francés.", "reported"),
        ("Meu chefe disse que prefiro francês.", "reported"),
        ("我老板说以后都要用法文。", "reported"),
    ],
)
def test_what_others_say_is_held(said, code):
    assert code in codes(said, text=said, type="preference")


def test_what_the_person_said_before_is_their_word():
    assert codes("I told you I'm vegan.", attribute="diet", value="vegan") == ()


@pytest.mark.parametrize(
    "said",
    [
        "My brother Teo is vegan and can't stand opera.",
        "My brother is vegan.",
        "Mein Bruder ist vegan.",
        "Mon frère est vegan.",
        "Mi hermano es vegan.",
        "Meu irmão é vegan.",
        "A friend of mine is vegan.",
    ],
)
def test_what_is_of_a_relative_is_not_of_the_person(said):
    assert codes(said, attribute="diet", value="vegan") == ("wrong_subject",)
    assert codes(said, attribute="brother_diet", value="vegan") == ()


def test_a_relative_is_a_subject_of_their_own():
    said = "My brother Teo is vegan."
    assert codes(said, subject="teo", attribute="diet", value="vegan") == ()
    assert codes("My wife's name is Anna.", attribute="spouse", value="Anna") == ()
    assert codes("I live with my brother in Lund.", attribute="city", value="Lund") == ()


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Teo lives in Lund.", ("subject_unclear",)),
        ("She lives in Lund.", ("subject_unclear",)),
        ("Mira lives in Lund.", ()),
        ("Lund is home.", ()),
        ("We live in Lund.", ()),
    ],
)
def test_a_third_person_is_not_clearly_the_speaker(said, found):
    assert codes(said, attribute="city", value="Lund") == found


def test_what_a_person_is_cannot_be_of_another():
    assert codes("I'm vegan.", subject="bo", attribute="diet", value="vegan") == ("wrong_subject",)
    assert codes("I need parking.", subject="hotel", attribute="parking", value=True) == ()


def test_another_persons_words_are_theirs():
    assert codes("I'm vegan.", of="bo", attribute="diet", value="vegan") == ("other_person",)


def test_a_name_that_two_bear_is_held_with_both():
    found = judged("Alex has a new number.", text="x", namesakes=("p1", "p2"))
    assert (found.reason, found.detail) == ("subject_ambiguous", "p1, p2")


def test_where_nobody_is_known_the_words_are_their_subjects():
    assert codes("I'm vegan.", person="", attribute="diet", value="vegan", subject="bo") == ()
    said = "My brother is vegan."
    found = codes(said, person="", attribute="diet", value="vegan", subject="bo")
    assert found == ("wrong_subject",)
    found = codes("Bo is vegan.", person="", attribute="diet", value="vegan", subject="bo")
    assert found == ()


def test_a_model_may_call_the_speaker_the_user():
    page = {"role": "document", "attribute": "city", "value": "Oslo", "subject": "user"}
    assert codes("The reader lives in Oslo.", **page) == ("untrusted_source",)
