"""Keys and subject tokens: how they are made, told apart and verified.

A key is ``vigent_<tenant>_<key id>_<secret>``: the tenant in base32 and the id say where its row
is, the secret has 256 random bits. Since it cannot be guessed, a plain digest of it is kept and
compared in constant time; a wrong key costs the same as one that is not there.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import Any, Final, NamedTuple

from vigent.domain.time import SECOND, Instant
from vigent.errors import Unauthorized
from vigent.govern.documents import KeyDocument


def _missing(*_: Any, **__: Any) -> Any:
    raise Unauthorized("subject tokens need the extra server")


try:  # of the extra ``server``; the command line works without it
    from jwt import PyJWTError, decode, encode
except ImportError:  # pragma: no cover - then no token is made or read
    PyJWTError, decode, encode = ValueError, _missing, _missing

__all__ = [
    "MAX_KEY",
    "KeyText",
    "accepted",
    "mint_token",
    "new_secret",
    "prefix_of",
    "read_key",
    "read_token",
    "secret_digest",
    "show_key",
]

_MARK: Final = "vigent"
MAX_KEY: Final = 1_500
"""A key has at most so many characters; longer ones are not looked at."""


class KeyText(NamedTuple):
    """The parts of a key as it was presented."""

    tenant: str
    id: str
    secret: str


def new_secret() -> str:
    """Give 256 unguessable bits as text."""
    return secrets.token_hex(32)


def secret_digest(secret: str) -> str:
    """Give what is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def show_key(tenant: str, id: str, secret: str) -> str:
    """Write a key out; it is shown once."""
    named = base64.b32encode(tenant.encode()).decode().rstrip("=").lower()
    return f"{_MARK}_{named}_{id.removeprefix('key_')}_{secret}"


def prefix_of(id: str) -> str:
    """Give what of a key may be shown again."""
    return f"{_MARK}_…_{id.removeprefix('key_')}_…"


def read_key(text: str) -> KeyText | None:
    """Take a key apart; None for what is none."""
    parts = text.split("_") if len(text) <= MAX_KEY and text.isascii() else []
    if len(parts) != 4 or parts[0] != _MARK:
        return None
    named = parts[1].upper()
    try:
        tenant = base64.b32decode(named + "=" * (-len(named) % 8)).decode()
    except ValueError:
        return None
    return KeyText(tenant, f"key_{parts[2]}", parts[3])


def accepted(document: KeyDocument, secret: str, now: Instant) -> bool:
    """Whether a key opens anything now; every secret of it is compared in constant time."""
    digest = secret_digest(secret)
    fits = False
    for one in document.secrets:
        same = hmac.compare_digest(digest, one.digest)
        fits |= same and (one.until is None or now < one.until)
    return fits and document.state(now) == "active"


def mint_token(secret: str, *, tenant: str, person: str, key: str, until: Instant) -> str:
    """Sign a token for one person (JWT, HS256), good until an instant."""
    claims = {"ten": tenant, "sub": person, "key": key, "exp": until // SECOND}
    return encode(claims, secret, algorithm="HS256")


def read_token(secret: str, token: str, *, tenant: str, now: Instant) -> tuple[str, str]:
    """Give the person a token stands for, and the key that minted it; raises Unauthorized."""
    try:
        claims: dict[str, Any] = decode(
            token, secret, algorithms=["HS256"],
            options={"require": ["exp", "sub", "ten", "key"], "verify_exp": False},
        )  # fmt: skip
    except PyJWTError as error:
        raise Unauthorized("the subject token is not valid") from error
    if claims["ten"] != tenant:
        raise Unauthorized("the subject token is not valid")
    if not isinstance(claims["exp"], int) or now >= claims["exp"] * SECOND:
        raise Unauthorized("the subject token has expired")
    return str(claims["sub"]), str(claims["key"])
