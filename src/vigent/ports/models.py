"""What the core asks of models."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from vigent.domain.usage import Account, Parked

__all__ = [
    "Completion",
    "Conversed",
    "Embedder",
    "LanguageModel",
    "LanguageModels",
    "MeteredModels",
    "ModelUsage",
    "Spoken",
    "Told",
    "ToolAsked",
    "ToolOffered",
]


class Embedder(Protocol):
    """Turns texts into vectors that lie close together where the texts mean alike.

    Vectors are kept under ``name``, ``revision`` and ``dimension``; those of two embedders are
    never compared. Both methods give one row of ``dimension`` float32 numbers for each text, of
    any length. A row has unit length; a text that is empty, or that the model refuses, has a row
    of zeros, so that one bad text does not stop the others. They may be called from several
    threads. Raises ModelUnavailable, also from ``dimension`` where a server must be asked.
    """

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def revision(self) -> str:
        """The version of its weights."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors of texts that are to be found."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question, as one row."""
        ...


class Told(NamedTuple):
    """One message for a language model."""

    role: Literal["system", "user", "assistant"]
    text: str


class ModelUsage(NamedTuple):
    """What an answer came to: requests sent, those of them in vain, and tokens both ways."""

    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


_NOTHING = ModelUsage()


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model answered.

    ``parsed`` is the JSON of an answer that was asked for by a schema, with numbers exact
    (``int`` and ``Decimal``); else None. ``finish`` is ``length`` where the text ended at the
    limit of tokens. ``model`` is what the provider says answered; ``form`` is how the schema was
    asked for: json_schema, tool or prompted, and empty where none was.
    """

    text: str = field(repr=False)
    parsed: Any = field(default=None, repr=False)
    usage: ModelUsage = _NOTHING
    finish: Literal["stop", "length"] = "stop"
    model: str = ""
    form: str = ""


class ToolOffered(NamedTuple):
    """A tool that a model may ask for; ``parameters`` are a JSON Schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class ToolAsked(NamedTuple):
    """A tool that a model asks for; ``arguments`` are JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


class Spoken(NamedTuple):
    """One message of a conversation with tools.

    An assistant's may ask for tools; one of role ``tool`` answers the call ``call_id``.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolAsked, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Conversed:
    """What a model said in the end, and which tools it asks for.

    ``finish`` is ``length`` where the text ended at the limit of tokens, and ``tools`` where it
    waits for what they give.
    """

    text: str = field(repr=False)
    calls: tuple[ToolAsked, ...] = ()
    usage: ModelUsage = _NOTHING
    finish: Literal["stop", "length", "tools"] = "stop"
    model: str = ""


class LanguageModel(Protocol):
    """Answers messages with text, or with JSON that fits a schema.

    ``complete`` may be called from several threads; a call is bounded in time, in requests and in
    what it reads. Raises no error but those below ModelFailed, which say what the calls came to
    and hold neither a key nor anything that was said.
    """

    @property
    def name(self) -> str:
        """The model's name, as it was asked for."""
        ...

    @property
    def provider(self) -> str:
        """Who serves it: ``openai`` for any server that speaks as OpenAI's, anthropic, google."""
        ...

    def complete(
        self,
        messages: Sequence[Told],
        *,
        schema: Mapping[str, Any] | None = None,
        least: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """Give the answer to messages; ``timeout`` is in seconds, for all requests together.

        The model is asked for JSON that fits ``schema``. An answer is taken where it fits
        ``least``, which is the schema itself where it is not given; one that does not is asked
        for once more, with what was wrong.
        """
        ...

    def converse(
        self,
        messages: Sequence[Spoken],
        *,
        tools: Sequence[ToolOffered] = (),
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> AsyncGenerator[str | Conversed]:
        """Give the answer in pieces as it comes, and last of all what it came to as a whole.

        It holds no thread while it waits. Closing it, or cancelling who waits for it, ends the
        request. ``timeout`` is in seconds, for all of it. Raises errors below ModelFailed.
        """
        ...


class LanguageModels(Protocol):
    """Gives language models by name."""

    @property
    def default(self) -> str:
        """The name of the model that is used where none is named; empty for none."""
        ...

    @property
    def helper(self) -> str:
        """The name of the model for small work; empty for none."""
        ...

    def get(self, name: str) -> LanguageModel:
        """Give a model, the same one each time; raises InvalidInput for one that is not offered."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class MeteredModels(Protocol):
    """Asks language models on a tenant's account."""

    def complete(
        self,
        account: Account,
        model: LanguageModel,
        messages: Sequence[Told],
        *,
        schema: Mapping[str, Any] | None = None,
        least: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> Completion | Parked:
        """Give the answer, or that the work is parked: then nothing was sent.

        What it comes to is counted, also where it fails. Raises what is below ModelFailed.
        """
        ...
