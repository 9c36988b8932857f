"""Commands that answer from state: current, get, history, provenance, diff, list."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from vigent import Memory, Record, State
from vigent.edges.cli import options
from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.command import Call, command, no_answer
from vigent.edges.cli.inputs import given, json_object
from vigent.edges.cli.tables import (
    changes_table,
    history_table,
    moment,
    provenance_view,
    record_card,
    records_table,
    visible,
)

__all__ = ["register"]

Asked = dict[str, str | None]
_DAY: Final = "A bare date: the end of that day."

Subject = Annotated[str, typer.Argument(metavar="SUBJECT", help="Whom or what it is about.")]


def _answered(record: Record) -> dict[str, Any]:
    """Give a record with the instants its answer stands for."""
    row = record.to_dict()
    return row | {"as_of": _instant(record.as_of), "known_at": _instant(record.known_at)}


def _instant(value: Any) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _stands_for(call: Call, answer: Record | State, asked: Asked) -> None:
    """Say which instants the answer stands for, where any were asked for."""
    told: list[str] = []
    if asked["as_of"] is not None:
        told.append(f"as of {moment(answer.as_of)}")
    if asked["known_at"] is not None:
        told.append(f"as known at {moment(answer.known_at)}")
    if told:
        call.out.show(Text(", ".join(told), style="dim"))


def _alike(memory: Memory, subject: str, attribute: str) -> str:
    """Name the attributes of the subject that look like this one."""
    found = {record.attribute for record in memory.list(subject=subject, include="history")}
    names = sorted(name for name in found if name and name != attribute)
    same = [name for name in names if name.casefold() == attribute.casefold()]
    if same:
        return visible(f" There is {', '.join(same)}: case counts.")
    folded = {name.casefold(): name for name in names}
    near = [folded[name] for name in get_close_matches(attribute.casefold(), folded, cutoff=0.7)]
    return visible(f" There is {', '.join(near)}.") if near else ""


def _show_state(call: Call, state: State, asked: Asked) -> None:
    if call.as_json:
        call.out.document(state.to_dict())
        if not state:
            raise typer.Exit(ExitCode.NO_ANSWER)
        return
    if not state:
        no_answer(call, None, f"Nothing about {visible(state.subject)} is in force.")
    flat: list[Record] = []
    for found in state.values():
        flat.extend([found] if isinstance(found, Record) else found)
    call.out.show(records_table(call.out.console, flat))
    _stands_for(call, state, asked)


def current(
    call: Call,
    *,
    subject: Subject,
    attribute: Annotated[
        str | None,
        typer.Argument(metavar="ATTRIBUTE", help="The property; without it, all that is in force."),
    ] = None,
    as_of: options.AsOf = None,
    known_at: options.KnownAt = None,
    timezone: options.Timezone = None,
) -> None:
    """Show what is in force, now or then."""
    asked: Asked = {"as_of": as_of, "known_at": known_at, "timezone": timezone}
    with call.open() as memory:
        if attribute is None:
            _show_state(call, memory.current(subject, **asked), asked)
            return
        found: Record | tuple[Record, ...] | None = memory.current(subject, attribute, **asked)
        hint = "" if found or call.as_json else _alike(memory, subject, attribute)
    name = visible(f"{attribute} of {subject}")
    if not found:
        no_answer(call, None if found is None else [], f"Nothing is in force for {name}.{hint}")
    elif isinstance(found, Record):
        if call.as_json:
            call.out.document(_answered(found))
        else:
            call.out.show(record_card(found))
            _stands_for(call, found, asked)
    elif call.as_json:
        call.out.document([_answered(record) for record in found])
    else:
        call.out.show(records_table(call.out.console, found))
        _stands_for(call, found[0], asked)


def get(call: Call, memory_id: options.MemoryId) -> None:
    """Show one memory by its id, over its last believed stretch."""
    with call.open() as memory:
        found = memory.get(memory_id)
    if call.as_json:
        call.out.document(found.to_dict())
    else:
        call.out.show(record_card(found))


def history(
    call: Call,
    *,
    subject: Subject,
    attribute: Annotated[str, typer.Argument(metavar="ATTRIBUTE", help="The property.")],
) -> None:
    """Show the whole life of an attribute, with every revision."""
    with call.open() as memory:
        found = memory.history(subject, attribute)
        hint = "" if found or call.as_json else _alike(memory, subject, attribute)
    if not found:
        name = visible(f"{attribute} of {subject}")
        no_answer(call, [], f"Nothing was ever known for {name}.{hint}")
    elif call.as_json:
        call.out.document([record.to_dict() for record in found])
    else:
        call.out.show(history_table(call.out.console, found))


def provenance(
    call: Call,
    memory_id: options.MemoryId,
) -> None:
    """Show who said it, where, and what else supports it."""
    with call.open() as memory:
        found = memory.provenance(memory_id)
    if call.as_json:
        call.out.document(found.to_dict())
    else:
        call.out.show(provenance_view(call.out.console, found))


def diff(
    call: Call,
    *,
    since: Annotated[
        str, typer.Option("--since", metavar="WHEN", help=f"After this instant … {_DAY}")
    ],
    until: Annotated[
        str, typer.Option("--until", metavar="WHEN", help=f"… up to this one. {_DAY}")
    ],
    axis: Annotated[
        str,
        typer.Option(
            "--axis", metavar="AXIS", help="valid: the world changed; recorded: we learned."
        ),
    ] = "valid",
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="NAME", help="Of this subject alone.")
    ] = None,
    timezone: options.Timezone = None,
) -> None:
    """Show what changed after one instant and up to another.

    A bare date is the end of that day: from 2026-06-01 to 2026-06-03 is the 2nd and the 3rd.
    """
    more = given(axis=axis, subject=subject, timezone=timezone)
    with call.open() as memory:
        found = memory.diff(since=since, until=until, **more)
    if not found:
        no_answer(call, [], "Nothing changed.")
    elif call.as_json:
        call.out.document([change.to_dict() for change in found])
    else:
        call.out.show(changes_table(call.out.console, found))


def list_memories(
    call: Call,
    *,
    memory_type: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="Of this type.")
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="NAME", help="About this subject.")
    ] = None,
    attribute: Annotated[
        str | None, typer.Option("--attribute", metavar="NAME", help="This property.")
    ] = None,
    metadata: Annotated[
        str | None, typer.Option("--metadata", metavar="JSON", help="Conditions on metadata.")
    ] = None,
    after: Annotated[
        str | None, typer.Option("--after", metavar="WHEN", help="Made from then on.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="WHEN", help="Made before then.")
    ] = None,
    as_of: options.AsOf = None,
    known_at: options.KnownAt = None,
    timezone: options.Timezone = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="Of this status.")
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option("--min-confidence", metavar="0..1", help="At least this sure."),
    ] = None,
    include: Annotated[
        str, typer.Option("--include", metavar="WHAT", help="current, or history too.")
    ] = "current",
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="recorded or confidence.")
    ] = "recorded",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="At most so many.")
    ] = None,
) -> None:
    """List memories: in force now, unless asked otherwise.

    With --json a single JSON array, one record a line.
    """
    filters = given(
        type=memory_type, subject=subject, attribute=attribute,
        metadata=json_object("metadata", metadata), after=after, before=before, as_of=as_of,
        known_at=known_at, timezone=timezone, status=status, min_confidence=min_confidence,
        include=include, order=order,
    )  # fmt: skip
    with call.open() as memory:
        records = islice(memory.list(**filters), limit)
        if call.as_json:
            if not call.out.array(record.to_dict() for record in records):
                raise typer.Exit(ExitCode.NO_ANSWER)
            return
        found = list(records)
    if not found:
        no_answer(call, [], "No memory fits.")
    call.out.show(records_table(call.out.console, found, with_subject=True))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    command(app, "current")(current)
    command(app, "get")(get)
    command(app, "history")(history)
    command(app, "provenance")(provenance)
    command(app, "diff")(diff)
    command(app, "list")(list_memories)
