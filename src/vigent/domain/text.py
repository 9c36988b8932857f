"""Names and text: what may enter, what counts as the same, and how search sees it.

Lengths are counted in code points. What passes comes back code point for code point; the only
thing ever taken out is invisible (``clean_text``), and then the caller is told.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from vigent.domain.jsontext import check_json, check_metadata
from vigent.errors import InvalidInput, LimitExceeded

__all__ = [
    "MAX_EPISODE",
    "MAX_ID",
    "MAX_TEXT",
    "MAX_TYPE",
    "ascii_words",
    "canonical_subject",
    "canonical_text",
    "check_id",
    "check_json",
    "check_metadata",
    "check_name",
    "clean_text",
    "fold",
    "has_hidden",
    "is_own",
    "own_name",
    "phrases",
    "words",
]

MAX_TEXT: Final = 8_000
"""Code points in a memory's text or value."""
MAX_EPISODE: Final = 1_000_000
"""Code points in one episode item."""
MAX_ID: Final = 200
"""Code points in an id or a name."""
MAX_TYPE: Final = 64
"""Code points in the name of a memory type."""

_OWN: Final = "\x01"
"""Begins the names that are the service's own: no caller can write one, see ``check_name``."""

_TAGS: Final = "\U000e0000-\U000e007f"
_BIDI: Final = "\u202a-\u202e\u2066-\u2069"
# A flag of a region (Scotland's) is a black flag, its code in tag characters, and an end tag.
# Codes are bounded, so that a flag cannot carry a hidden sentence.
_FLAG: Final = (
    "\U0001f3f4[\U000e0061-\U000e007a]{2}"
    "[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f"
)
_ODD: Final = re.compile(f"[\0\ud800-\udfff{_BIDI}{_TAGS}]")
_HIDDEN: Final = re.compile(f"({_FLAG})|[{_BIDI}{_TAGS}]")
_BROKEN: Final = re.compile("[\0\ud800-\udfff]")
_CONTROL: Final = re.compile("[\0-\x1f\x7f-\x9f]")
_CONTROL_IN_LINE: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Anything that leaves a mark on the page: not space, control, joiner, filler or selector.
_VISIBLE: Final = re.compile(
    "[^\\s\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
)


# ------------------------------------------------------------------------ ids and names


def check_id(value: object, field: str) -> str:
    """Check the id of a tenant, a store or a person, and give it back as it is.

    1 to 200 code points, NFC, no control or hidden characters, no outer white space. Ids are
    compared exactly; nothing is ever cleaned, lower-cased or cut.
    """
    text = _short(value, field, MAX_ID)
    problem = _id_problem(text)
    if problem:
        raise InvalidInput(field, problem)
    return text


def check_name(value: object, field: str, limit: int = MAX_ID) -> str:
    """Check the name of an attribute (200 code points) or a type (``limit=MAX_TYPE``).

    The rules are those of an id, but for the NFC form, which the name is brought into.
    """
    text = _short(value, field, limit)
    if not text.isascii():
        text = _short(unicodedata.normalize("NFC", text), field, limit)
    problem = _id_problem(text)
    if problem:
        raise InvalidInput(field, problem)
    return text


def canonical_subject(name: object, field: str = "subject") -> tuple[str, str]:
    """Give a subject's written name, as given, and its canonical id.

    The id is the NFKC, case-folded name with white space folded: names that differ only in such
    a way are one subject. Both are at most 200 code points.
    """
    return _subject(_short(name, field, MAX_ID), field)


def own_name(name: str) -> str:
    """Give a subject or an attribute of the service's own, which no caller can write."""
    return _OWN + name


def is_own(name: str) -> bool:
    """Whether a subject or an attribute is the service's own: lists and searches pass it by."""
    return name.startswith(_OWN)


def _short(value: object, field: str, limit: int) -> str:
    # Too long is refused before the caches below, which would keep it.
    if type(value) is not str:
        if not isinstance(value, str):
            raise InvalidInput(field, f"must be text, not {type(value).__name__}")
        value = str.__str__(value)
    if not 0 < len(value) <= limit:
        if not value:
            raise InvalidInput(field, "must not be empty")
        raise LimitExceeded(field, f"has {len(value)} characters; the limit is {limit}")
    return value


@lru_cache(maxsize=8192)
def _id_problem(text: str) -> str:
    if _CONTROL.search(text):
        return "must not contain control characters"
    if text[0].isspace() or text[-1].isspace():
        return "must not begin or end with white space"
    if text.isascii():
        return ""
    if _ODD.search(text) and (_BROKEN.search(text) or has_hidden(text)):
        return "must not contain lone surrogates, tag characters or bidi overrides"
    if not unicodedata.is_normalized("NFC", text):
        return "must be in Unicode form NFC"
    return "" if _VISIBLE.search(text) else "must not be blank"


