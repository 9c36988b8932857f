"""Options that several commands take, written once."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "AnyAttribute",
    "AnySubject",
    "AsOf",
    "Confidence",
    "EpisodeId",
    "FreeText",
    "IdempotencyKey",
    "KnownAt",
    "MemoryId",
    "Metadata",
    "Mode",
    "Quote",
    "Source",
    "Timezone",
    "Trust",
    "Type",
    "ValidFrom",
    "ValidTo",
    "ValueJson",
]

_WHEN = "An instant with its offset (2026-06-03T10:00Z) or a date"

AnySubject = Annotated[
    str | None, typer.Argument(metavar="SUBJECT", help="Whom or what it is about.")
]
AnyAttribute = Annotated[str | None, typer.Argument(metavar="ATTRIBUTE", help="The property.")]
FreeText = Annotated[
    str | None,
    typer.Option("--text", metavar="TEXT", help="A memory in free text, without attribute."),
]
Type = Annotated[str, typer.Option("--type", metavar="TYPE", help="fact, preference, commitment …")]
ValidTo = Annotated[
    str | None,
    typer.Option("--valid-to", metavar="WHEN", help="The first instant or day it ends."),
]
Mode = Annotated[str, typer.Option("--mode", metavar="MODE", help="change, correction or replace.")]
MemoryId = Annotated[str, typer.Argument(metavar="MEMORY_ID", help="The memory's id, mem_….")]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="WHEN",
        help=f"What was in force then. {_WHEN}: the end of that day.",
    ),
]
KnownAt = Annotated[
    str | None,
    typer.Option(
        "--known-at",
        metavar="WHEN",
        help=f"… as we knew it then. {_WHEN}: the end of that day.",
    ),
]
Timezone = Annotated[
    str | None,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="The zone of dates and times that carry none, e.g. Europe/Madrid.",
    ),
]
ValidFrom = Annotated[
    str | None,
    typer.Option(
        "--valid-from",
        metavar="WHEN",
        help=f"From when it holds. {_WHEN}: the start of that day.",
    ),
]
Ends = Annotated[
    str | None,
    typer.Option(
        "--valid-from",
        metavar="WHEN",
        help=f"From when it no longer holds. {_WHEN}: the start of that day.",
    ),
]
ValueJson = Annotated[
    str | None,
    typer.Option(
        "--value-json",
        metavar="JSON",
        help="The value as JSON, for numbers, booleans and objects; instead of VALUE.",
    ),
]
EpisodeId = Annotated[
    str | None,
    typer.Option("--episode", metavar="ID", help="The episode it rests on, as capture gave it."),
]
Quote = Annotated[
    str | None,
    typer.Option("--quote", metavar="TEXT", help="The words of that episode that say so."),
]
Source = Annotated[
    str | None, typer.Option("--source", metavar="TEXT", help="Where it comes from, in words.")
]
Trust = Annotated[
    str,
    typer.Option(
        "--trust",
        metavar="LEVEL",
        help="reviewer, person, application, tool, assistant or document.",
    ),
]
Confidence = Annotated[
    float | None, typer.Option("--confidence", metavar="0..1", help="How sure we are.")
]
Metadata = Annotated[
    str | None, typer.Option("--metadata", metavar="JSON", help="Fields of your own, as an object.")
]
IdempotencyKey = Annotated[
    str | None,
    typer.Option(
        "--idempotency-key",
        metavar="KEY",
        help="The same key again changes nothing and gives the first answer.",
    ),
]
