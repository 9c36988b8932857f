"""Commands for conversations: thread create, append, list, items, state, delete."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from vigent import Thread, ThreadItem, ThreadState
from vigent.edges.cli import options
from vigent.edges.cli.command import Call, command, group, no_answer
from vigent.edges.cli.inputs import given, json_object, json_value, words_or_stdin
from vigent.edges.cli.tables import card, moment, rows, visible

__all__ = ["register"]

_SHOWN: Final = 300

ThreadId = Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id.")]


def _shortened(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]} …"


def _words(item: ThreadItem) -> str:
    return "(past its time)" if item.content is None else _shortened(visible(item.content))


def _title(thread: Thread) -> str:
    return _shortened(visible(str(thread.metadata.get("title", ""))))


def create(
    call: Call,
    *,
    id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Your id for it; else one is made.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="ID", help="The agent that it is with.")
    ] = None,
    ttl_days: Annotated[
        int | None,
        typer.Option("--ttl-days", metavar="N", help="Kept so long after its last item; 90."),
    ] = None,
    metadata: options.Metadata = None,
) -> None:
    """Begin a thread, of a person or shared."""
    more = json_object("metadata", metadata)
    with call.open(create=True) as memory:
        thread = memory.threads.create(
            **given(id=id, agent=agent, ttl_days=ttl_days, metadata=more)
        )
    if call.as_json:
        call.out.document(thread.to_dict())
    else:
        _show_thread(call, "created", thread)


def _show_thread(call: Call, headline: str, thread: Thread) -> None:
    call.out.show(
        card(
            [
                (headline, Text(visible(thread.id), style="bold")),
                ("person", visible(thread.person or "(shared)")),
                ("agent", visible(thread.agent or "")),
                ("title", _title(thread)),
                ("kept until", moment(thread.expires_at)),
            ]
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What ``thread append`` takes, by the engine's names."""

    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="user, assistant, system, tool.")
    ] = None
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="user, assistant, system, tool_call, tool_result, reasoning, plan; or --role.",
        ),
    ] = None
    occurred_at: Annotated[
        str | None,
        typer.Option("--occurred-at", metavar="WHEN", help="When; an instant with its offset."),
    ] = None
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who spoke.")] = (
        None
    )
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="ID", help="The agent that it comes from.")
    ] = None
    external_id: Annotated[
        str | None,
        typer.Option(
            "--external-id", metavar="ID", help="Your id; the same one again gives the first."
        ),
    ] = None
    metadata: options.Metadata = None
    sealed: Annotated[
        bool, typer.Option("--sealed", help="Keep it for the thread alone; nothing learns from it.")
    ] = False


def append(
    call: Call,
    *,
    thread: ThreadId,
    content: Annotated[
        str, typer.Argument(metavar="CONTENT", help="What was said or done; - reads it.")
    ],
    item: Item,
) -> None:
    """Add an item to a thread."""
    arguments = given(**asdict(item))
    if item.metadata is not None:
        arguments["metadata"] = json_object("metadata", item.metadata)
    with call.open() as memory:
        added = memory.threads.append(thread, words_or_stdin("content", content), **arguments)
    if call.as_json:
        call.out.document(added.to_dict())
        return
    call.out.show(
        card(
            [
                ("item", Text(added.id, no_wrap=True)),
                ("position", str(added.position)),
                ("kind", visible(added.kind)),
                ("when", moment(added.occurred_at)),
                ("words", _words(added)),
            ]
        )
    )


def list_threads(call: Call) -> None:
    """List the threads of a person with the shared ones, in the order in which they were made."""
    with call.open() as memory:
        found = memory.threads.list()
    if not found:
        no_answer(call, [], "There are no threads.")
    elif call.as_json:
        call.out.array(thread.to_dict() for thread in found)
    else:
        table = rows("thread", "title", "person", "last", "kept until (UTC)", whole=4)
        for thread in found:
            table.add_row(
                Text(visible(thread.id), style="bold"),
                _title(thread),
                visible(thread.person or "(shared)"),
                str(thread.last_position),
                moment(thread.expires_at),
            )
        call.out.show(table)


def items(
    call: Call,
    *,
    thread: ThreadId,
    after: Annotated[
        str | None, typer.Option("--after", metavar="ID", help="Only what follows this item.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", help="Only the last so many.")
    ] = None,
) -> None:
    """Show the items of a thread in order."""
    with call.open() as memory:
        found = memory.threads.items(thread, after=after, last=last)
    if not found:
        no_answer(call, [], "There are no items.")
    elif call.as_json:
        call.out.array(item.to_dict() for item in found)
    else:
        table = rows("", "when (UTC)", "kind", "words", whole=1)
        for item in found:
            kind = Text(visible(item.kind), style="cyan")
            table.add_row(
                str(item.position),
                moment(item.occurred_at),
                kind.append(" (sealed)", style="dim") if item.sealed else kind,
                _words(item),
            )
        call.out.show(table)


def state(
    call: Call,
    *,
    thread: ThreadId,
    new: Annotated[
        str | None,
        typer.Option("--set", metavar="JSON", help="Set it to this object; - reads it."),
    ] = None,
    expect: Annotated[
        int | None,
        typer.Option("--expect", metavar="N", help="Set it only if it is at this version."),
    ] = None,
) -> None:
    """Show the state of a thread, or set it."""
    document: Any = None if new is None else json_value("state", words_or_stdin("state", new))
    with call.open() as memory:
        found = (
            memory.threads.state(thread)
            if new is None
            else memory.threads.set_state(thread, document, expect=expect)
        )
    if call.as_json:
        call.out.document(found.to_dict())
    else:
        _show_state(call, found)


def _show_state(call: Call, found: ThreadState) -> None:
    fields = found.to_dict()["state"]
    call.out.show(
        card(
            [
                ("version", str(found.version)),
                ("set", moment(found.updated_at) if found.updated_at else None),
                *(
                    (visible(name), visible(json.dumps(value, ensure_ascii=False)))
                    for name, value in fields.items()
                ),
            ]
        )
    )


def delete(call: Call, thread: ThreadId) -> None:
    """Remove a thread, its items' content and its state; what was learned stays."""
    with call.open() as memory:
        count = memory.threads.delete(thread)
    if call.as_json:
        call.out.document({"thread_id": thread, "items": count})
    else:
        what = "1 item" if count == 1 else f"{count} items"
        call.out.show(Text(f"Removed {visible(thread)} with {what}; what was learned stays."))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    thread = group(app, "thread", "Conversations in order, and the state of a session.")
    command(thread, "create")(create)
    command(thread, "append")(append)
    command(thread, "list")(list_threads)
    command(thread, "items")(items)
    command(thread, "state")(state)
    command(thread, "delete")(delete)
