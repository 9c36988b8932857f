"""Says what does not add up in a SQLite store: its pages, and beliefs against the replay."""

from __future__ import annotations

from typing import Final

from vigent.domain.passages import ITEM, MEMORY
from vigent.domain.statements import Belief, Statement
from vigent.domain.timeline import Segment, replay
from vigent.storage.sqlite.database import Database
from vigent.storage.sqlite.reading import Q, SqliteSnapshot, key_of

__all__ = ["inspect"]

_NAMES: Final = {MEMORY: "statement", ITEM: "episode"}


def inspect(connection: Database, tenant: str | None) -> list[str]:
    """Check the file, that what is believed of each key equals the replay, and the index."""
    run = connection.execute
    problems = [text for (text,) in run("PRAGMA quick_check").fetchall() if text != "ok"]
    tenants = [tenant] if tenant is not None else [t for (t,) in run(Q["tenants"]).fetchall()]
    for name in tenants:
        for row in run(Q["keys_of_tenant"], (name,)).fetchall():
            key = key_of(row)
            statements = [
                Statement._make(r) for r in run(Q["statements_of_key"], (name, key.no)).fetchall()
            ]
            rows = run(Q["beliefs_of_key"], (name, key.no)).fetchall()
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
        for kind, source, missing in SqliteSnapshot(connection).index_amiss(name):
            what = _NAMES[kind]
            fault = "missing" if missing else "there without need"
            problems.append(f"{what} {source}: its words are {fault}")
    return problems
