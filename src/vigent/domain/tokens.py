"""How many tokens of a language model a text comes to: an estimate that does not count too few.

Four bytes to a token, the usual rule of thumb, is near for English prose alone: it counts less
than two thirds of what JSON, ids, Chinese or Thai really take. Here every byte has a weight by
the script it begins a character of, and marks, digits and changes of case count for what they are.
"""

from __future__ import annotations

from typing import Final

__all__ = ["estimate_tokens"]

_UNIT: Final = 40
"""Weights are whole fortieths of a token, so that a byte holds each."""
_TURN: Final = 18
"""What it costs where letters turn into digits or capitals inside a word, as in ids."""

# By the first byte of a character in UTF-8: up to that byte, so many fortieths of a token. The
# bytes that follow count nothing of their own.
_FIRST: Final = (
    (0xC5, 64),  # accented Latin
    (0xCD, 60),  # other Latin, marks
    (0xCF, 48),  # Greek
    (0xD1, 27),  # Cyrillic
    (0xD3, 60),
    (0xD6, 80),  # Armenian
    (0xD7, 48),  # Hebrew
    (0xDB, 44),  # Arabic
    (0xDF, 80),
    (0xE0, 88),  # Indic scripts, Thai
    (0xE1, 122),  # Georgian, Ethiopic, Vietnamese
    (0xE2, 80),  # signs
    (0xE3, 52),  # kana
    (0xE9, 66),  # Chinese characters
    (0xED, 62),  # hangul
    (0xEF, 80),
    (0xF7, 140),  # emoji
)
_LOWER, _UPPER, _DIGIT, _MARK, _OTHER = b"a", b"A", b"0", b"!", b"x"


def _weight(byte: int) -> int:
    character = chr(byte)
    if byte >= 0x80:
        return 0 if byte < 0xC0 else next(weight for last, weight in _FIRST if byte <= last)
    if character.isalpha():
        return 11 if character.islower() else 22
    if character.isdigit():
        return 24
    return 13 if character == " " else 27


def _kind(byte: int) -> bytes:
    character = chr(byte)
    if byte >= 0x80 or character.isspace():
        return _OTHER
    if character.isalpha():
        return _LOWER if character.islower() else _UPPER
    return _DIGIT if character.isdigit() else _MARK


_WEIGHTS: Final = bytes(_weight(byte) if byte < 0xF8 else 0 for byte in range(256))
_TURNS: Final = (b"a0", b"0a", b"aA", b"A0", b"0A")
_KINDS: Final = b"".join(_kind(byte) for byte in range(256))


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: hardly ever fewer than common tokenizers count, some more."""
    data = text.encode("utf-8", "surrogatepass")
    kinds = data.translate(_KINDS)
    turns = sum(map(kinds.count, _TURNS))
    return -(-(sum(data.translate(_WEIGHTS)) + _TURN * turns) // _UNIT)
