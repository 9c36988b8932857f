"""Captures raw records: episodes, alone or as the next item of a thread."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from vigent.domain.audit import person_digest
from vigent.domain.changes import ChangeSet, ThreadChanges
from vigent.domain.episodes import Episode, EpisodeRow
from vigent.domain.jsontext import check_metadata
from vigent.domain.passages import passages_of_item, searchable
from vigent.domain.text import MAX_EPISODE, MAX_TYPE, check_id, check_name, clean_text
from vigent.domain.threads import Place, ThreadItem, ThreadRow, stub_of
from vigent.domain.time import DAY, Instant, parse_instant
from vigent.errors import ErasedPerson, InvalidInput, NotFound
from vigent.once import Once
from vigent.ports.storage import Transaction
from vigent.write.context import Context
from vigent.write.pipeline import WritePipeline
from vigent.write.session import Session

__all__ = ["THREAD_DAYS", "Capture", "drop", "find_thread"]

_EPISODE_DAYS: Final = 90
THREAD_DAYS: Final = 90
"""For how long a thread is kept after its last item, unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One raw record as it was asked for; nothing is checked yet.

    ``agent`` and ``sealed`` are for items of threads. With ``known_thread`` the thread must be
    there; else one of that name springs into being. ``apart`` names a thread of another store, in
    which the record has no place.
    """

    content: object
    role: object
    kind: object
    occurred_at: object = None
    speaker: object = None
    thread: object = None
    external_id: object = None
    metadata: object = None
    agent: object = None
    sealed: object = False
    known_thread: bool = False
    apart: bool = False

    def episode(self, pipeline: WritePipeline, person: str) -> Episode:
        """Keep the record; the same external id gives the first one again."""
        return Episode(self._kept(pipeline, person, None)[0])

    def item(
        self, pipeline: WritePipeline, person: str, idempotency_key: str | None = None
    ) -> ThreadItem:
        """Keep the record as the next item of its thread; once, under an idempotency key."""
        return ThreadItem(*self._kept(pipeline, person, idempotency_key))

    def _kept(
        self, pipeline: WritePipeline, person: str, idempotency_key: str | None
    ) -> tuple[EpisodeRow, Place | None]:
        context = pipeline.context
        row = self._row(context, person)
        if not isinstance(self.sealed, bool):
            raise InvalidInput("sealed", "must be true or false")
        with pipeline.session() as session:
            if idempotency_key is None:
                return self._enter(session, context, row)
            once = Once.of(
                context.tenant, context.caller, "items", idempotency_key, context.store, person,
                asdict(self), salt=session.salt,
            )  # fmt: skip
            before = once.before(session.transaction, row.recorded_at)
            if before is not None:
                return _found(session.transaction, context.tenant, before["item"], row.recorded_at)
            kept, place = self._enter(session, context, row)
            answered = once.kept(person, {"item": kept.id}, row.recorded_at)
            session.transaction.apply(ChangeSet(context.tenant, answered=[answered]))
        return kept, place

    def entered(self, session: Session, context: Context, person: str) -> EpisodeRow:
        """Keep the record within a session that does more besides."""
        return self._enter(session, context, self._row(context, person))[0]

    def _enter(
        self, session: Session, context: Context, row: EpisodeRow
    ) -> tuple[EpisodeRow, Place | None]:
        transaction, person = session.transaction, row.person
        agent = None if self.agent is None else check_name(self.agent, "agent")
        thread = None
        if self.known_thread and row.thread is not None:
            thread = find_thread(transaction, context, person, row.thread, row.recorded_at)
        if row.external_id is not None:
            before = transaction.episodes(row.tenant, external=(row.store, person, row.external_id))
            if before:
                return _known(transaction, before[0], row.recorded_at)
        _refuse_erased(session, row)
        changes = ChangeSet(row.tenant, episodes=[row])
        place = None
        if row.thread is not None and not self.apart:
            if thread is None:
                thread = _thread_for(transaction, row)
            moved = _moved(thread, row.recorded_at)
            place = Place(moved.no, moved.last_position, 0, agent, int(bool(self.sealed)))
            changes.threads = ThreadChanges(kept=[moved], placed=[(row.id, place)])
        if searchable(row, sealed=bool(self.sealed)):
            scope = context.scope(session.salt, person)
            home = 0 if place is None else place.thread
            changes.said.extend((row.id, p) for p in passages_of_item(scope, row, home))
        changes.audit.append(
            context.audit(
                person=person, key=None, at=row.recorded_at, action="episode_capture",
                outcome="stored", target=row.id, content={"role": row.role, "kind": row.kind},
            )
        )  # fmt: skip
        transaction.apply(changes)
        return row, place

    def _row(self, context: Context, person: str) -> EpisodeRow:
        said, flagged = clean_text(self.content, "content", MAX_EPISODE)
        occurred = (
            None if self.occurred_at is None else parse_instant(self.occurred_at, "occurred_at")
        )
        now = context.clock.now()
        return EpisodeRow(
            0, context.tenant, context.ids.new("ep"), context.store, person,
            check_name(self.role, "role", MAX_TYPE), check_name(self.kind, "kind", MAX_TYPE), said,
            now if occurred is None else occurred, now,
            None if self.speaker is None else check_name(self.speaker, "speaker"),
            None if self.thread is None else check_id(self.thread, "thread"),
            None if self.external_id is None else check_id(self.external_id, "external_id"),
            check_metadata(self.metadata), now + _EPISODE_DAYS * DAY, int(flagged), 0,
        )  # fmt: skip


def _known(
    transaction: Transaction, row: EpisodeRow, now: Instant
) -> tuple[EpisodeRow, Place | None]:
    """Give an episode that is there already, and where it stands."""
    found = transaction.thread_place(row.tenant, row.no)
    gone = row.expires_at <= now or (found is not None and found[0].expires_at <= now)
    return stub_of(row) if gone else row, None if found is None else found[1]


def _found(
    transaction: Transaction, tenant: str, id: str, now: Instant
) -> tuple[EpisodeRow, Place | None]:
    """Give an item that was answered with before; raises NotFound where it is gone."""
    rows = transaction.episodes(tenant, ids=[id])
    if not rows:
        raise NotFound(f"item: {id} is gone", field="item")
    return _known(transaction, rows[0], now)


def _refuse_erased(session: Session, row: EpisodeRow) -> None:
    if not row.person:
        return
    digest = person_digest(session.salt, row.person)
    erased_at = session.transaction.ledger(row.tenant, person=digest).erased_at
    if erased_at is not None and row.occurred_at <= erased_at:
        raise ErasedPerson(
            "occurred_at: is from before this person was erased", field="occurred_at"
        )


def find_thread(
    transaction: Transaction, context: Context, person: str, id: str, now: Instant
) -> ThreadRow:
    """Give a person's own thread of an id, else the shared one; raises NotFound."""
    for thread in transaction.threads(context.tenant, context.store, _whose(person), id):
        if thread.expires_at > now:
            return thread
    raise NotFound(f"thread: there is no thread {id} here", field="thread")


