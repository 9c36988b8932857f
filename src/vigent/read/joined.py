"""Whether what was found by other ways is in force, where subjects may be joined."""

from __future__ import annotations

from vigent.domain.statements import Key, Statement
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Stretched
from vigent.read.reading import At, Reading
from vigent.standing import shown

__all__ = ["joined_holding"]


def joined_holding(
    reading: Reading, view: JoinedSnapshot, key: Key, statement: Statement, at: At
) -> Stretched | None:
    """Give the stretch over which a memory is in force at an instant; None where it is not.

    ``key`` is the memory's own. Joined subjects count as one: what another of their names has
    ended is not in force. A subject without aliases costs one look-up, kept by the view.
    """
    now = reading.now_of(view.one(key))
    if not shown(statement, now):
        return None
    when = now if at.as_of is None else at.as_of
    for found in view.at(key, statement.member, when, at.known_at):
        if found.statement.no == statement.no:
            return found
    return None
