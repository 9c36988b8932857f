"""Whose word an item of an episode is, and what in a person's message is not their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from vigent.domain.sections import CLOSING, OPENING

__all__ = ["LONGEST", "Source", "foreign_parts", "is_foreign", "source_of", "trust_of"]

LONGEST: Final = 20_000
"""So much of one message can be its author's own; what is longer was pasted in."""

Source = Literal["person", "application", "tool", "assistant", "document", "never"]
"""Whose word it is; ``never`` is no evidence of anything."""

_NEVER_KINDS: Final = frozenset({"injected", "prompt", "example", "recalled", "system"})
_NEVER_ROLES: Final = frozenset({"system", "developer", "injected"})
_DOCUMENTS: Final = frozenset(
    {"document", "fetched", "upload", "uploaded", "file", "page", "web", "email", "attachment"}
)
_ROLES: Final[dict[str, Source]] = {
    "user": "person",
    "human": "person",
    "customer": "person",
    "assistant": "assistant",
    "agent": "assistant",
    "tool_call": "assistant",
    "tool": "tool",
    "tool_result": "tool",
    "function": "tool",
    "document": "document",
    "application": "application",
    "event": "application",
}
_KINDS: Final[dict[str, Source]] = {
    "tool_call": "assistant",
    "reasoning": "assistant",
    "plan": "assistant",
    "tool_result": "tool",
}


def source_of(role: str, kind: str, *, recalled: bool = False) -> Source:
    """Say whose word an item is; of a role that is not known, a document's.

    What was fetched or uploaded is a document, whoever sent it.
    """
    if recalled or kind in _NEVER_KINDS or role in _NEVER_ROLES:
        return "never"
    if kind in _DOCUMENTS:
        return "document"
    return _KINDS.get(kind) or _ROLES.get(role, "document")


def trust_of(source: Source) -> str:
    """Give the trust of a source."""
    return "document" if source == "never" else source


# ------------------------------------------------------------------- not the person's own

