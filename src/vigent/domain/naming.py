"""Which known names a question mentions: subjects by their written names, attributes by words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from vigent.domain.terms import STOPWORDS, index_terms
from vigent.domain.text import fold, words

__all__ = ["MOST_CANDIDATES", "Mentions", "NameIndex", "Unresolved", "slip_of"]

MOST_CANDIDATES: Final = 20
"""Candidates that are named for one unresolved name, at most."""

# Names that are also everyday words: in small letters they are that word.
_EVERYDAY: Final = frozenset(
    """april art august autumn bill bob business car case chance city client company customer day
    dawn drew email event faith file frank friend grace grant group guest guy hope house jack june
    july joy life lily man march mark may meeting memory message mike miles nick note office
    order pat patience paul penny person phone place project rich rob rose ruby school sky store
    sue summer sunny system task team test thing time today trip user victor violet week will
    winter woman work world year""".split()  # noqa: SIM905
)
# Words that ask for what is in force and for nothing else: function words but those of time and
# order, and ways to ask.
_PLAIN: Final = STOPWORDS - {
    "after",
    "before",
    "first",
    "until",
    "once",
    "again",
    "not",
} | frozenset(
    """current currently exact exactly give know known let live lives moment now please present
    presently right say show tell today value""".split()  # noqa: SIM905
)
_SEPARATORS: Final = re.compile(r"[_\-./:]+|(?<=[a-z])(?=[A-Z])")
_NOBODY: Final = frozenset[str]()
_TOKEN: Final = re.compile(r"[^\W_]+")
_QUOTED: Final = re.compile(r"[\"“„«'\u2018]([^\"“”„«»'\u2018\u2019]{1,200})[\"”“»'\u2019]")
_SENTENCE_START: Final = re.compile(r"(?:\A|[.!?:]\s)\W*\Z")


class Unresolved(NamedTuple):
    """A name that several subjects bear: folded, with whom it may mean, in order."""

    name: str
    candidates: tuple[str, ...]


class Mentions(NamedTuple):
    """The known names in a question, each once, in the order they stand there.

    ``subjects`` are canonical ids and ``attributes`` names of the schema; ``names`` the folded
    words by which each subject was mentioned. ``left`` are the words that none of these account
    for, nor are function words: a question with such words asks for more than an attribute.
    """

    subjects: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    names: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class _Found(NamedTuple):
    start: int
    stop: int
    subjects: frozenset[str]


class NameIndex:
    """The written names of subjects and attributes, made once and asked often.

    ``subjects`` gives the written names of each canonical id (its id, aliases, ``name`` fact);
    ``attributes`` the aliases of each attribute name. A question is read as search reads it:
    whole words without case and accents, scripts without spaces character by character, and a
    possessive "'s" as a word of its own. Longer names go before shorter ones.

    A name that two subjects bear, whole or as one word of it, is unresolved and names both; a
    part that is no whole name counts only where it is written with a capital. A name that is an
    everyday word, a number or has fewer than three letters is taken only in quotes, or with a
    capital that does not begin a sentence.

    An attribute is mentioned when all its words or those of an alias are, in any order and
    number, function words left out; of "deadline" and "passport deadline" only the longer.
    """

    def __init__(
        self,
        subjects: Mapping[str, Iterable[str]],
        attributes: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self._whole: dict[tuple[str, ...], frozenset[str]] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._parts: dict[str, frozenset[str]] = {}
        self._attributes: dict[str, tuple[tuple[frozenset[str], str], ...]] = {}
        self._ends: dict[tuple[str, bool], list[str]] | None = None
        self._take_subjects(subjects)
        self._take_attributes(attributes or {})

    def with_more(
        self, subjects: Mapping[str, Iterable[str]], attributes: Mapping[str, Iterable[str]]
    ) -> NameIndex:
        """Give an index with further names besides; the attributes must be new ones."""
        more = NameIndex({})
        more._whole, more._lengths = dict(self._whole), dict(self._lengths)
        more._parts, more._attributes = dict(self._parts), dict(self._attributes)
        more._take_subjects(subjects)
        more._take_attributes(attributes)
        return more

    def _take_subjects(self, subjects: Mapping[str, Iterable[str]]) -> None:
        whole: dict[tuple[str, ...], set[str]] = {}
        for subject, names in subjects.items():
            for name in {subject, *names}:
                key = words(name)
                if key:
                    whole.setdefault(key, set()).add(subject)
        lengths: dict[str, set[int]] = {}
        parts: dict[str, set[str]] = {}
        for key, bearers in whole.items():
            self._whole[key] = self._whole.get(key, _NOBODY) | bearers
            lengths.setdefault(key[0], set()).add(len(key))
            if len(key) > 1:
                for word in key:
                    if len(word) > 1 and word not in STOPWORDS:
                        parts.setdefault(word, set()).update(bearers)
        for first, found in lengths.items():
            found.update(self._lengths.get(first, ()))
            self._lengths[first] = tuple(sorted(found, reverse=True))
        for word, bearers in parts.items():
            self._parts[word] = self._parts.get(word, _NOBODY) | bearers

    def _take_attributes(self, attributes: Mapping[str, Iterable[str]]) -> None:
        for attribute, aliases in attributes.items():
            for name in (attribute, *aliases):
                terms = _terms_of(name)
                if terms:
                    known = self._attributes.get(min(terms), ())
                    self._attributes[min(terms)] = (*known, (terms, attribute))

    def meant(self, question: str) -> list[str]:
        """Give the words of subjects' names that a question has with one slip each.

        Where a slip may be of two words, neither is given.
        """
        found: list[str] = []
        for word in words(question):
            if (word,) in self._whole or word in self._parts:
                continue
            meant = {name for name in self._near(word) if slip_of(word, name)}
            if len(meant) == 1:
                found += meant
        return found

    def _near(self, word: str) -> list[str]:
        """Give the words of names that may be this one with a slip.

        One slip in a name of five letters or more leaves its first two or its last two as they are.
        """
        if self._ends is None:
            ends: dict[tuple[str, bool], list[str]] = {}
            for name in {key[0] for key in self._whole if len(key) == 1} | self._parts.keys():
                if len(name) >= 5:
                    ends.setdefault((name[:2], True), []).append(name)
                    ends.setdefault((name[-2:], False), []).append(name)
            self._ends = ends
        return [*self._ends.get((word[:2], True), ()), *self._ends.get((word[-2:], False), ())]

    def mentions(self, question: str) -> Mentions:
        """Give the subjects and attributes that a question mentions."""
        tokens = words(question)
        found = self._longest(tokens, question)
        taken: set[int] = set()
        subjects: dict[str, str] = {}
        unresolved: dict[str, Unresolved] = {}
        for start, stop, bearers in found:
            taken.update(range(start, stop))
            name = " ".join(tokens[start:stop])
            if len(bearers) == 1:
                subjects.setdefault(next(iter(bearers)), name)
            else:
                candidates = tuple(sorted(bearers)[:MOST_CANDIDATES])
                unresolved.setdefault(name, Unresolved(name, candidates))
        rest = [word for i, word in enumerate(tokens) if i not in taken]
        attributes, terms = self._asked(" ".join(rest))
        left = [
            w
            for w in rest
            if w.isascii() and w not in _PLAIN and not terms.issuperset(index_terms(w))
        ]
        return Mentions(
            tuple(subjects), attributes, tuple(unresolved.values()), tuple(subjects.values()),
            tuple(left),
        )  # fmt: skip

    def _longest(self, tokens: tuple[str, ...], question: str) -> list[_Found]:
        """Give the names in a question that do not overlap, longer ones taken first."""
        candidates: list[_Found] = []
        for i, word in enumerate(tokens):
            for length in self._lengths.get(word, ()):
                bearers = self._whole.get(tokens[i : i + length])
                if bearers is None or i + length > len(tokens):
                    continue
                if length == 1:
                    if _is_weak(word) and not _stands_out(word, question):
                        continue
                    bearers |= self._parts.get(word, frozenset())
                candidates.append(_Found(i, i + length, bearers))
            part = self._parts.get(word)
            if (
                part
                and len(part) > 1
                and (word,) not in self._whole
                and _stands_out(word, question, anywhere=not _is_weak(word))
            ):
                candidates.append(_Found(i, i + 1, part))
        candidates.sort(key=lambda one: (one.start - one.stop, one.start))
        taken: set[int] = set()
        chosen: list[_Found] = []
        for one in candidates:
            stretch = range(one.start, one.stop)
            if taken.isdisjoint(stretch):
                taken.update(stretch)
                chosen.append(one)
        return sorted(chosen)

    def _asked(self, rest: str) -> tuple[tuple[str, ...], set[str]]:
        """Give the attributes of which all words stand in what is left, and their terms."""
        order: dict[str, int] = {}
        for i, term in enumerate(index_terms(rest)):
            order.setdefault(term, i)
        present = order.keys()
        found = [
            (terms, attribute)
            for term in order
            for terms, attribute in self._attributes.get(term, ())
            if terms <= present
        ]
        kept: dict[str, int] = {}
        used: set[str] = set()
        for terms, attribute in found:
            if not any(terms < others for others, _ in found):
                at = min(order[term] for term in terms)
                kept[attribute] = min(at, kept.get(attribute, at))
                used |= terms
        return tuple(sorted(kept, key=lambda attribute: (kept[attribute], attribute))), used


def slip_of(word: str, name: str) -> bool:
    """Say whether a word is a name with one letter wrong, missing, added or two swapped.

    Case, accents and width count for nothing. Names have at least five letters and no digits; the
    name itself is no slip of it.
    """
    one, other = fold(word), fold(name)
    if len(other) < 5 or not other.isalpha() or not one.isalpha() or one == other:
        return False
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    if len(one) < len(other):
        return one[start:] == other[start + 1 :]
    if len(one) > len(other):
        return one[start + 1 :] == other[start:]
    if one[start + 1 :] == other[start + 1 :]:
        return True
    swapped = other[start : start + 2][::-1]
    return one[start : start + 2] == swapped and one[start + 2 :] == other[start + 2 :]


def _terms_of(name: str) -> frozenset[str]:
    spaced = _SEPARATORS.sub(" ", name)
    return frozenset(index_terms(" ".join(w for w in words(spaced) if w not in STOPWORDS)))


def _is_weak(word: str) -> bool:
    if not word.isascii():
        return len(word) < 2
    return len(word) < 3 or word.isdigit() or word in STOPWORDS or word in _EVERYDAY


def _stands_out(word: str, question: str, *, anywhere: bool = False) -> bool:
    """Say whether a word is in quotes, or has a capital that no sentence gives it."""
    if any(fold(found[1]).strip() == word for found in _QUOTED.finditer(question)):
        return True
    if question.isupper():
        return False  # no capital tells anything there
    for found in _TOKEN.finditer(question):
        written = found.group()
        if fold(written) != word or not written[0].isupper():
            continue
        if len(written) > 1 and written.isupper():
            return True
        if written != "I" and (
            anywhere
            or not _SENTENCE_START.search(question, max(0, found.start() - 9), found.start())
        ):
            return True
    return False
