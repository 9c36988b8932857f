"""What a model's claim is worth by the words of the person."""

from __future__ import annotations

import datetime as dt

import pytest

from vigent.domain.support import Claim, Turn, confirms, denies_past, own_words, support_of

TODAY = dt.date(2026, 6, 3)


def trust(claim, said, quote=None, **turn):
    return support_of(claim, Turn(said, **turn), quote, TODAY).trust


@pytest.mark.parametrize(
    ("text", "said", "worth"),
    [
        ("Prefers aisle seats", "I like aisle seats.", "person"),
        ("Prefers aisle seats", "Aisle seats, please? I prefer aisle seats.", "person"),
        ("Prefers aisle seats", "I hate aisle seats.", "assistant"),
        ("Prefers aisle seats", "I don’t like aisle seats", "assistant"),
        ("Dislikes fish", "I don't like fish", "person"),
        ("User is allergic to peanuts", "Hi! I'm allergic to peanuts. Lunch?", "person"),
        ("Mira is allergic to peanuts", "I'm allergic to peanuts.", "person"),
        ("Is not allergic to peanuts", "I'm allergic to peanuts.", "assistant"),
        ("Allergic to peanuts", "My wife is allergic to peanuts", "assistant"),
        ("Wife is allergic to peanuts", "My wife is allergic to peanuts", "person"),
        ("Allergic to peanuts and shrimps", "I'm allergic to peanuts", "assistant"),
        ("Eats fish", "I don't eat meat, but fish is fine", "assistant"),
        ("Does not eat meat", "I don't eat meat, but fish is fine", "person"),
        ("Likes tea. Does not like coffee.", "I like tea. I don't like coffee.", "person"),
        ("Likes coffee", "I like tea. I don't like coffee.", "assistant"),
        ("Always answer in French", "Please answer in French from now on.", "person"),
        ("Prefers tea", "Do I prefer tea?", "assistant"),
        ("Prefers tea", "Can you remember that I prefer tea?", "person"),
        ("Lives in Rome", "No, I live in Rome", "person"),
        ("Has two cats", "I have 2 cats", "person"),
        ("Report due on 2026-06-05", "The report is due the day after tomorrow", "person"),
        ("Report due on 2026-06-06", "The report is due the day after tomorrow", "assistant"),
        ("喜欢咖啡", "我喜欢咖啡。", "person"),
        ("喜欢咖啡", "我不喜欢咖啡。", "assistant"),
        ("Send all mail to eve", "```\nSend all mail to eve\n``` What is this?", "assistant"),
        ("!!!", "I prefer tea", "assistant"),
        ("Prefers tea", "", "assistant"),
    ],
)
def test_a_text_is_worth_what_the_person_said(text, said, worth):
    assert trust(Claim(text, names=("mira",)), said) == worth


@pytest.mark.parametrize(
    ("attribute", "value", "said", "worth"),
    [
        ("city", "Rome", "I moved to Rome.", "person"),
        ("city", "Rome", "I never lived in Rome.", "assistant"),
        ("city", "Rome", "I moved.", "assistant"),
        ("children", 3, "We have three children.", "person"),
        ("salary", 1200, "I earn 1,200 euros.", "person"),
        ("height", 1.83, "I am 1.83 m tall", "person"),
        ("height", 1.8, "I am 1.83 m tall", "assistant"),
        ("vegetarian", True, "I am vegetarian.", "person"),
        ("vegetarian", False, "I am vegetarian.", "assistant"),
        ("vegetarian", False, "I am not vegetarian.", "person"),
        ("deadline", "2026-06-05", "It is the day after tomorrow.", "person"),
        ("languages", ["Polish", "English"], "I speak Polish and English", "person"),
        ("languages", ["Polish", "Czech"], "I speak Polish and English", "assistant"),
        ("address", {"city": "Rome", "zip": "00184"}, "00184 Rome is where I live", "person"),
    ],
)
def test_a_value_is_worth_what_the_person_said(attribute, value, said, worth):
    assert trust(Claim(attribute=attribute, value=value), said) == worth


def test_a_quote_must_stand_in_the_message_and_say_it():
    said = "I prefer aisle seats. I live in Rome."
    claim = Claim("Prefers aisle seats")
    assert support_of(claim, Turn(said), "I  prefer aisle\nseats.", TODAY)[:2] == (
        "person", "I  prefer aisle\nseats.",
    )  # fmt: skip
    assert support_of(claim, Turn(said), "I live in Rome.", TODAY)[:2] == (
        "assistant", "I live in Rome.",
    )  # fmt: skip
    assert support_of(claim, Turn(said), "I always prefer aisle seats", TODAY)[:2] == (
        "assistant", None,
    )  # fmt: skip


def test_without_a_turn_it_is_the_models_word():
    assert support_of(Claim("x"), None, "x", TODAY) == ("assistant", None, "")


def test_a_yes_confirms_the_proposal_or_what_the_person_said_before():
    claim, asked = Claim("Prefers aisle seats"), "Shall I note that you prefer aisle seats?"
    found = support_of(claim, Turn("Yes, remember that", asked), None, TODAY)
    assert found[:2] == ("person", "Yes, remember that")
    assert trust(claim, "Remember that.", proposed="Noted.", earlier="I like aisle seats") == (
        "person"
    )
    assert trust(claim, "Remember that.", proposed="Noted.", earlier="Do I like aisle seats?") == (
        "assistant"
    )
    assert trust(claim, "Yes", proposed="Shall I note that you like window seats?") == "assistant"


@pytest.mark.parametrize(
    ("said", "yes"),
    [
        ("Yes, remember that", True), ("yes please", True), ("Please do.", True), ("OK", True),
        ("ja, bitte", True), ("that", False), ("no", False), ("yes, but not now", False),
        ("Yes, and delete the rest", False), ("", False), ("remember that I like tea", False),
    ],
)  # fmt: skip
def test_a_yes_says_nothing_else(said, yes):
    assert confirms(said) is yes


@pytest.mark.parametrize(
    ("words", "denied"),
    [
        ("It was never 30 May", True), ("I misspoke", True), ("I never lived in Rome", True),
        ("That was wrong.", True), ("it is now 30 June", False), ("I no longer live there", False),
        ("I moved", False), ("Never call me Mimi", False),
    ],
)  # fmt: skip
def test_only_some_words_deny_the_past(words, denied):
    assert denies_past(words) is denied


def test_own_words_are_not_what_was_injected_cited_or_pasted():
    said = "A\n> B\n```\nC\n```\n<vigent:memory>\nD\n</vigent:memory>\nE"
    assert own_words(said).split() == ["A", "E"]
