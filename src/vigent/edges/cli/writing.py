"""Commands that take something in: write, propose, retract, update, capture."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.text import Text

from vigent import MemoryDelta, WriteResult
from vigent.edges.cli import options
from vigent.edges.cli.command import Call, command
from vigent.edges.cli.inputs import given, json_object, typed_value, words_or_stdin
from vigent.edges.cli.tables import card, moment, record_card, records_table, visible

__all__ = ["register", "show_result"]


def show_result(call: Call, result: WriteResult, *, about: Text | None = None) -> None:
    """Say what a write did: its outcome, the memory or what it was about, and what it ended."""
    if call.as_json:
        call.out.document(result.to_dict())
        return
    out = call.out
    if result.memory is None:
        out.show(card([(result.outcome, about or Text("nothing", style="dim"))]))
    else:
        out.show(record_card(result.memory, headline=result.outcome))
    if result.reason:
        out.show(Text(visible(result.reason)))
    if result.ended:
        out.show(Text("\nended", style="dim"), records_table(out.console, result.ended))


def _named(subject: str, attribute: str, value: str | None) -> Text:
    """Name what a retraction was about; without a value, whatever it is."""
    name = Text(visible(f"{attribute} of {subject}"), style="cyan")
    return name if value is None else name.append(f": {visible(value)}", style="bold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What ``write`` takes, by the engine's names."""

    subject: options.AnySubject = None
    attribute: options.AnyAttribute = None
    value: Annotated[
        str | None,
        typer.Argument(metavar="VALUE", help="Its value, as text, or as --schema declares it."),
    ] = None
    value_json: options.ValueJson = None
    text: options.FreeText = None
    type: options.Type = "fact"
    valid_from: options.ValidFrom = None
    valid_to: options.ValidTo = None
    timezone: options.Timezone = None
    mode: options.Mode = "change"
    corrects: Annotated[
        str | None, typer.Option("--corrects", metavar="ID", help="The memory that was wrong.")
    ] = None
    supersedes: Annotated[
        str | None, typer.Option("--supersedes", metavar="ID", help="The text it replaces.")
    ] = None
    expect: Annotated[
        str | None,
        typer.Option("--expect", metavar="ID", help="Write only if this memory is in force."),
    ] = None
    source_episode_id: options.EpisodeId = None
    quote: options.Quote = None
    source: options.Source = None
    trust: options.Trust = "application"
    confidence: options.Confidence = None
    importance: Annotated[
        int | None, typer.Option("--importance", metavar="1..10", help="How much it matters.")
    ] = None
    due: Annotated[
        str | None, typer.Option("--due", metavar="WHEN", help="When a commitment is due.")
    ] = None
    expires_at: Annotated[
        str | None, typer.Option("--expires-at", metavar="WHEN", help="Out of every read then.")
    ] = None
    ttl_days: Annotated[
        int | None, typer.Option("--ttl-days", metavar="N", help="… or after so many days.")
    ] = None
    retention_policy: Annotated[
        str | None, typer.Option("--retention", metavar="POLICY", help="standard, keep …")
    ] = None
    metadata: options.Metadata = None
    idempotency_key: options.IdempotencyKey = None


