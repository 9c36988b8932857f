"""The columns of a scope: what is asked twice is up to date, and names are found by their words."""

from __future__ import annotations

import numpy as np

from vigent.domain.corpus import Corpus
from vigent.domain.passages import VectorRow, passages_of_memory
from vigent.domain.terms import hash_of, index_terms


def rows(first: int, *said: tuple[str, str]):
    return [
        passages_of_memory("t", "s", statement=n, key=n, type="fact", name=name, text=text, at=n)[
            0
        ]._replace(no=n)
        for n, (name, text) in enumerate(said, first)
    ]


def bearing(corpus: Corpus, word: str) -> list[tuple[int, float]]:
    found, counts = corpus.postings(hash_of(index_terms(word)[0]))
    return list(zip(found.tolist(), counts.tolist(), strict=True))


def test_a_term_asked_before_has_the_rows_that_came_since():
    corpus = Corpus()
    corpus.add(rows(1, ("mira", "a seat by the aisle"), ("tom", "no wish")))
    assert bearing(corpus, "seat") == [(0, 1.0)]
    assert bearing(corpus, "lamp") == []
    corpus.add(rows(3, ("mira", "this seat or that seat"), ("tom", "a lamp")))
    assert bearing(corpus, "seat") == [(0, 1.0), (2, 2.0)]
    assert bearing(corpus, "lamp") == [(3, 1.0)]


def test_many_terms_asked_leave_the_answers_right():
    corpus = Corpus()
    corpus.add(rows(1, *(("mira", f"word{n} again") for n in range(600))))
    for _ in range(2):
        assert [bearing(corpus, f"word{n}") for n in range(600)] == [[(n, 1.0)] for n in range(600)]
    assert len(bearing(corpus, "again")) == 600


def test_names_are_found_where_all_of_their_words_are_asked_for():
    corpus = Corpus()
    corpus.add(rows(1, ("mira costa", "x"), ("mira", "x"), ("costa mira", "x"), ("tom", "x")))

    def named(question: str) -> list[frozenset[int]]:
        terms = {hash_of(term) for term in index_terms(question)}
        return [corpus.names[number] for number in corpus.names_within(terms)]

    mira, both = ({hash_of(t) for t in index_terms(n)} for n in ("mira", "mira costa"))
    assert named("where is mira?") == [mira]
    assert sorted(map(len, named("costa and mira"))) == [1, 2, 2]
    assert both in named("mira costa")
    assert named("costa") == []
    assert named("") == []


def test_a_passage_that_comes_late_is_taken_in_once_and_found_by_its_number():
    one, two, three, four = rows(1, ("", "seat one"), ("", "seat two"), ("", "seat"), ("", "lamp"))
    corpus = Corpus()
    corpus.add([one, three])
    corpus.add([two, three, four])
    corpus.add([two])
    assert corpus.numbers.tolist() == [1, 3, 2, 4]
    assert corpus.last == 4
    assert bearing(corpus, "seat") == [(0, 1.0), (1, 1.0), (2, 1.0)]
    data = [np.array([n, 0], "<f2").tobytes() for n in (1, 2, 4)]
    corpus.add_vectors(
        [VectorRow(n, "t", "s", 1, passage, data[n]) for n, passage in enumerate((2, 4, 3))]
    )
    assert corpus.vector_rows.tolist() == [2, 3, 1]
    assert corpus.vectors[:, 0].tolist() == [1, 2, 4]
    assert corpus.pending == 1
