"""Commands for what a model sees: context, and block list, get, set, replace, delete, history."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer
from rich.text import Text

from vigent import Block, ContextAnswer
from vigent.edges.cli import options
from vigent.edges.cli.command import Call, command, group, no_answer
from vigent.edges.cli.inputs import given, json_object, words_or_stdin
from vigent.edges.cli.tables import card, moment, rows, visible
from vigent.errors import InvalidInput

__all__ = ["register"]

_SHOWN: Final = 300

BlockName = Annotated[str, typer.Argument(metavar="NAME", help="The block's name.")]


def context(
    call: Call,
    *,
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="What is asked; - reads it.")
    ] = None,
    thread: Annotated[
        str | None,
        typer.Option(
            "--thread", metavar="ID", help="The conversation; without QUERY its last user item."
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Option("--system", metavar="TEXT", help="The system prompt.")
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", metavar="TOKENS", help="What all messages may take.")
    ] = 8_000,
    share: Annotated[
        float, typer.Option("--share", metavar="0..1", help="How much of it memory may take.")
    ] = 0.2,
    turns: Annotated[
        int, typer.Option("--turns", metavar="N", help="How many recent turns; at least 3.")
    ] = 5,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="How many memories the question chooses.")
    ] = 10,
    injection: Annotated[
        str | None,
        typer.Option("--injection", metavar="JSON", help="Which memories: types, metadata …"),
    ] = None,
    settings: Annotated[
        str | None,
        typer.Option("--settings", metavar="JSON", help="The settings of the store, by section."),
    ] = None,
    timezone: options.Timezone = None,
) -> None:
    """Show what a model is sent: system prompt, memory, recent turns, question."""
    asked = None if query is None else words_or_stdin("query", query)
    if asked is None and thread is None:
        raise InvalidInput("query", "must be given, or --thread")
    opening = given(
        injection=json_object("injection", injection), settings=json_object("settings", settings)
    )
    with call.open(**opening) as memory:
        answer = memory.context(
            asked, thread=thread, system_prompt=system, budget_tokens=budget, memory_share=share,
            recent_turns=turns, limit=limit, timezone=timezone,
        )  # fmt: skip
    if call.as_json:
        call.out.document(answer.to_dict())
    else:
        _show(call, answer)


def _show(call: Call, answer: ContextAnswer) -> None:
    for message in answer.messages:
        head = Text(message.kind, style="bold cyan")
        call.out.show(head)
        call.out.verbatim(Text("\n".join(map(visible, message.content.split("\n")))))
        call.out.show(Text(""))
    trace = answer.trace
    left_out = [
        (trace.dropped_by_count, "more than the number allowed"),
        (trace.dropped_by_budget, "too large for what was left"),
    ]
    call.out.show(
        card(
            [
                ("memory", f"{trace.estimated_tokens} of {trace.memory_budget} tokens"),
                ("all", f"{trace.total_tokens} of {trace.budget_tokens} tokens"),
                ("left out", ", ".join(f"{n} {why}" for n, why in left_out if n)),
                ("notes", visible("; ".join(trace.notes))),
            ]
        )
    )


def _answer(call: Call, found: Block) -> None:
    if call.as_json:
        call.out.document(found.to_dict())
        return
    call.out.show(
        card(
            [
                ("block", Text(visible(found.name), style="bold")),
                ("person", visible(found.person or "(shared)")),
                ("since", moment(found.set_at)),
            ]
        ),
        Text("\n".join(map(visible, found.text.split("\n")))),
    )


def _table(call: Call, found: tuple[Block, ...], nothing: str) -> None:
    if not found:
        no_answer(call, [], nothing)
    elif call.as_json:
        call.out.array(block.to_dict() for block in found)
    else:
        table = rows("block", "person", "since (UTC)", "until (UTC)", "words", whole=3)
        for block in found:
            words = visible(block.text)
            table.add_row(
                Text(visible(block.name), style="bold"),
                visible(block.person or "(shared)"),
                moment(block.set_at),
                moment(block.ended_at) if block.ended_at else "",
                words if len(words) <= _SHOWN else f"{words[:_SHOWN]} …",
            )
        call.out.show(table)


def list_blocks(
    call: Call,
    *,
    as_of: options.AsOf = None,
    known_at: options.KnownAt = None,
    timezone: options.Timezone = None,
) -> None:
    """List the blocks of a person with the shared ones, by name."""
    with call.open() as memory:
        found = memory.blocks.list(as_of=as_of, known_at=known_at, timezone=timezone)
    _table(call, found, "There are no blocks.")


def get(
    call: Call,
    *,
    name: BlockName,
    as_of: options.AsOf = None,
    known_at: options.KnownAt = None,
    timezone: options.Timezone = None,
) -> None:
    """Show one block."""
    with call.open() as memory:
        found = memory.blocks.get(name, as_of=as_of, known_at=known_at, timezone=timezone)
    _answer(call, found)


def set_block(
    call: Call,
    *,
    name: BlockName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What it says; - reads it.")],
) -> None:
    """Let a block say this."""
    said = words_or_stdin("text", text)
    with call.open(create=True) as memory:
        found = memory.blocks.set(name, said)
    _answer(call, found)


def replace(
    call: Call,
    *,
    name: BlockName,
    old: Annotated[str, typer.Argument(metavar="OLD", help="What stands there exactly once.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is put for it.")],
) -> None:
    """Put one text for another in a block."""
    with call.open() as memory:
        found = memory.blocks.replace(name, old, new)
    _answer(call, found)


def delete(call: Call, *, name: BlockName) -> None:
    """End a block; its history stays."""
    with call.open() as memory:
        memory.blocks.delete(name)
    if call.as_json:
        call.out.document({"name": name, "deleted": True})
    else:
        call.out.show(Text(f"Ended the block {visible(name)}; its history stays."))


def history(call: Call, *, name: BlockName) -> None:
    """Show all that an owner's block ever said."""
    with call.open() as memory:
        found = memory.blocks.history(name)
    _table(call, found, "There was no such block.")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verbs: dict[str, Any] = {
        "list": list_blocks, "get": get, "set": set_block, "replace": replace,
        "delete": delete, "history": history,
    }  # fmt: skip
    command(app, "context")(context)
    block = group(app, "block", "Short notes under a name that stand in every context.")
    for name, verb in verbs.items():
        command(block, name)(verb)
