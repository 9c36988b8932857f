"""The write path, top to bottom: accept -> reconcile -> commit, in one transaction a request."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import Any, Final

from vigent.domain.changes import ChangeSet
from vigent.domain.episodes import EpisodeRow
from vigent.domain.records import Record, Stretch
from vigent.domain.statements import Key, KeyId, Statement, edited
from vigent.domain.time import OPEN, Instant
from vigent.errors import InvalidInput, NotFound, UnavailableError
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Storage
from vigent.standing import half_life, last_belief, neighbours, shown
from vigent.write.answering import Standing, apply, lookup
from vigent.write.context import Context
from vigent.write.correct import reconcile
from vigent.write.draft import Draft
from vigent.write.entered import Entered
from vigent.write.holding import Dated, hold
from vigent.write.plain import Plain, is_plain
from vigent.write.result import WriteResult
from vigent.write.retrieved import RetrievedCounts, enter_counts
from vigent.write.session import Session
from vigent.write.together import JoinedWork, join
from vigent.write.work import Work, token_of

__all__ = ["WritePipeline"]


_NO_COUNTS: Final = nullcontext[Mapping[str, int]]({})


class WritePipeline:
    """Takes drafts in, one transaction a call."""

    def __init__(self, storage: Storage, context: Context) -> None:
        self.storage = storage
        self.context = context
        self.retrieved = RetrievedCounts()
        self._half_life = partial(half_life, context.schema)
        self._salt: bytes | None = None
        self._local = threading.local()

    @contextmanager
    def session(self, *, alone: bool = False) -> Generator[Session]:
        """Begin to write, ``alone`` or beside others, who are kept from what is read here."""
        held: Session | None = getattr(self._local, "session", None)
        if held is not None:
            if alone:
                held.transaction.alone()
            yield held
            held.settle()
            return
        carried = self.retrieved.carried() if self.retrieved else _NO_COUNTS
        tenant = self.context.tenant
        with carried as counts, self.storage.transaction(tenant, beside=not alone) as transaction:
            if self.context.home is not None:
                self.context.home(transaction)
            if counts:
                enter_counts(transaction, self.context.tenant, counts)
            salt = self._salt or transaction.ledger(self.context.tenant).salt
            if salt is None:
                salt = self.context.ids.salt()
                transaction.apply(
                    ChangeSet(self.context.tenant, salt=salt, salted_at=self.context.clock.now())
                )
            session = Session(transaction, tenant, salt)
            yield session
            session.settle()
        self._salt = salt

    @contextmanager
    def together(self) -> Generator[Session]:
        """Have all that this thread writes until the end stand in one transaction, or nothing."""
        with self.session() as session:
            before = getattr(self._local, "session", None)
            self._local.session = session
            try:
                yield session
            finally:
                self._local.session = before

    def note_retrieved(self, ids: Iterable[str]) -> None:
        """Count memories as given to a reader; never fails and never waits.

        Counts are gathered and written with the next writes, or some of them here once there are
        many.
        """
        if self.retrieved.note(ids):
            self._flush_part()

    def flush_retrieved(self) -> None:
        """Write the counts that are gathered; where the store is busy or read-only they stay."""
        for _ in range(self.retrieved.parts):
            if not self._flush_part():
                break

    def _flush_part(self) -> bool:
        """Write some of the counts, without waiting; gives whether they were written."""
        with (
            suppress(UnavailableError),
            self.retrieved.carried() as counts,
            self.storage.transaction(self.context.tenant, wait=False, beside=True) as transaction,
        ):
            enter_counts(transaction, self.context.tenant, counts)
            return True
        return False

    def _later(self, key: Key | None) -> Instant:
        """Give the present, or an instant later than any recorded for a key."""
        return max(self.context.clock.now(), 1 if key is None else key.last_recorded + 1)

    def work(
        self,
        session: Session,
        key: Key,
        *,
        fresh: bool = False,
        at: Instant | None = None,
    ) -> Work:
        """Begin a change to a key, at an instant later than any recorded for it."""
        at = self._later(key) if at is None else at
        changes = ChangeSet(self.context.tenant, keys=[key] if fresh else [])
        id = key.id
        joined = None
        if session.unsettled.aliased(id.tenant, id.store, id.subject, id.person):
            joined = JoinedSnapshot(session.transaction, id.tenant, id.store, id.person)
        definition = self.context.schema.attribute(key.id.attribute) if key.id.attribute else None
        return Work(
            session.transaction, self.context, key, definition, at, session.salt, changes,
            joined=joined,
        )  # fmt: skip

    def key_id(self, draft: Draft) -> KeyId:
        """Give what identifies the key a draft is about."""
        type = "" if draft.attribute else draft.type
        tenant, store = self.context.tenant, self.context.store
        return KeyId(tenant, store, draft.person, draft.subject, draft.attribute, type)

    def enter(
        self,
        session: Session,
        draft: Draft,
        id: str | None = None,
        asked: bytes | None = None,
    ) -> WriteResult:
        """Reconcile one draft with what is in force, and put the change into the transaction.

        ``id`` and ``asked`` are those of a candidate that is let in: what it is remembered by,
        and the fingerprint of the request that brought it.
        """
        context = self.context
        named = self.key_id(draft)
        key = session.find(named)
        beside = session.beside(named)
        if beside is not None:
            key = next((k for k in beside if k.id == named), None)
        at = max(map(self._later, (key, *beside))) if beside else self._later(key)
        dated = self._dates(session, draft, at)
        if beside is None and is_plain(draft, id):
            plainly = self._enter_plainly(session, key, named, draft, dated, at)
            if plainly is not None:
                return plainly
        transaction = session.transaction
        fresh = key is None
        if key is None:
            key = Key(transaction.numbers.key, named, draft.name, 0)
        work = self.work(session, key, fresh=fresh, at=at)
        if any(k.no != key.no for k in beside or ()):
            work = join(work, beside or (), draft, dated)
        fingerprint = asked or _fingerprint(work, draft, dated)
        if fingerprint is not None and id is None:
            before = transaction.statements(context.tenant, fingerprint=fingerprint)
            if before:
                return self._again(session, work, before[0][1])
        if draft.held is not None:
            entered = hold(work, draft, dated, b"", draft.held)
        else:
            entered = reconcile(work, draft, dated, id)
        if fingerprint is not None:
            _remember(work, draft, dated, entered, fingerprint)
        self._audit(work, draft, entered)
        if isinstance(work, JoinedWork):
            work.part()
        else:
            apply(work)
        return self.show(entered, work)

    def _enter_plainly(
        self,
        session: Session,
        key: Key | None,
        named: KeyId,
        draft: Draft,
        dated: Dated,
        at: Instant,
    ) -> WriteResult | None:
        """Enter the first or next statement of a key; None where that is not all it takes."""
        if session.plain is None:
            session.plain = Plain(session.unsettled, self.context, session.salt)
        plain = session.plain
        work = plain.turn_to(key, named, draft, at)
        ends = None if key is None else plain.last(draft, dated)
        if key is not None and ends is None:
            return None
        fingerprint = _fingerprint(work, draft, dated)
        if ends is None:
            entered = plain.first(draft, dated, fingerprint)
        elif fingerprint is not None and session.unsettled.statements(
            self.context.tenant, fingerprint=fingerprint
        ):
            return None
        else:
            entered = plain.next(draft, dated, ends, fingerprint)
        self._audit(work, draft, entered)
        return self.show(entered, work)

    def episode(self, session: Session, draft: Draft) -> EpisodeRow:
        """Give the episode a draft cites; raises NotFound where its person may not see it."""
        row = session.episode(draft.source_episode or "")
        visible = (draft.person, "")
        if row is None or row.store != self.context.store or row.person not in visible:
            raise NotFound(
                f"source_episode_id: there is no episode {draft.source_episode} here",
                field="source_episode_id",
            )
        return row

    def _dates(self, session: Session, draft: Draft, at: Instant) -> Dated:
        speaker = None
        start, basis = draft.valid_from, "stated"
        if draft.source_episode is not None:
            episode = self.episode(session, draft)
            speaker = episode.speaker
            if start is None:
                start, basis = episode.occurred_at, "episode"
        if start is None:
            start, basis = at, "assumed"
        # A correction that names its memory, and no start, keeps the memory's own.
        begins = draft.corrects is None or draft.valid_from is not None
        if begins and draft.valid_to <= start:
            raise InvalidInput("valid_to", "must be after valid_from")
        if draft.expires_at is not None and draft.expires_at <= at:
            raise InvalidInput("expires_at", "is already past")
        return Dated(start, draft.valid_to, basis, speaker)

    def _audit(self, work: Work, draft: Draft, entered: Entered) -> None:
        """Note in the audit what was asked for and what it came to."""
        memory = entered.memory
        target = memory.statement.id if memory is not None else None
        if target is None and work.changes.statements:
            target = work.changes.statements[0].id  # a retraction's own
        content: dict[str, Any] = {"subject": draft.name, "attribute": draft.attribute}
        if draft.values:
            content["value"] = draft.values[0].stored
        if entered.ended:
            content["ended"] = [s.statement.id for s in entered.ended]
            if draft.mode == "correction":
                content["before"] = [s.statement.value or s.statement.text for s in entered.ended]
        if entered.reason is not None:
            content["reason"] = entered.reason
        work.changes.audit.append(
            self.context.audit(
                person=draft.person, key=work.key.no, at=work.at,
                action="memory_retract" if draft.retract else "memory_write",
                outcome=entered.outcome, target=target, content=content,
            )
        )  # fmt: skip

    def _again(self, session: Session, work: Work, first: Statement) -> WriteResult:
        """Give the first answer again: the same request of the same episode changes nothing."""
        outcome, _, memory_id = first.outcome.partition(" ")
        find, tenant = session.transaction.statements, self.context.tenant
        rows = find(tenant, ids=[memory_id]) if memory_id else []
        memory = self._as_stored(work, rows[0][1]) if rows else None
        ended = [self._as_stored(work, row) for _, row in find(tenant, ids=first.ended.split())]
        entered = Entered(outcome, memory, tuple(s for s in ended if s is not None), first.reason)
        return self.show(entered, work)

    def _as_stored(self, work: Work, statement: Statement) -> Standing | None:
        return self._standing(work, statement) if shown(statement, work.at) else None

    def _standing(self, work: Work, statement: Statement) -> Standing:
        last = last_belief(work.joined or work.transaction, work.key, statement)
        stretch = Stretch(last.valid_from, last.valid_to, last.recorded_from, last.recorded_to)
        return lookup(work, statement, stretch)

    def stored(self, work: Work, statement: Statement) -> Record | None:
        """Give a stored memory as a record; None where nothing of it is shown."""
        standing = self._as_stored(work, statement)
        return None if standing is None else self.record(standing, work.key, work.at)

    def amended(self, work: Work, statement: Statement) -> Record:
        """Give a memory that was changed in place as a record, even where that ends its time."""
        return self.record(self._standing(work, statement), work.key, work.at)

    def candidate(self, key: Key, statement: Statement) -> Record:
        """Give a candidate as a record: it holds over what it says, if it is accepted."""
        stretch = Stretch(statement.valid_from, statement.valid_to, statement.recorded_from, None)
        return self.record(Standing(statement, stretch, None, None), key, key.last_recorded)

    def show(self, entered: Entered, work: Work) -> WriteResult:
        """Give the answer as records."""
        # Of joined subjects each memory bears the name it was written under.
        at, one = work.at, entered.memory
        memory = None if one is None else self.record(one, _key_of(work, one.statement), at)
        ended = tuple([self.record(s, _key_of(work, s.statement), at) for s in entered.ended])
        reason = entered.reason
        if reason is None and one is not None and one.statement.flagged:
            reason = "hidden_characters_removed"
        return WriteResult(entered.outcome, memory, ended, reason)

    def _followed(self, statement: Statement, at: Instant) -> Callable[[], str | None]:
        """Look up what a memory replaced when it is asked for, as it was known at the write."""

        def look() -> str | None:
            with self.storage.snapshot() as snapshot:
                rows = snapshot.statements(statement.tenant, numbers=[statement.no])
                if not rows:
                    return None
                return neighbours(snapshot, rows[0][0], statement, at, at).replaced

        return look

    def record(self, standing: Standing, key: Key, at: Instant) -> Record:
        """Give a memory as a record, as it stands after the write."""
        statement = standing.statement
        replaced = self._followed(statement, at) if standing.later else standing.replaced
        return Record(
            key.id, key.name, statement, standing.stretch, replaced=replaced,
            replacer=standing.replacer, valid_at=at, known=at, answered_at=at,
            half_life_days=self._half_life,
        )  # fmt: skip


def _key_of(work: Work, statement: Statement) -> Key:
    return work.key_of(statement) if isinstance(work, JoinedWork) else work.key


def _fingerprint(work: Work, draft: Draft, dated: Dated) -> bytes | None:
    """Give what makes a request of an episode the same request; None without an episode.

    The key goes in by its identity: its row number is another one once memory was moved.
    """
    if draft.source_episode is None:
        return None
    end = "" if dated.end == OPEN else str(dated.end)
    # What a retraction without a date begins at is the episode's time: that is part of it too.
    parts = (
        draft.source_episode, *work.key.id[1:], str(dated.start), end, draft.mode,
        str(draft.retract), draft.corrects or "", *(v.canon for v in draft.values),
    )  # fmt: skip
    text = "\x1f".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.blake2b(text.encode(), key=work.salt, digest_size=16).digest()


def _remember(work: Work, draft: Draft, dated: Dated, entered: Entered, fingerprint: bytes) -> None:
    """Keep the answer with the first statement of the request.

    A request that entered nothing keeps it in a note.
    """
    memory = entered.memory
    answer = {
        "fingerprint": fingerprint,
        "outcome": f"{entered.outcome} {memory.statement.id if memory is not None else ''}",
        "ended": " ".join(s.statement.id for s in entered.ended),
    }
    statements = work.changes.statements
    if statements:
        statements[0] = edited(statements[0], **answer)
        return
    value = draft.values[0] if draft.values else None
    note = work.state(
        draft, None, kind="none", member=b"", start=dated.start, end=dated.end,
        basis=dated.basis, speaker=dated.speaker, role="note",
        status="rejected" if entered.outcome == "rejected" else "withdrawn",
        reason=entered.reason,
    )  # fmt: skip
    token = b"" if value is None else token_of(work.salt, value.canon)
    statements.append(edited(note, token=token, **answer))
    if not work.changes.recorded:
        work.changes.recorded.append((work.key, work.at))
