"""Where the server of memory for agents stands in the app: at ``/mcp``, if its extra is there."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Match, Route
from starlette.types import Message, Receive, Scope, Send

from vigent.errors import UnavailableError
from vigent.settings import Settings

__all__ = ["McpPlace"]

_PATH: Final = "/mcp"
_NEEDS: Final = "there is no /mcp: it needs the extra mcp: pip install 'vigent[mcp]'"

_log = logging.getLogger("vigent")


class McpPlace:
    """The route of ``/mcp``, and what has to run beside it."""

    def __init__(self, state: Any, settings: Settings) -> None:
        self._state, self._settings = state, settings
        self._endpoint: Any = None
        self._missing = False
        # Nothing is pushed and no session is kept, so there is nothing to GET or to DELETE.
        self.route = _Route(_PATH, self, methods=["POST"], name="mcp")

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run it for as long as the app lives; without the extra, only say so."""
        try:
            # Of an extra, and a second to import.
            from vigent.edges.http.modelcontext import endpoint_of  # noqa: PLC0415
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
                raise
            self._missing = True
            _log.info(_NEEDS)
            yield
            return
        endpoint = endpoint_of(self._state, self._settings)
        async with endpoint.running():
            self._endpoint = endpoint
            try:
                yield
            finally:
                self._endpoint = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._missing:
            raise HTTPException(404, _NEEDS)
        if self._endpoint is None:
            raise UnavailableError("the service is starting or stopping")
        # Read here, where it is refused as any other body that is too long.
        body = await Request(scope, receive).body()
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def read() -> Message:
            return whole.pop() if whole else await receive()

        await self._endpoint(scope, read, send)


class _Route(Route):
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Say whether a request is for this route, and tell who asks later that it was."""
        match, child = super().matches(scope)
        return match, {**child, "route": self} if match is not Match.NONE else child
