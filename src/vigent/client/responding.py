"""Turns that a service answers, as requests and answers; and the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from vigent.client.conduct import Exchange
from vigent.client.requests import Verbs
from vigent.client.wire import Request
from vigent.domain.text import check_id
from vigent.domain.unset import UNSET
from vigent.errors import InvalidInput, VigentError

__all__ = ["Events", "ResponseVerbs"]


class ResponseVerbs(Verbs):
    """What ``Client`` asks a service's models for."""

    __slots__ = ()

    def respond(
        self,
        input: str,  # noqa: A002 - its name on the wire
        *,
        model: str | None = None,
        agent: str | None = None,
        thread: str | None = None,
        tools: Sequence[str] = (),
        timezone: str | None = None,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[dict[str, Any]]:
        """Have a model or an agent answer a turn; gives the answer with its trace, as JSON.

        ``tools`` are memory's, by name. It takes as long as the model does: give the client a
        timeout to match. Raises ModelFailed, and TokensUsedUp at the tenant's monthly limit.
        """
        found = yield self.asked(
            input, model, agent, thread, tools, timezone, idempotency_key, person, stream=False
        )
        return found

    def respond_stream(
        self,
        input: str,  # noqa: A002 - its name on the wire
        *,
        model: str | None = None,
        agent: str | None = None,
        thread: str | None = None,
        tools: Sequence[str] = (),
        timezone: str | None = None,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Request:
        """Have a turn answered as ``respond`` does, and give its events as they come.

        ``event`` names each: of ``response.output_text.delta`` the text stands in ``delta``, of
        ``response.completed``, the last, the answer in ``response``. It is sent once; the timeout
        is for the next event. Leaving or closing it ends the turn.
        """
        return self.asked(
            input, model, agent, thread, tools, timezone, idempotency_key, person, stream=True
        )

    def response(
        self,
        response_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[dict[str, Any]]:
        """Give a response with its trace: what was injected, which tools ran, what it came to."""
        id = check_id(response_id, "response_id")
        found = yield self.request("GET", "responses", id, person=person)
        return found

    def asked(
        self,
        input: str,  # noqa: A002 - its name on the wire
        model: str | None,
        agent: str | None,
        thread: str | None,
        tools: Sequence[str],
        timezone: str | None,
        idempotency_key: str | None,
        person: Any,
        *,
        stream: bool,
    ) -> Request:
        """Make the request for a turn; raises InvalidInput."""
        if (model is None) == (agent is None):
            raise InvalidInput("model", "must be given, or agent, and not both")
        body: Mapping[str, Any] = {
            "model": model, "agent": agent, "input": input, "thread": thread,
            "tools": [{"type": "tool", "name": name} for name in tools],
            "timezone": timezone, "stream": stream,
        }  # fmt: skip
        return self.request("POST", "responses", body=body, person=person, key=idempotency_key)


class Events:
    """The events of a stream, put together of its parts as they come."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, part: bytes) -> Iterator[dict[str, Any]]:
        """Take in a part, and give each event that is whole: its JSON, with ``event`` its name.

        Raises the error that the stream ends with.
        """
        *blocks, self._rest = (self._rest + part).split(b"\n\n")
        for block in blocks:
            name, data = "", b""
            for line in block.split(b"\n"):
                if line.startswith(b"event:"):
                    name = line[6:].strip().decode()
                elif line.startswith(b"data:"):
                    data = line[5:].strip()
            if not name:
                continue
            found = cast("dict[str, Any]", json.loads(data))
            if name == "response.failed":
                told = {"category": "unavailable", "field": None, **found["error"]}
                raise VigentError.from_dict(told)
            yield {"event": name, **found}
