"""Cursors of lists: opaque, and good for the tenant and the query they were given for."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import Annotated, Any, Final, cast

from fastapi import Query

from vigent.caller import Caller
from vigent.errors import InvalidInput

__all__ = ["Limit", "Next", "cursor", "read_cursor"]

_MAC: Final = 16

Limit = Annotated[int, Query(ge=1, le=200, description="How many at most")]
Next = Annotated[str | None, Query(alias="next", min_length=1, max_length=2000,
                                   description="The cursor of the page before")]  # fmt: skip


def _mac(caller: Caller, query: object, place: bytes) -> bytes:
    secret = caller.host.tenant(caller.tenant).token_secret
    asked = json.dumps([caller.tenant, caller.person, query], sort_keys=True)
    text = asked.encode() + b"\0" + place
    return hmac.new(secret.encode(), text, hashlib.sha256).digest()[:_MAC]


def cursor(caller: Caller, query: object, place: list[Any]) -> str:
    """Give the cursor of a place in the list that answers a query; both as JSON values."""
    text = json.dumps(place).encode()
    return base64.urlsafe_b64encode(_mac(caller, query, text) + text).decode().rstrip("=")


def read_cursor(caller: Caller, query: object, given: str | None) -> list[Any] | None:
    """Give the place that a cursor stands for.

    Raises InvalidInput for what is no cursor, and NotFound for one of another tenant, person or
    query.
    """
    if given is None:
        return None
    try:
        raw = base64.b64decode(
            given.encode("ascii") + b"=" * (-len(given) % 4), b"-_", validate=True
        )
        place = json.loads(raw[_MAC:])
    except (UnicodeError, binascii.Error, ValueError, RecursionError):
        raise InvalidInput("next", "is no cursor") from None
    if not isinstance(place, list):
        raise InvalidInput("next", "is no cursor")
    if not hmac.compare_digest(_mac(caller, query, raw[_MAC:]), raw[:_MAC]):
        caller.miss("next", given)
    return cast("list[Any]", place)
