"""Forgetting: what a memory said goes for good, its place in the order stays as a gap."""

from __future__ import annotations

from collections.abc import Sequence

from vigent.domain.statements import Statement, edited
from vigent.domain.time import OPEN
from vigent.joining import JoinedSnapshot
from vigent.write.correct import run_of
from vigent.write.finish import finish
from vigent.write.gaps import leave_gap
from vigent.write.work import Work

__all__ = ["forget", "head_of_run"]


def head_of_run(work: Work, statement: Statement) -> int:
    """Give the memory a statement belongs to: the one it heads, or the one it confirms."""
    if statement.role == "evidence" or statement.withdrawn_at != OPEN:
        return statement.bears
    return run_of(work, statement)[0] if statement.live else statement.no


def forget(work: Work, statement: Statement) -> bool:
    """Forget the memory a statement belongs to, with all that supports it."""
    if statement.forgotten_at != OPEN:
        return False
    rows = [s for _, s in work.transaction.statements(work.context.tenant, of_key=work.key.no)]
    changes = work.changes
    if statement.role in {"held", "note"}:
        if statement.contested:
            _uncontest(work, statement, rows)
        changes.discarded.append(statement.no)
        changes.unsaid.append(statement.id)
        finish(work)
        return True
    live = [s for s in rows if s.live and s.bears == statement.no]
    if statement.live or live:
        memory, run = run_of(work, statement if statement.live else live[0])
    else:
        memory = statement.no
        run = [
            s
            for s in rows
            if s.token == statement.token
            and s.withdrawn_at == statement.withdrawn_at
            and s.kind == "value"
        ]
    leave_gap(work.transaction, work.key, memory, run, work.at, changes)
    line = work.joined.timeline(work.key) if isinstance(work.joined, JoinedSnapshot) else None
    if line is not None:  # a correction of it may stand under another of its names
        told = tuple(changes.untold)
        changes.untold.extend(u._replace(key=number) for number in line.keys for u in told)
    finish(work)
    return True


def _uncontest(work: Work, candidate: Statement, rows: Sequence[Statement]) -> None:
    """Take the mark off what stood against a candidate that goes, unless another still does."""
    if any(
        s.contested and s.role == "held" and s.no != candidate.no and s.expires_at > work.at
        for s in rows
    ):
        return
    for s in rows:
        if s.contested and s.role == "asserted":
            work.amend(edited(s, contested=0))
