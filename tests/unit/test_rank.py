"""Ranking: what a question finds first, and that something answers it at all."""

from __future__ import annotations

import numpy as np
import pytest

from tests.corpora import DAY, facts, said, talk, with_vectors
from vigent.domain.corpus import Corpus
from vigent.domain.cutoff import answerable
from vigent.domain.newest import asks_about_now, newest_first
from vigent.domain.passages import passages_of_item
from vigent.domain.precise import named, rare_rows
from vigent.domain.rank import PARTS, Evidence, rank
from vigent.domain.recipes import RECIPES, Found, arrange

HOUR = 3_600_000_000


def scores(corpus, question, vector=None):
    return rank([corpus], question, vector)[0][0].score


def order(corpus, question, vector=None):
    return np.argsort(-scores(corpus, question, vector), kind="stable").tolist()


def chat() -> Corpus:
    return talk(
        (1, "Ana", "I am back from the dentist."),
        (1, "Ben", "Did you hear about the ferry?"),
        (1, "Ana", "It was late again, two hours."),
        (1, "Ben", "What a pity."),
        (2, "Ana", "The garden needs water."),
        (2, "Ben", "I shall see to it."),
    )


# ------------------------------------------------------------------------------- ranking


def test_the_passage_with_the_words_stands_first():
    fact = facts(("Mira", "employer", "Kestrel"), ("Mira", "passport_deadline", "2026-06-30"))
    assert order(fact, "When is the passport deadline?")[0] == 1


def test_a_reply_is_found_by_the_question_before_it():
    found = scores(chat(), "What about the ferry?")
    assert sorted(range(6), key=lambda i: -found[i])[:2] == [1, 2]
    assert found[2] > found[0] > found[4]
    parts = rank([chat()], "What about the ferry?", None)[0][0].parts
    assert parts["words"][2] == 0
    assert parts["words_before"][2] > 0
    assert parts["replies"][2] > 0
    assert parts["replies"][3] == 0


def test_nothing_passes_from_one_thread_to_another():
    parts = rank([chat()], "ferry", None)[0][0].parts
    assert not any(part[4:].any() for part in parts.values())


def test_whom_a_passage_is_about_counts_when_named():
    found = rank([chat()], "Where has Ana been?", None)[0][0]
    assert (found.parts["named"] > 0).tolist() == [True, False, True, False, True, False]


def test_meaning_finds_what_words_do_not():
    fact = with_vectors(
        facts(("Mira", "food", "pasta"), ("Mira", "pet", "a cat")), [(1, 0), (0, 1)]
    )
    assert order(fact, "animal", np.array([0.1, 1], np.float32)) == [1, 0]


def test_a_vector_of_any_length_is_the_same_question():
    fact = with_vectors(facts(("a", "b", "c"), ("d", "e", "f")), [(1, 0), (1, 1)])
    one, hundred = (scores(fact, "b", np.array([n, 0], np.float32)) for n in (1, 100))
    assert one == pytest.approx(hundred)


@pytest.mark.parametrize("vector", [[0, 0], [np.nan, 1], [np.inf, 1]])
def test_a_vector_that_says_nothing_leaves_the_words(vector):
    fact = with_vectors(facts(("a", "b", "c"), ("d", "e", "f")), [(1, 0), (1, 1)])
    assert scores(fact, "b", np.array(vector, np.float32)).tolist() == scores(fact, "b").tolist()


def test_a_passage_that_waits_for_its_vector_is_neither_near_nor_far():
    fact = with_vectors(
        facts(("a", "b", "c"), ("d", "e", "f"), ("g", "h", "i")), [(1, 0), (0, 1), None]
    )
    meaning = rank([fact], "x", np.array([1, 0], np.float32))[0][0].parts["meaning"]
    assert meaning[0] > meaning[2] > meaning[1]
    assert meaning[2] == pytest.approx((meaning[0] + meaning[1]) / 2)


def test_a_score_is_the_sum_of_its_parts_and_within_bounds():
    corpus = with_vectors(chat(), [(i, 1) for i in range(6)])
    (found,), _ = rank([corpus], "Did Ben hear about the ferry?", np.array([1, 1], np.float32))
    assert tuple(found.parts) == PARTS
    assert all((part >= 0).all() for part in found.parts.values())
    assert sum(found.parts.values()) == pytest.approx(found.score, abs=1e-6)
    assert found.score.min() >= 0
    assert found.score.max() <= 1


def test_equal_input_gives_equal_bits_however_it_arrived():
    turns = [(1, "Ana", f"word{i} about the ferry {i % 3}") for i in range(40)]
    whole = talk(*turns)
    again = talk(*turns)
    question = "word7 ferry 1"
    assert scores(whole, question).tobytes() == scores(again, question).tobytes()
    assert scores(whole, question).tobytes() == scores(whole, question).tobytes()


