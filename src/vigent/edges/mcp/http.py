"""Serving over streamable HTTP: an ASGI endpoint that asks whose key a request bears."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Final

import orjson
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers

from vigent.crossing import Crossing
from vigent.edges.mcp.bound import Bound
from vigent.edges.mcp.server import server_of

__all__ = ["HttpEndpoint"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_BOUND: ContextVar[Bound] = ContextVar("vigent mcp bound")
_REFUSED: Final = orjson.dumps({"error": "unauthorized", "message": "a valid key is needed"})


class HttpEndpoint:
    """An ASGI application to put at any path, and what must run beside it.

    ``authenticate`` gets the headers of a request and gives what its key may work on, or None,
    which is answered with 401; what it raises is the application's to answer. It is asked at
    every request, and nothing is kept between requests. ``allowed_hosts`` are the values of the
    header Host that are served, a port or ``:*`` included (``memory.example.com:*``); None leaves
    the check to who stands in front.
    """

    def __init__(
        self,
        authenticate: Callable[[Headers], Awaitable[Bound | None]],
        *,
        allowed_hosts: Sequence[str] | None = ("127.0.0.1:*", "localhost:*", "[::1]:*"),
        crossing: Crossing | None = None,
    ) -> None:
        self._authenticate = authenticate
        self._server = server_of(_BOUND.get, crossing)
        checked = allowed_hosts is not None
        hosts = list(allowed_hosts or ())
        # Made for its session manager, which does not look at the path.
        self._server.streamable_http_app(
            stateless_http=True,
            json_response=True,
            transport_security=TransportSecuritySettings(
                enable_dns_rebinding_protection=checked,
                allowed_hosts=hosts,
                allowed_origins=[f"{way}://{host}" for host in hosts for way in ("http", "https")],
            ),
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run what serves the requests, once, for as long as the application lives."""
        async with self._server.session_manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, for whom its key is."""
        bound = await self._authenticate(Headers(scope=scope))
        if bound is None:
            await _refuse(send)
            return
        token = _BOUND.set(bound)
        try:
            await self._server.session_manager.handle_request(scope, receive, send)
        finally:
            _BOUND.reset(token)


async def _refuse(send: Send) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(_REFUSED)).encode()),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": _REFUSED})
