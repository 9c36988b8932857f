"""Commands that remove content for good: forget, sweep, erase-person."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.text import Text

from vigent.edges.cli import options
from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.command import Call, command
from vigent.edges.cli.output import progress_bar
from vigent.edges.cli.tables import card, moment, rows, visible
from vigent.errors import InvalidInput

__all__ = ["register"]


def forget(call: Call, memory_id: options.MemoryId) -> None:
    """Remove the content of one memory for good.

    What it had ended does not come back. To say that something no longer holds, use retract.
    """
    with call.open() as memory:
        result = memory.forget(memory_id)
    if call.as_json:
        call.out.document({"memory_id": result.memory_id, "forgotten": result.forgotten})
    else:
        what = "Forgot" if result.forgotten else "Nothing to forget in"
        call.out.show(Text(f"{what} {visible(result.memory_id)}."))


def sweep(call: Call) -> None:
    """Forget what is past its time, and leave stubs of old episodes; run it once a day."""
    with call.open() as memory:
        count = memory.sweep()
    if call.as_json:
        call.out.document({"forgotten": count})
    else:
        call.out.show(Text(f"Forgot {count} past their time."))


def _confirm(question: str) -> None:
    """Ask on the terminal; ends the command unless the answer is yes."""
    try:
        sure = typer.confirm(visible(question), err=True)
    except typer.Abort:  # Ctrl-C or Ctrl-D
        sure = False
    if not sure:
        print("Nothing was erased.", file=sys.stderr)
        raise typer.Exit(ExitCode.NO_ANSWER)


def erase_person(
    call: Call,
    person_id: Annotated[
        str | None, typer.Argument(metavar="PERSON", help="Who; or give --person.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be removed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="On a terminal: do not ask.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until it is gone from the files' bytes too.")
    ] = False,
) -> None:
    """Remove everything of a person, and give a receipt. It cannot be undone.

    See with --dry-run first what would go. On a terminal it asks; where standard input is none,
    as in a script, it does not.
    """
    if person_id is None:
        person_id = call.person
    elif call.person not in {None, person_id}:
        raise InvalidInput("person", "the argument and --person name two different persons")
    if person_id is None:
        raise InvalidInput("person", "say whose memory to erase")
    if not (dry_run or yes) and sys.stdin.isatty():
        call.place()  # where there is no store there is nothing to ask about
        _confirm(f"Erase {person_id} in tenant {call.tenant} of {call.db} for good?")
    with (
        call.open() as memory,
        progress_bar("counting" if dry_run else "erasing"),
    ):
        receipt = memory.erase_person(person_id, dry_run=dry_run, wait=wait)
    unknown = not receipt.shared and not any(receipt.counts.values())
    warning = (
        f"nothing was known of {visible(person_id)} in this tenant; check the spelling. What is "
        "shared about a subject of that name stays, unless vigent persons link joins the two"
    )
    if call.as_json:
        call.out.document(receipt.to_dict() | {"warning": warning if unknown else None})
        return
    if unknown:
        print(f"warning: {warning}", file=sys.stderr)
    table = rows("table", "rows")
    for name, count in receipt.counts.items():
        table.add_row(name, str(count))
    about = "\n".join(receipt.shared)
    call.out.show(
        card(
            [
                ("state", Text(receipt.state, style="bold")),
                ("at", moment(receipt.at)),
                ("person", f"{receipt.person_hash}  (a hash: the name is not kept)"),
                ("shared", about),
            ]
        ),
        table,
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    command(app, "forget")(forget)
    command(app, "sweep")(sweep)
    command(app, "erase-person")(erase_person)
