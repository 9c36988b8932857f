"""Taking out of a text who and what it names, before a model that knows no person reads it.

It is strict rather than good: what may be a name is taken for one. Names have no form; so every
word with a capital goes, unless it stands somewhere without one, and text of scripts that have no
capitals goes as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Final

from vigent.domain.gate.personal import personal_kinds

__all__ = ["plain_words", "pseudonymised", "says_something"]

_LINK: Final = re.compile(r"\b(?:[a-z][a-z0-9+.-]*://|www\.)\S+", re.IGNORECASE)
_TOKEN: Final = re.compile(r"[^\s\[\](){},;:!?\"“”„«»…]+")
_AROUND: Final = ".'\u2019-\u2013\u2014*_/`"
_PLACEHOLDER: Final = re.compile(r"\[[a-z_]+\]")
_COMMON: Final = frozenset(
    """a an the this that these those it its they them their he she his her we our you your i my
    user person customer client assistant agent tool nothing something no not yes and but or so
    then after before when while if for from in on at by to of with without as was were is are has
    had have all both some each only also later finally der die das ein eine er sie es sein ihr und
    aber nichts le la les un une il elle et mais rien el los las una y pero nada o os as uma e mas
    """.split()  # noqa: SIM905
)


def plain_words(texts: Iterable[str]) -> frozenset[str]:
    """Give the words that stand somewhere in lower case: those are no names."""
    return frozenset(
        word.strip(_AROUND)
        for text in texts
        for word in _TOKEN.findall(text)
        if word[0].islower() and word.isalpha()
    )


def pseudonymised(
    text: str, names: Collection[str] = (), plain: Collection[str] = frozenset()
) -> str:
    """Give a text without names, ids and personal data; what goes leaves a placeholder.

    ``names`` are known ones, in whatever case; ``plain`` words that are none (``plain_words``).
    """
    found = [(span, k) for k, spans in personal_kinds(text).items() for span in spans]
    end = len(text)
    for (start, stop), kind in sorted(found, reverse=True):
        if stop <= end:  # one within another goes with it
            text = f"{text[:start]}[{kind}]{text[stop:]}"
            end = start
    text = _LINK.sub("[link]", text)
    for name in sorted({n.strip() for n in names if n.strip()}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "[name]", text, flags=re.IGNORECASE)
    parts: list[str] = []
    last = 0
    for match in _TOKEN.finditer(text):
        between = text[last : match.start()]
        parts += [between, match.group() if between.endswith("[") else _word(match.group(), plain)]
        last = match.end()
    return "".join(parts) + text[last:]


def _word(word: str, plain: Collection[str]) -> str:
    bare = word.strip(_AROUND)
    if not bare:
        return word
    if any(c.isdigit() for c in bare):
        return word.replace(bare, "[number]")
    if "_" in bare or "@" in bare or "/" in bare or "\\" in bare:
        return word.replace(bare, "[id]")
    if any(unicodedata.category(c) in {"Lo", "Nl"} for c in bare):
        return "[text]"
    folded = bare.lower()
    if bare != folded and folded not in _COMMON and folded not in plain:
        return word.replace(bare, "[name]")
    return word


def says_something(text: str) -> bool:
    """Whether words are left of a text beside placeholders."""
    return any(c.isalpha() for c in _PLACEHOLDER.sub("", text))
