"""The verbs that write, each one transaction: write, retract, propose, update, forget."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from vigent.domain.audit import subject_digest
from vigent.domain.changes import ChangeSet, PersonLink
from vigent.domain.records import Record
from vigent.domain.sections import without_injected
from vigent.domain.statements import Key, Statement, edited
from vigent.domain.text import check_id
from vigent.domain.time import DAY, OPEN
from vigent.errors import (
    Forbidden,
    NotFound,
)
from vigent.once import Once
from vigent.standing import shown
from vigent.write.accept import (
    RETRACT_FIELDS,
    WRITE_FIELDS,
    Request,
    accept,
    accept_retraction,
    accept_update,
)
from vigent.write.answering import apply
from vigent.write.derived import drop_resting
from vigent.write.draft import Draft
from vigent.write.finish import finish
from vigent.write.forget import forget, head_of_run
from vigent.write.pipeline import WritePipeline
from vigent.write.result import WriteResult
from vigent.write.session import Session
from vigent.write.work import Work

__all__ = ["Writer"]


class Writer:
    """Writes into one tenant and store."""

    def __init__(self, pipeline: WritePipeline) -> None:
        self.pipeline = pipeline
        self.context = pipeline.context

    # --------------------------------------------------------------------- statements

    def write(
        self, person: str, request: Mapping[str, Any], idempotency_key: str | None, verb: str
    ) -> WriteResult:
        """Take one write or retraction in."""
        draft = self.draft(person, request, verb)
        with self.pipeline.session() as session:
            return self.enter(session, draft, request, idempotency_key, verb)

    def draft(self, person: str, request: Mapping[str, Any], verb: str) -> Draft:
        """Check a write or retraction; raises InvalidInput naming the first wrong field."""
        if verb == "write":
            return accept(self.context.schema, person, Request(**request))
        return accept_retraction(self.context.schema, person, **request)

    def enter(
        self,
        session: Session,
        draft: Draft,
        request: Mapping[str, Any],
        idempotency_key: str | None,
        verb: str,
    ) -> WriteResult:
        """Take one draft into a session, or give the answer kept for its idempotency key."""
        if draft.corrects is not None:
            self._locate(session, draft)
        if idempotency_key is None:
            return self.pipeline.enter(session, draft)
        context, now = self.context, self.context.clock.now()
        scope = (context.store, draft.person)
        asked = Once.of(
            context.tenant, context.caller, verb, idempotency_key, *scope, request,
            salt=session.salt,
        )  # fmt: skip
        before = asked.before(session.transaction, now)
        if before is not None:
            return self._answer(session, before)
        result = self.pipeline.enter(session, draft)
        answer = {
            "outcome": result.outcome,
            "memory": None if result.memory is None else result.memory.memory_id,
            "ended": [record.memory_id for record in result.ended],
            "reason": result.reason,
            "about": subject_digest(session.salt, draft.subject),
        }
        kept = asked.kept(draft.person, answer, now)
        session.transaction.apply(ChangeSet(context.tenant, answered=[kept]))
        return result

    def _locate(self, session: Session, draft: Draft) -> None:
        """Let a correction that names its memory take subject and attribute from it."""
        rows = session.transaction.statements(self.context.tenant, ids=[str(draft.corrects)])
        if not rows or not self._own(rows[0][0], draft.person):
            raise NotFound(f"corrects: there is no memory {draft.corrects} here", field="corrects")
        key, statement = rows[0]
        if not draft.subject:
            draft.subject, draft.name = key.id.subject, key.name
        if not draft.attribute and not key.id.attribute:
            draft.type = statement.type

    def _answer(self, session: Session, answer: Mapping[str, Any]) -> WriteResult:
        """Give a kept answer again, its records as they stand now."""
        ids = [*([answer["memory"]] if answer["memory"] else []), *answer["ended"]]
        found = {
            s.id: (key, s)
            for key, s in session.transaction.statements(self.context.tenant, ids=ids)
        }
        records: dict[str, Record] = {}
        for id, (key, statement) in found.items():
            work = self.pipeline.work(session, key)
            record = self.pipeline.stored(work, statement)
            if record is not None:
                records[id] = record
        return WriteResult(
            answer["outcome"],
            records.get(answer["memory"] or ""),
            tuple(records[id] for id in answer["ended"] if id in records),
            answer["reason"],
        )

    # ------------------------------------------------------------------------ proposals

    def propose(
        self,
        person: str,
        request: Mapping[str, Any],
        held: str | None,
        refused: str | None = None,
    ) -> WriteResult:
        """Take a candidate in; ``held`` is why a check wants a person to decide.

        With ``refused``, why a check refuses it, that is noted and nothing is stored.
        """
        if refused is not None:
            return self.refuse_unseen(person, request, refused)
        draft = self.proposed(person, request, held)
        with self.pipeline.session() as session:
            return self.enter_proposed(session, draft)

    def proposed(self, person: str, request: Mapping[str, Any], held: str | None) -> Draft:
        """Check a candidate; raises InvalidInput naming the first field that does not fit."""
        retracts = request.get("value") is None and request.get("text") is None
        if retracts:
            given = {k: request[k] for k in RETRACT_FIELDS if k in request and k != "value"}
            draft = accept_retraction(self.context.schema, person, **given)
        else:
            given = {k: v for k, v in request.items() if k in WRITE_FIELDS and v is not None}
            draft = accept(self.context.schema, person, Request(**given))
        draft.held = held or draft.held
        return draft

    def enter_proposed(self, session: Session, draft: Draft) -> WriteResult:
        """Take a candidate into a session, unless its quote does not stand in its episode."""
        reason = self._unsupported(session, draft)
        if reason is not None:
            return self.refuse(session, draft, reason)
        return self.pipeline.enter(session, draft)

    def _unsupported(self, session: Session, draft: Draft) -> str | None:
        if draft.source_episode is None or draft.quote is None:
            return None
        content = self.pipeline.episode(session, draft).content
        said = "" if content is None else " ".join(without_injected(content).split())
        if content is None or " ".join(draft.quote.split()) not in said:
            return "evidence_missing"
        return None

    def refuse(self, session: Session, draft: Draft, reason: str) -> WriteResult:
        """Note in the audit that a candidate was refused; nothing of it is stored."""
        entry = self.context.audit(
            person=draft.person, key=None, at=self.context.clock.now(), action="memory_propose",
            outcome="rejected", target=None,
            content={"subject": draft.name, "attribute": draft.attribute, "reason": reason},
        )  # fmt: skip
        session.transaction.apply(ChangeSet(self.context.tenant, audit=[entry]))
        return WriteResult("rejected", None, (), reason)

    def refuse_unseen(self, person: str, request: Mapping[str, Any], reason: str) -> WriteResult:
        """Note that a check refused a candidate."""
        with self.pipeline.session() as session:
            return self.note_refused(session, person, request, reason)

    def note_refused(
        self, session: Session, person: str, request: Mapping[str, Any], reason: str
    ) -> WriteResult:
        """Note within a session that a candidate was refused, by what it was about."""
        entry = self.context.audit(
            person=person, key=None, at=self.context.clock.now(), action="memory_propose",
            outcome="rejected", target=None,
            content={"subject": request.get("subject"), "attribute": request.get("attribute"),
                     "reason": reason},
        )  # fmt: skip
        session.transaction.apply(ChangeSet(self.context.tenant, audit=[entry]))
        return WriteResult("rejected", None, (), reason)

    # ------------------------------------------------------------------- in place, gone

    def _own(self, key: Key, person: str) -> bool:
        return key.id.store == self.context.store and key.id.person in (person, "")

    def owned(self, session: Session, memory_id: object, person: str) -> tuple[Key, Statement]:
        """Give a person's own memory; raises NotFound, and Forbidden for a shared one."""
        id = check_id(memory_id, "memory_id")
        rows = session.transaction.statements(self.context.tenant, ids=[id])
        if not rows or not self._own(rows[0][0], person) or rows[0][1].role == "note":
            raise NotFound(f"memory_id: there is no memory {id} here", field="memory_id")
        if rows[0][0].id.person != person:
            raise Forbidden(f"memory_id: {id} is shared, not this person's", field="memory_id")
        return rows[0]

    def update(self, person: str, memory_id: object, changes: Mapping[str, Any]) -> Record:
        """Change fields in place; what is not named stays."""
        with self.pipeline.session() as session:
            key, statement = self.owned(session, memory_id, person)
            work = self.pipeline.work(session, key)
            gone = f"memory_id: there is no memory {memory_id} here"
            if statement.forgotten_at != OPEN:
                raise NotFound(gone, field="memory_id")
            number = head_of_run(work, statement)
            head = work.find(number)
            if not shown(head, work.at):  # past its time: an update would bring it back
                raise NotFound(gone, field="memory_id")
            columns = accept_update(self.context.schema, statement.type, changes)
            work.amend(self._updated(work, head, columns))
            finish(work)
            work.changes.audit.append(
                self.context.audit(
                    person=person, key=key.no, at=work.at, action="memory_update",
                    outcome="updated", target=head.id,
                    content=_edit(changes, head, work.find(number)),
                )
            )  # fmt: skip
            apply(work)
            return self.pipeline.amended(work, work.find(number))

    def _updated(self, work: Work, head: Statement, columns: dict[str, Any]) -> Statement:
        at = work.at
        own = columns.pop("own", None)
        expires_at, ttl_days = columns.pop("expires_at"), columns.pop("ttl_days")
        retention = columns.pop("retention")
        out = {**columns, "last_changed_at": at}
        if own is not None:
            out["fields"] = json.dumps({**json.loads(head.fields), **own})
        if expires_at is not None:
            out |= {"expires_at": expires_at, "retention": None}
        elif ttl_days is not None:
            out |= {"expires_at": at + ttl_days * DAY, "retention": None}
        else:
            kept = head if retention is None else edited(head, retention=retention)
            out |= {"expires_at": work.renewed(kept), "retention": kept.retention}
        return edited(head, **out)

    def forget(self, person: str, memory_id: object) -> bool:
        """Remove what a memory said; False where nothing was left of it."""
        with self.pipeline.session() as session:
            key, statement = self.owned(session, memory_id, person)
            work = self.pipeline.work(session, key)
            if statement.role == "evidence":
                statement = work.find(statement.bears)
            if not forget(work, statement):
                return False
            work.changes.audit.append(
                self.context.audit(
                    person=person, key=key.no, at=work.at, action="memory_forget",
                    outcome="forgotten", target=statement.id, content={},
                )
            )  # fmt: skip
            apply(work)
            if statement.type == "episode":
                drop_resting(self.pipeline, session, key.id.person, statement.id)
            return True

    def link(self, person: str, subject: str) -> None:
        """Note which entity a person is."""
        link = PersonLink(self.context.tenant, person, subject)
        with self.pipeline.session() as session:
            session.transaction.apply(ChangeSet(self.context.tenant, links=[link]))


def _edit(changes: Mapping[str, Any], head: Statement, after: Statement) -> dict[str, Any]:
    """Give what an edit changed, for the audit: which fields, what they were and what they are."""
    columns = ("confidence", "importance", "metadata", "retention", "expires_at", "fields")
    moved = [c for c in columns if getattr(head, c) != getattr(after, c)]
    return {
        "fields": sorted(k for k, v in changes.items() if v is not None),
        "before": {c: getattr(head, c) for c in moved},
        "after": {c: getattr(after, c) for c in moved},
    }
