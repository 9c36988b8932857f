"""What stands before the app: ids of requests, limits, and what is told of each request.

One layer of plain ASGI. It knows a request by its route, never by its path, and looks at no body.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote_to_bytes

from starlette.exceptions import HTTPException

from vigent.edges.http.logs import RequestLog
from vigent.edges.http.metrics import Metrics
from vigent.edges.http.opening import Opening
from vigent.edges.http.problems import problem
from vigent.edges.http.traces import Tracing

__all__ = ["OUTCOME", "REQUEST_ID", "Bounds", "Front", "Told", "fault"]

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

OUTCOME: Final = "vigent.outcome"
"""Where in the scope an answer leaves the outcome of a write."""
REQUEST_ID: Final = "vigent.request_id"
"""Where in the scope the id of the request is."""

_SANE: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_WITHOUT_STORE: Final = ("/health/", "/metrics")


class Told(NamedTuple):
    """Who is told of each request."""

    metrics: Metrics | None
    log: RequestLog | None
    tracing: Tracing | None


class _Exchange:
    """One request and its answer."""

    __slots__ = ("_bounds", "_receive", "_send", "_taken", "_until", "_whole", "id", "status")

    def __init__(self, id: bytes, send: Send, receive: Receive, bounds: Bounds) -> None:
        self.id = id
        self.status = 0
        self._send = send
        self._receive = receive
        self._bounds = bounds
        self._taken = 0
        self._until: float | None = None
        self._whole = False

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on; its start gets the id."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (b"x-request-id", self.id)]
        await self._send(message)

    async def receive(self) -> Message:
        """Give the next part of the body; refuses what is more than allowed, or takes longer."""
        if self._whole:  # what is waited for now is the end of the connection
            return await self._receive()
        if self._until is None:
            self._until = asyncio.get_running_loop().time() + self._bounds.body_seconds
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, _TOO_SLOW, _CLOSE) from None
        if message["type"] == "http.request":
            self._whole = not message.get("more_body", False)
            self._taken += len(message.get("body", b""))
            if self._taken > self._bounds.body_bytes:
                raise HTTPException(413, self._bounds.too_large, _CLOSE)
        return message


class Bounds(NamedTuple):
    """How long a body may be, and in how many seconds it must be there."""

    body_bytes: int
    body_seconds: float

    @property
    def too_large(self) -> str:
        """What is told of a longer one."""
        return f"the body is longer than this service takes: at most {self.body_bytes} bytes"


_TOO_SLOW: Final = "the body did not arrive in time"
_ENCODED: Final = "the body must come as it is, without Content-Encoding"
_CLOSE: Final = {"Connection": "close"}


class Front:
    """Wraps the whole app, the answers to its faults too."""

    def __init__(self, app: App, *, opening: Opening, bounds: Bounds, told: Told) -> None:
        self._app = app
        self._opening = opening
        self._bounds = bounds
        self._told = told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        id, length, authorization, parent, encoding = _read_headers(scope)
        scope[REQUEST_ID] = id.decode()
        exchange = _Exchange(id, send, receive, self._bounds)
        metrics, log, tracing = self._told
        span = None if tracing is None else tracing.start(scope, parent)
        if metrics is not None:
            metrics.in_flight += 1
        try:
            await self._serve(scope, exchange, length, encoding)
        finally:
            seconds = time.perf_counter() - started
            route, method = _route_of(scope), scope["method"]
            if metrics is not None:
                metrics.in_flight -= 1
                metrics.note(method, route, exchange.status, seconds, scope.get(OUTCOME))
            if log is not None:
                log.note(exchange.id, method, route, exchange.status, seconds, authorization)
            if span is not None:
                span.end(method, route, exchange.status, scope[REQUEST_ID])

    async def _serve(
        self, scope: Scope, exchange: _Exchange, length: bytes, encoding: bytes
    ) -> None:
        if length.isdigit() and int(length[:20]) > self._bounds.body_bytes:
            refusal = problem(413, "too_large", self._bounds.too_large, headers=_CLOSE)
        elif encoding and encoding.lower() != b"identity":
            refusal = problem(415, "unsupported_media_type", _ENCODED, headers=_CLOSE)
        elif not _is_text(scope.get("raw_path") or b"") or not _is_text(scope["query_string"]):
            refusal = problem(400, "bad_request", "the address must be UTF-8, percent-encoded")
        elif self._opening.state != "open" and not scope["path"].startswith(_WITHOUT_STORE):
            told = self._opening.told
            refusal = problem(503, "unavailable", told, headers={"Retry-After": "1"})
        else:
            await self._pass_on(scope, exchange)
            return
        await refusal(scope, exchange.receive, exchange.send)

    async def _pass_on(self, scope: Scope, exchange: _Exchange) -> None:
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except Exception as error:  # noqa: BLE001 - the boundary: see ARCHITECTURE.md
            fault(scope, error)
            if exchange.status == 0:
                answer = problem(500, "internal", "the service failed")
                await answer(scope, exchange.receive, exchange.send)


def fault(scope: Scope, error: Exception) -> None:
    """Tell of a fault of ours: what kind, and where. Its message might quote a memory."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    RequestLog.fault(scope[REQUEST_ID], type(error).__name__, where)


def _is_text(part: bytes) -> bool:
    """Whether a part of an address is UTF-8: else other bytes would read as the same name."""
    if b"%" not in part:
        return part.isascii()
    try:
        unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        return False
    return True


def _read_headers(scope: Scope) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Give the request's id, its body's length, its key, trace and encoding, in one walk."""
    id = length = authorization = parent = encoding = b""
    for name, value in scope["headers"]:
        if name == b"authorization":
            authorization = value
        elif name == b"content-length":
            length = value
        elif name == b"x-request-id":
            id = value
        elif name == b"traceparent":
            parent = value
        elif name == b"content-encoding":
            encoding = value
    if not id or _SANE.fullmatch(id) is None:
        id = f"req_{secrets.token_hex(12)}".encode()
    return id, length, authorization, parent, encoding


def _route_of(scope: Scope) -> str:
    """Give the template of the route; a path names subjects and persons, and is never told."""
    path = getattr(scope.get("route"), "path", None)
    return path if isinstance(path, str) else "(none)"