@lru_cache(maxsize=8192)
def _subject(name: str, field: str) -> tuple[str, str]:
    if _CONTROL_IN_LINE.search(name):
        raise InvalidInput(field, "must not contain control characters")
    if name.isascii():
        canonical = " ".join(name.lower().split())
    else:
        if _ODD.search(name) and (_BROKEN.search(name) or has_hidden(name)):
            raise InvalidInput(
                field, "must not contain lone surrogates, tag characters or bidi overrides"
            )
        canonical = " ".join(_casefold(name).split())
    if not _VISIBLE.search(canonical):
        raise InvalidInput(field, "must not be blank")
    if len(canonical) > MAX_ID:
        raise LimitExceeded(
            field, f"has {len(canonical)} characters once canonical; the limit is {MAX_ID}"
        )
    return name, canonical


def _casefold(text: str) -> str:
    # Folding may undo the normal form and the normal form may need folding again: this order
    # is the one Unicode gives for a caseless match, after which a second pass changes nothing.
    folded = unicodedata.normalize("NFD", text).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())


# --------------------------------------------------------------------------------- text


def clean_text(value: object, field: str, limit: int) -> tuple[str, bool]:
    """Check a text and give it back, with whether something hidden was taken out.

    NUL, lone surrogates and blank text are refused; so is more than ``limit`` code points.
    Invisible tag characters and bidi overrides are removed; those of a flag stay, as do joiners.
    """
    if type(value) is not str:
        if not isinstance(value, str):
            raise InvalidInput(field, f"must be text, not {type(value).__name__}")
        value = str.__str__(value)
    if len(value) > limit:
        raise LimitExceeded(field, f"has {len(value)} characters; the limit is {limit}")
    flagged = False
    if value.isascii():
        if "\0" in value:
            raise InvalidInput(field, "must not contain the character NUL")
        if value[:1].isalnum():  # most texts: not blank, and nothing to take out
            return value, False
    elif _ODD.search(value):
        if _BROKEN.search(value):
            raise InvalidInput(field, "must not contain the character NUL or lone surrogates")
        cleaned = _HIDDEN.sub(_keep_flag, value)
        flagged = cleaned != value
        value = cleaned
    if not _VISIBLE.search(value):
        raise InvalidInput(field, "must not be blank")
    return value, flagged


def has_hidden(text: str) -> bool:
    """Say whether the text has tag characters outside a flag, or bidi overrides."""
    return any(found.group(1) is None for found in _HIDDEN.finditer(text))


def canonical_text(text: str) -> str:
    """Give the form in which two texts are compared: NFC, outer and repeated space folded."""
    folded = " ".join(text.split())
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def _keep_flag(found: re.Match[str]) -> str:
    return found.group(1) or ""


# ------------------------------------------------------------------------------- search

# Marks that are written or left out at will. The vowel signs of Indic scripts and of Thai are
# not among them: there they are part of the word.
_ACCENT: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_STROKES: Final = str.maketrans("øłđħŧı", "oldhti")
# Characters of scripts without spaces between words: ideographs, kana, bopomofo, hangul; Thai, Lao,
# Burmese and Khmer letters, each with the signs above, below and behind it.
_APART: Final = re.compile(
    "([\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff][\u3099\u309a]*"
    "|[\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*"
    "|[\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf][\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]*"
    "|[\u1000-\u102a\u103f](?:\u1039[\u1000-\u102a]|[\u102b-\u1038\u103a-\u103e])*"
    "|[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b4-\u17d1\u17d3])*)"
)
# A word is letters and digits, with the vowel signs that belong to them.
_WORD: Final = re.compile(
    "(?:[^\\W_]|[\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84\u102b-\u103e"
    "\u17b4-\u17d3\u3099\u309a])+"
)
_ASCII_WORD: Final = re.compile("[a-z0-9]+")
"""The same in ASCII of lower case, where it is found in a third of the time."""


def fold(text: str) -> str:
    """Give the text as search sees it: without case, accents and width differences.

    The same for what is indexed and what is asked. Characters of scripts without spaces
    (ideographs, kana, hangul, Thai, Lao, Burmese, Khmer) stand apart, each between spaces, so that
    a run of them can be found as a phrase.
    """
    if text.isascii():
        return text.lower()
    return " ".join(_APART.sub(r" \1 ", _plain(text)).split())


def words(text: str) -> tuple[str, ...]:
    """Give the folded words of a text, in order; what it says is never taken as syntax."""
    if text.isascii():
        return phrases(text)  # each is one word
    return tuple(word for phrase in phrases(text) for word in phrase.split(" "))


def phrases(text: str) -> tuple[str, ...]:
    """Give the folded words of a text, those of a script without spaces together.

    Each phrase is one word, or characters set apart by single spaces that are to be found
    side by side.
    """
    # The dot between the name and the attribute of a fact is no part of a word.
    simple = text if text.isascii() else text.replace("\u00b7", " ")
    if simple.isascii():
        return tuple(ascii_words(simple))
    found = _WORD.findall(_plain(text))
    return tuple(" ".join(_APART.sub(r" \1 ", word).split()) for word in found)


def ascii_words(text: str) -> list[str]:
    """Give the folded words of a text in ASCII; each is a phrase of its own."""
    return _ASCII_WORD.findall(text.lower())


def _plain(text: str) -> str:
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", _casefold(text)))
    # Putting together again what is left gives back voiced kana and hangul syllables.
    return unicodedata.normalize("NFC", bare).translate(_STROKES)
