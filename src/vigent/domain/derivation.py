"""Derived memories: what the service itself writes of sessions, and what each rests on.

A derived memory is never more than its sources: its trust is the lowest among them, it names them,
and it goes when they go. Nobody else can write one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from vigent.domain.attributes import trust_rank
from vigent.domain.modelword import MODELS_WORD
from vigent.domain.records import Record
from vigent.domain.text import canonical_text

__all__ = [
    "ACROSS",
    "Derivation",
    "Settled",
    "canon_of",
    "digest_of",
    "lowest",
    "short_of",
]

ACROSS: Final = "sessions"
"""The basis of a lesson that rests on several sessions."""
_ENDS: Final = ".!?\u2026\u3002\uff01\uff1f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """One derived memory as it is handed in; nothing of it is written yet.

    ``rests_on`` are ids: of raw records for an ``episode`` and a lesson of one session, of
    episodes (the memories) for what is drawn from several. ``fields`` are the type's own.
    """

    type: Literal["episode", "lesson", "reflection"]
    text: str
    trust: str
    rests_on: tuple[str, ...]
    fields: Mapping[str, Any]
    importance: int
    confidence: float = MODELS_WORD
    source_episode: str | None = None
    quote: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Settled:
    """What a derivation came to.

    ``done``; ``known`` (the same stands there already); ``gone`` (it was there and somebody
    removed it); ``stale`` (something newer stands there); ``cancelled`` (a source went meanwhile).
    Only ``done`` wrote anything. ``dropped`` are ids of derived memories that went with it.
    """

    outcome: Literal["done", "known", "gone", "stale", "cancelled"]
    records: tuple[Record, ...] = ()
    dropped: tuple[str, ...] = ()


def canon_of(text: str, lineage: str | None) -> str:
    """Give what makes two free texts the same: their words.

    Two sessions may come to the same words and are two all the same: their records, which alone
    bear a lineage, are told by what they rest on.
    """
    return f"t:{canonical_text(text)}" if lineage is None else f"s:{lineage}"


def lowest(trusts: Iterable[str], at_most: str = "reviewer") -> str:
    """Give the lowest of some trusts, and no more than one."""
    return min((*trusts, at_most), key=trust_rank)


def digest_of(ids: Iterable[str]) -> str:
    """Give a digest of what something rests on, in its order."""
    return hashlib.blake2b("\x1f".join(ids).encode(), digest_size=12).hexdigest()


def short_of(texts: Iterable[str], longest: int) -> str:
    """Join texts to one, each as a sentence, cut at a word where it grows longer than allowed."""
    parts: list[str] = []
    for text in texts:
        said = " ".join(text.split())
        if said:
            parts.append(said if said[-1] in _ENDS else f"{said}.")
    whole = " ".join(parts)
    if len(whole) <= longest:
        return whole
    cut = whole[: longest - 1]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[longest // 2 :] else cut}…"
