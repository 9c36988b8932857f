"""Decides what was held: candidates enter as statements recorded at the decision, or not at all."""

from __future__ import annotations

import json

from vigent.domain.records import Record
from vigent.domain.schema import trust_rank
from vigent.domain.statements import Key, Statement, edited
from vigent.domain.text import check_id, clean_text
from vigent.domain.time import OPEN
from vigent.domain.values import Value
from vigent.errors import ConflictError, NotFound
from vigent.joining import JoinedSnapshot
from vigent.ports.storage import Selection
from vigent.standing import shown
from vigent.write.answering import apply
from vigent.write.draft import Draft
from vigent.write.finish import finish
from vigent.write.pipeline import WritePipeline
from vigent.write.result import ReviewItem, WriteResult
from vigent.write.session import Session
from vigent.write.work import Work

__all__ = ["Reviewer"]


class Reviewer:
    """Lists and decides the candidates of one store."""

    def __init__(self, pipeline: WritePipeline) -> None:
        self.pipeline = pipeline
        self.context = pipeline.context

    def list(self, person: str, reason: str | None) -> tuple[ReviewItem, ...]:
        """Give what waits: a person's and the shared, or everyone's where nobody is named."""
        persons = (person, "") if person else ()
        items: list[ReviewItem] = []
        now = self.context.clock.now()
        with self.pipeline.storage.snapshot() as snapshot:
            for key in snapshot.keys(Selection(self.context.tenant, self.context.store, persons)):
                for _, s in snapshot.statements(self.context.tenant, held_by=key.no):
                    waits = s.status == "pending_review" and s.expires_at > now
                    if waits and reason in (None, s.reason):
                        record = self._record(key, s)
                        items.append(ReviewItem(record, s.reason, record.created_at))
        items.sort(key=lambda item: (item.memory.stretch.recorded_from, item.memory.memory_id))
        return tuple(items)

    def _record(self, key: Key, statement: Statement) -> Record:
        return self.pipeline.candidate(key, statement)

    def accept(self, person: str, memory_id: object, trust: str) -> WriteResult:
        """Enter a candidate with the trust of who accepts it."""
        rank = trust_rank(trust)
        with self.pipeline.session() as session:
            key, held = self._held(session, person, memory_id)
            draft = self._draft(key, held)
            draft.trust, draft.trust_rank = trust, rank
            work = self.pipeline.work(session, key)
            work.changes.discarded.append(held.no)
            self._uncontest(session, work, held)
            session.transaction.apply(work.changes)
            key = work.key._replace(last_recorded=work.at)
            if held.contested:
                found = self._view(session, key).at(key, b"", held.valid_from, None)
                if found and shown(found[0].statement, work.at):
                    draft.mode, draft.corrects = "correction", found[0].statement.id
                    draft.valid_from = None
            return self.pipeline.enter(session, draft, held.id, held.fingerprint)

    def reject(self, person: str, memory_id: object, reason: str | None) -> Record:
        """Turn a candidate down; it stays on record as rejected."""
        why = None if reason is None else clean_text(reason, "reason", 2_000)[0]
        with self.pipeline.session() as session:
            key, held = self._held(session, person, memory_id)
            work = self.pipeline.work(session, key)
            rejected = edited(held, status="rejected", reason=why or held.reason, contested=0)
            work.amend(rejected)
            self._uncontest(session, work, held)
            finish(work)
            work.changes.audit.append(
                self.context.audit(
                    person=key.id.person, key=key.no, at=work.at, action="review_reject",
                    outcome="rejected", target=held.id, content={"reason": why},
                )
            )  # fmt: skip
            apply(work)
            return self._record(key, rejected)

    def _held(self, session: Session, person: str, memory_id: object) -> tuple[Key, Statement]:
        id, now = check_id(memory_id, "memory_id"), self.context.clock.now()
        rows = session.transaction.statements(self.context.tenant, ids=[id])
        # Who decides for everyone names nobody; for a person, theirs and the shared are there.
        visible = [
            (key, held)
            for key, held in rows
            if key.id.store == self.context.store
            and (not person or key.id.person in (person, ""))
            and held.expires_at > now
        ]
        if not visible:
            raise NotFound(f"memory_id: there is no candidate {id}", field="memory_id")
        key, held = visible[0]
        if held.role != "held" or held.status != "pending_review":
            raise ConflictError(f"memory_id: {id} does not wait for review", field="memory_id")
        return key, held

    def _view(self, session: Session, key: Key) -> JoinedSnapshot:
        """Give what is there as the owner of a key reads it: with the names it is joined with."""
        id = key.id
        return JoinedSnapshot(session.transaction, id.tenant, id.store, id.person)

    def _uncontest(self, session: Session, work: Work, held: Statement) -> None:
        """Take the mark off what stood against a candidate, unless another still does."""
        if not held.contested:
            return
        view = self._view(session, work.key)
        rows = view.statements(self.context.tenant, of_key=view.one(work.key).no)
        if any(s.contested and s.role == "held" and s.no != held.no for _, s in rows):
            return
        for _, s in rows:
            if s.contested and s.role == "asserted":
                work.amend(edited(s, contested=0))
                work.changes.amended.append(work.amended.pop(s.no))

    def _draft(self, key: Key, held: Statement) -> Draft:
        asked = json.loads(held.keep)
        known_policy = held.retention is not None
        return Draft(
            person=key.id.person, subject=key.id.subject, name=key.name,
            attribute=key.id.attribute,
            definition=self.context.schema.attribute(key.id.attribute)
            if key.id.attribute else None,
            type=held.type, retract=asked["retract"], mode=asked["mode"],
            values=tuple(Value(*v) for v in asked["values"]), text=held.text,
            flagged=bool(held.flagged), valid_from=held.valid_from, valid_to=held.valid_to,
            corrects=asked["corrects"], supersedes=asked["supersedes"],
            confidence=held.confidence, importance=held.importance, fields=held.fields,
            source_episode=held.source_episode, quote=held.quote, source=held.source,
            trust=held.trust, trust_rank=0,
            expires_at=None if known_policy or held.expires_at == OPEN else held.expires_at,
            ttl_days=None, retention=held.retention,
            metadata=None if held.metadata == "{}" else held.metadata, expect=None,
            end_given=asked["end_given"],
        )  # fmt: skip