def test_what_is_added_later_is_ranked():
    corpus = talk((1, "Ana", "The ferry is late."))
    scores(corpus, "ferry")
    row = passage("Which ferry is it?")
    corpus.add([row])
    assert len(scores(corpus, "ferry")) == 2
    assert scores(corpus, "ferry")[1] > 0


def passage(text):
    return next(passages_of_item("s", said(9, "Ben", text, DAY), 1))._replace(no=2)


def test_two_scopes_are_ranked_on_one_scale():
    own, shared = (
        facts(("Mira", "city", "Oslo")),
        facts(("office", "city", "Oslo"), ("a", "b", "c")),
    )
    (first, second), evidence = rank([own, shared], "Which city is the office in?", None)
    assert second.score[0] > first.score[0] > second.score[1]
    assert evidence.terms == int(own.lengths.sum() + shared.lengths.sum())


@pytest.mark.parametrize("question", ["", "?", "the", "米", "ferry OR (", "a" * 5000])
def test_any_question_and_no_passages(question):
    for corpus in (Corpus(), chat()):
        (found,), _ = rank([corpus], question, np.ones(2, np.float32))
        assert np.isfinite(found.score).all()
        assert len(found.score) == len(corpus)
    assert rank([], question, None)[0] == []


def test_the_exact_text_stands_first_and_the_foreign_one_last():
    told = talk(
        (0, "", "the ferry leaves at nine"),
        (0, "", "ferry times change in May"),
        (0, "", "onions are in the cellar"),
    )
    assert order(told, "the ferry leaves at nine") == [0, 1, 2]


# -------------------------------------------------------------------------------- cut-off


@pytest.mark.parametrize(
    ("evidence", "right"),
    [
        (Evidence(0.5, 0.4, 10_000, 1, 0), True),
        (Evidence(0.15, 0.2, 10_000, 1, 0), False),
        (Evidence(0.1, 0.55, 10_000, 1, 0), True),  # a paraphrase
        (Evidence(0.03, 0.34, 30, 1, 0), True),  # three facts
        (Evidence(0, 0.12, 30, 1, 0), False),
        (Evidence(0.31, None, 10_000, 0, 0), True),
        (Evidence(0.2, None, 10_000, 0, 0), False),
        (Evidence(0.2, None, 10_000, 0, 1), True),  # a script without known function words
        (Evidence(0, None, 10, 0, 0), False),
        (Evidence(0.35, 0, 10_000, 0.5, 0), True),  # half of the vectors are still to come
        (Evidence(0, None, 0, 0, 0), False),
    ],
)
def test_the_cut_off(evidence, right):
    assert answerable(evidence) is right


def test_a_foreign_question_has_no_answer_and_a_known_one_has():
    words = [f"term{i} thing{i % 50} matter{i % 7}" for i in range(400)]
    corpus = talk(*[(1, "Ana", text) for text in words])
    assert answerable(rank([corpus], "What about term17?", None)[1])
    assert not answerable(rank([corpus], "What about the submarine cable of Ana?", None)[1])


# ---------------------------------------------------------------------------- newest first


def updated() -> Corpus:
    told = talk(
        (1, "user", "I keep my old sneakers under the bed."),
        (2, "user", "I keep my old sneakers in the rack now and like it."),
        (3, "user", "Onions are in the cellar."),
    )
    return with_vectors(told, [(1, 0), (1, 0.2), (0, 1)])


def test_the_newest_stands_first_where_the_question_is_about_now():
    corpus, question = updated(), "Where do I keep my sneakers?"
    rankings, _ = rank([corpus], question, np.array([1, 0], np.float32))
    assert rankings[0].score.argmax() == 0
    after = newest_first([corpus], rankings, question)
    assert after[0].score.argmax() == 1
    assert sorted(after[0].score) == sorted(rankings[0].score)
    assert sum(after[0].parts.values()) == pytest.approx(after[0].score, abs=1e-6)


@pytest.mark.parametrize(
    "question", ["Where did I keep my sneakers before?", "sneakers", "my previous sneakers"]
)
def test_the_order_stays_where_the_past_is_asked_for(question):
    corpus = updated()
    rankings, _ = rank([corpus], question, np.array([1, 0], np.float32))
    assert newest_first([corpus], rankings, question) == rankings


def test_memories_are_left_in_their_order():
    corpus = facts(("Mira", "city", "Oslo"), ("Mira", "city", "Oslo or so"))
    rankings, _ = rank([corpus], "Where is the city of Mira now?", None)
    assert newest_first([corpus], rankings, "Where is the city of Mira now?") == rankings


