"""Holds candidates for review: they take no part in the timeline until they are accepted."""

from __future__ import annotations

import json
from typing import NamedTuple

from vigent.domain.records import Stretch
from vigent.domain.statements import edited
from vigent.domain.time import Instant
from vigent.errors import InvalidInput
from vigent.write.draft import Draft
from vigent.write.entered import Entered
from vigent.write.finish import finish
from vigent.write.work import Standing, Work

__all__ = ["Dated", "hold"]


class Dated(NamedTuple):
    """When a statement holds, and how the start is known; who spoke."""

    start: Instant
    end: Instant
    basis: str
    speaker: str | None


def hold(
    work: Work, draft: Draft, dated: Dated, member: bytes, reason: str, *, contested: bool = False
) -> Entered:
    """Keep a candidate for review; it takes no part in the timeline until it is accepted."""
    dated = dated._replace(start=_start(work, draft, dated))
    request = {
        "mode": draft.mode,
        "corrects": draft.corrects,
        "supersedes": draft.supersedes,
        "retract": draft.retract,
        "start_given": draft.valid_from is not None,
        "end_given": draft.end_given,
        "values": [list(v) for v in draft.values],
    }
    value = draft.values[0] if draft.values else None
    statement = work.state(
        draft, value, kind="value", member=member, start=dated.start, end=dated.end,
        basis=dated.basis, speaker=dated.speaker, role="held", status=draft.hold_as,
        reason=reason, keep=json.dumps(request),
    )  # fmt: skip
    statement = edited(statement, contested=int(contested))
    work.new[statement.no] = statement
    finish(work)
    stretch = Stretch(dated.start, dated.end, work.at, None)
    return Entered(draft.hold_as, Standing(statement, stretch, None, None), (), reason)


def _start(work: Work, draft: Draft, dated: Dated) -> Instant:
    """Give from when a candidate would hold: a correction of a memory keeps the memory's start."""
    if draft.corrects is None or draft.valid_from is not None:
        return dated.start
    found = work.transaction.statements(work.context.tenant, ids=[draft.corrects])
    start = found[0][1].valid_from if found else dated.start
    if start >= dated.end:
        raise InvalidInput("valid_to", "must leave something of the memory")
    return start
