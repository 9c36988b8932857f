"""Serving over standard input and output, where the client may send all and close at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from vigent.edges.mcp.bound import Bound, Door
from vigent.edges.mcp.server import Strict, add_everything, named

__all__ = ["serve_stdio"]

_PATIENCE: Final = 30.0
"""Seconds that calls may still take once the client has closed its end."""

Incoming = SessionMessage | Exception


def serve_stdio(bound: Callable[[], Bound]) -> None:
    """Serve one client on standard input and output until it closes its end.

    Calls that were sent are answered before the end, as nothing else says that they are done.
    """
    server = _Stdio(**named())
    add_everything(server, Door(bound))
    anyio.run(server.run_stdio_async)


class _Stdio(Strict):
    async def run_stdio_async(self) -> None:
        """Serve, with the end of input held back until each request has its answer."""
        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            unanswered = _Unanswered()
            to_server, from_client = anyio.create_memory_object_stream[Incoming](0)
            to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
            tasks.start_soon(unanswered.inward, read, to_server)
            tasks.start_soon(unanswered.outward, from_server, write)
            server = self._lowlevel_server
            await server.run(from_client, to_client, server.create_initialization_options())
            tasks.cancel_scope.cancel()


class _Unanswered:
    """The requests that have come in and not been answered yet."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._none = anyio.Event()

    async def inward(self, read: Any, onward: ObjectSendStream[Incoming]) -> None:
        """Hand on what the client sends; its end only once everything is answered."""
        async with onward:
            async for item in read:
                if isinstance(item, SessionMessage):
                    self._note(item)
                await onward.send(item)
            with anyio.move_on_after(_PATIENCE):
                while self._ids:
                    self._none = anyio.Event()
                    await self._none.wait()

    def _note(self, item: SessionMessage) -> None:
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == (
            "notifications/cancelled"
        ):
            # What was called off is not answered.
            self._answered((message.params or {}).get("requestId"))

    async def outward(self, given: ObjectReceiveStream[SessionMessage], write: Any) -> None:
        """Hand on what the server answers."""
        async with write:
            async for item in given:
                await write.send(item)
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    self._answered(item.message.id)

    def _answered(self, id: Any) -> None:
        self._ids.discard(id)
        if not self._ids:
            self._none.set()
