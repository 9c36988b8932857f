"""Taking secrets out of text that others wrote, before it is shown, logged or kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, quote_plus

__all__ = ["HIDDEN", "without_secrets"]

HIDDEN: Final = "[hidden]"
"""What stands in the place of a secret."""

_SHORTEST: Final = 4  # a shorter "secret" would blank out ordinary words
# Runs are bounded where a match may begin anywhere: the text is a stranger's, and long.
# Of a URL: user and password, and the values of its query.
_USER: Final = re.compile(r"(?<=://)[^\s/?#@]*@")
_QUERY: Final = re.compile(r"(?<=[?&])([\w.~-]+)=[^\s&#\"'<>]+")
_HEADER: Final = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{4,}", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"\b((?:[\w-]{0,40}[_-])?(?:api[_-]?key|key|token|secret|password|passwd|pwd))"
    r"(\"?'?\s*[=:]\s*\"?'?)[^\s\"',;&]{4,}",
    re.IGNORECASE,
)
# Shapes of the keys of well-known providers, and what a provider masked in its own way.
_SHAPE: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|pplx|ghp|mem|key|vig)[-_][\w-]{8,}\S*"
    r"|\bAIza[\w-]{20,}|(?<![\w-])ey[\w-]{10,}\.[\w-]{10,}\.[\w-]*|[\w-]{0,80}\*{3,}[\w*-]*"
)


def without_secrets(text: str, secrets: Iterable[str | None] = ()) -> str:
    """Give a text with secrets replaced by ``[hidden]``.

    Those given are found as they are and as URLs write them. Beside them, whatever looks like a
    key, a password in a URL, the value of a URL's query or an authorization header is taken for
    a secret.
    """
    # The longest first: a secret may be the beginning of another.
    for secret in sorted({s for s in secrets if s and len(s) >= _SHORTEST}, key=len, reverse=True):
        for written in (secret, quote(secret, safe=""), quote_plus(secret)):
            text = text.replace(written, HIDDEN)
    text = _USER.sub(f"{HIDDEN}@", text)
    text = _QUERY.sub(rf"\1={HIDDEN}", text)
    text = _HEADER.sub(rf"\1 {HIDDEN}", text)
    text = _SHAPE.sub(HIDDEN, text)
    return _NAMED.sub(rf"\1\2{HIDDEN}", text)
