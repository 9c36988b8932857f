"""How a handler comes to its caller, and runs: in a worker thread, with one hop a request.

Bodies are read strictly, and query parameters that a route does not know are refused.

Handlers are plain functions, marked with ``reads`` or ``writes``. Their first parameter is the
``Caller``, known by the key before anything else of the request is looked at.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from email.message import Message
from functools import wraps
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast
from urllib.parse import quote, unquote

from fastapi import Depends, Header, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from vigent.crossing import Crossing
from vigent.domain.strictjson import strict_json
from vigent.edges.http.exactjson import dumped
from vigent.edges.http.front import OUTCOME
from vigent.edges.http.opening import Opening
from vigent.edges.http.rates import Rates
from vigent.edges.http.underway import Underway
from vigent.errors import Forbidden, InvalidInput, NotFound, SubjectConflict, UnavailableError
from vigent.service import Presented, Service
from vigent.service.caller import Caller

__all__ = [
    "Asking",
    "Called",
    "Idempotency",
    "Pending",
    "Route",
    "answer",
    "decoded",
    "noted",
    "open_query",
    "presented",
    "reads",
    "writes",
]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_OPEN: Final = "open_query"
_UTF8: Final = ("utf-8", "utf8")
_REPEATED: Final = "Idempotency-Key"
_AS_JSON: Final = "send JSON in UTF-8, as Content-Type: application/json"
_SLASH: Final = re.compile("%2f", re.IGNORECASE)


class Pending:
    """A request whose caller is not known yet; asked for in the worker thread."""

    __slots__ = ("_request",)

    def __init__(self, request: Request) -> None:
        self._request = request

    @property
    def service(self) -> Service:
        """The service that the app serves; raises UnavailableError while it is not open."""
        opening = cast("Opening", self._request.app.state.opening)
        if opening.service is None:
            raise UnavailableError(opening.told)
        return opening.service

    @property
    def crossing(self) -> Crossing:
        """The way of this app into worker threads."""
        return cast("Crossing", self._request.app.state.crossing)

    @property
    def turns(self) -> Underway:
        """The turns that this app has under way."""
        return cast("Underway", self._request.app.state.turns)

    def caller(self) -> Caller:
        """Say who calls; raises Unauthorized, and RateLimited for a key that calls too often."""
        found = self.service.caller(presented(self._request.headers))
        route = self._request.scope.get("route")
        found.asked = f"{self._request.method} {getattr(route, 'path', '')}"
        cast("Rates", self._request.app.state.rates).take(found.tenant, found.row.id)
        return found


def presented(headers: Headers) -> Presented:
    """Give what a request says of its caller."""
    every = headers.getlist
    named = {*every("x-vigent-subject"), *every("x-core-subject")}
    if len(named) > 1:
        raise SubjectConflict("X-Vigent-Subject", "names another person than X-Core-Subject")
    subject = decoded(next(iter(named)), "X-Vigent-Subject") if named else None
    return Presented(_one(every("authorization")), subject, _one(every("x-vigent-subject-token")))


def _one(given: list[str]) -> str | None:
    """Give a header that must not stand twice: what stands twice is nobody's."""
    return None if not given else given[0] if len(given) == 1 else ""


def decoded(named: str, header: str) -> str:
    """Read a header as UTF-8: an id may have any characters."""
    try:
        return named.encode("latin-1").decode()
    except UnicodeError:
        raise InvalidInput(header, "must be UTF-8") from None


def _pending(request: Request) -> Pending:
    return Pending(request)


async def _called(request: Request) -> Pending:
    return _pending(request)


Called = Annotated[Caller, Depends(_called)]
"""The caller of a handler that is marked with ``reads`` or ``writes``."""
Asking = Annotated[Pending, Depends(_called)]
"""The request of a handler that comes to its caller, and runs, by itself."""
Idempotency = Annotated[str | None, Header(alias=_REPEATED, min_length=1, max_length=200)]


Cross: TypeAlias = Callable[[Crossing, Callable[[], Any]], Awaitable[Any]]


