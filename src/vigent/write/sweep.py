"""Forgets what is past its time, removes old threads, and leaves stubs of old episodes.

Candidates go with the episode that they rest on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.time import OPEN, Instant
from vigent.write.answering import apply
from vigent.write.candidaterows import orphans
from vigent.write.capture import drop
from vigent.write.derived import drop_resting
from vigent.write.forget import forget, head_of_run
from vigent.write.pipeline import WritePipeline
from vigent.write.session import Session

__all__ = ["sweep"]

_AT_ONCE: Final = 25
"""How many memories or threads go in one transaction, so that nobody waits long for the lock."""


def sweep(pipeline: WritePipeline) -> int:
    """Forget the memories of the tenant that have expired; gives how many.

    It takes as many transactions as it needs: others write in between.
    """
    tenant, now = pipeline.context.tenant, pipeline.context.clock.now()
    with pipeline.storage.snapshot() as snapshot:
        expired = [s.no for _, s in snapshot.statements(tenant, expired_by=now)]
    forgotten = 0
    for start in range(0, len(expired), _AT_ONCE):
        with pipeline.session() as session:
            forgotten += _forget(pipeline, session, expired[start : start + _AT_ONCE], now)
    more = True
    while more:
        with pipeline.session() as session:
            threads = session.transaction.threads_expired(tenant, now)
            for thread in threads[:_AT_ONCE]:
                drop(session.transaction, thread)
            more = len(threads) > _AT_ONCE
    with pipeline.session() as session:
        stubs = [row.no for row in session.transaction.episodes(tenant, expired_by=now)]
        if stubs:
            session.transaction.apply(ChangeSet(tenant, stubs=stubs))
    with pipeline.storage.snapshot() as snapshot:
        gone = orphans(snapshot, pipeline.context)
    for start in range(0, len(gone), _AT_ONCE):
        removed = ResourceChanges(removed=gone[start : start + _AT_ONCE])
        with pipeline.session() as session:
            session.transaction.apply(ChangeSet(tenant, resources=removed))
    return forgotten


def _forget(pipeline: WritePipeline, session: Session, numbers: Sequence[int], now: Instant) -> int:
    """Forget those of these statements that are still past their time; gives how many."""
    context, transaction = pipeline.context, session.transaction
    forgotten = 0
    for number in numbers:
        rows = transaction.statements(context.tenant, numbers=[number])
        if not rows or rows[0][1].forgotten_at != OPEN or rows[0][1].expires_at > now:
            continue
        key, statement = rows[0]
        work = pipeline.work(session, key)
        # A memory goes by the time of the statement that heads it, not of who confirms it.
        if statement.role == "evidence":
            continue
        if statement.live and work.find(head_of_run(work, statement)).expires_at > now:
            continue
        if forget(work, statement):
            work.changes.audit.append(
                context.audit(
                    person=key.id.person, key=key.no, at=work.at, action="memory_expire",
                    outcome="forgotten", target=statement.id, content={},
                )
            )  # fmt: skip
            apply(work)
            if statement.type == "episode":
                drop_resting(pipeline, session, key.id.person, statement.id)
            forgotten += 1
    return forgotten
