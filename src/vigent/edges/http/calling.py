"""How a handler comes to its caller, and runs: in a worker thread, with one hop a request.

Handlers are plain functions, marked with ``reads`` or ``writes``. Their first parameter is the
``Caller``, known by the key before anything else of the request is looked at.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Annotated, Any, Final, cast

import orjson
from fastapi import Depends, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from vigent.caller import Caller
from vigent.crossing import Crossing
from vigent.errors import Forbidden, InvalidInput, NotFound, SubjectConflict
from vigent.service import Presented, Service

__all__ = ["Called", "Idempotency", "Pending", "Route", "answer", "reads", "writes"]

READERS: Final = 16
WRITERS: Final = 8
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
        found = self.service.caller(presented(self._request))
        route = self._request.scope.get("route")
        found.asked = f"{self._request.method} {getattr(route, 'path', '')}"
        return found


def presented(request: Request) -> Presented:
    """Give what a request says of its caller."""
    every = request.headers.getlist
    named = {*every("x-vigent-subject"), *every("x-core-subject")}
    if len(named) > 1:
        raise SubjectConflict("X-Vigent-Subject", "names another person than X-Core-Subject")
    subject = _decoded(next(iter(named))) if named else None
    return Presented(_one(every("authorization")), subject, _one(every("x-vigent-subject-token")))


def _one(given: list[str]) -> str | None:
    """Give a header that must not stand twice: what stands twice is nobody's."""
    return None if not given else given[0] if len(given) == 1 else ""


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
        def call() -> Any:
            who = caller.caller()
            try:
                return handler(who, **given)
            except (NotFound, Forbidden) as error:  # also those that the engine raises
                who.note_refusal(error)
                raise

        return await cross(call)

    return run


def reads(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that only reads run in a worker thread."""
    return _marked(_crossing.read, handler)


def writes(handler: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Have a handler that may write run in a worker thread; begun, it is finished."""
    return _marked(_crossing.write, handler)


class Route(APIRoute):
    """A route that asks for the key before it says what is wrong with the rest."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Give what handles a request."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                return await handle(request)
            except (RequestValidationError, InvalidInput):
                await _crossing.read(_pending(request).caller)
                raise

        return guarded


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Give JSON as an answer."""
    return Response(orjson.dumps(content), status, headers, "application/json")