def _marked(cross: Cross, handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    if next(iter(inspect.signature(handler).parameters), "") != "caller":
        raise TypeError(f"the first parameter of {handler.__name__} must be the caller")

    @wraps(handler)
    async def run(caller: Pending, **given: Any) -> Any:
        return await cross(caller.crossing, lambda: _handled(handler, caller.caller(), given))

    return run


def _handled(handler: Callable[..., Any], caller: Caller, given: dict[str, Any]) -> Any:
    return noted(caller, lambda: handler(caller, **given))


def noted(caller: Caller, call: Callable[[], T]) -> T:
    """Run a part of a handler; what the engine refuses is noted as what the caller is refused."""
    try:
        return call()
    except (Forbidden, NotFound) as error:
        caller.note_refusal(error)
        raise


def reads(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that only reads run in a worker thread."""
    return _marked(Crossing.read, handler)


def writes(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that may write run in a worker thread; begun, it is finished."""
    return _marked(Crossing.write, handler)


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
        plain, endpoint = _is_plain(self.dependant), self.endpoint

        async def guarded(request: Request) -> Response:
            if plain and not request.scope["query_string"]:
                # Nothing is asked beside the path: the general way costs more than the answer.
                return await endpoint(caller=_pending(request), **request.path_params)
            try:
                _check_once(request)
                _check_query(request, known, prefixes)
                return await handle(_Strict(request.scope, request.receive))
            except (RequestValidationError, InvalidInput):
                pending = _pending(request)
                await pending.crossing.read(pending.caller)
                raise

        return guarded


def _is_plain(dependant: Dependant) -> bool:
    """Whether a handler can be called with the parts of a path alone, any text each."""
    return (
        not dependant.body_params
        and not dependant.header_params
        and not dependant.cookie_params
        and not any(field.field_info.is_required() for field in dependant.query_params)
        and [one.call for one in dependant.dependencies] == [_called]
        and all(
            field.field_info.annotation is str and not field.field_info.metadata
            for field in dependant.path_params
        )
    )


def _queried(dependant: Dependant) -> frozenset[str]:
    """Give the names of the query parameters that a handler takes."""
    own = frozenset(field.alias for field in dependant.query_params)
    return own.union(*(_queried(other) for other in dependant.dependencies))


def _check_once(request: Request) -> None:
    if len(request.headers.getlist(_REPEATED)) > 1:
        raise InvalidInput(_REPEATED, "stands twice")


def _check_query(request: Request, known: frozenset[str], prefixes: tuple[str, ...]) -> None:
    """Refuse query parameters that a route does not know, or that stand twice, naming each."""
    if not request.scope["query_string"]:
        return
    wrong: list[dict[str, Any]] = []
    for name, count in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known and not (prefixes and name.startswith(prefixes)):
            wrong.append({"type": "extra_forbidden", "loc": ("query", name), "msg": ""})
        elif count > 1:
            wrong.append({"type": "twice", "loc": ("query", name), "msg": "stands twice"})
    if wrong:
        raise RequestValidationError(wrong)


def _is_json(kind: str) -> bool:
    if kind == "application/json":
        return True
    told = Message()
    told["content-type"] = kind
    subtype = told.get_content_subtype()
    known = subtype == "json" or subtype.endswith("+json")
    charset = str(told.get_param("charset") or "utf-8").lower()
    return told.get_content_maintype() == "application" and known and charset in _UTF8


class _Strict(Request):
    """A request whose JSON is read strictly: numbers exact, no NaN, no name twice."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = strict_json(await self.body())
        return self._json

    async def body(self) -> bytes:
        """Give the body; one that is not told to be JSON in UTF-8 is refused."""
        found = await super().body()
        if found and not _is_json(self.headers.get("content-type", "")):
            raise HTTPException(415, _AS_JSON)
        return found


class _OfWrite(Response):
    """The answer to a write, which leaves its outcome for the metrics."""

    outcome: str = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send it."""
        scope[OUTCOME] = self.outcome
        await super().__call__(scope, receive, send)


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Give JSON as an answer."""
    body = dumped(content)
    if isinstance(content, dict):
        outcome = cast("dict[str, Any]", content).get("outcome")
        if type(outcome) is str:
            made = _OfWrite(body, status, headers, "application/json")
            made.outcome = outcome
            return made
    return Response(body, status, headers, "application/json")
