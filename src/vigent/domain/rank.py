"""Ranking: how near every passage of a few scopes is to a question, and why.

A score is a sum of parts, each of them at least 0, and lies in [0, 1]:

- ``words``: BM25 of the passage's own terms;
- ``words_before``: BM25 of the passage with the two that go before it in its thread, since a turn
  of a conversation seldom repeats what it is about;
- ``meaning``: how near its vector is to the question's;
- ``neighbours``: a share of what the four passages on either side have, less the farther off;
- ``replies``: more of it where the passage before asks a question;
- ``named``: the question names whom it is about or who says it.

A passage alone (a typed fact, a message of no thread) has no neighbours; half of its own score
stands in for each, or long threads would push it down: of 47 questions about single messages laid
among long conversations, all had their messages within the first ten, and 85 of 100 without.

Measured on two public conversations of 788 turns (302 questions, share of the turns that answer
within the first 5, 10, 25 and 50): plain BM25 56, 63, 72, 77; all parts 77, 84, 90, 93; without
vectors 75, 84, 89, 93. The weights were chosen on the same questions, from a plateau: half as
much again of any, or a third less, moves the mean of the four by 0.7 at most, and weights drawn at
random within a factor of two lose 0.7 in the middle: expect so much less elsewhere. Left out, the
stretches cost 2.4, the neighbours 2.2, the replies 1.1, the names 0.6 and the forms of English
verbs 0.6. What did not help: a vector of the turn alone or of each sentence, the best passage of
the thread, words taken from the first hits, the share of the question's words that a passage has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from vigent.domain.corpus import Corpus, Floats, Ints
from vigent.domain.terms import ASKS, hash_of, index_terms, query_terms

__all__ = ["PARTS", "Evidence", "Ranking", "rank"]

PARTS: Final = (
    "words", "words_before", "meaning", "neighbours", "replies", "named",
)  # fmt: skip
"""The parts of a score, in the order in which they are told."""

_WORDS, _BEFORE, _MEANING = 0.35, 0.25, 0.4
_NEIGHBOURS: Final = (0.25, 0.2, 0.15, 0.1)
_ALONE: Final = 0.5
_REPLY, _NAMED = 0.2, 0.15
_SCALE: Final = np.float32(1 / (1 + 2 * sum(_NEIGHBOURS) + _REPLY + _NAMED))

_K1, _B = 1.0, 0.75
# Nearness is told apart over at least this much of cosine: less is noise of the model.
_SPREAD: Final = 0.1


class Evidence(NamedTuple):
    """What says whether anything here answers the question at all; see ``answerable``.

    ``covered`` is the share of the question's terms, by rarity, in the best stretch of three
    passages; ``near`` how far the nearest vector stands out from all, in [0, 1] (None: no vectors);
    ``terms`` how many the passages have together; ``vectors`` the share of passages with one;
    ``foreign`` the share of the question's terms not in plain Latin letters.
    """

    covered: float
    near: float | None
    terms: int
    vectors: float
    foreign: float


class Ranking(NamedTuple):
    """The scores of one corpus and their parts, by row."""

    score: Floats
    parts: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What does not depend on the question: neighbours, and lengths of stretches of three.

    A row that is none points behind the last. ``alone`` is the weight of the neighbours that a
    row does not have; ``asking`` and ``asked`` the rows of questions and those that follow them.
    """

    before: Ints
    after: Ints
    stretch: Floats
    alone: Floats
    asking: Ints
    asked: Ints
    length: float
    length_of_stretches: float

    @classmethod
    def of(cls, corpus: Corpus) -> _Shape:
        size = len(corpus)
        before = corpus.before.copy()
        before[before < 0] = size
        after = np.full(size + 1, size, np.int64)
        after[before] = np.arange(size)
        after[size] = size
        lengths = corpus.lengths
        one = _taken(lengths, before)
        stretch = lengths + one + _taken(one, before)
        every = np.ones(size, np.float32)
        there = _weighed(every, before) + _weighed(every, after[:-1])
        asking = corpus.postings(hash_of(ASKS))[0]
        asked = after[asking]
        asking, asked = asking[asked < size], asked[asked < size]
        alone = np.float32(_ALONE) * (np.float32(2 * sum(_NEIGHBOURS)) - there)
        return cls(
            before, after, stretch, alone, asking, asked,
            float(lengths.sum(dtype=np.float64)), float(stretch.sum(dtype=np.float64)),
        )  # fmt: skip


