"""Where a quote stands in an item, and the sentence and clause that it belongs to.

A quote stands where its words stand in that order, code point for code point, once both are in
Unicode form NFC, every run of white space is one space, and typographic quotation marks and
apostrophes are the plain ones. Case, accents and punctuation count. What we injected is no part
of the item.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from vigent.domain.gate.sources import LONGEST, foreign_parts, is_foreign
from vigent.domain.sections import without_injected
from vigent.domain.text import MAX_TEXT

__all__ = ["Passage", "folded", "own_sentences", "passage_of", "sentences"]

_MARKS: Final = str.maketrans({
    "\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u00a0": " ", "\u202f": " ",
})  # fmt: skip
_PLACES: Final = 100
_NEAR: Final = 2_000
_LINE: Final = "\n"
# A stop ends a sentence where white space follows; not that of an abbreviation or an ordinal.
_END: Final = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bSr)(?<!\bNo)(?<!\bMrs)(?<!\bSra)(?<!\bDra)(?<!\bProf)"
    r"(?<!\bz\.B)(?<!\bd\.h)(?<!\be\.g)(?<!\bi\.e)(?<!\ba\.m)(?<!\bp\.m)(?<!\bca)(?<!\b\d)(?<!\b\d\d)\.(?=\s)"
    r"|(?<=\d\d\d\d)\.(?=\s)|[!?…](?=\s|$)|[。！？；]|;(?=\s)|\n"
)
_CLAUSE: Final = re.compile(
    r",\s+|\s+[-–—]+\s+|[，、：]|:\s+|\s+\((?=\w)|\)\s+"
    r"|\s+(?=(?:but|however|whereas|although|though|aber|sondern|doch|obwohl|mais|cependant|pero"
    r"|sino"
    r"|aunque|mas|porém|embora)\b)|(?=但是|不过|而是)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A quote in its surroundings, all folded.

    ``own`` is whether the person said it themselves; ``clause`` the clauses that the quote
    touches, ``sentence`` the sentences, ``lead`` what of the sentence stands before the quote,
    ``rest`` what follows it there. ``said`` is all that is the person's own in the item.
    """

    text: str
    start: int
    stop: int
    own: bool
    sentence: str
    clause: str
    lead: str
    rest: str
    said: str

    @property
    def quote(self) -> str:
        """The quote as it stands."""
        return self.text[self.start : self.stop]


def folded(text: str) -> str:
    """Give the form in which a quote is looked for."""
    plain = unicodedata.normalize("NFC", text).translate(_MARKS)
    lines = (" ".join(line.split()) for line in plain.split(_LINE))
    return _LINE.join(line for line in lines if line)


def sentences(text: str) -> list[tuple[int, int]]:
    """Give where the sentences of a folded text stand."""
    return _pieces(text, _END)


def own_sentences(text: str, parts: Iterable[tuple[int, int]] | None = None) -> str:
    """Give a folded text without what in it is not its speaker's own."""
    kept: list[str] = []
    at = 0
    for start, stop in foreign_parts(text) if parts is None else parts:
        if start > at:
            kept.append(text[at:start])
        at = max(at, stop)
    return _LINE.join([*kept, text[at:]])


def passage_of(content: str, quote: str) -> Passage | None:
    """Find a quote in an item; None where its words do not stand there.

    Of several places the first that is the speaker's own is taken.
    """
    text, words = folded(without_injected(content)), folded(quote)
    if not words or len(words) > MAX_TEXT:
        return None
    # A line may end anywhere in the item, and the quote need not know of it.
    flat, wanted = text.replace(_LINE, " "), words.replace(_LINE, " ")
    parts = foreign_parts(text)
    found: tuple[int, int, bool] | None = None
    at, tried = flat.find(wanted), 0
    while at >= 0 and tried < _PLACES:
        tried += 1
        stop = at + len(wanted)
        inside = is_foreign(text, parts, at, stop)
        if _is_whole(flat, at, stop):
            found = (at, stop, not inside) if found is None or not inside else found
            if not inside:
                break
        at = flat.find(wanted, at + 1)
    return None if found is None else _around(text, parts, *found)


def _is_whole(text: str, start: int, stop: int) -> bool:
    """Whether a stretch begins and ends where words do; scripts without spaces have no edges."""

    def joins(one: str, other: str) -> bool:
        wide = "\u2e80"
        return one.isalnum() and other.isalnum() and one < wide and other < wide

    before = start > 0 and joins(text[start - 1], text[start])
    return not before and not (stop < len(text) and joins(text[stop - 1], text[stop]))


def _around(
    text: str,
    parts: list[tuple[int, int]],
    start: int,
    stop: int,
    own: bool,
) -> Passage:
    """Give a quote with what is near it: a sentence is looked for no further than _NEAR."""
    said = own_sentences(text[:LONGEST], [part for part in parts if part[0] < LONGEST])
    low, high = max(0, start - LONGEST), stop + LONGEST
    text, start, stop = text[low:high], start - low, stop - low
    low, high = max(0, start - _NEAR), min(len(text), stop + _NEAR)
    near = text[low:high]
    touched = [(low + a, low + b) for a, b in sentences(near) if low + a < stop and start < low + b]
    first, last = (touched[0][0], touched[-1][1]) if touched else (start, stop)
    sentence = text[first:last]
    clauses = [
        (first + a, first + b)
        for a, b in _pieces(sentence, _CLAUSE)
        if first + a < stop and start < first + b
    ]
    clause = text[clauses[0][0] : clauses[-1][1]] if clauses else sentence
    return Passage(
        text, start, stop, own, sentence.strip(), clause.strip(), text[first:start],
        text[stop:last], said,
    )  # fmt: skip


def _pieces(text: str, ends: re.Pattern[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    for match in ends.finditer(text):
        if match.end() > at:
            found.append((at, match.end()))
        at = match.end()
    if at < len(text):
        found.append((at, len(text)))
    return [(a, b) for a, b in found if text[a:b].strip()]
