"""Claude and Gemini by their providers' own ways; needs the extra ``vigent[models]``.

The wire is spoken by ``pydantic-ai-slim``, which is known here alone. Importing this module takes
seconds, and fails where the extra is not installed: ``directory.py`` imports it at first use.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelRequestTimeout,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.tools import ToolDefinition

from vigent.domain.redaction import without_secrets
from vigent.domain.tokens import estimate_tokens
from vigent.errors import InvalidInput, ModelRefusal, ProviderError
from vigent.models.language.conversing import estimated
from vigent.models.language.structured import Question, Refused, Reply, Structured
from vigent.models.vectors import embeddable
from vigent.ports.models import (
    Completion,
    Conversed,
    ModelUsage,
    Spoken,
    Told,
    ToolAsked,
    ToolOffered,
)

__all__ = ["NativeLanguageModel"]

_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_WAIT: Final = 20.0
_SHOWN: Final = 200
_TOOL: Final = "answer"


class _Sent(NamedTuple):
    """One request, as the package takes it."""

    messages: list[ModelMessage]
    parameters: ModelRequestParameters | None
    max_tokens: int
    temperature: float | None


class NativeLanguageModel:
    """A model of Anthropic (``anthropic``) or of Google (``google``), with the provider's key.

    ``base_url`` is another address of it, as of a gateway. The other parameters are those of
    OpenAILanguageModel. A schema is asked for as the arguments of a tool. ``complete`` runs an
    event loop of its own, so it is called from a thread that has none.
    """

    def __init__(
        self,
        provider: Literal["anthropic", "google"],
        model: str,
        *,
        api_key: str,
        base_url: str | None = None,
        timeout: float = 60.0,
        total: float = 180.0,
        attempts: int = 4,
        backoff: float = 1.0,
        max_tokens: int = 4096,
    ) -> None:
        if not model.strip():
            raise InvalidInput("model", "must name a model of the provider")
        self._provider: Literal["anthropic", "google"] = provider
        self._model = model
        self._key = api_key
        self._base_url = base_url
        self._timeout = timeout
        self._total = total
        self._attempts = attempts
        self._backoff = backoff
        self._max_tokens = max_tokens
        self._structured = Structured(self._ask, ("tool",))

    def __repr__(self) -> str:
        return f"NativeLanguageModel({self._provider!r}, {self._model!r})"

    @property
    def name(self) -> str:
        """The model's name, with the provider before it: ``anthropic:…`` or ``google:…``."""
        return f"{self._provider}:{self._model}"

    @property
    def provider(self) -> str:
        """``anthropic`` or ``google``."""
        return self._provider

    def complete(
        self,
        messages: Sequence[Told],
        *,
        schema: Mapping[str, Any] | None = None,
        least: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """Give the answer to messages; see ``vigent.ports.models.LanguageModel``."""
        return self._structured.complete(
            messages, schema, least, max_tokens or self._max_tokens, timeout or self._total
        )

    async def converse(
        self,
        messages: Sequence[Spoken],
        *,
        tools: Sequence[ToolOffered] = (),
        max_tokens: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - for all tries, not for one wait
    ) -> AsyncGenerator[str | Conversed]:
        """Give the answer in one piece; see ``vigent.ports.models.LanguageModel``."""
        wanted, until = estimated(messages, tools), time.monotonic() + (timeout or self._total)
        settings = _Sent(
            _conversation(messages), _offered(tools), max_tokens or self._max_tokens, None
        )  # fmt: skip
        for attempt in range(1, self._attempts + 1):
            left = min(self._timeout, max(until - time.monotonic(), 0.001))
            try:
                done = _conversed(await self._sent(settings, left), wanted, attempt)
            except ContentFilterError:
                error = ModelRefusal("the model, or a filter of its provider, would not answer")
                raise error.spent(attempt, attempt, wanted, 0) from None
            except (AgentRunError, TimeoutError, httpx2.HTTPError) as error:
                problem = self._failed(error, attempt)
            else:
                if done.text:
                    yield done.text
                yield done
                return
            wait = self._wait(problem, attempt)
            if self._is_last(problem, attempt, wait, until):
                raise problem from None  # its cause may show the key
            await asyncio.sleep(wait)

    def close(self) -> None:
        """Do nothing: each request has a connection of its own."""

    # ------------------------------------------------------------------------- asking

    def _ask(self, question: Question) -> Reply | Refused:
        until = time.monotonic() + question.within
        for attempt in range(1, self._attempts + 1):
            left = min(self._timeout, max(until - time.monotonic(), 0.001))
            try:
                return _reply(asyncio.run(self._once(question, left)), question, attempt)
            except ContentFilterError:
                return Reply("", "refused", self._model, attempt, _estimated(question), 0)
            except (AgentRunError, TimeoutError, httpx2.HTTPError) as error:
                problem = self._failed(error, attempt)
            wait = self._wait(problem, attempt)
            if self._is_last(problem, attempt, wait, until):
                raise problem from None  # its cause may show the key
            time.sleep(wait)
        raise ProviderError("was not asked: attempts must be at least 1")

    def _wait(self, problem: ProviderError, attempt: int) -> float:
        """Give the seconds before the next try: as asked for, else growing and spread."""
        asked = problem.retry_after if problem.retry_after > 1.0 else None
        spread = self._backoff * 2 ** (attempt - 1) * random.uniform(0.75, 1.25)  # noqa: S311
        return asked or min(_LONGEST_WAIT, spread)

    def _is_last(self, problem: ProviderError, attempt: int, wait: float, until: float) -> bool:
        late = time.monotonic() + wait >= until
        return problem.final or attempt == self._attempts or wait > _LONGEST_WAIT or late

    async def _once(self, question: Question, within: float) -> ModelResponse:
        asked = _Sent(_told(question.messages), _wanted(question.schema), question.max_tokens, 0)
        return await self._sent(asked, within)

    async def _sent(self, asked: _Sent, within: float) -> ModelResponse:
        settings = {"max_tokens": asked.max_tokens, "timeout": within, "max_retries": 0}
        if asked.temperature is not None:
            settings["temperature"] = asked.temperature
        async with httpx2.AsyncClient(timeout=within) as client, asyncio.timeout(within):
            return await model_request(
                self._over(client), asked.messages, model_settings=settings,
                model_request_parameters=asked.parameters,
            )  # fmt: skip

    def _over(self, client: httpx2.AsyncClient) -> Model:
        key, url = self._key, self._base_url
        if self._provider == "anthropic":
            ours = AnthropicProvider(api_key=key, base_url=url, http_client=client)
            return AnthropicModel(self._model, provider=ours)
        theirs = GoogleProvider(api_key=key, base_url=url, http_client=client)
        return GoogleModel(self._model, provider=theirs)

    def _failed(self, error: Exception, attempt: int) -> ProviderError:
        """Give what is told of a failure: provider, kind and status, without secrets."""
        status = error.status_code if isinstance(error, ModelHTTPError) else None
        said = "" if isinstance(error, TimeoutError) else _words(error)
        kind = type(error).__name__.lstrip("_") if status is None else f"status {status}"
        words = " ".join(without_secrets(said[:10_000], (self._key,)).split())[:_SHOWN]
        told = f"{self._provider} did not serve this ({attempt} tries): {kind}"
        asked = error.retry_after if isinstance(error, ModelAPIError) else None
        problem = ProviderError(
            f"{told}, {words}" if words else told, retry_after=max(asked or 1.0, 1.0)
        )
        passing = (TimeoutError, ModelConnectionError, ModelRequestTimeout, httpx2.HTTPError)
        problem.status = status
        problem.final = status not in _AGAIN and not isinstance(error, passing)
        problem.spent(attempt, attempt, 0, 0)
        return problem


def _words(error: Exception) -> str:
    """Give the provider's own words, from the body of its answer where there is one."""
    body = error.body if isinstance(error, ModelHTTPError) else None
    return str(error) if body is None else json.dumps(body, ensure_ascii=False, default=str)


def _told(messages: Sequence[Told]) -> list[ModelMessage]:
    """Give messages as the package has them: what is said to the model, and what it said."""
    found: list[ModelMessage] = []
    parts: list[SystemPromptPart | UserPromptPart] = []
    for role, raw in messages:
        text = embeddable(raw)
        if role != "assistant":
            parts.append(SystemPromptPart(text) if role == "system" else UserPromptPart(text))
            continue
        if parts:
            found.append(ModelRequest(parts))
            parts = []
        found.append(ModelResponse([TextPart(text)]))
    if parts:
        found.append(ModelRequest(parts))
    return found


def _conversation(messages: Sequence[Spoken]) -> list[ModelMessage]:
    """Give a conversation as the package has it; a tool's result goes with what is asked next."""
    names = {call.id: call.name for one in messages for call in one.calls}
    found: list[ModelMessage] = []
    parts: list[SystemPromptPart | UserPromptPart | ToolReturnPart] = []
    for one in messages:
        text = embeddable(one.text)
        if one.role == "system":
            parts.append(SystemPromptPart(text))
        elif one.role == "user":
            parts.append(UserPromptPart(text))
        elif one.role == "tool":
            id = one.call_id or ""
            parts.append(ToolReturnPart(names.get(id, "tool"), text, tool_call_id=id))
        else:
            if parts:
                found.append(ModelRequest(list(parts)))
                parts = []
            calls = [ToolCallPart(c.name, c.arguments, tool_call_id=c.id) for c in one.calls]
            found.append(ModelResponse([*([TextPart(text)] if text else []), *calls]))
    if parts:
        found.append(ModelRequest(list(parts)))
    return found


def _offered(tools: Sequence[ToolOffered]) -> ModelRequestParameters | None:
    if not tools:
        return None
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=one.name, description=one.description,
                parameters_json_schema=dict(one.parameters),
            )
            for one in tools
        ]
    )  # fmt: skip


