"""Precision: whether a question names something, or has rare words in common with it.

The recipe ``precise`` keeps only such hits. A name is named by all of its words, in any order,
with or without endings; in a name of five letters or more one slip is forgiven: a letter wrong,
missing, added, or two changed over. A word that names another candidate exactly is no slip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vigent.domain.corpus import Corpus, Ints
from vigent.domain.naming import slip_of
from vigent.domain.terms import hash_of, index_terms, query_terms
from vigent.domain.text import phrases

__all__ = ["bearing_names", "named", "rare_rows"]

_RARE: Final = 0.02
_MOST: Final = 0.5


def named(question: str, candidates: Sequence[Iterable[str]]) -> list[bool]:
    """Tell for each candidate whether the question names it.

    A candidate is given by its names: those of its subject, its attribute (``passport_deadline``
    counts as two words) and their aliases.
    """
    names = [[name.replace("_", " ") for name in given] for given in candidates]
    asked = set(index_terms(question))
    known = {word for given in names for name in given for word in phrases(name)}
    # What names nothing as it stands may be a name with a slip.
    loose = [word for word in phrases(question) if " " not in word and word not in known]
    return [any(_names(name, asked, loose) for name in given) for given in names]


def _names(name: str, asked: set[str], loose: Sequence[str]) -> bool:
    words = phrases(name)
    return bool(words) and all(
        asked.issuperset(index_terms(word.replace(" ", "")))
        or (" " not in word and any(slip_of(w, word) for w in loose))
        for word in words
    )


def rare_rows(corpora: Sequence[Corpus], question: str) -> list[NDArray[np.bool_]]:
    """Tell for every row of some corpora whether it has the question's rare words.

    Rare is what at most one passage in fifty bears, or a single one; a row must have at least half
    of those that occur at all, counted by rarity.
    """
    size = sum(map(len, corpora))
    weight = [np.zeros(len(corpus), np.float32) for corpus in corpora]
    whole = 0.0
    for term in map(hash_of, query_terms(question)):
        bearing = [corpus.postings(term)[0] for corpus in corpora]
        count = sum(map(len, bearing))
        if not 0 < count <= max(1.0, _RARE * size):
            continue
        rarity = float(np.log((size - count + 0.5) / (count + 0.5) + 1))
        whole += rarity
        for rows, there in zip(bearing, weight, strict=True):
            there[rows] += rarity
    return [(there > 0) & (there >= _MOST * whole - 1e-6) for there in weight]


def bearing_names(corpus: Corpus, names: Iterable[str]) -> NDArray[np.bool_]:
    """Tell for every row whether it says one of some names, or is about who bears it."""
    fit = np.zeros(len(corpus), bool)
    for name in names:
        terms = frozenset(hash_of(term) for term in index_terms(name.replace("_", " ")))
        if not terms:
            continue
        bearing: Ints | None = None
        for term in terms:
            rows, _ = corpus.postings(term)
            bearing = rows if bearing is None else np.intersect1d(bearing, rows, assume_unique=True)
        if bearing is not None:
            fit[bearing] = True
        there = [i for i in corpus.names_within(terms) if corpus.names[i] == terms]
        if there:
            bearers = np.zeros(len(corpus.names) + 1, bool)
            bearers[there] = True
            fit |= bearers[corpus.abouts]  # nobody is the last of them
    return fit
