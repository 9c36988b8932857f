"""A language model behind a server that speaks as OpenAI does: vLLM, Ollama, llama.cpp too."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, cast

from vigent.domain.answerjson import as_instructed
from vigent.domain.tokens import estimate_tokens
from vigent.errors import InvalidInput, ProviderError
from vigent.models.endpoint import Endpoint, Refusal
from vigent.models.language.conversing import Gathered, estimated, messages_of, tools_of
from vigent.models.language.structured import (
    FORM_WORDS,
    Form,
    Question,
    Refused,
    Reply,
    Structured,
)
from vigent.models.vectors import embeddable
from vigent.ports.models import Completion, Conversed, Spoken, Told, ToolOffered

__all__ = ["OpenAILanguageModel"]

_TOOL: Final = "answer"
_DIALECTS: Final = 3
"""How often a request is put into other words that a server asks for."""
_TEMPERATURE: Final = re.compile(r"temperature", re.IGNORECASE)


@dataclass(slots=True)
class _Dialect:
    """What differs between servers; found when they refuse."""

    limit: str = "max_tokens"
    temperature: bool = True
    usage: bool = True

    def learn(self, reason: str) -> bool:
        """Change what a refusal is about; gives whether anything was."""
        if self.temperature and _TEMPERATURE.search(reason):
            self.temperature = False
            return True
        if self.limit == "max_tokens" and "max_completion_tokens" in reason.lower():
            self.limit = "max_completion_tokens"
            return True
        if self.usage and "stream_options" in reason.lower():
            self.usage = False
            return True
        return False


class OpenAILanguageModel:
    """Asks ``POST {base_url}/chat/completions``; ``base_url`` goes as far as ``/v1``.

    ``timeout`` is in seconds for a try, ``total`` for all that one answer takes. A server that is
    busy, fails or is late is asked ``attempts`` times at most, after growing pauses that begin
    with ``backoff`` seconds or are as long as the server says. ``max_tokens`` bounds an answer
    where the caller does not. Tokens that the server does not tell are estimated.
    May be used from several threads; ``close`` ends its connections.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        total: float = 180.0,
        attempts: int = 4,
        backoff: float = 1.0,
        max_tokens: int = 4096,
    ) -> None:
        if not model.strip():
            raise InvalidInput("model", "must name a model of the server")
        for name, number in (
            ("timeout", timeout), ("total", total), ("attempts", attempts),
            ("max_tokens", max_tokens),
        ):  # fmt: skip
            if not number > 0:
                raise InvalidInput(name, "must be more than 0")
        self._endpoint = Endpoint(
            base_url, api_key=api_key, timeout=timeout, attempts=attempts, backoff=backoff
        )
        self._model = model
        self._total = total
        self._max_tokens = max_tokens
        self._dialect = _Dialect()
        self._structured = Structured(self._ask)

    def __repr__(self) -> str:
        return f"OpenAILanguageModel({self._endpoint.shown!r}, {self._model!r})"

    @property
    def name(self) -> str:
        """The model's name, as the server knows it."""
        return self._model

    @property
    def provider(self) -> str:
        """``openai``: the way of speaking, not who serves it."""
        return "openai"

    @property
    def form(self) -> Form | None:
        """How a schema is asked for: json_schema, tool or prompted; None before it is known."""
        return self._structured.known

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
        """Give the answer in pieces; see ``vigent.ports.models.LanguageModel``."""
        wanted, within, calls = estimated(messages, tools), timeout or self._total, 0
        while True:
            calls += 1
            came = Gathered(self._model, wanted)
            body = self._streaming(messages, tools, max_tokens)
            try:
                async with aclosing(
                    self._endpoint.events("chat/completions", body, within=within)
                ) as events:
                    async for event in events:
                        piece = came.take(event)
                        if piece:
                            yield piece
            except ProviderError as error:
                refused = error.status in (400, 422) and came.empty
                if refused and calls < _DIALECTS and self._dialect.learn(error.message):
                    continue
                sent = (0, 0) if came.empty else (wanted, estimate_tokens("".join(came.text)))
                raise error.spent(calls - 1, calls - 1, *sent) from None
            if came.empty:
                error = ProviderError(f"{self._endpoint.shown} answered without a message")
                raise error.spent(calls, calls, wanted, 0)
            yield came.whole(calls)
            return

    def _streaming(
        self, messages: Sequence[Spoken], tools: Sequence[ToolOffered], max_tokens: int | None
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model, "messages": messages_of(messages), "stream": True,
            self._dialect.limit: max_tokens or self._max_tokens,
        }  # fmt: skip
        if self._dialect.usage:
            body["stream_options"] = {"include_usage": True}
        if tools:
            body |= {"tools": tools_of(tools), "tool_choice": "auto"}
        return body

    def close(self) -> None:
        """Close its connections."""
        self._endpoint.close()

    def _ask(self, question: Question) -> Reply | Refused:
        calls = 0
        for _ in range(_DIALECTS):
            body = _body(self._model, question, self._dialect)
            try:
                got = self._endpoint.exchange(
                    "chat/completions", body, within=question.within, refuses=FORM_WORDS
                )
            except ProviderError as error:
                raise error.spent(calls, calls, 0, 0) from None
            calls += got.calls
            if not isinstance(got.answer, Refusal):
                return self._reply(got.answer, question, calls)
            if not self._dialect.learn(got.answer.reason):
                return Refused(got.answer, calls)
        raise ProviderError(f"{self._endpoint.shown} refuses every way of asking").spent(
            calls, calls, 0, 0
        )

    def _reply(self, answer: dict[str, Any], question: Question, calls: int) -> Reply:
        choice = _first(answer.get("choices"))
        message = _mapping(choice.get("message"))
        if not message:
            error = ProviderError(f"{self._endpoint.shown} answered without a message")
            error.status = 200
            raise error.spent(calls, calls, 0, 0)
        called = _mapping(_first(message.get("tool_calls")).get("function")).get("arguments")
        text = _text(message.get("content"))
        if called is not None:
            text = called if isinstance(called, str) else json.dumps(called)
        finish = choice.get("finish_reason")
        refused = finish == "content_filter" or bool(message.get("refusal"))
        usage = _mapping(answer.get("usage"))
        return Reply(
            text,
            "refused" if refused else "length" if finish == "length" else "stop",
            str(answer.get("model") or self._model)[:200],
            calls,
            _count(usage.get("prompt_tokens"), _estimated(question)),
            _count(usage.get("completion_tokens"), estimate_tokens(text)),
        )


