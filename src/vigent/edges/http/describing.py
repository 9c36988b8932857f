"""What OpenAPI tells of every route alike: the key, the person's headers, the usual problems."""

from __future__ import annotations

from typing import Any, Final

from vigent.edges.http.answers.problems import ProblemAnswer, problems_of

__all__ = ["METADATA", "described"]

_METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
_KEYED: Final = "/v1/"
_SCHEME: Final = "key"

_SECURITY: Final[dict[str, Any]] = {
    _SCHEME: {
        "type": "http", "scheme": "bearer", "bearerFormat": "a key of Vigent",
        "description": "A key belongs to one tenant: tenant and rights come from it alone.",
    }
}  # fmt: skip
_NAMED: Final = {"type": "string", "minLength": 1, "maxLength": 200}
_HEADERS: Final[dict[str, dict[str, Any]]] = {
    "Subject": {
        "name": "X-Vigent-Subject", "in": "header", "required": False, "schema": _NAMED,
        "description": (
            "The person that the request is for, as UTF-8. Without it, and without a token, it is "
            "for nobody: shared records only. X-Core-Subject is read as the same; two names that "
            "differ are 422 subject_conflict."
        ),
    },
    "SubjectToken": {
        "name": "X-Vigent-Subject-Token", "in": "header", "required": False,
        "schema": {"type": "string"},
        "description": (
            "A token that POST /v1/persons/{person_id}/tokens gave: the request is for that "
            "person, and counts as their own. It goes with a key of the same tenant."
        ),
    },
}  # fmt: skip
_OF_BODY: Final = ("408", "413", "415")
_FASTAPI: Final = "Validation Error"  # what FastAPI says of its own 422
_REQUEST_ID: Final = {
    "description": "The number of the request, as sent or made here",
    "schema": {"type": "string"},
}
_RETRY_AFTER: Final = {
    "description": "After how many seconds to try again", "schema": {"type": "integer"},
}  # fmt: skip
METADATA: Final[dict[str, Any]] = {
    "name": "metadata", "in": "query", "required": False, "style": "form", "explode": True,
    "description": (
        "Conditions on metadata, a parameter each: metadata.field=JSON, the JSON a value or "
        '{"op": value} with eq, ne, gt, gte, lt, lte, in or exists; all of them have to hold.'
    ),
    "schema": {
        "type": "object", "patternProperties": {"^metadata\\..+": {"type": "string"}},
        "additionalProperties": False,
    },
}  # fmt: skip
"""A parameter of any name that begins with ``metadata.``, as OpenAPI can tell it."""


def described(told: dict[str, Any]) -> dict[str, Any]:
    """Give what FastAPI tells of an app with what holds for all routes that need a key.

    What is given is not changed.
    """
    shared = told.get("components", {})
    answered = ProblemAnswer.model_json_schema(ref_template="#/components/schemas/{model}")
    parts = answered.pop("$defs", {})
    schemas = {**parts, "ProblemAnswer": answered, **shared.get("schemas", {})}
    components = {
        **shared, "schemas": schemas, "securitySchemes": _SECURITY, "parameters": _HEADERS,
        "headers": {"X-Request-Id": _REQUEST_ID, "Retry-After": _RETRY_AFTER},
    }  # fmt: skip
    paths = {path: _path(path, operations) for path, operations in told["paths"].items()}
    return {**told, "paths": paths, "components": components}


def _path(path: str, operations: dict[str, Any]) -> dict[str, Any]:
    return {
        method: _operation(method, one, keyed=path.startswith(_KEYED))
        if method in _METHODS
        else one
        for method, one in operations.items()
    }


def _operation(method: str, told: dict[str, Any], *, keyed: bool) -> dict[str, Any]:
    if not keyed:
        return {**told, "responses": _responses(told["responses"])}
    own = told.get("parameters", [])
    heads = [{"$ref": f"#/components/parameters/{name}"} for name in _HEADERS]
    more = (409,) if method == "post" else ()  # an idempotency key that was used for another
    usual = {str(status): _plain(one) for status, one in problems_of(*more).items()}
    responses = {**usual, **{s: _answered(s, one) for s, one in told["responses"].items()}}
    if "requestBody" not in told:
        for status in _OF_BODY:
            del responses[status]
    return {
        **told, "security": [{_SCHEME: []}], "parameters": [*own, *heads],
        "responses": _responses(responses),
    }  # fmt: skip


def _answered(status: str, response: dict[str, Any]) -> dict[str, Any]:
    """Give a response of a route; what is no success is a problem, whatever the route says."""
    if status < "400":
        return response
    said = response["description"]
    told = _plain(problems_of()[422])
    return {**told, "description": told["description"] if said == _FASTAPI else said}


def _plain(response: dict[str, Any]) -> dict[str, Any]:
    """Give a response as OpenAPI has it: without the model, which FastAPI alone reads."""
    return {name: part for name, part in response.items() if name != "model"}


def _responses(told: dict[str, Any]) -> dict[str, Any]:
    return {status: _headed(status, told[status]) for status in sorted(told)}


def _headed(status: str, response: dict[str, Any]) -> dict[str, Any]:
    names = ["X-Request-Id", *(["Retry-After"] if status in {"429", "503"} else [])]
    heads = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    return {**response, "headers": {**heads, **response.get("headers", {})}}