def _taken(column: Floats, rows: Ints) -> Floats:
    """Give the values of other rows, 0 for a row that is none."""
    padded = np.empty(len(column) + 1, np.float32)
    padded[:-1] = column
    padded[-1] = 0
    return padded[rows]


def _weighed(column: Floats, way: Ints) -> Floats:
    """Give the weighed sum of the neighbours on one side, from the farthest inwards."""
    total = np.zeros_like(column)
    for share in reversed(_NEIGHBOURS):
        total = _taken(column * np.float32(share) + total, way)
    return total


class _Terms(NamedTuple):
    """The question's terms and how rare they are in all corpora together."""

    hashes: list[int]
    rarity: list[float]


def rank(
    corpora: Sequence[Corpus], question: str, vector: Floats | None
) -> tuple[list[Ranking], Evidence]:
    """Score every passage of some scopes against a question, by words and by vector.

    ``vector`` is the question's, of any length; None ranks by words alone. Terms count as rare by
    these corpora alone, and equal input gives equal scores to the bit.
    """
    terms = query_terms(question)
    shapes = [corpus.derived(_Shape.of) for corpus in corpora]
    asked = _rarity(corpora, [hash_of(term) for term in terms])
    own, wide, covered = _by_words(corpora, shapes, asked)
    meaning, near = _by_meaning(corpora, vector)
    weight = 1.0 if near is not None else 1 / (_WORDS + _BEFORE)
    named = set(map(hash_of, index_terms(question)))
    rankings: list[Ranking] = []
    for i, corpus in enumerate(corpora):
        words, before = own[i] * np.float32(_WORDS * weight), wide[i] * np.float32(_BEFORE * weight)
        near_by = meaning[i] * np.float32(_MEANING)
        direct: Floats = np.add(words, before)
        direct += near_by
        beside = _around(shapes[i], direct)
        given = (words, before, near_by, *beside, _named(corpus, named))
        score = np.zeros(len(corpus), np.float32)
        for part in given:
            np.multiply(part, _SCALE, out=part)
            score += part
        np.minimum(score, 1, out=score)
        rankings.append(Ranking(score, dict(zip(PARTS, given, strict=True))))
    size, made = sum(map(len, corpora)), sum(len(corpus.vectors) for corpus in corpora)
    foreign = sum(not term.isascii() for term in terms) / max(1, len(terms))
    told = int(sum(shape.length for shape in shapes))
    return rankings, Evidence(covered, near, told, made / max(1, size), foreign)


# ------------------------------------------------------------------------------- by words


def _rarity(corpora: Sequence[Corpus], hashes: list[int]) -> _Terms:
    size = sum(map(len, corpora))
    bearing = [sum(len(corpus.postings(term)[0]) for corpus in corpora) for term in hashes]
    rarity = [float(np.log((size - n + 0.5) / (n + 0.5) + 1)) for n in bearing]
    return _Terms(hashes, rarity)


def _by_words(
    corpora: Sequence[Corpus], shapes: Sequence[_Shape], asked: _Terms
) -> tuple[list[Floats], list[Floats], float]:
    """Give BM25 of each passage, of each with the two before it, and the best coverage."""
    size = max(1, sum(map(len, corpora)))
    mean = max(1.0, sum(shape.length for shape in shapes) / size)
    mean_of_stretches = max(1.0, sum(shape.length_of_stretches for shape in shapes) / size)
    own: list[Floats] = []
    wide: list[Floats] = []
    most = 0.0
    for corpus, shape in zip(corpora, shapes, strict=True):
        one, two, cover = (np.zeros(len(corpus), np.float32) for _ in range(3))
        for term, rarity in zip(*asked, strict=True):
            rows, counts = corpus.postings(term)
            if not len(rows):
                continue
            one[rows] += rarity * _saturated(counts, corpus.lengths[rows], mean)
            rows, counts = _spread(rows, counts, shape)
            two[rows] += rarity * _saturated(counts, shape.stretch[rows], mean_of_stretches)
            cover[rows] += rarity
        own.append(one)
        wide.append(two)
        most = max(most, float(cover.max(initial=0)))
    return _sharpened(own), _sharpened(wide), most / max(sum(asked.rarity), 1e-9)