_SPEECH_MARKS: Final = re.compile(
    r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|‹[^›]*›|‘[^’]*’(?!\w)|「[^」]*」|『[^』]*』|《[^》]*》"
    r"|\"[^\"\n]*\"|(?<!\w)'[^'\n]{12,}'(?!\w)"
)
_FENCE_LINES: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CITED: Final = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_INJECTED: Final = re.compile(
    f"{re.escape(OPENING)}.*?(?:{re.escape(CLOSING)}|\\Z)"
    r"|<(memory|memories|context|document|page|email|quote|article|content|webpage"
    r"|tool_result)\b[^>]*>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# What is asked to be done with a text, and the text that follows a colon or a new line.
_HANDED: Final = re.compile(
    r"\b(?:summari[sz]e|translat\w*|proof-?read|rewrite|rephrase|paraphrase|review|explain"
    r"|analy[sz]e"
    r"|summary|read|check|edit|classify|reply to|answer to|respond to|draft a reply"
    r"|here(?:'s| is| are)|below is|the following|got this|received this|this (?:e-?mail|text|page"
    r"|article|message|letter|note|ticket|review|chat|log)|found this|it says|it said|reads"
    r"|states|quot(?:e|ing)|example|sample|prompt|poem|song|lyrics|slogan|motto|sign|poster|zitat"
    r"|zitiere"
    r"|beispiel|citation|exemple|cita|ejemplo|citação|exemplo"
    r"|fasse?\w*|übersetz\w*|korrigier\w*|erklär\w*|prüf\w*|lies|hier ist|hier der|folgende\w*"
    r"|diese (?:e-?mail|nachricht|seite)|dieser? text|da steht"
    r"|résum\w*|tradui\w*|corrige\w*|expliqu\w*|relis\w*|voici|le texte|ce (?:texte|message|mail)"
    r"|resum\w*|traduc\w*|traduz\w*|revis\w*|explica\w*|aquí (?:está|tienes)|este (?:texto|correo"
    r"|mensaje)"
    r"|aqui está|esse (?:texto|e-?mail)|corrija|leia|lee)\b[^:\n.?!]{0,60}[:\n](?!\d)"
    r"|(?:总结|翻译|概括|解释|润色|看看|读一下|如下|以下|这封邮件"
    r"|这篇文章)[^：:\n。？]{0,20}[：:\n]",
    re.IGNORECASE,
)
# Lines of a letter, of a chat, and what ends the person's own words.
_HEADED: Final = re.compile(
    r"^(?:from|to|subject|sent|von|an|betreff|gesendet|de|à|objet|asunto|para|assunto|发件人"
    r"|主题)\s*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_WROTE: Final = re.compile(
    r"(?:\bwrote|\bschrieb|\ba écrit|\bescribió|\bescreveu|写道)\s*[:：]", re.IGNORECASE
)
_RULED: Final = re.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|#{2,}.*)[ \t]*$", re.MULTILINE)
_LABELLED: Final = re.compile(
    r"^(?:(?!(?:note|ps|p\.s|nb|edit|update|todo|reminder|important|btw|fyi|me|ich|yo|moi|eu|我)\b)"
    r"[^\W\d_][\w .'-]{0,24})[:：]\s+.*$",
    re.MULTILINE | re.IGNORECASE,
)
# Words that make what follows the person's own after all: they ask for it to be kept, or name it
# as theirs just before the colon.
_OWN: Final = re.compile(
    r"^\W*(?:please |bitte |por favor,? )?(?:remember|note|save|store|keep in mind|merk\w*"
    r"|notier\w*|speicher\w*"
    r"|recuerda|guarda|anota|souviens|retiens|note[zr]?|lembr\w*|anote|guarde|ricorda|onthoud)\b"
    r"|(?:^|[.,!?]\s*|\b(?:here(?:'s| is| are)|hier (?:ist|sind)|voici|aquí est[áa]n?"
    r"|aqui est[ãá]o?)\s+)"
    r"(?:my|mein\w*|mi|mis|mon|ma|mes|meus?|minhas?)\s+(?:[\w-]+\s){0,2}[\w-]+\s*(?:is|are)?\s*"
    r"[:\uff1a\n]$"
    r"|记住|记下|我的[^:：]{0,8}[:：]$",
    re.IGNORECASE,
)
# A name, a colon, and a first person: somebody speaks.
_SPEAKS: Final = re.compile(
    r"^(?!(?i:zu[rm]?|nur|kurz|noch|nebenbei|übrigens|pour|para|por|for|just|by|in|as|on|to|about"
    r"|the|der|die|das|le|la|el|o|sobre|à|au|a|correct|right|sure|okay?|true|genau|stimmt|richtig"
    r"|exact\w*|claro|sí|да"
    r"|кстати|correction|update|reminder|info|hint|aside|fact"
    r"|context|background|request"
    r"|preference|diet"
    r"|question|answer|also|yes|no|hi|hello|hey|thanks|sorry|remember|rule|hinweis|korrektur"
    r"|frage|bitte"
    r"|rappel|info|nota|aviso|recuerda|lembrete|pergunta|wichtig|achtung|attention|importante?"
    r"|anmerkung)\b)"
    r"(?-i:[A-ZÄÖÜÉÁ])[\w.'-]+(?: (?-i:[A-ZÄÖÜÉÁ])[\w.'-]+)?[:\uff1a]\s+"
    r"(?:i|i'm|i've|i'd|my|ich|mein\w*|je|j'|mon|ma|yo|me|mi|eu|meu|minha|我)\b",
    re.IGNORECASE | re.MULTILINE,
)
_FEW: Final = 3


def foreign_parts(text: str) -> list[tuple[int, int]]:
    """Give the parts of a person's message that they did not say themselves, in order.

    Quoted speech of more than a few words, cited lines, code, what is handed over to be worked on,
    letters and chats that are pasted in, what was injected, and all beyond 20,000 characters.
    """
    beyond = [(LONGEST, len(text))] if len(text) > LONGEST else []
    text = text[:LONGEST]
    found = [
        m.span() for pattern in (_FENCE_LINES, _CITED, _INJECTED) for m in pattern.finditer(text)
    ]
    found += [m.span() for m in _SPEECH_MARKS.finditer(text) if _is_speech(m.group())]
    found += _handed_over(text)
    rows = list(_LABELLED.finditer(text))
    found += [m.span() for m in rows if len(rows) > 1 or _SPEAKS.search(m.group())]
    return sorted([*found, *beyond])


def is_foreign(text: str, parts: Iterable[tuple[int, int]], start: int, stop: int) -> bool:
    """Whether a stretch of a person's message is not their own, by its foreign ``parts``.

    What they say around a title or a name in quotation marks is theirs, with what stands in them.
    """
    for begin, end in parts:
        if start >= end or stop <= begin:
            continue
        around = start < begin and end <= stop and _SPEECH_MARKS.fullmatch(text[begin:end])
        if not around or text[:begin].rstrip().endswith((":", "\uff1a")):
            return True
    return False


def _is_speech(quoted: str) -> bool:
    """Whether what stands in quotation marks is more than a name or a title."""
    inner = quoted[1:-1]
    wide = sum(c > "\u2e80" for c in inner)
    return len(inner.split()) > _FEW or wide > 2 * _FEW


def _handed_over(text: str) -> Iterator[tuple[int, int]]:
    """Give what follows the words that hand a text over, to the end of the message."""
    for pattern in (_HANDED, _WROTE):
        match = pattern.search(text)
        own = match is not None and _OWN.search(text[: match.end()])
        if match is not None and not own and text[match.end() :].strip():
            yield match.end(), len(text)
    for pattern in (_HEADED, _RULED):
        match = pattern.search(text)
        if match is not None and len(text) - match.start() > len(match.group()):
            yield match.start(), len(text)
