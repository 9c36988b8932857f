"""Terms: what search compares of a text, the same for what is indexed and what is asked.

Case, accents and width are folded, words of alphabets that have endings are stemmed (Snowball),
English forms that no ending tells ("went", "children") are brought back to their word, and runs
of a script without spaces are taken two characters at a time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

from vigent.domain.text import ascii_words, phrases

__all__ = [
    "ASKS",
    "STOPWORDS",
    "asks",
    "hash_of",
    "index_terms",
    "pack_terms",
    "packed",
    "query_terms",
]

ASKS: Final = "?"
"""A term of passages that end with a question. No text holds it, since it is no word."""
_AT_THE_END: Final = 60
_QUESTION: Final = re.compile("[?\u037e\u061f\uff1f]")

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

# A form, or several, and the word they are forms of. Not here: forms that are words of their own
# far more often ("saw", "rose", "lives", "best").
_FORMS: Final = """
begin began begun|break broke broken|bring brought|build built|buy bought|catch caught
choose chose chosen|come came|do did done|draw drew drawn|drink drank drunk|drive drove driven
eat ate eaten|fall fell fallen|feel felt|fight fought|find found|fly flew flown
forget forgot forgotten|get got gotten|give gave given|go went gone|grow grew grown
have has had|hear heard|hide hid hidden|hold held|keep kept|know knew known|leave left|lend lent
lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|run ran|say said|see seen
sell sold|send sent|shoot shot|show shown|sing sang sung|sit sat|sleep slept|speak spoke spoken
spend spent|stand stood|steal stole stolen|swim swam swum|take took taken|teach taught|tell told
think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|win won
write wrote written|child children|person people|man men|woman women|mouse mice|foot feet
tooth teeth|wife wives
"""
_WORD_OF: Final = {
    form: word
    for line in _FORMS.split("\n")
    for group in line.split("|")
    if group
    for word, *forms in [group.split()]
    for form in forms
}

_ENGLISH: Final[Any] = snowballstemmer.stemmer("english")  # pyright: ignore[reportUnknownMemberType]
_RUSSIAN: Final[Any] = snowballstemmer.stemmer("russian")  # pyright: ignore[reportUnknownMemberType]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    if not word.isalpha():  # numbers and identifiers have no endings
        return word
    if word.isascii():
        return _ENGLISH.stemWord(_WORD_OF.get(word, word))
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


def asks(text: str) -> bool:
    """Whether a text ends with a question, be it followed by a few words more."""
    return _QUESTION.search(text, max(0, len(text) - _AT_THE_END)) is not None


@lru_cache(maxsize=100_000)
def hash_of(term: str) -> int:
    """Give the 64 bits under which a term is kept, as a signed number."""
    return int.from_bytes(
        hashlib.blake2b(term.encode(), digest_size=8).digest(), "little", signed=True
    )


@lru_cache(maxsize=100_000)
def _bytes_of(term: str) -> bytes:
    return hashlib.blake2b(term.encode(), digest_size=8).digest()


@lru_cache(maxsize=100_000)
def _packed_word(word: str) -> bytes:
    stem = _stem(word) if word.isalpha() else word
    return hashlib.blake2b(stem.encode(), digest_size=8).digest()


def packed(text: str) -> bytes:
    """Give the terms of a text as they are kept; the same as ``pack_terms(index_terms(text))``."""
    if text.isascii():  # most texts, for which nothing need be put together
        return b"".join(map(_packed_word, ascii_words(text)))
    return pack_terms(index_terms(text))


def pack_terms(terms: Iterable[str]) -> bytes:
    """Give terms as they are kept: eight bytes each, in order."""
    return b"".join(map(_bytes_of, terms))
