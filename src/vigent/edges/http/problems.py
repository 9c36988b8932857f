"""Errors as Problem Details (RFC 9457): one answer for each error of the tree."""

from __future__ import annotations

import json
import math
from typing import Any, Final, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from vigent.edges.http.exactjson import dumped
from vigent.edges.http.troubles import Troubles
from vigent.errors import (
    ConflictError,
    ErasedPerson,
    Forbidden,
    InvalidInput,
    ModelUnavailable,
    NotFound,
    NotSupported,
    RateLimited,
    TenantMismatch,
    Unauthorized,
    UnavailableError,
    VigentError,
)

__all__ = ["CHAT", "MEDIA_TYPE", "add_problems", "problem", "status_of"]

MEDIA_TYPE: Final = "application/problem+json"
CHAT: Final = "/v1/chat/completions"
"""Where errors bear, beside all else, a member ``error`` as OpenAI's clients read it."""
_KINDS: Final = {
    401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    429: "rate_limit_error", 500: "server_error", 501: "server_error", 503: "server_error",
}  # fmt: skip

# The first that fits decides; what is below a class stands before it.
_STATUS: Final[tuple[tuple[type[VigentError], int], ...]] = (
    (Unauthorized, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (NotSupported, 501),
    (TenantMismatch, 404),
    (ErasedPerson, 410),
    (InvalidInput, 422),
    (ConflictError, 409),
    (RateLimited, 429),
    (ModelUnavailable, 503),
    (UnavailableError, 503),
)
_TITLES: Final = {
    400: "Bad request", 401: "Unauthorized", 403: "Forbidden", 404: "Not found",
    405: "Method not allowed", 408: "Too slow", 409: "Conflict", 410: "Gone", 413: "Too large",
    415: "Unsupported media type", 422: "Unprocessable", 429: "Too many requests",
    500: "Internal error", 501: "Not supported", 503: "Unavailable",
}  # fmt: skip
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_CODES: Final = {
    400: "bad_request", 401: "unauthorized", 403: "forbidden", 404: "not_found",
    405: "method_not_allowed", 408: "too_slow", 413: "too_large",
    415: "unsupported_media_type", 500: "internal",
}  # fmt: skip


def status_of(error: VigentError) -> int:
    """Give the HTTP status of an error."""
    for cls, status in _STATUS:
        if isinstance(error, cls):
            return status
    return 400 if error.category == "caller" else 500


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    field: str | None = None,
    errors: list[dict[str, Any]] | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Give one problem as an answer; ``field`` is the path of a field that does not fit."""
    told: dict[str, Any] = {
        "type": "about:blank", "title": _TITLES.get(status, "Error"), "status": status,
        "code": code, "detail": detail,
    }  # fmt: skip
    if field is not None:
        told["field"] = field
    if errors is not None:
        told["errors"] = errors
    return Response(dumped(told), status, headers, MEDIA_TYPE)


def _of_ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, VigentError)  # noqa: S101 - registered for these alone
    status = status_of(error)
    headers: dict[str, str] = {}
    if isinstance(error, UnavailableError):
        cast("Troubles", request.app.state.troubles).note(error.code)
        headers["Retry-After"] = str(max(1, math.ceil(error.retry_after)))
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    detail = error.message if status < 500 or status in (501, 503) else "the service failed"
    return _shaped(request, problem(status, error.code, detail, field=error.field, headers=headers))


def _of_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for these alone
    found: list[dict[str, Any]] = []
    for one in error.errors():
        where = [str(part) for part in one["loc"][1:]] or [str(one["loc"][0])]
        if one["type"] == "json_invalid":
            where = ["body"]
        field = ".".join(where)
        message = _said(one)
        found.append({"field": field, "message": message})
    first = found[0]
    detail = f"{first['field']}: {first['message']}"
    told = problem(422, "invalid_input", detail, field=first["field"], errors=found)
    return _shaped(request, told)


def _said(one: Any) -> str:
    if one["type"] == "extra_forbidden":
        return "is not known"
    if one["type"] == "json_invalid":
        return f"is not JSON: {one.get('ctx', {}).get('error', 'it cannot be read')}"
    if one["type"] == "model_attributes_type" and tuple(one["loc"]) == ("body",):
        return "must be a JSON object"
    return str(one["msg"])


def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for these alone
    code = _CODES.get(error.status_code, "error")
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_allowed(request))
    detail = str(error.detail)
    if error.status_code == 404 and detail == "Not Found":
        detail = "there is no such route; /docs and /openapi.json list them"
    return _shaped(request, problem(error.status_code, code, detail, headers=headers))


def _allowed(request: Request) -> list[str]:
    """Give every method that some route takes at a path, not those of the first one alone.

    A path that is named as it stands is not counted as one with a part left open.
    """
    named = request.app.openapi()["paths"].get(request.scope["path"])
    if named:
        return [method for method in _METHODS if method.lower() in named]
    return [
        method
        for method in _METHODS
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in request.app.router.routes
        )
    ]


def _of_fault(request: Request, _: Exception) -> Response:
    return _shaped(request, problem(500, "internal", "the service failed"))


def _shaped(request: Request, told: Response) -> Response:
    """Have clients of OpenAI's chat protocol find the error where they look for it too."""
    if request.scope["path"] != CHAT:
        return told
    found = json.loads(bytes(told.body))
    kind = _KINDS.get(told.status_code, "invalid_request_error")
    error = {
        "message": found["detail"], "type": kind, "param": found.get("field"),
        "code": found["code"],
    }  # fmt: skip
    headers = {n: v for n, v in told.headers.items() if n not in ("content-length", "content-type")}
    return Response(dumped({**found, "error": error}), told.status_code, headers, MEDIA_TYPE)


def add_problems(app: FastAPI) -> None:
    """Have an app answer errors as problems."""
    app.add_exception_handler(VigentError, _of_ours)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _of_fault)
