"""Terms: what search compares of a text, the same for what is indexed and what is asked.

Case, accents and width are folded, words of alphabets that have endings are stemmed (Snowball),
and runs of a script without spaces are taken two characters at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from vigent.domain.text import phrases

__all__ = ["STOPWORDS", "hash_of", "index_terms", "pack_terms", "query_terms"]

# English function words. They are left out of questions only, where something else is asked for.
STOPWORDS: Final = frozenset(
    """a about above after again against all am an and any are aren as at be because been before
    being below between both but by can cannot could couldn d did didn do does doesn doing don down
    during each few for from further had hadn has hasn have haven having he her here hers herself
    him himself his how i if in into is isn it its itself let ll m me more most mustn my myself no
    nor not of off on once only or other ought our ours ourselves out over own re s same shan she
    should shouldn so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was wasn we were weren what when where which
    while who whom why will with won would wouldn you your yours yourself yourselves""".split()  # noqa: SIM905
)

_ENGLISH: Final[Any] = snowballstemmer.stemmer("english")  # pyright: ignore[reportUnknownMemberType]
_RUSSIAN: Final[Any] = snowballstemmer.stemmer("russian")  # pyright: ignore[reportUnknownMemberType]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    if word.isascii():
        return _ENGLISH.stemWord(word)
    if "\u0400" <= word[0] <= "\u04ff":
        return _RUSSIAN.stemWord(word)
    return word


def index_terms(text: str) -> list[str]:
    """Give the terms of a text, in order, each as often as it stands there."""
    found: list[str] = []
    for phrase in phrases(text):
        signs = phrase.split(" ")
        if len(signs) == 1:
            found.append(_stem(phrase))
        else:
            found += signs
            found += [one + two for one, two in pairwise(signs)]
    return found


def query_terms(text: str) -> list[str]:
    """Give the distinct terms that a question asks for, in order, without its function words.

    A question of nothing but function words asks for those.
    """
    asked: dict[str, None] = {}
    empty: dict[str, None] = {}
    for phrase in phrases(text):
        signs = phrase.split(" ")
        if len(signs) > 1:
            asked.update((one + two, None) for one, two in pairwise(signs))
        elif phrase in STOPWORDS:
            empty[_stem(phrase)] = None
        else:
            asked[_stem(phrase)] = None
    return list(asked or empty)


@lru_cache(maxsize=100_000)
def hash_of(term: str) -> int:
    """Give the 64 bits under which a term is kept, as a signed number."""
    return int.from_bytes(
        hashlib.blake2b(term.encode(), digest_size=8).digest(), "little", signed=True
    )


@lru_cache(maxsize=100_000)
def _bytes_of(term: str) -> bytes:
    return hashlib.blake2b(term.encode(), digest_size=8).digest()


def pack_terms(terms: Iterable[str]) -> bytes:
    """Give terms as they are kept: eight bytes each, in order."""
    return b"".join(map(_bytes_of, terms))
