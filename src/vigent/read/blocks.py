"""Always-visible blocks as readers see them: a person's own before the shared of the same name."""

from __future__ import annotations

from vigent.domain.blocks import BLOCK_SUBJECT, Block, check_block_name
from vigent.domain.records import Record
from vigent.domain.statements import ONE_VALUE
from vigent.domain.text import own_name
from vigent.errors import NotFound
from vigent.ports.storage import Selection, Snapshot
from vigent.read.past import stretch_record
from vigent.read.reading import At, Reading
from vigent.standing import shown

__all__ = ["block", "block_history", "block_records", "blocks"]


def block_records(reading: Reading, snapshot: Snapshot, person: str, at: At) -> list[Record]:
    """Give the blocks in force at an instant as records, by name."""
    return [
        found
        for _, found in sorted(
            _named(reading, snapshot, person, at, None).items(), key=lambda pair: pair[0]
        )
    ]


def _named(
    reading: Reading, snapshot: Snapshot, person: str, at: At, name: str | None
) -> dict[str, Record]:
    found: dict[str, Record] = {}
    persons = reading.scope(person).readable
    attribute = None if name is None else own_name(name)
    type = None if name is None else ""
    keys = snapshot.keys(
        Selection(reading.tenant, reading.store, persons, BLOCK_SUBJECT, attribute, type)
    )
    for owner in persons:
        for key in keys:
            if key.id.person != owner or key.id.attribute in found:
                continue
            now = reading.now_of(key)
            when = now if at.as_of is None else at.as_of
            for there in snapshot.at(key, ONE_VALUE, when, at.known_at):
                if shown(there.statement, now):
                    found[key.id.attribute] = reading.record(snapshot, there, at)
    return found


def blocks(reading: Reading, person: str, at: At) -> tuple[Block, ...]:
    """Give the blocks that a person sees, by name."""
    with reading.storage.snapshot() as snapshot:
        return tuple(Block(r) for r in block_records(reading, snapshot, person, at))


def block(reading: Reading, name: object, person: str, at: At) -> Block:
    """Give one block; raises NotFound."""
    named = check_block_name(name)
    with reading.storage.snapshot() as snapshot:
        found = _named(reading, snapshot, person, at, named)
    if not found:
        raise NotFound(f"name: there is no block {named} here", field="name")
    return Block(next(iter(found.values())))


def block_history(reading: Reading, name: object, person: str) -> tuple[Block, ...]:
    """Give all that an owner's block ever said, by valid_from, then recorded_from."""
    attribute = own_name(check_block_name(name))
    with reading.storage.snapshot() as snapshot:
        keys = snapshot.keys(
            Selection(reading.tenant, reading.store, (person,), BLOCK_SUBJECT, attribute, "")
        )
        return tuple(
            Block(stretch_record(reading, snapshot, found))
            for key in keys
            for found in snapshot.beliefs(key)
            if shown(found.statement, reading.now_of(key))
        )
