"""Says what does not add up in the rows of a store: beliefs against the replay, and the index."""

from __future__ import annotations

from typing import Final

from vigent.domain.passages import ITEM, MEMORY
from vigent.domain.statements import Belief, Statement
from vigent.domain.timeline import Segment, replay
from vigent.storage.sql.reading import SqlSnapshot, key_of

__all__ = ["inspect_rows"]

_NAMES: Final = {MEMORY: "statement", ITEM: "episode"}


def inspect_rows(snapshot: SqlSnapshot, tenant: str | None) -> list[str]:
    """Check that what is believed of each key equals the replay, and that the index is right."""
    ask, problems = snapshot.ask, list[str]()
    for name in [tenant] if tenant is not None else snapshot.tenants():
        for row in ask("keys_of_tenant", (name,)):
            key = key_of(row)
            found = ask("statements_of_key", (name, key.no))
            statements = [Statement._make(r) for r in found]
            rows = ask("beliefs_of_key", (name, key.no))
            believed = [Belief._make(r) for r in rows if r[8] is None]
            members = {b.member for b in believed} | {
                s.member for s in statements if s.kind != "others"
            }
            for member in members:
                there = [
                    Segment(b.valid_from, b.valid_to, b.memory)
                    for b in believed
                    if b.member == member
                ]
                if there != replay(statements, member):
                    problems.append(f"{key.id.subject} {key.id.attribute}: beliefs differ")
        for kind, source, missing in snapshot.index_amiss(name):
            what = _NAMES[kind]
            fault = "missing" if missing else "there without need"
            problems.append(f"{what} {source}: its words are {fault}")
    return problems
