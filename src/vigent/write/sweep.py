"""Forgets what is past its time, removes old threads, and leaves stubs of old episodes."""

from __future__ import annotations

from vigent.domain.changes import ChangeSet
from vigent.domain.time import OPEN
from vigent.write.answering import apply
from vigent.write.capture import drop
from vigent.write.forget import forget, head_of_run
from vigent.write.pipeline import WritePipeline

__all__ = ["sweep"]


def sweep(pipeline: WritePipeline) -> int:
    """Forget the memories of the tenant that have expired; gives how many."""
    context = pipeline.context
    now = context.clock.now()
    forgotten = 0
    with pipeline.session() as session:
        transaction = session.transaction
        for _, listed in transaction.statements(context.tenant, expired_by=now):
            rows = transaction.statements(context.tenant, numbers=[listed.no])
            if not rows or rows[0][1].forgotten_at != OPEN:
                continue
            key, statement = rows[0]
            work = pipeline.work(session, key, key.id.person)
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
                forgotten += 1
        for thread in transaction.threads_expired(context.tenant, now):
            drop(transaction, thread)
        stubs = [row.no for row in transaction.episodes(context.tenant, expired_by=now)]
        if stubs:
            transaction.apply(ChangeSet(context.tenant, stubs=stubs))
    return forgotten
