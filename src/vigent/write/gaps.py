"""Gaps: what is left of forgotten memories, their place in the order and nothing they said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from vigent.domain.changes import ChangeSet, Forget, Untold
from vigent.domain.statements import Key, Statement
from vigent.domain.time import OPEN, Instant
from vigent.ports.storage import Folding

__all__ = ["leave_gap"]


def leave_gap(
    transaction: Folding,
    key: Key,
    memory: int,
    run: Sequence[Statement],
    at: Instant,
    changes: ChangeSet,
) -> None:
    """Note that a memory is forgotten with all that supports it; its place in the order stays.

    Retractions of it lose their words too: they would tell it again.
    """
    rows = [s for _, s in transaction.statements(key.id.tenant, of_key=key.no)]
    gone = {s.no for s in run} | {memory}
    gone |= {s.no for s in rows if s.role == "evidence" and s.bears in gone}
    gone |= {s.no for s in rows if s.bears in gone and s.kind == "value"}
    changes.forgotten.extend(
        Forget(s.no, s.id, at, memory, s.withdrawn_at)
        for s in rows
        if s.no in gone and s.forgotten_at == OPEN
    )
    changes.untold.extend(_untold(key, [s for s in rows if s.no in gone]))
    token = next(s.token for s in rows if s.no == memory)
    ends = {found.belief.valid_to for found in transaction.beliefs(key, memory)}
    changes.blanked.extend(
        (s.no, s.id)
        for s in rows
        if (s.kind in ("end", "none") and s.token == token)
        or (s.kind in ("none", "others") and s.valid_from in ends)
    )


def _untold(key: Key, gone: Sequence[Statement]) -> Iterable[Untold]:
    """Say how the audit tells what is gone: what corrected it, what was asked for and not found."""
    for number in {key.no, *(s.key for s in gone)}:
        for s in gone:
            value = orjson.dumps(s.value if s.text is None else s.text).decode()
            yield Untold(number, f'"{s.id}"', f'"value":{value}')
