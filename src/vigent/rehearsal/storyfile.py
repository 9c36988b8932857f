"""The file of a replay: episodes, what a model says of them, and what is expected after each step.

Every field is named in docs/how-to/replay.md; one that is not known is refused, with its place.
"""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from vigent.domain.time import named_zone, parse_instant
from vigent.errors import InvalidInput
from vigent.schemafile import read_mapping

__all__ = [
    "Expected",
    "Question",
    "Said",
    "Standing",
    "Step",
    "Story",
    "Stretch",
    "Verdict",
    "read_story",
]


def _instant(given: Any) -> str:
    """Give an instant with its offset; YAML may have read one as a datetime."""
    text = given.isoformat() if isinstance(given, dt.datetime) else given
    try:
        parse_instant(text, "at")
    except InvalidInput as error:
        raise ValueError(error.message.removeprefix("at: ")) from None
    return str(text)


def _zone(name: str) -> str:
    try:
        named_zone(name)
    except InvalidInput as error:
        raise ValueError(error.message) from None
    return name


At: TypeAlias = Annotated[Any, AfterValidator(_instant)]
"""An instant with an offset, as ``2026-06-01T09:00:00+01:00``."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Said(_Part):
    """One episode: what was said, by whom and when."""

    role: Literal["user", "assistant", "system", "tool"] = "user"
    kind: str | None = None
    text: Annotated[str, Field(min_length=1)]
    at: At
    person: str | None = None
    thread: str | None = None
    speaker: str | None = None


class Verdict(_Part):
    """What the gate decides of one candidate."""

    outcome: Literal["accepted", "buffered", "pending_review", "rejected"]
    reason: str | None = None


class Stretch(_Part):
    """A value, and from when until when it is believed to hold; no end stands for still."""

    value: Any
    start: At | None = None
    end: At | None = None


class Standing(_Part):
    """What the ledger says of a key: what holds, or its whole history as it is believed."""

    subject: str
    attribute: str
    value: Any = None
    history: tuple[Stretch, ...] | None = None
    person: str | None = None


class Expected(_Part):
    """What is expected after a step, by stage; what is not named is not looked at.

    ``extract`` is the number of candidates that were read, ``faults`` the codes of those that were
    not, ``problem`` the code of a model that failed. ``reconcile`` is the outcome of each that the
    gate let in.
    """

    extract: int | None = None
    faults: tuple[str, ...] | None = None
    problem: str | None = None
    gate: tuple[Verdict, ...] | None = None
    reconcile: tuple[str, ...] | None = None
    ledger: tuple[Standing, ...] = ()


class Step(_Part):
    """Episodes, and a model's scripted answer, or candidates whose ``item`` is an episode."""

    note: str = ""
    episodes: Annotated[tuple[Said, ...], Field(min_length=1)]
    answer: dict[str, Any] | str | None = None
    candidates: tuple[dict[str, Any], ...] | None = None
    expect: Expected = Expected()


class Question(_Part):
    """A question at the end: of a key, or in words (``search``), now or then.

    ``as_of`` is when it shall hold, ``known_at`` as we knew it then. ``person`` is who asks: where
    it is another than whose memory it is, the stage is scope.
    """

    subject: str | None = None
    attribute: str | None = None
    search: str | None = None
    as_of: At | None = None
    known_at: At | None = None
    person: str | None = None
    expect: Any = None


class Story(_Part):
    """A whole file."""

    about: str = ""
    person: str | None = None
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"
    types: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    schema_: dict[str, Any] | None = Field(None, alias="schema")
    settings: dict[str, Any] | None = None
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    questions: tuple[Question, ...] = ()


def read_story(path: str | os.PathLike[str]) -> Story:
    """Read a file of YAML or JSON; raises InvalidInput naming the field, as ``steps.0.expect``."""
    try:
        found = read_mapping(Path(path))
    except InvalidInput as error:
        raise InvalidInput("file", error.message.removeprefix("schema: ")) from None
    try:
        story = Story.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "file"
        raise InvalidInput(field, str(first["msg"])) from None
    for number, step in enumerate(story.steps):
        if step.answer is not None and step.candidates is not None:
            raise InvalidInput(f"steps.{number}.answer", "goes without candidates")
        for place, one in enumerate(step.candidates or ()):
            item = one.get("item", 0)
            if not isinstance(item, int) or not 0 <= item < len(step.episodes):
                raise InvalidInput(
                    f"steps.{number}.candidates.{place}.item", "must be the place of an episode"
                )
    for number, one in enumerate(story.questions):
        if (one.search is None) == (one.subject is None or one.attribute is None):
            raise InvalidInput(
                f"questions.{number}", "must have either search, or subject and attribute"
            )
    return story
