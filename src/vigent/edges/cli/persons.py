"""The command that says what is known of a person as such: persons link."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from vigent.edges.cli.command import Call, command, group
from vigent.edges.cli.tables import visible

__all__ = ["register"]


def link(
    call: Call,
    person_id: Annotated[str, typer.Argument(metavar="PERSON", help="Who.")],
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The entity they are.")],
) -> None:
    """Note which entity a person is: erasing them takes what is shared about it along."""
    with call.open(create=True) as memory:
        memory.persons.link(person_id, subject)
    if call.as_json:
        call.out.document({"person_id": person_id, "subject": subject})
    else:
        call.out.show(Text(visible(f"{person_id} is {subject}.")))


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    persons = group(app, "persons", "Say what is known of persons as such.")
    command(persons, "link")(link)
