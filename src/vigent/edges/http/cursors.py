"""Cursors of lists: opaque, and good only for the tenant and the question they were given for."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Annotated, Any, Final

import orjson
from fastapi import Query

from vigent.caller import Caller
from vigent.errors import InvalidInput, NotFound

__all__ = ["Limit", "Next", "cursor", "position"]

Limit = Annotated[int, Query(ge=1, le=200, description="How many at most")]
Next = Annotated[str | None, Query(max_length=2_000, description="Where the page before ended")]
_FORM: Final = re.compile(r"[A-Za-z0-9_-]{2,1500}\.[0-9a-f]{32}")


def cursor(caller: Caller, question: dict[str, Any], after: str) -> str:
    """Give a cursor for what comes after a place in a list."""
    place = base64.urlsafe_b64encode(orjson.dumps([after])).decode().rstrip("=")
    return f"{place}.{_mark(caller, question, place)}"


def position(caller: Caller, question: dict[str, Any], given: str | None) -> str | None:
    """Give the place in a list that a cursor stands for.

    Raises InvalidInput for what is no cursor, NotFound for one of another tenant or question.
    """
    if given is None:
        return None
    if _FORM.fullmatch(given) is None:
        raise InvalidInput("next", "is no cursor")
    place, _, mark = given.partition(".")
    if not hmac.compare_digest(mark, _mark(caller, question, place)):
        raise NotFound("next: there is no such cursor here", field="next")
    return str(orjson.loads(base64.urlsafe_b64decode(place + "=" * (-len(place) % 4)))[0])


def _mark(caller: Caller, question: dict[str, Any], place: str) -> str:
    secret = caller.host.tenant(caller.tenant).token_secret
    asked = orjson.dumps([caller.asked, question, place], option=orjson.OPT_SORT_KEYS)
    return hmac.new(secret.encode(), b"cursor" + asked, hashlib.sha256).hexdigest()[:32]
