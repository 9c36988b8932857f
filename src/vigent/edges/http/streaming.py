"""Answers in pieces (server-sent events), and work that ends when its client goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import ExitStack, suppress
from typing import Any, Final, TypeAlias, TypeVar

from fastapi import Response
from starlette.types import Receive, Scope, Send

from vigent.edges.http.exactjson import dumped

__all__ = ["DONE", "GONE", "STREAM", "EventStream", "Push", "event", "unless_gone"]

T = TypeVar("T")

Push: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Sends one event."""

DONE: Final = b"data: [DONE]\n\n"
GONE: Final = 499
"""The status of what nobody waits for any more."""
STREAM: Final[dict[str, Any]] = {"text/event-stream": {"schema": {"type": "string"}}}
"""How an answer in pieces is described."""
_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def event(data: Any, name: str | None = None) -> bytes:
    """Give one event of a stream, with JSON as its data."""
    head = b"" if name is None else b"event: " + name.encode() + b"\n"
    return head + b"data: " + dumped(data) + b"\n\n"


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """Do work, and cancel it where the client goes away meanwhile: then None is given."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            return None
        return doing.result()
    finally:
        for one in (doing, leaving):
            if not one.done():
                one.cancel()
                with suppress(asyncio.CancelledError):
                    await one


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class EventStream(Response):
    """A stream of events; ``work`` is given what sends them.

    What fails before the first event is answered as any error is, with its status. ``held`` is
    let go when it ends, however that is.
    """

    media_type = "text/event-stream"

    def __init__(self, work: Callable[[Push], Coroutine[Any, Any, None]], held: ExitStack) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._work, self._held = work, held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        del scope
        begun = False

        async def push(data: bytes) -> None:
            nonlocal begun
            if not begun:
                begun = True
                start = {"type": "http.response.start", "status": self.status_code}
                await send({**start, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": data, "more_body": True})

        with self._held:
            await unless_gone(receive, self._work(push))
        if begun:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
