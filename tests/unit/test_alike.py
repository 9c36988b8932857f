"""Beyond the first ten, what speaks like the best stands higher."""

from __future__ import annotations

import numpy as np
import pytest

from tests.corpora import talk
from vigent.domain.alike import KEPT, alike

TURNS = [(1, "Ana", f"filler{n} nothing{n}") for n in range(14)]


def scored(corpus, best=0):
    scores = np.linspace(0.5, 0.1, len(corpus)).astype(np.float32)
    scores[best] = 0.9
    return scores


def order(scores):
    return np.argsort(-scores, kind="stable").tolist()


def test_what_shares_words_with_the_best_stands_first_among_the_rest():
    corpus = talk((1, "Ana", "the lighthouse keeper paints"), *TURNS,
                  (2, "Ben", "keeper of the lighthouse"))  # fmt: skip
    scores = scored(corpus)
    (found,) = alike([corpus], [scores])
    assert order(found)[:KEPT] == order(scores)[:KEPT]
    assert order(scores).index(15) == 15
    assert order(found).index(15) == KEPT
    assert found[order(found)[KEPT]] < found[order(found)[KEPT - 1]]


def test_what_was_left_out_stays_out():
    corpus = talk((1, "Ana", "the lighthouse keeper"), *TURNS, (2, "Ben", "lighthouse keeper"))
    scores = scored(corpus)
    scores[15] = 0
    (found,) = alike([corpus], [scores])
    assert found[15] == 0


def test_few_hits_stay_as_they_are():
    corpus = talk((1, "Ana", "one"), (1, "Ben", "two"))
    scores = scored(corpus)
    assert alike([corpus], [scores])[0] is scores


@pytest.mark.parametrize("part", [1, 8])
def test_two_scopes_are_one_order(part):
    turns = [(1, "Ana", "the lighthouse keeper"), *TURNS, (2, "Ben", "lighthouse keeper")]
    whole, first, second = talk(*turns), talk(*turns[:part]), talk(*turns[part:])
    scores = scored(whole)
    (one,) = alike([whole], [scores])
    two = np.concatenate(alike([first, second], [scores[:part], scores[part:]]))
    assert order(one)[:KEPT] == order(two)[:KEPT]
    assert order(two).index(15) < order(scores).index(15)