def _whose(person: str) -> tuple[str, ...]:
    """Whose threads a person may mean: first their own, then the shared one."""
    return (person, "") if person else ("",)


def _thread_for(transaction: Transaction, row: EpisodeRow) -> ThreadRow:
    """Give the thread an episode names; one that is not there springs into being."""
    id, now = str(row.thread), row.recorded_at
    found = transaction.threads(row.tenant, row.store, _whose(row.person), id)
    for thread in found:
        if thread.expires_at > now:
            return thread
    for old in found:
        if old.person == row.person:
            drop(transaction, old)  # past its time, and not swept yet
    return ThreadRow(
        transaction.next_thread(), row.tenant, row.store, row.person, id, None, "{}", now,
        THREAD_DAYS, 0, now,
    )  # fmt: skip


def _moved(thread: ThreadRow, now: Instant) -> ThreadRow:
    """Give a thread with room for one item more: that one counts for how long it is kept."""
    return thread._replace(
        last_position=thread.last_position + 1,
        expires_at=max(thread.expires_at, now + thread.ttl_days * DAY),
    )


def drop(transaction: Transaction, thread: ThreadRow) -> int:
    """Let a thread go: its items become stubs, its state goes; gives how many items it had."""
    episodes = transaction.thread_episodes(thread)
    transaction.apply(
        ChangeSet(thread.tenant, stubs=episodes, threads=ThreadChanges(dropped=[thread.no]))
    )
    return len(episodes)
