"""How a handler comes to its caller, and runs: in a worker thread, with one hop a request.

Handlers are plain functions, marked with ``reads`` or ``writes``. Their first parameter is the
``Caller``, known by the key before anything else of the request is looked at.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Annotated, Any, TypeAlias, cast

import orjson
from fastapi import Depends, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from vigent.caller import Caller
from vigent.crossing import Crossing
from vigent.edges.http.front import OUTCOME
from vigent.edges.http.opening import Opening
from vigent.edges.http.rates import Rates
from vigent.errors import InvalidInput, SubjectConflict, UnavailableError
from vigent.service import Presented, Service

__all__ = ["Called", "Idempotency", "Pending", "Route", "answer", "reads", "writes"]


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

    def caller(self) -> Caller:
        """Say who calls; raises Unauthorized, and RateLimited for a key that calls too often."""
        caller = self.service.caller(presented(self._request))
        cast("Rates", self._request.app.state.rates).take(caller.tenant, caller.row.id)
        return caller


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


Cross: TypeAlias = Callable[[Crossing, Callable[[], Any]], Awaitable[Any]]


def _marked(cross: Cross, handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    if next(iter(inspect.signature(handler).parameters), "") != "caller":
        raise TypeError(f"the first parameter of {handler.__name__} must be the caller")

    @wraps(handler)
    async def run(caller: Pending, **given: Any) -> Any:
        return await cross(caller.crossing, lambda: handler(caller.caller(), **given))

    return run


def reads(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that only reads run in a worker thread."""
    return _marked(Crossing.read, handler)


def writes(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that may write run in a worker thread; begun, it is finished."""
    return _marked(Crossing.write, handler)


class Route(APIRoute):
    """A route that asks for the key before it says what is wrong with the rest."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Give what handles a request."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError:
                pending = _pending(request)
                await pending.crossing.read(pending.caller)
                raise

        return guarded


class _OfWrite(Response):
    """The answer to a write, which leaves its outcome for the metrics."""

    outcome: str = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send it."""
        scope[OUTCOME] = self.outcome
        await super().__call__(scope, receive, send)


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Give JSON as an answer."""
    body = orjson.dumps(content)
    if isinstance(content, dict):
        outcome = cast("dict[str, Any]", content).get("outcome")
        if type(outcome) is str:
            made = _OfWrite(body, status, headers, "application/json")
            made.outcome = outcome
            return made
    return Response(body, status, headers, "application/json")