def test_equals_are_parted_by_time():
    corpus = talk((1, "user", "my desk is oak"), (2, "user", "my desk is oak"))
    rankings, _ = rank([corpus], "What is my desk?", None)
    assert rankings[0].score[0] == rankings[0].score[1]
    after = newest_first([corpus], rankings, "What is my desk?")[0].score
    assert after[1] > after[0]


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("What is my current address?", True),
        ("How many issues have I read?", True),
        ("When did I move?", False),
        ("What was my previous best time?", False),
        ("Where did Ana live?", False),
        ("What did I buy in 2023?", False),
        ("What did I buy in May?", False),
    ],
)
def test_what_asks_about_now(question, right):
    assert asks_about_now(question) is right


# -------------------------------------------------------------------------------- recipes


def test_generative_to_the_figure():
    now = 100 * HOUR
    found = [
        Found(0.8, None, 5, now - 2 * HOUR),  # 0.3 * 0.25 + 0.5 * 0.8 + 0.2 * 0.5
        Found(0.5, 0.9, 10, now),  # 0.3 * 1 + 0.5 * 0.5 + 0.2 * 1
        Found(0.0, 1.0, 1, now + 5 * HOUR),  # 0.3 * 1 + 0 + 0.2 * 0.1
    ]
    placed = arrange(found, RECIPES["generative"], now)
    assert [p.which for p in placed] == [1, 0, 2]
    assert [p.score for p in placed] == pytest.approx([0.75, 0.575, 0.32])
    assert placed[1].parts == pytest.approx({"relevance": 0.4, "importance": 0.1, "recency": 0.075})


def test_confidence_comes_first_then_relevance_and_unknown_last():
    found = [
        Found(0.2, 0.5, 5, 0),
        Found(0.9, None, 5, 0),
        Found(0.6, 0.5, 5, 0),
        Found(0.1, 0.0, 5, 0),
    ]
    assert [p.which for p in arrange(found, RECIPES["confidence"], 0)] == [2, 0, 3, 1]


def test_blend_is_half_and_half():
    placed = arrange([Found(0.4, 0.9, 5, 0), Found(0.9, None, 5, 0)], RECIPES["blend"], 0)
    assert [(p.which, p.score) for p in placed] == [
        (0, pytest.approx(0.65)),
        (1, pytest.approx(0.45)),
    ]


@pytest.mark.parametrize("name", ["relevance", "precise"])
def test_relevance_keeps_the_order_given_among_equals(name):
    found = [Found(0.4, 0.1, 1, 0), Found(0.9, None, 1, 0), Found(0.4, 1.0, 9, 0)]
    assert [p.which for p in arrange(found, RECIPES[name], 0)] == [1, 0, 2]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
def test_weights_add_up(recipe):
    weights = recipe.relevance + recipe.confidence + recipe.importance + recipe.recency
    assert weights == pytest.approx(1)


# --------------------------------------------------------------------------------- precise


@pytest.mark.parametrize(
    ("question", "names", "right"),
    [
        ("When is Mira's passport deadline?", ["mira"], True),
        ("When is the deadline of the passport?", ["passport_deadline"], True),
        ("When is the deadline?", ["passport_deadline"], False),
        ("Where does Katarzna live?", ["Katarzyna"], True),
        ("Where does Katarzyan live?", ["Katarzyna"], True),
        ("Where does Katazzna live?", ["Katarzyna"], False),
        ("Where does Miro live?", ["Mira"], False),  # too short to forgive
        ("Where does she live?", ["Zoë", "Zoe Núñez"], False),
        ("Where does ZOE NUNEZ live?", ["Zoë Núñez"], True),
        ("米拉住在哪里", ["米拉"], True),
        ("拉米住在哪里", ["米拉"], False),
        ("anything", [], False),
        ("anything", [""], False),
    ],
)
def test_what_a_question_names(question, names, right):
    assert named(question, [names]) == [right]


def test_a_word_that_names_another_exactly_is_no_slip():
    assert named("Where does Maria live?", [["Marta"], ["Maria"]]) == [False, True]
    assert named("Where does Maria live?", [["Marta"]]) == [True]


def test_rare_words_are_judged_by_the_scope():
    told = [(1, "Ana", f"the weather of day{i}") for i in range(100)] + [(1, "Ana", "a submarine")]
    corpus = talk(*told)
    rows = rare_rows([corpus], "What of the weather and the submarine?")[0]
    assert np.flatnonzero(rows).tolist() == [100]
    assert not rare_rows([corpus], "What of the weather?")[0].any()
    assert not rare_rows([corpus], "zeppelin")[0].any()
