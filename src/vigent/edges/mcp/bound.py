"""Whose memory a call concerns, and the one way from the protocol to the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from anyio import CancelScope
from mcp.server.mcpserver.exceptions import ResourceError, ToolError

from vigent.crossing import Crossing
from vigent.domain.schema import trust_rank
from vigent.edges.mcp.graphschema import GraphSchema
from vigent.errors import InvalidInput, VigentError
from vigent.memory import Memory

__all__ = ["Bound", "Door"]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What a caller may work on: a memory of one tenant, a person or what is shared, a trust.

    ``memory`` must have been opened for ``tenant`` and with ``schema``. ``trust`` is how far the
    caller is believed: ``assistant`` or ``document``. Raises InvalidInput for a higher one.
    """

    memory: Memory
    schema: GraphSchema
    tenant: str = "default"
    person: str | None = None
    trust: str = "assistant"

    def __post_init__(self) -> None:
        if trust_rank(self.trust) > trust_rank("assistant"):
            raise InvalidInput("trust", "of what a model writes is assistant at most")


class Door:
    """Takes calls across to the engine, for whoever asks, and brings errors back as the protocol's.

    ``bound`` is asked at each call, where the call arrives, so that it may depend on the request.
    Writes wait in one line, so that those sent one after the other are taken in that order.
    """

    def __init__(self, bound: Callable[[], Bound], crossing: Crossing | None = None) -> None:
        self._bound = bound
        self._crossing = crossing or Crossing(writers=1)

    async def read(
        self, verb: Callable[Concatenate[Bound, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run something that only reads; raises ToolError with the engine's code and message."""
        call = partial(verb, self._bound(), *args, **kwargs)
        try:
            return await self._crossing.read(call)
        except VigentError as error:
            raise ToolError(_told(error)) from error

    async def write(
        self, verb: Callable[Concatenate[Bound, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run something that may write, to its end even where its caller has gone meanwhile."""
        call = partial(verb, self._bound(), *args, **kwargs)
        done: list[R] = []
        try:
            with CancelScope(shield=True):
                done.append(await self._crossing.write(call))
        except VigentError as error:
            raise ToolError(_told(error)) from error
        return done[0]

    async def document(
        self, verb: Callable[Concatenate[Bound, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Read for a resource or a prompt; raises ResourceError."""
        try:
            return await self.read(verb, *args, **kwargs)
        except ToolError as error:
            raise ResourceError(str(error)) from error


def _told(error: VigentError) -> str:
    """Give an error as a model reads it: its stable code, and the message that names the field."""
    return f"{error.code}: {error.message}"
