"""Commands about a person as such: persons link, persons export."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from vigent.edges.cli.command import Call, command, group
from vigent.edges.cli.tables import visible
from vigent.govern.people import exported

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


def export(
    call: Call,
    person_id: Annotated[str, typer.Argument(metavar="PERSON", help="Who.")],
) -> None:
    """Print everything that is kept of a person in every store of the tenant, as JSON."""
    with call.serve() as service, service.storage.snapshot() as snapshot:
        call.out.document(exported(snapshot, call.tenant, person_id, service.clock.now()))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    persons = group(app, "persons", "Say what is known of persons as such.")
    command(persons, "link")(link)
    command(persons, "export")(export)
