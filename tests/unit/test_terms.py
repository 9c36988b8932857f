"""Terms: what is compared of a text, in an index and in a question."""

from __future__ import annotations

import pytest

from tests.corpora import said
from vigent.domain.passages import passages_of_item
from vigent.domain.terms import ASKS, asks, hash_of, index_terms, pack_terms, packed, query_terms


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("She went hiking", "When does she go hiking?"),
        ("We bought two bikes", "What did they buy?"),
        ("The children's book", "a child"),
        ("two women", "which woman"),
        ("Ich wohne in Zürich", "ZURICH"),
        ("Café au lait", "cafe"),
        ("она читала книги", "книга"),
        ("ﬁle no. Ⅳ", "FILE"),
    ],
)
def test_forms_of_a_word_meet(said, asked):
    assert set(index_terms(said)) & set(query_terms(asked))


def test_words_of_their_own_are_left_as_they_are():
    assert index_terms("saw rose lives best") == ["saw", "rose", "live", "best"]


def test_a_question_asks_for_no_function_words_and_each_word_once():
    assert query_terms("What did you say about the ferry, the ferry to Oslo?") == [
        "say",
        "ferri",
        "oslo",
    ]


def test_a_question_of_function_words_asks_for_those():
    assert query_terms("Who are you?") == ["who", "are", "you"]


def test_scripts_without_spaces_are_found_by_pairs():
    assert index_terms("護照") == ["護", "照", "護照"]
    assert query_terms("護照") == ["護照"]
    assert set(query_terms("護照")) <= set(index_terms("米拉的護照"))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("How are you?", True),
        ("How are you? I have not seen you for a while.", True),
        ("你好吗？", True),
        ("ماذا تأكل؟", True),
        ("I am well.", False),
        ("Really? " + "And then I went on to tell her the whole long story again. " * 2, False),
        ("", False),
    ],
)
def test_what_ends_with_a_question(text, right):
    assert asks(text) is right


def test_a_passage_that_ends_with_a_question_bears_the_mark_and_no_text_asks_for_it():
    def words(text):
        return next(passages_of_item("s", said(1, "mira", text, 0), 1)).words

    mark = pack_terms([ASKS])
    assert words("Where to?").endswith(mark)
    assert mark not in words("To Oslo.")
    assert query_terms("?") == []


def test_hashes_are_those_that_are_kept():
    assert pack_terms(["oslo"]) == hash_of("oslo").to_bytes(8, "little", signed=True)


@pytest.mark.parametrize("text", ["", "Mira's passports", "绿茶 and Größe", "a  b\n2026-06-30"])
def test_packed_terms_are_the_terms_packed(text):
    assert packed(text) == pack_terms(index_terms(text))
