"""Always-visible blocks as readers see them: a person's own before the shared of the same name."""

from __future__ import annotations

from vigent.domain.blocks import BLOCK_SUBJECT, Block, check_block_name
from vigent.domain.records import Record, Stretch
from vigent.domain.statements import ONE_VALUE
from vigent.domain.text import own_name
from vigent.errors import NotFound
from vigent.ports.storage import Selection, Snapshot, Stretched
from vigent.read.past import stretch_record
from vigent.read.reading import NOW, At, Reading
from vigent.standing import shown

__all__ = ["block", "block_history", "block_records", "blocks"]


def block_records(reading: Reading, snapshot: Snapshot, person: str) -> list[Record]:
    """Give the blocks that stand now as records for a context, by name."""
    return [
        reading.alone(key, statement, Stretch(*belief[5:]))
        for key, belief, statement in _standing(reading, snapshot, person, NOW, None)
    ]


def _standing(
    reading: Reading, snapshot: Snapshot, person: str, at: At, name: str | None
) -> list[Stretched]:
    persons = reading.scope(person).readable
    attribute, type = (None, None) if name is None else (own_name(name), "")
    keys = snapshot.keys(
        Selection(reading.tenant, reading.store, persons, BLOCK_SUBJECT, attribute, type)
    )
    found: dict[str, Stretched] = {}
    for owner in persons:
        for key in keys:
            if key.id.person != owner or key.id.attribute in found:
                continue
            now = reading.now_of(key)
            when = now if at.as_of is None else at.as_of
            for there in snapshot.at(key, ONE_VALUE, when, at.known_at):
                if shown(there.statement, now):
                    found[key.id.attribute] = there
    return [found[attribute] for attribute in sorted(found)]


def blocks(reading: Reading, person: str, at: At, name: str | None = None) -> tuple[Block, ...]:
    """Give the blocks that a person sees, by name, or the one of a name."""
    with reading.storage.snapshot() as snapshot:
        return tuple(
            Block(reading.record(snapshot, found, at))
            for found in _standing(reading, snapshot, person, at, name)
        )


def block(reading: Reading, name: object, person: str, at: At) -> Block:
    """Give one block; raises NotFound."""
    named = check_block_name(name)
    for found in blocks(reading, person, at, named):
        return found
    raise NotFound(f"name: there is no block {named} here", field="name")


def block_history(reading: Reading, name: object, person: str) -> tuple[Block, ...]:
    """Give all that an owner's block ever said, by valid_from, then recorded_from."""
    attribute = own_name(check_block_name(name))
    with reading.view(person) as snapshot:
        keys = snapshot.keys(
            Selection(reading.tenant, reading.store, (person,), BLOCK_SUBJECT, attribute, "")
        )
        return tuple(
            Block(stretch_record(reading, snapshot, found))
            for key in keys
            for found in snapshot.beliefs(key)
            if shown(found.statement, reading.now_of(key))
        )
