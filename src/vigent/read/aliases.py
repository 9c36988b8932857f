"""What a subject is called."""

from __future__ import annotations

from vigent.domain.aliases import Alias, Names
from vigent.domain.records import Record
from vigent.domain.text import canonical_subject
from vigent.domain.values import render
from vigent.read.reading import NOW, Reading
from vigent.read.state import state

__all__ = ["aliases", "names"]


def aliases(reading: Reading, person: str, subject: object) -> tuple[Alias, ...]:
    """Give a person's and the shared aliases, of one subject or of all, in order of name."""
    canon = None if subject is None else canonical_subject(subject)[1]
    with reading.view(person) as view:
        joined = None if canon is None else view.names(canon)
        rows = view.plain.aliases(reading.tenant, reading.store, person, None)
    hidden = {row.name for row in rows if person and row.person == person}
    return tuple(
        Alias.of(row)
        for row in rows
        if (joined is None or row.name in joined) and (row.person or row.name not in hidden)
    )


def names(reading: Reading, person: str, subject: object) -> Names:
    """Give the names of a subject, which may be asked for by any of them."""
    canon = canonical_subject(subject)[1]
    with reading.view(person) as view:
        every = view.names(canon)
        written = {
            key.name: None
            for name in every
            for key in view.plain.keys(reading.selection(person, name))
        }
    called = state(reading, every[0], person, NOW).get("name", ())
    records = (called,) if isinstance(called, Record) else called
    return Names(
        every[0],
        tuple(written),
        tuple(dict.fromkeys(alias.name for alias in aliases(reading, person, canon))),
        tuple(render(r.value_kind or "text", str(r.content[3])) for r in records),
    )
