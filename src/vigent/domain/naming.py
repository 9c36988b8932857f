"""Naming: whether a question names something, or has rare words in common with it.

The recipe ``precise`` keeps only such hits. A name is named by all of its words, in any order,
with or without endings; in a name of five letters or more one slip is forgiven: a letter wrong,
missing, added, or two changed over. A word that names another candidate exactly is no slip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vigent.domain.corpus import Corpus
from vigent.domain.terms import hash_of, index_terms, query_terms
from vigent.domain.text import phrases

__all__ = ["named", "rare_rows", "slipped"]

_LONG: Final = 5
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
        or (" " not in word and len(word) >= _LONG and any(slipped(word, w) for w in loose))
        for word in words
    )


def slipped(name: str, word: str) -> bool:
    """Whether a word is a name with one slip of the pen, or the name itself."""
    if len(name) == len(word):
        wrong = [i for i, (a, b) in enumerate(zip(name, word, strict=True)) if a != b]
        if len(wrong) == 2:
            one, two = wrong
            return two == one + 1 and name[one] == word[two] and name[two] == word[one]
        return len(wrong) <= 1
    short, long = sorted((name, word), key=len)
    if len(long) - len(short) != 1:
        return False
    same = next(
        (i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    return short[same:] == long[same + 1 :]


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