def _conversed(response: ModelResponse, wanted: int, calls: int) -> Conversed:
    """Give what came; raises ModelRefusal."""
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    asked = tuple(
        ToolAsked(
            part.tool_call_id, part.tool_name,
            part.args if isinstance(part.args, str) else json.dumps(part.args or {}),
        )
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )  # fmt: skip
    spent = (
        response.usage.input_tokens or wanted,
        response.usage.output_tokens or estimate_tokens(text),
    )
    if response.finish_reason == "content_filter":
        error = ModelRefusal("the model, or a filter of its provider, would not answer")
        raise error.spent(calls, calls, *spent)
    usage, model = ModelUsage(calls, calls - 1, *spent), str(response.model_name or "")[:200]
    if response.finish_reason == "length":
        return Conversed(text, (), usage, "length", model)
    return Conversed(text, asked, usage, "tools" if asked else "stop", model)


def _wanted(schema: Mapping[str, Any] | None) -> ModelRequestParameters | None:
    if schema is None:
        return None
    tool = ToolDefinition(
        name=_TOOL, parameters_json_schema=dict(schema), description="Gives the answer."
    )
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _reply(response: ModelResponse, question: Question, calls: int) -> Reply:
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    for part in response.parts:
        if isinstance(part, ToolCallPart) and part.tool_name == _TOOL:
            text = part.args if isinstance(part.args, str) else json.dumps(part.args or {})
    finish = response.finish_reason
    return Reply(
        text,
        "refused" if finish == "content_filter" else "length" if finish == "length" else "stop",
        str(response.model_name or "")[:200],
        calls,
        response.usage.input_tokens or _estimated(question),
        response.usage.output_tokens or estimate_tokens(text),
    )


def _estimated(question: Question) -> int:
    return sum(estimate_tokens(text) for _, text in question.messages)
