"""Cursors of lists: opaque, signed, and good for one tenant and one list alone."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import Annotated, Any, Final

from fastapi import Query

from vigent.errors import InvalidInput
from vigent.service.caller import Caller

__all__ = ["Limit", "Next", "cursor", "place"]

Limit = Annotated[int, Query(ge=1, le=200, description="How many at most")]
Next = Annotated[
    str | None,
    Query(alias="next", min_length=1, max_length=2000, description="The cursor of the page before"),
]

_VERSION: Final = b"\x01"
_TENANT, _QUERY, _MAC, _CHECK = 8, 8, 16, 4
_HEAD: Final = 1 + _TENANT + _QUERY


def cursor(caller: Caller, query: object, at: object) -> str:
    """Give the cursor of a place in a list; ``query`` is all that says which list it is."""
    head = _VERSION + _short(caller.tenant, _TENANT) + _short(_asked(caller, query), _QUERY)
    signed = head + json.dumps(at, separators=(",", ":")).encode()
    whole = signed + _mac(caller, signed)
    return base64.urlsafe_b64encode(whole + _short(whole, _CHECK)).decode().rstrip("=")


def place(caller: Caller, query: object, given: str | None, field: str = "next") -> Any:
    """Give the place that a cursor stands for; None without one.

    Raises NotFound for a cursor of another tenant, and InvalidInput for what is none of this list.
    """
    if given is None:
        return None
    try:
        whole = base64.b64decode(given + "=" * (-len(given) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput(field, "is not a cursor") from None
    whole, check = whole[:-_CHECK], whole[-_CHECK:]
    if len(whole) < _HEAD + _MAC or whole[:1] != _VERSION or _short(whole, _CHECK) != check:
        raise InvalidInput(field, "is not a cursor")
    if whole[1 : 1 + _TENANT] != _short(caller.tenant, _TENANT):
        return caller.miss(field, "cursor")
    signed, mac = whole[:-_MAC], whole[-_MAC:]
    if not hmac.compare_digest(mac, _mac(caller, signed)):
        raise InvalidInput(field, "is not a cursor")
    if signed[1 + _TENANT : _HEAD] != _short(_asked(caller, query), _QUERY):
        raise InvalidInput(field, "is a cursor of another list")
    return json.loads(signed[_HEAD:])


def _asked(caller: Caller, query: object) -> str:
    return json.dumps([caller.person, query], sort_keys=True, default=str)


def _short(given: str | bytes, size: int) -> bytes:
    text = given.encode() if isinstance(given, str) else given
    return hashlib.blake2b(text, digest_size=size, person=b"vigent cursor").digest()


def _mac(caller: Caller, signed: bytes) -> bytes:
    secret = caller.host.tenant(caller.tenant).token_secret.encode()
    key = hashlib.blake2b(secret, digest_size=32, person=b"vigent cursor").digest()
    return hashlib.blake2b(signed, key=key, digest_size=_MAC).digest()