def _saturated(counts: Floats, lengths: Floats, mean: float) -> Floats:
    scale: Floats = lengths * np.float32(_K1 * _B / mean)
    scale += np.float32(_K1 * (1 - _B))
    scale += counts
    return np.divide(counts, scale, dtype=np.float32)


def _spread(rows: Ints, counts: Floats, shape: _Shape) -> tuple[Ints, Floats]:
    """Give the rows that have a term in themselves or in the two before, and how often."""
    after = shape.after[rows]
    found = np.zeros(len(shape.after), np.float32)
    for reached in (rows, after, shape.after[after]):
        # No row is named twice here, but the one that is none.
        found[reached] += counts
    found[-1] = 0
    hit = np.flatnonzero(found)
    return hit, found[hit]


def _sharpened(columns: list[Floats]) -> list[Floats]:
    best = max((float(column.max(initial=0)) for column in columns), default=0.0)
    return [_sharp(column * np.float32(1 / best)) for column in columns] if best > 0 else columns


def _sharp(column: Floats) -> Floats:
    """Give the power of 1.5: a passage with all of the words outdoes two with half of them."""
    return column * np.sqrt(column)


# ----------------------------------------------------------------------------- by meaning


def _by_meaning(
    corpora: Sequence[Corpus], vector: Floats | None
) -> tuple[list[Floats], float | None]:
    """Give the nearness of each passage in [0, 1], and how far the nearest stands out."""
    nothing = [np.zeros(len(corpus), np.float32) for corpus in corpora]
    length = 0.0 if vector is None else float(np.linalg.norm(vector))
    if vector is None or not length or not np.isfinite(length):
        return nothing, None
    unit = (vector / length).astype(np.float32)
    known = [c for c in corpora if len(c.vectors)]
    if not known:
        return nothing, None
    # A product a row: a product of the matrix is shared out to threads, which on a busy machine
    # takes several times as long, and a row's last bits then depend on how many rows there are.
    found = {id(c): np.vecdot(c.vectors, unit) for c in known}
    high = max(float(cosines.max()) for cosines in found.values())
    low = min(*(float(cosines.min()) for cosines in found.values()), high - _SPREAD)
    total = sum(float(cosines.sum()) for cosines in found.values())
    count = sum(map(len, found.values()))
    # A passage that waits for its vector is taken to be as near as they are in the mean.
    mean = total / count
    columns: list[Floats] = []
    for corpus, column in zip(corpora, nothing, strict=True):
        column[:] = (mean - low) / (high - low)
        if id(corpus) in found:
            column[corpus.vector_rows] = (found[id(corpus)] - low) / (high - low)
        columns.append(column)
    # The mean of a handful says little of the model: it is held back towards nothing.
    held = total / (count + 20)
    return columns, max(0.0, (high - held) / max(1 - held, 1e-6))


# ---------------------------------------------------------------------------- what is beside


def _around(shape: _Shape, direct: Floats) -> tuple[Floats, Floats]:
    """Give what passages have from their neighbours, and from a question before."""
    beside = _weighed(direct, shape.before) + _weighed(direct, shape.after[:-1])
    beside += shape.alone * direct
    replies = np.zeros_like(direct)
    replies[shape.asked] = np.float32(_REPLY) * direct[shape.asking]
    return beside, replies


def _named(corpus: Corpus, asked: set[int]) -> Floats:
    there = np.zeros(len(corpus.names) + 1, np.float32)
    there[corpus.names_within(asked)] = _NAMED
    return there[corpus.abouts]