def write(call: Call, statement: Statement) -> None:
    """Write a fact about a subject, or a memory in free text.

    A value that begins with a minus sign stands after --.
    """
    arguments = given(**asdict(statement))
    schema = call.declared()
    arguments |= typed_value(
        arguments.pop("value", None),
        arguments.pop("value_json", None),
        schema.attribute(arguments.get("attribute", "")),
    )
    if statement.metadata is not None:
        arguments["metadata"] = json_object("metadata", statement.metadata)
    with call.open(create=True, schema=schema) as memory:
        show_result(call, memory.write(**arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What ``propose`` takes, by the names of a ``MemoryDelta``."""

    subject: options.AnySubject = None
    attribute: options.AnyAttribute = None
    value: Annotated[
        str | None,
        typer.Argument(metavar="VALUE", help="Its value; without it, that it no longer holds."),
    ] = None
    value_json: options.ValueJson = None
    text: options.FreeText = None
    type: options.Type = "fact"
    valid_from: options.ValidFrom = None
    valid_to: options.ValidTo = None
    mode: options.Mode = "change"
    source_episode_id: options.EpisodeId = None
    quote: options.Quote = None
    trust: options.Trust = "assistant"
    confidence: options.Confidence = None


def propose(call: Call, candidate: Candidate) -> None:
    """Hand in a candidate: the rules of the schema decide, and may hold it for review.

    Checks written in Python are not asked here.
    """
    fields = given(**asdict(candidate))
    schema = call.declared()
    fields |= typed_value(
        fields.pop("value", None),
        fields.pop("value_json", None),
        schema.attribute(fields.get("attribute", "")),
    )
    with call.open(create=True, schema=schema) as memory:
        show_result(call, memory.propose(MemoryDelta(tenant_id=call.tenant, **fields)))


def retract(
    call: Call,
    *,
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="Whom or what it is about.")],
    attribute: Annotated[str, typer.Argument(metavar="ATTRIBUTE", help="The property.")],
    value: Annotated[
        str | None,
        typer.Argument(metavar="VALUE", help="The value that no longer holds; without it, any."),
    ] = None,
    value_json: options.ValueJson = None,
    valid_from: options.Ends = None,
    timezone: options.Timezone = None,
    mode: Annotated[
        str,
        typer.Option("--mode", metavar="MODE", help="change: no longer; correction: it never was."),
    ] = "change",
    episode: options.EpisodeId = None,
    quote: options.Quote = None,
    source: options.Source = None,
    trust: options.Trust = "application",
    idempotency_key: options.IdempotencyKey = None,
) -> None:
    """Say that something no longer holds, or never did."""
    arguments = given(
        valid_from=valid_from,
        timezone=timezone,
        source_episode_id=episode,
        quote=quote,
        source=source,
        idempotency_key=idempotency_key,
    )
    schema = call.declared()
    arguments |= typed_value(value, value_json, schema.attribute(attribute))
    with call.open(create=True, schema=schema) as memory:
        result = memory.retract(
            subject=subject, attribute=attribute, trust=trust, **arguments, **given(mode=mode)
        )
        show_result(call, result, about=_named(subject, attribute, value or value_json))


def update(
    call: Call,
    memory_id: options.MemoryId,
    *,
    confidence: options.Confidence = None,
    importance: Annotated[
        int | None, typer.Option("--importance", metavar="1..10", help="How much it matters.")
    ] = None,
    metadata: options.Metadata = None,
    due: Annotated[
        str | None, typer.Option("--due", metavar="WHEN", help="When a commitment is due.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="STATE", help="Of a commitment: open, done, cancelled."),
    ] = None,
    expires_at: Annotated[
        str | None, typer.Option("--expires-at", metavar="WHEN", help="Out of every read then.")
    ] = None,
    ttl_days: Annotated[
        int | None, typer.Option("--ttl-days", metavar="N", help="… or after so many days.")
    ] = None,
    retention_policy: Annotated[
        str | None, typer.Option("--retention", metavar="POLICY", help="standard, keep …")
    ] = None,
) -> None:
    """Change fields of a memory in place; what it says stays, and its age begins anew."""
    fields = given(
        confidence=confidence,
        importance=importance,
        metadata=json_object("metadata", metadata),
        due=due,
        state=state,
        expires_at=expires_at,
        ttl_days=ttl_days,
        retention_policy=retention_policy,
    )
    with call.open() as memory:
        record = memory.update(memory_id, **fields)
        if call.as_json:
            call.out.document(record.to_dict())
        else:
            call.out.show(record_card(record, headline="updated"))


def capture(
    call: Call,
    *,
    content: Annotated[
        str, typer.Argument(metavar="CONTENT", help="What was said or happened; - reads it.")
    ],
    role: Annotated[
        str,
        typer.Option(
            "--role", metavar="ROLE", help="Who spoke, for example user, assistant, tool or system."
        ),
    ] = "user",
    kind: Annotated[
        str, typer.Option("--kind", metavar="KIND", help="message, tool_result, event …")
    ] = "message",
    occurred_at: Annotated[
        str | None,
        typer.Option("--occurred-at", metavar="WHEN", help="When; an instant with its offset."),
    ] = None,
    speaker: Annotated[
        str | None, typer.Option("--speaker", metavar="NAME", help="Who spoke.")
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="ID", help="The thread it belongs to.")
    ] = None,
    external_id: Annotated[
        str | None,
        typer.Option(
            "--external-id", metavar="ID", help="Your id; the same one again gives the first."
        ),
    ] = None,
    metadata: options.Metadata = None,
) -> None:
    """Keep a raw record of something that happened, for memories to rest on."""
    arguments = given(
        occurred_at=occurred_at,
        speaker=speaker,
        thread=thread,
        external_id=external_id,
        metadata=json_object("metadata", metadata),
    )
    with call.open(create=True) as memory:
        episode = memory.capture(
            words_or_stdin("content", content), role=role, kind=kind, **arguments
        )
    if call.as_json:
        call.out.document(episode.to_dict())
        return
    words = visible(episode.content or "")
    call.out.show(
        card(
            [
                ("captured", Text(episode.id, no_wrap=True)),
                ("when", moment(episode.occurred_at)),
                ("by", visible(episode.speaker or episode.role)),
                ("words", words if len(words) <= 300 else f"{words[:300]} …"),
            ]
        )
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    command(app, "write")(write)
    command(app, "propose")(propose)
    command(app, "retract")(retract)
    command(app, "update")(update)
    command(app, "capture")(capture)
