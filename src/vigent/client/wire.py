"""Requests and answers as they are on the wire; nothing is sent here.

Numbers go out digit for digit, and what JSON has no kind for (dates, instants, durations, decimals
without a fraction) goes as text, with its kind named beside it.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from vigent.domain.jsontext import check_json
from vigent.domain.unset import UNSET
from vigent.domain.values import canonical
from vigent.errors import InvalidInput

__all__ = ["Answer", "Request", "encode", "moment", "path_of", "query_of", "told_value"]


class Request(NamedTuple):
    """One request: ``path`` is percent-encoded and below the version; ``body`` is JSON."""

    method: str
    path: str
    query: str
    body: bytes | None
    headers: tuple[tuple[str, str], ...]

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent again: a POST that does something bears a key of its own."""
        return self.method in {"GET", "POST"}


class Answer(NamedTuple):
    """What came back."""

    status: int
    retry_after: float | None
    request_id: str
    body: bytes

    def json(self) -> Any:
        """Give the content with whole numbers of any size; raises ValueError where it is none."""
        return json.loads(self.body)


def path_of(*segments: str) -> str:
    """Give a path of segments, in which any character stands for itself."""
    return "/".join(_segment(segment) for segment in segments)


def _segment(text: str) -> str:
    # Segments of dots alone would be taken for steps in the path.
    return text.replace(".", "%2E") if not text.strip(".") else quote(text, safe="")


def query_of(given: Mapping[str, Any]) -> str:
    """Give a query string; what is not given, or None, is left out."""
    found = [(name, _text(value)) for name, value in given.items() if not _missing(value)]
    return urlencode(found, quote_via=quote)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(moment(value))


def _missing(value: Any) -> bool:
    return value is UNSET or value is None


def moment(value: Any) -> Any:
    """Give a datetime or a date as ISO 8601 text, anything else as it is."""
    return value.isoformat() if isinstance(value, dt.date) else value


def told_value(value: Any) -> dict[str, Any]:
    """Give a value as the service takes it: ``value``, with ``value_kind`` where JSON has none."""
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, dt.datetime):
        return {"value": value.isoformat(), "value_kind": "instant"}
    if isinstance(value, dt.date):
        return {"value": value.isoformat(), "value_kind": "date"}
    if isinstance(value, dt.timedelta):
        return {"value": canonical(value, None).stored, "value_kind": "duration"}
    if isinstance(value, Decimal):
        return {"value": canonical(value, None).stored, "value_kind": "decimal"}
    return {"value": value}


def encode(fields: Mapping[str, Any]) -> bytes:
    """Give a body as JSON; raises InvalidInput naming the field that cannot be said in it.

    Fields that are not given, or None, are left out, but for a value and a ``due`` of None.
    """
    parts = [
        f"{json.dumps(name)}:{check_json(moment(value), name, _ANY)}"
        for name, value in fields.items()
        if value is not UNSET and (value is not None or name in _NULLABLE)
    ]
    try:
        return ("{" + ",".join(parts) + "}").encode()
    except UnicodeEncodeError:
        raise InvalidInput("body", "must not contain lone surrogates") from None


_ANY: Final = sys.maxsize
_NULLABLE: Final = frozenset({"due", "value"})
