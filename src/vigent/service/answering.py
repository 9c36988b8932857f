"""Has a model answer a turn: asked, its tools run, asked again, until it has said all.

It waits for the model in the event loop: a provider that does not answer holds no thread.
Cancelling it ends the request to the model; what was done until then is kept and counted.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vigent.crossing import Crossing
from vigent.domain.tokens import estimate_tokens
from vigent.errors import ModelFailed, ProviderError, VigentError
from vigent.ports.models import Conversed, ModelUsage, Spoken, ToolAsked, ToolOffered
from vigent.service.turns import Turn

__all__ = ["Emit", "Event", "Said", "answer"]

_ROUNDS: Final = 8
"""How often the model may ask for tools; after that it is asked once more, without any."""
_CALLS: Final = 16
"""How many tools are run of one answer."""
_APART: Final = "\n\n"


class Event(NamedTuple):
    """What happens in a turn: a piece of text, a tool that is called, what it gave."""

    kind: Literal["text", "call", "result"]
    text: str
    call: ToolAsked | None = None


Emit: TypeAlias = Callable[[Event], Awaitable[None]]


class Said(NamedTuple):
    """What a turn came to: all that was said, each in order, and the calls that the caller runs."""

    text: str
    output: list[dict[str, Any]]
    last: Conversed
    calls: tuple[ToolAsked, ...]


async def answer(turn: Turn, crossing: Crossing, emit: Emit) -> Said:
    """Answer a turn; raises what is below ModelFailed, and what the store refuses.

    ``emit`` is given what happens, in order.
    """
    work = _Work(turn, crossing, emit)
    try:
        said = await work.run()
    except asyncio.CancelledError:
        await crossing.settle(partial(turn.keep, "cancelled", work.timing(), None, "cancelled"))
        raise
    except VigentError as error:
        await crossing.settle(partial(turn.keep, "failed", work.timing(), None, error.code))
        raise
    await crossing.settle(partial(turn.keep, "completed", work.timing(), said.last))
    return said


class _Work:
    """One turn while it is answered."""

    def __init__(self, turn: Turn, crossing: Crossing, emit: Emit) -> None:
        self._turn, self._crossing, self._emit = turn, crossing, emit
        self._began = time.monotonic()
        self._first: int | None = None
        self._text = ""
        self._output: list[dict[str, Any]] = []

    def timing(self) -> dict[str, int]:
        first = {} if self._first is None else {"first_text_ms": self._first}
        return {**first, "total_ms": self._passed()}

    def _passed(self) -> int:
        return int((time.monotonic() - self._began) * 1000)

    async def run(self) -> Said:
        turn, cross = self._turn, self._crossing
        messages = await cross.read(turn.prepare)
        rounds = 0
        while True:
            tools = turn.offers if rounds < _ROUNDS else turn.wanted.functions
            if rounds:
                await cross.read(partial(turn.afford, messages))
            done = await self._asked(messages, tools)
            if done.text.strip():
                self._output.append({"type": "message", "role": "assistant", "text": done.text})
            await cross.settle(partial(turn.said, done))
            here = [call for call in done.calls if turn.runs(call)]
            messages.append(Spoken("assistant", done.text, tuple(here)))
            for number, call in enumerate(here):
                text = await self._used(call, too_many=number >= _CALLS)
                messages.append(Spoken("tool", text, call_id=call.id))
            theirs = tuple(call for call in done.calls if not turn.runs(call))
            if theirs or not here or rounds >= _ROUNDS:
                return Said(self._text, self._output, done, theirs)
            rounds += 1

    async def _used(self, call: ToolAsked, *, too_many: bool) -> str:
        shown = {"name": call.name, "call_id": call.id}
        await self._emit(Event("call", call.arguments, call))
        self._output.append({"type": "tool_call", **shown, "arguments": call.arguments})
        if too_many:
            text = json.dumps({"error": "too_many_calls"})
        else:
            text = await self._crossing.settle(partial(self._turn.use, call))
        self._output.append({"type": "tool_result", **shown, "output": text})
        await self._emit(Event("result", text, call))
        return text

    async def _asked(self, messages: list[Spoken], tools: tuple[ToolOffered, ...]) -> Conversed:
        """Ask the model once, and count what that came to, however it ended."""
        turn, done, pieces = self._turn, None, list[str]()
        spent: ModelUsage | None = None
        try:
            async with aclosing(
                turn.model.converse(messages, tools=tools, max_tokens=turn.wanted.max_tokens)
            ) as parts:
                async for part in parts:
                    if isinstance(part, Conversed):
                        done = part
                    else:
                        await self._piece(part, begins=not pieces)
                        pieces.append(part)
            if done is None:
                raise ProviderError("the model's answer had no end").spent(1, 1, 0, 0)
            spent = done.usage
        except ModelFailed as error:
            spent = ModelUsage(error.calls, error.failed, error.input_tokens, error.output_tokens)
            raise
        finally:
            if spent is None:  # who asked is gone: what it came to until then
                sent = sum(estimate_tokens(one.text) for one in messages)
                spent = ModelUsage(1, 1, sent, estimate_tokens("".join(pieces)))
            turn.spent(spent)
        return done

    async def _piece(self, text: str, *, begins: bool) -> None:
        if self._first is None:
            self._first = self._passed()
        if begins and self._text:
            text = _APART + text
        self._text += text
        await self._emit(Event("text", text))
