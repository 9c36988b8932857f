"""The cut-off: whether what was ranked answers the question at all.

A ranking always has a first row. Whether it answers is told by two things that do not depend on
the order: the share of the question's terms, each counted by its rarity, that stand together in
one stretch of text, and how far the nearest vector stands out from all others. A term that the
store has never seen counts as the rarest of all.

Measured on two public conversations and 93 single messages, with made questions: of those about
foreign names and topics 97 to 100 of 100 are left without a hit, of those about a known speaker
and a foreign topic 82 to 84, or 74 where the questions were written after the bound was set. Of
the turns found for questions with an answer 1.8 of 100 are lost. By words alone 93 to 100, 64 to
79, and 2.5. In small scopes, in scripts whose function words are not known, and while vectors are
being made the bound is lower: in doubt the hits stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vigent.domain.corpus import Floats
from vigent.domain.rank import Evidence

__all__ = ["answerable", "worth_handing_out"]

# What both together must reach, at a full scope and at one of no size at all.
_BOTH: Final = 0.6
_BOTH_SMALL: Final = 0.25
_WORDS: Final = 0.3
_FAR_BELOW: Final = 0.2
_FULL: Final = 5_000
_FEW: Final = 100
_EMBEDDED: Final = 0.9
_FOREIGN: Final = 0.5


def answerable(evidence: Evidence) -> bool:
    """Whether anything ranked is worth handing out.

    A scope is full at 5,000 terms (some 200 turns of talk, or 500 facts); below that less is
    asked, since the rarity of words says little there, and of a handful a word in common is enough.
    """
    if not evidence.terms:
        return False
    full = min(1.0, evidence.terms / _FULL)
    if evidence.foreign >= _FOREIGN:
        full *= 0.5
    by_words = evidence.covered > 0 and evidence.covered >= _WORDS * full
    if evidence.near is None or (by_words and evidence.terms <= _FEW):
        return by_words
    if evidence.vectors < _EMBEDDED and by_words:
        return True
    need = _BOTH_SMALL + (_BOTH - _BOTH_SMALL) * full
    return evidence.covered + evidence.near >= need


def worth_handing_out(
    scores: Sequence[Floats], words: Sequence[Floats], evidence: Evidence
) -> list[Floats]:
    """Leave out what is far below the best: it would only fill the limit.

    ``words`` are the parts of the scores that come from a passage's own words. In a small scope
    what has any of the question's words stays, since there the rarity of words says little.
    Measured on the same conversations, up to 0.4 of the best's score nothing that answers is lost
    among the first ten, and 0.2 of 100 at 0.6.
    """
    best = max((float(one.max(initial=0)) for one in scores), default=0.0)
    least = _FAR_BELOW * best
    kept = [one >= least for one in scores]
    if evidence.terms < _FULL:
        kept = [keep | (said > 0) for keep, said in zip(kept, words, strict=True)]
    return [np.where(keep, one, np.float32(0)) for one, keep in zip(scores, kept, strict=True)]
