"""Decides what was held: candidates enter as statements recorded at the decision, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from vigent.domain.changes import ChangeSet
from vigent.domain.records import Record
from vigent.domain.schema import Schema, trust_rank
from vigent.domain.statements import Key, Statement, edited
from vigent.domain.text import check_id, clean_text
from vigent.domain.time import OPEN, iso
from vigent.domain.values import Value, decode
from vigent.errors import ConflictError, InvalidInput, NotFound
from vigent.joining import JoinedSnapshot
from vigent.standing import shown
from vigent.write.accept import RETRACT_FIELDS, Request, accept, accept_retraction
from vigent.write.answering import apply
from vigent.write.draft import Draft
from vigent.write.finish import finish
from vigent.write.pipeline import WritePipeline
from vigent.write.result import ReviewItem, WriteResult
from vigent.write.session import Session
from vigent.write.work import Work

__all__ = ["BEGIN", "EDITABLE", "WAITING", "Reviewer", "proposed_by"]

WAITING: Final = frozenset({"pending_review", "buffered"})
"""What has not been decided: it waits for somebody, or until it recurs."""
BEGIN: Final = (-(2**63), "")
"""A place before all that waits: when it was recorded, and its id."""
_PAGE: Final = 500
EDITABLE: Final = frozenset(
    {"subject", "attribute", "value", "text", "type", "valid_from", "valid_to", "timezone",
     "importance", "metadata"}
)  # fmt: skip
"""What a reviewer may put right in a candidate."""


class Reviewer:
    """Lists and decides the candidates of one store."""

    def __init__(self, pipeline: WritePipeline) -> None:
        self.pipeline = pipeline
        self.context = pipeline.context

    def list(self, person: str, reason: str | None) -> tuple[ReviewItem, ...]:
        """Give what waits: a person's and the shared, or everyone's where nobody is named."""
        persons, stores = (person, "") if person else (), (self.context.store,)
        items: list[ReviewItem] = []
        now, after = self.context.clock.now(), BEGIN
        with self.pipeline.storage.snapshot() as snapshot:
            while True:
                rows = snapshot.waiting(
                    self.context.tenant, stores, persons, reason, now, after, _PAGE
                )
                items += [self.item(key, statement) for key, statement in rows]
                if len(rows) < _PAGE:
                    return tuple(items)
                after = (rows[-1][1].recorded_from, rows[-1][1].id)

    def item(self, key: Key, held: Statement) -> ReviewItem:
        """Give what waits as it is shown to who decides."""
        record = self._record(key, held)
        return ReviewItem(record, held.reason, record.created_at)

    def _record(self, key: Key, statement: Statement) -> Record:
        return self.pipeline.candidate(key, statement)

    # ------------------------------------------------------------------------- decisions

    def accept(
        self, person: str, memory_id: object, trust: str, edits: Mapping[str, Any] | None = None
    ) -> WriteResult:
        """Enter a candidate, as it is or edited, with the trust of who accepts it."""
        rank = trust_rank(trust)
        with self.pipeline.session() as session:
            key, held = self._held(session, person, memory_id)
            draft = self._draft(key, held)
            if edits:
                draft = _edited(draft, held, edits, self.context.schema)
            draft.trust, draft.trust_rank = trust, rank
            content = {"edited": sorted(edits or ()), "reason": held.reason}
            if edits and held.value is not None:
                content["before"] = held.value
            entry = self.context.audit(
                person=key.id.person, key=key.no, at=self.context.clock.now(),
                action="review_accept", outcome="accepted", target=held.id, content=content,
            )  # fmt: skip
            session.transaction.apply(ChangeSet(self.context.tenant, audit=[entry]))
            return self._let_in(session, key, held, draft)

    def release(self, session: Session, memory_id: str, draft: Draft | None) -> WriteResult:
        """Enter a candidate that the gate lets in after all, with the trust that it has."""
        key, held = self._held(session, "", memory_id)
        given = draft or self._draft(key, held)
        given.trust_rank = trust_rank(given.trust)
        return self._let_in(session, key, held, given)

    def _let_in(self, session: Session, key: Key, held: Statement, draft: Draft) -> WriteResult:
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
        same = self.pipeline.key_id(draft) == key.id
        return self.pipeline.enter(session, draft, held.id, held.fingerprint if same else None)

    def settle(
        self, session: Session, memory_id: str, status: str, reason: str | None
    ) -> WriteResult:
        """Set why a candidate is held from now on, or that it is refused after all."""
        key, held = self._held(session, "", memory_id)
        work = self.pipeline.work(session, key)
        settled = edited(held, status=status, reason=reason)
        work.amend(settled)
        finish(work)
        apply(work)
        return WriteResult(status, self._record(key, settled), (), reason)

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
        if held.role != "held" or held.status not in WAITING:
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
        waiting = (s for _, s in rows if s.contested and s.role == "held" and s.no != held.no)
        if any(s.expires_at > work.at for s in waiting):
            return
        for _, s in rows:
            if s.contested and s.role == "asserted":
                work.amend(edited(s, contested=0))
                work.changes.amended.append(work.amended.pop(s.no))

    def _draft(self, key: Key, held: Statement) -> Draft:
        asked = json.loads(held.keep)
        known_policy = held.retention is not None
        # A correction that names its memory, and no start, keeps what the memory's is by then.
        # A "never was" of a value, and no start, means every memory of that value.
        every = asked["retract"] and asked["mode"] == "correction" and bool(asked["values"])
        keeps = not asked["start_given"] and (every or asked["corrects"] is not None)
        return Draft(
            person=key.id.person, subject=key.id.subject, name=key.name,
            attribute=key.id.attribute,
            definition=self.context.schema.attribute(key.id.attribute)
            if key.id.attribute else None,
            type=held.type, retract=asked["retract"], mode=asked["mode"],
            values=tuple(Value(*v) for v in asked["values"]), text=held.text,
            flagged=bool(held.flagged), valid_from=None if keeps else held.valid_from,
            valid_to=held.valid_to,
            corrects=asked["corrects"], supersedes=asked["supersedes"],
            confidence=held.confidence, importance=held.importance, fields=held.fields,
            source_episode=held.source_episode, quote=held.quote, source=held.source,
            trust=held.trust, trust_rank=0,
            expires_at=None if known_policy or held.expires_at == OPEN else held.expires_at,
            ttl_days=None, retention=held.retention,
            metadata=None if held.metadata == "{}" else held.metadata, expect=None,
            end_given=asked["end_given"],
        )  # fmt: skip


def _edited(draft: Draft, held: Statement, edits: Mapping[str, Any], schema: Schema) -> Draft:
    """Give a draft as a reviewer put it; raises InvalidInput naming the field that does not fit."""
    for name in edits:
        if name not in EDITABLE:
            raise InvalidInput(name, f"cannot be edited; only {', '.join(sorted(EDITABLE))}")
    if draft.retract:
        for name in edits:
            if name not in {"subject", "attribute", "valid_from", "timezone"}:
                raise InvalidInput(name, "cannot be edited of what ends something")
    said: dict[str, Any] = {
        "subject": draft.name or None, "type": draft.type, "mode": draft.mode,
        "corrects": draft.corrects, "supersedes": draft.supersedes,
        "confidence": 1.0 if draft.confidence is None else draft.confidence,
        "importance": draft.importance, "source_episode_id": draft.source_episode,
        "quote": draft.quote, "source": draft.source,
        "valid_from": None if held.basis != "stated" else iso(held.valid_from),
        "valid_to": None if held.valid_to == OPEN else iso(held.valid_to),
        "metadata": None if draft.metadata is None else json.loads(draft.metadata),
    }  # fmt: skip
    if draft.attribute:
        said["attribute"] = draft.attribute
        said["value"] = None if not draft.values else decode(*draft.values[0][:2])
    else:
        said["text"] = draft.text
    request = {k: v for k, v in {**said, **edits}.items() if v is not None}
    if draft.retract:
        given = {k: request[k] for k in RETRACT_FIELDS if k in request and k != "value"}
        made = accept_retraction(schema, draft.person, **given)
        made.values = draft.values
        return made
    made = accept(schema, draft.person, Request(**request))
    made.expires_at, made.held = draft.expires_at, None
    return made


def proposed_by(held: Statement) -> dict[str, Any]:
    """Give what a candidate that waits proposes, as it was handed in."""
    asked = json.loads(held.keep)
    value = None if held.value_kind is None or held.value is None else held.value
    said: dict[str, Any] = {
        "text": held.text, "quote": held.quote, "confidence": held.confidence,
        "value": None if value is None else decode(str(held.value_kind), value),
        "supersedes": asked["supersedes"], "importance": held.importance,
        "due": json.loads(held.fields).get("due"),
        "valid_from": iso(held.valid_from) if held.basis == "stated" else None,
        "valid_to": iso(held.valid_to) if asked["end_given"] else None,
    }  # fmt: skip
    if held.confidence is None:
        said["confidence"] = -1  # it was no number, and still is none
    return {name: given for name, given in said.items() if given is not None}
