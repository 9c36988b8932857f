"""A confirmation of what has been confirmed often, without reading all that confirmed it.

An open value said again where that value already holds changes nothing of the timeline: it comes
after everything else from its instant, finds its value holding, and joins that memory. What holds
at the instant is what is believed there now, since statements from later instants change only what
lies at or after their own. So the walk over the run can be left out, and a memory confirmed ten
thousand times is confirmed once more at the cost of the first time.
"""

from __future__ import annotations

from vigent.domain.statements import Statement, edited
from vigent.domain.time import OPEN
from vigent.domain.timeline import Plan, Segment
from vigent.write.refold import Refolded
from vigent.write.work import Work

__all__ = ["PATIENCE", "joined_memory"]

PATIENCE = 4
"""How many statements are read before the short way is tried: it asks more of storage."""


def joined_memory(work: Work, statement: Statement) -> tuple[Refolded, Statement] | None:
    """Give the memory that a statement confirms, with the part of the timeline it stands in.

    None where the short way may give another answer than the walk: what holds is another value,
    or past its time; another policy once placed something after this one; an episode that says
    it twice; keys that an alias joins.
    """
    start, member = statement.valid_from, statement.member
    if type(work) is not Work or work.joined is not None or statement.valid_to != OPEN:
        return None
    transaction, key = work.transaction, work.key
    found = transaction.at(key, member, start, None)
    if len(found) != 1:
        return None
    _, belief, head = found[0]
    alike = head.token == statement.token and head.forgotten_at == OPEN
    if not alike or head.expires_at <= work.at or head.status != "active":
        return None
    if transaction.highest_place(key, member, start) > statement.place:
        return None
    episode = statement.source_episode
    if episode is not None and transaction.cites(key, member, episode):
        return None
    low, high = belief.valid_from, belief.valid_to
    work.amend(edited(head, evidence_count=head.evidence_count + 1))
    part = Refolded(
        member, low, high, [belief], [Segment(low, high, head.no)], {statement.no: statement},
        Plan(), {}, {},
    )  # fmt: skip
    return part, head
