"""How a handler comes to its caller, and runs: in a worker thread, with one hop a request.

Bodies are read strictly, and query parameters that a route does not know are refused.

Handlers are plain functions, marked with ``reads`` or ``writes``. Their first parameter is the
``Caller``, known by the key before anything else of the request is looked at.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Coroutine
from decimal import Decimal
from functools import wraps
from typing import Annotated, Any, Final, NoReturn, TypeVar, cast
from urllib.parse import quote, unquote

import orjson
from fastapi import Depends, Header, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from vigent.caller import Caller
from vigent.crossing import Crossing
from vigent.errors import Forbidden, InvalidInput, NotFound, SubjectConflict
from vigent.service import Presented, Service

__all__ = [
    "Called",
    "Idempotency",
    "Pending",
    "Route",
    "answer",
    "dumped",
    "open_query",
    "reads",
    "strict_json",
    "writes",
]

F = TypeVar("F", bound=Callable[..., Any])

READERS: Final = 16
WRITERS: Final = 8
_OPEN: Final = "open_query"
_SLASH: Final = re.compile("%2f", re.IGNORECASE)
_crossing: Final = Crossing(readers=READERS, writers=WRITERS)


class Pending:
    """A request whose caller is not known yet; asked for in the worker thread."""

    __slots__ = ("_request",)

    def __init__(self, request: Request) -> None:
        self._request = request

    @property
    def service(self) -> Service:
        """The service that the app serves."""
        return cast("Service", self._request.app.state.service)

    def caller(self) -> Caller:
        """Say who calls; raises Unauthorized."""
        return self.service.caller(presented(self._request))


def presented(request: Request) -> Presented:
    """Give what a request says of its caller."""
    get = request.headers.get
    subject, core = get("x-vigent-subject"), get("x-core-subject")
    if subject is not None and core not in (None, subject):
        raise SubjectConflict("X-Vigent-Subject", "is not the person of X-Core-Subject")
    named = core if subject is None else subject
    return Presented(get("authorization"), _decoded(named), get("x-vigent-subject-token"))


def _decoded(named: str | None) -> str | None:
    """Read a header as UTF-8: an id may have any characters."""
    if named is None:
        return None
    try:
        return named.encode("latin-1").decode()
    except UnicodeError:
        raise InvalidInput("X-Vigent-Subject", "must be UTF-8") from None


def _pending(request: Request) -> Pending:
    return Pending(request)


async def _called(request: Request) -> Pending:
    return _pending(request)


Called = Annotated[Caller, Depends(_called)]
"""The caller of a handler that is marked with ``reads`` or ``writes``."""
Idempotency = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]


def _marked(
    cross: Callable[[Callable[[], Any]], Awaitable[Any]], handler: Callable[..., Any]
) -> Callable[..., Coroutine[Any, Any, Any]]:
    if next(iter(inspect.signature(handler).parameters), "") != "caller":
        raise TypeError(f"the first parameter of {handler.__name__} must be the caller")

    @wraps(handler)
    async def run(caller: Pending, **given: Any) -> Any:
        return await cross(lambda: _handled(handler, caller.caller(), given))

    return run


def _handled(handler: Callable[..., Any], caller: Caller, given: dict[str, Any]) -> Any:
    """Run a handler; what the engine refuses is noted as what the caller is refused."""
    try:
        return handler(caller, **given)
    except (Forbidden, NotFound) as error:
        caller.refused(error)
        raise


def reads(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that only reads run in a worker thread."""
    return _marked(_crossing.read, handler)


def writes(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that may write run in a worker thread; begun, it is finished."""
    return _marked(_crossing.write, handler)


def open_query(*prefixes: str) -> Callable[[F], F]:
    """Let a handler take query parameters by how they begin, beside those that it names."""

    def marked(handler: F) -> F:
        setattr(handler, _OPEN, prefixes)
        return handler

    return marked


class Route(APIRoute):
    """A route that asks for the key before it says what is wrong with the rest.

    Of a path, an encoded slash (``%2F``) belongs to the part that it stands in.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Say whether a request is for this route, with the parts of its path."""
        raw: bytes = scope.get("raw_path") or b""
        if scope["type"] != "http" or (b"%2f" not in raw.lower() and b"%25" not in raw):
            return super().matches(scope)
        # Decoded once, here, and the slashes that a part holds only after it was found.
        mark = next(c for c in map(chr, range(0xE000, 0xF8FF)) if c not in scope["path"])
        path = unquote(_SLASH.sub(quote(mark), raw.decode("latin-1")))
        match, child = super().matches({**scope, "path": path})
        if match is not Match.NONE:
            parts: dict[str, Any] = child.get("path_params", {})
            child["path_params"] = {
                name: part.replace(mark, "/") if isinstance(part, str) else part
                for name, part in parts.items()
            }
        return match, child

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Give what handles a request."""
        handle = super().get_route_handler()
        known = _queried(self.dependant)
        prefixes: tuple[str, ...] = getattr(self.endpoint, _OPEN, ())

        async def guarded(request: Request) -> Response:
            try:
                _check_query(request, known, prefixes)
                return await handle(_Strict(request.scope, request.receive))
            except RequestValidationError:
                await _crossing.read(_pending(request).caller)
                raise

        return guarded


def _queried(dependant: Dependant) -> frozenset[str]:
    """Give the names of the query parameters that a handler takes."""
    own = frozenset(field.alias for field in dependant.query_params)
    return own.union(*(_queried(other) for other in dependant.dependencies))


def _check_query(request: Request, known: frozenset[str], prefixes: tuple[str, ...]) -> None:
    """Refuse query parameters that a route does not know, naming each."""
    if not request.scope["query_string"]:
        return
    unknown = [
        {"type": "extra_forbidden", "loc": ("query", name), "msg": "is not known"}
        for name in dict.fromkeys(request.query_params)
        if name not in known and not (prefixes and name.startswith(prefixes))
    ]
    if unknown:
        raise RequestValidationError(unknown)


class _Strict(Request):
    """A request whose JSON is read strictly: numbers exact, no NaN, no name twice."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = strict_json(await self.body())
        return self._json


def strict_json(text: str | bytes) -> Any:
    """Read JSON strictly; raises JSONDecodeError, also for what only a lax reader takes."""
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_distinct
        )
    except json.JSONDecodeError:
        raise
    except (ValueError, ArithmeticError, RecursionError) as error:
        reason = "is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise json.JSONDecodeError(reason, "", 0) from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Give JSON as an answer."""
    return Response(dumped(content), status, headers, "application/json")


def dumped(content: Any) -> bytes:
    """Give JSON as bytes: quickly, or with integers of any size where there are some."""
    try:
        return orjson.dumps(content)
    except TypeError:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
