"""What every route may refuse."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from vigent.edges.http.problems import MEDIA_TYPE

__all__ = ["ProblemAnswer", "problems_of"]


class FieldProblem(BaseModel):
    """One field that does not fit."""

    field: str
    message: str


class ProblemAnswer(BaseModel):
    """A problem (RFC 9457); ``code`` is stable, ``field`` the path of a field that does not fit."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    field: str | None = None
    errors: list[FieldProblem] | None = None


_SAYS: Final = {
    400: "The request cannot be read",
    401: "No key, or one that opens nothing",
    403: "The key or the person may not do that",
    404: "Not there for this caller",
    408: "The body did not arrive in time",
    409: "The state is not what the caller expects",
    410: "From before the person was erased",
    413: "The body is too large",
    415: "The body is no JSON in UTF-8, or is compressed",
    422: "A field does not fit; it is named",
    429: "The key asked too much of late",
    501: "Not supported yet",
    503: "Not now; try again after Retry-After",
}
_ALWAYS: Final = (400, 401, 403, 404, 408, 413, 415, 422, 429, 503)


def problems_of(*more: int) -> dict[int | str, dict[str, Any]]:
    """Give the problems that a route answers with, for OpenAPI: the usual, and some more."""
    return {
        status: {
            "description": _SAYS[status],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}},
            "model": ProblemAnswer,
        }
        for status in sorted({*_ALWAYS, *more})
    }
