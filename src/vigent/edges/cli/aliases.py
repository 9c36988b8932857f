"""The command that joins names: alias."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from vigent import Memory
from vigent.edges.cli.command import Call, command, no_answer
from vigent.edges.cli.tables import moment, rows, visible
from vigent.errors import InvalidInput

__all__ = ["register"]


def alias(
    call: Call,
    *,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The other name; with --list, only that subject's."),
    ] = None,
    of: Annotated[
        str | None, typer.Option("--of", metavar="SUBJECT", help="The subject it stands for.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Part the name again.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="List the aliases.")] = False,
) -> None:
    """Join a name with a subject, so that both are read as one; part it again; or list all."""
    if [of is not None, remove, list_all].count(True) != 1:
        raise InvalidInput("of", "give one of --of SUBJECT, --remove and --list")
    if list_all:
        with call.open() as memory:
            _list(call, memory, name)
        return
    if name is None:
        raise InvalidInput("name", "must be given")
    with call.open(create=of is not None) as memory:
        done = memory.alias.remove(name) if of is None else memory.alias(name, of=of)
    if call.as_json:
        call.out.document(done.to_dict())
    elif done.alias is None:
        call.out.show(Text(visible(f"{name} is no alias; nothing was changed.")))
    else:
        made, verb = done.alias, "parted from" if of is None else "an alias of"
        call.out.show(Text(visible(f"{made.name} is {verb} {made.subject}.")))


def _list(call: Call, memory: Memory, subject: str | None) -> None:
    found = memory.alias.list(subject)
    if not found:
        no_answer(call, [], "There are no aliases.")
    elif call.as_json:
        call.out.array(each.to_dict() for each in found)
    else:
        table = rows("name", "stands for", "person", "since (UTC)", whole=3)
        for each in found:
            table.add_row(
                Text(visible(each.name), style="bold"),
                visible(each.subject),
                visible(each.person or "(shared)"),
                moment(each.created_at),
            )
        call.out.show(table)


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    command(app, "alias")(alias)
