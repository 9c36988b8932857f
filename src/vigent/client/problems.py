"""Problem Details, and anything else that is no answer, as errors of the one tree."""

from __future__ import annotations

from typing import Any, Final, cast

from vigent.client.wire import Answer
from vigent.errors import VigentError

__all__ = ["error_of"]

_CATEGORIES: Final = {409: "conflict", 429: "unavailable", 502: "unavailable", 503: "unavailable",
                      504: "unavailable"}  # fmt: skip
# What the service has no code for, or what stands before it said.
_CODES: Final = {
    401: "unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict",
    410: "erased_person", 422: "invalid_input", 429: "rate_limited", 502: "unavailable",
    503: "unavailable", 504: "unavailable",
}  # fmt: skip
_SHOWN: Final = 1_000


def error_of(answer: Answer) -> VigentError:
    """Give the error that an answer tells of: its class by ``code``, else by its status."""
    status = answer.status
    found = _problem(answer)
    category = _CATEGORIES.get(status, "caller" if 400 <= status < 500 else "bug")
    base = "bad_request" if category == "caller" else "internal"
    told = {
        "code": _said(found, "code") or _CODES.get(status, base),
        "category": category,
        "field": _said(found, "field"),
        "message": _said(found, "detail") or f"the service answered with the status {status}",
    }
    return VigentError.from_dict(told, retry_after=answer.retry_after)


def _problem(answer: Answer) -> dict[str, Any]:
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _said(found: dict[str, Any], name: str) -> str | None:
    value = found.get(name)
    return value[:_SHOWN] if isinstance(value, str) else None