def _body(model: str, question: Question, dialect: _Dialect) -> dict[str, Any]:
    """Give the body of a request in a server's dialect."""
    told = [
        {"role": role, "content": embeddable(text)} for role, text in _with_words(question)
    ]  # fmt: skip
    body: dict[str, Any] = {
        "model": model, "messages": told, dialect.limit: question.max_tokens, "stream": False,
    }  # fmt: skip
    if dialect.temperature:
        body["temperature"] = 0
    if question.form == "json_schema":
        wanted = {"name": _TOOL, "schema": question.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    elif question.form == "tool":
        function = {
            "name": _TOOL, "description": "Gives the answer.", "parameters": question.schema,
        }  # fmt: skip
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": _TOOL}}
    return body


def _with_words(question: Question) -> list[Told]:
    """Give the messages; of the prompted form with the schema in words, in the first of them."""
    messages = list(question.messages)
    if question.form != "prompted" or question.schema is None:
        return messages
    words = as_instructed(question.schema)
    if messages and messages[0].role == "system":
        messages[0] = Told("system", f"{messages[0].text}\n\n{words}")
    else:
        messages.insert(0, Told("system", words))
    return messages


def _estimated(question: Question) -> int:
    return sum(estimate_tokens(text) for _, text in question.messages)


def _text(content: Any) -> str:
    """Give the text of a message that came as such, or in parts."""
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return "".join(str(_mapping(part).get("text") or "") for part in parts)


def _first(found: Any) -> dict[str, Any]:
    return _mapping(found[0]) if isinstance(found, list) and found else {}


def _mapping(found: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _count(told: Any, estimate: int) -> int:
    """Give a number of tokens as it was told, else as it was estimated."""
    is_count = isinstance(told, int) and not isinstance(told, bool) and 0 <= told < 10**12
    return told if is_count else estimate
