"""Makes threads, sets their state, and lets them go; their items are captured."""

from __future__ import annotations

from vigent.domain.changes import AuditEntry, ChangeSet, ThreadChanges
from vigent.domain.jsontext import check_metadata
from vigent.domain.text import check_id, check_name
from vigent.domain.threads import StateRow, Thread, ThreadRow, ThreadState, check_state
from vigent.domain.time import DAY
from vigent.errors import Forbidden, InvalidInput, ThreadExists, UnexpectedVersion
from vigent.once import Once
from vigent.ports.storage import Transaction
from vigent.write.capture import THREAD_DAYS, drop, find_thread
from vigent.write.pipeline import WritePipeline

__all__ = ["ThreadWriter"]


class ThreadWriter:
    """Writes threads of one tenant and store."""

    def __init__(self, pipeline: WritePipeline) -> None:
        self.pipeline = pipeline
        self.context = pipeline.context

    def create(
        self,
        person: str,
        *,
        id: object,
        agent: object,
        metadata: object,
        ttl_days: object,
        idempotency_key: str | None = None,
    ) -> Thread:
        """Make a thread; raises ThreadExists where the person has one of this id."""
        context, now = self.context, self.context.clock.now()
        name = context.ids.new("th") if id is None else check_id(id, "id")
        by = None if agent is None else check_name(agent, "agent")
        more, days = check_metadata(metadata), _days(ttl_days)
        with self.pipeline.session() as session:
            transaction = session.transaction
            once = None
            if idempotency_key is not None:
                # An id that the service issues is another each time, and no part of what is asked.
                once = Once.of(
                    context.tenant, context.caller, "threads", idempotency_key, context.store,
                    person, by, more, days, salt=session.salt,
                )  # fmt: skip
                before = once.before(transaction, now)
                if before is not None:
                    return Thread(find_thread(transaction, context, person, before["thread"], now))
            for old in transaction.threads(context.tenant, context.store, (person,), name):
                if old.expires_at > now:
                    raise ThreadExists(f"id: there is a thread {name} already", field="id")
                drop(transaction, old)  # past its time, and not swept yet
            row = ThreadRow(
                transaction.next_thread(), context.tenant, context.store, person, name, by, more,
                now, days, 0, now + days * DAY,
            )  # fmt: skip
            audit = self._audit(row, "thread_create", "stored")
            changes = ChangeSet(context.tenant, threads=ThreadChanges(kept=[row]), audit=[audit])
            if once is not None:
                changes.answered.append(once.kept(person, {"thread": name}, now))
            transaction.apply(changes)
        return Thread(row)

    def set_state(self, person: str, id: str, state: object, expect: object) -> ThreadState:
        """Set the state of a thread; raises UnexpectedVersion where it is at another version."""
        text = check_state(state)
        if expect is not None and (
            isinstance(expect, bool) or not isinstance(expect, int) or expect < 0
        ):
            raise InvalidInput("expect", "must be a version: a whole number from 0")
        with self.pipeline.session() as session:
            transaction = session.transaction
            thread = self._own(transaction, person, id)
            before = transaction.thread_state(thread)
            version = 0 if before is None else before.version
            if expect not in (None, version):
                raise UnexpectedVersion(
                    f"expect: the state is at version {version}, not {expect}", field="expect"
                )
            row = StateRow(
                thread.no, thread.tenant, version + 1, text, self.context.clock.now()
            )  # fmt: skip
            audit = self._audit(thread, "thread_state", "stored", version=row.version)
            transaction.apply(
                ChangeSet(thread.tenant, threads=ThreadChanges(states=[row]), audit=[audit])
            )
        return ThreadState(thread.id, row)

    def delete(self, person: str, id: str) -> int:
        """Let a thread go; gives how many items it had."""
        with self.pipeline.session() as session:
            transaction = session.transaction
            thread = self._own(transaction, person, id)
            items = drop(transaction, thread)
            audit = self._audit(thread, "thread_delete", "removed", items=items)
            transaction.apply(ChangeSet(thread.tenant, audit=[audit]))
        return items

    def _own(self, transaction: Transaction, person: str, id: str) -> ThreadRow:
        thread = find_thread(transaction, self.context, person, id, self.context.clock.now())
        if thread.person != person:
            raise Forbidden(f"thread: {id} is shared, not this person's", field="thread")
        return thread

    def _audit(self, thread: ThreadRow, action: str, outcome: str, **content: int) -> AuditEntry:
        """Make the entry; the id is the caller's word, so it stands in the erasable part alone."""
        return self.context.audit(
            person=thread.person, key=None, at=self.context.clock.now(), action=action,
            outcome=outcome, target=None, content={"thread": thread.id, **content},
        )  # fmt: skip


def _days(given: object) -> int:
    if given is None:
        return THREAD_DAYS
    if isinstance(given, bool) or not isinstance(given, int) or not 0 < given <= 36_500:
        raise InvalidInput("ttl_days", "must be a whole number of days from 1 to 36500")
    return given
