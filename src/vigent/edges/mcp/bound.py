"""Whose memory a call concerns, and the one way from the protocol to the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from anyio import CancelScope
from mcp.server.mcpserver.exceptions import ResourceError, ToolError

from vigent.crossing import Crossing
from vigent.domain.schema import BUILT_IN_TYPES, Schema, trust_rank
from vigent.domain.time import days_in
from vigent.domain.toolspecs import TOOL_TYPES
from vigent.errors import InvalidInput, VigentError
from vigent.memory import Memory

__all__ = ["Bound", "Door", "Guard"]

P = ParamSpec("P")
R = TypeVar("R")


class Guard(Protocol):
    """Whom a call must get past, where whose memory it is does not say all that may be done.

    Both are called in a worker thread.
    """

    def check(self, right: Literal["read", "write"]) -> None:
        """Raise Forbidden where a call may not read, or write."""
        ...

    def refused(self, error: VigentError) -> None:
        """Note that a call was refused."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What a caller may work on: a memory of one tenant, a person or what is shared, a trust.

    ``memory`` must have been opened for ``tenant`` and with ``schema``. ``trust`` is how far the
    caller is believed: ``assistant`` or ``document``. ``types`` are what may be written; None for
    those of any model, and what the schema declares. Bare dates are days in ``timezone``.
    Raises InvalidInput for a higher trust.
    """

    memory: Memory
    schema: Schema = field(default_factory=Schema)
    tenant: str = "default"
    person: str | None = None
    trust: str = "assistant"
    types: tuple[str, ...] | None = None
    timezone: str = "UTC"
    guard: Guard | None = None

    def __post_init__(self) -> None:
        if trust_rank(self.trust) > trust_rank("assistant"):
            raise InvalidInput("trust", "of what a model writes is assistant at most")

    @property
    def writable(self) -> tuple[str, ...]:
        """The types that may be written."""
        own = (name for name in self.schema.types if name not in BUILT_IN_TYPES)
        return self.types or (*TOOL_TYPES, *own)

    def days(self, fields: Mapping[str, Any], *, ends: bool = False) -> dict[str, Any]:
        """Give fields with bare dates as instants, their start or (``ends``) their end."""
        return days_in(fields, self.timezone, ends=ends)

    def guarded(self, right: Literal["read", "write"], call: Callable[[], R]) -> R:
        """Run a call past the guard."""
        if self.guard is None:
            return call()
        try:
            self.guard.check(right)
            return call()
        except VigentError as error:
            self.guard.refused(error)
            raise


class Door:
    """Takes calls across to the engine, for whoever asks, and brings errors back as the protocol's.

    ``bound`` is asked at each call, where the call arrives, so that it may depend on the request.
    Without a crossing of their own, writes wait in one line, so that those sent one after the
    other are taken in that order.
    """

    def __init__(self, bound: Callable[[], Bound], crossing: Crossing | None = None) -> None:
        self._bound = bound
        self._crossing = crossing or Crossing(writers=1)

    async def read(
        self, verb: Callable[Concatenate[Bound, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run something that only reads; raises ToolError with the engine's code and message."""
        bound = self._bound()
        call = partial(verb, bound, *args, **kwargs)
        try:
            return await self._crossing.read(lambda: bound.guarded("read", call))
        except VigentError as error:
            raise ToolError(_told(error)) from error

    async def write(
        self, verb: Callable[Concatenate[Bound, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run something that may write, to its end even where its caller has gone meanwhile."""
        bound = self._bound()
        call = partial(verb, bound, *args, **kwargs)
        done: list[R] = []
        try:
            with CancelScope(shield=True):
                done.append(await self._crossing.write(lambda: bound.guarded("write", call)))
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
