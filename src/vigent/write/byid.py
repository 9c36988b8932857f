"""Changes to a memory that is named by its id: corrections with fields in place, retractions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from vigent.domain.changes import ChangeSet
from vigent.domain.derivation import canon_of
from vigent.domain.records import Record
from vigent.domain.schema import Schema, trust_rank
from vigent.domain.statements import Key, Statement
from vigent.domain.text import MAX_TEXT
from vigent.domain.time import OPEN
from vigent.domain.values import Value, canonical, decode
from vigent.errors import ConflictError, InvalidInput, NotFound
from vigent.standing import last_belief, shown
from vigent.write.accept import Request, accept, accept_update
from vigent.write.draft import Draft
from vigent.write.fields import APPLICATION, choice, reference, start_of, words_of
from vigent.write.forget import head_of_run
from vigent.write.result import WriteResult
from vigent.write.session import Session
from vigent.write.verbs import Writer

__all__ = ["ById"]

_SAID: Final = frozenset({"text", "value", "valid_from", "valid_to"})
_ABOUT: Final = frozenset({"timezone", "source", "quote", "source_episode_id", "trust"})
_KEPT: Final = ("confidence", "metadata", "expires_at", "ttl_days", "retention_policy")


class ById:
    """Changes memories of one tenant and store by their ids."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.context = writer.context

    def amend(self, person: str, memory_id: object, changes: Mapping[str, Any]) -> WriteResult:
        """Correct what a memory says, and change its fields in place, in one transaction.

        Text, value and valid times make a correction, which is a new memory (``valid_to`` None
        takes a stated end back); without them the outcome is ``updated``.
        """
        said = {name: changes[name] for name in changes if name in _SAID}
        about = {n: changes[n] for n in _ABOUT if changes.get(n) is not None}
        fields = {n: v for n, v in changes.items() if n not in _SAID and n not in _ABOUT}
        if not said and not fields:
            raise InvalidInput("changes", "must name what is to change")
        in_place = {**fields, "timezone": about.get("timezone")}
        with self.writer.pipeline.together() as session:
            key, head = self._head(session, person, memory_id)
            if not said:
                record = self.writer.update(person, memory_id, in_place)
                return WriteResult("updated", record, ())
            columns = accept_update(self.context.schema, head.type, in_place)
            draft = self._correction(person, key, head, said, about, fields)
            own = columns.get("own", {})
            draft.importance = columns.get("importance", head.importance)
            draft.fields = json.dumps({**json.loads(head.fields), **own})
            result = self.writer.pipeline.enter(session, draft)
            if fields and result.memory is not None:
                self._note(session, person, key, result.memory, fields)
            return result

    def _head(
        self, session: Session, person: str, memory_id: object
    ) -> tuple[Key, Statement]:  # fmt: skip
        """Give a person's own memory with content, where a confirmation of it is named too."""
        key, statement = self.writer.owned(session, memory_id, person)
        work = self.writer.pipeline.work(session, key)
        head = statement
        if statement.role != "held" and statement.forgotten_at == OPEN:
            head = work.find(head_of_run(work, statement))
        if not shown(head, work.at):
            raise NotFound(f"memory_id: there is no memory {memory_id} here", field="memory_id")
        return key, head

    def _correction(
        self, person: str, key: Key, head: Statement, said: Mapping[str, Any],
        about: Mapping[str, Any], fields: Mapping[str, Any],
    ) -> Draft:  # fmt: skip
        asked = {name: said[name] for name in said if name not in ("value", "text")}
        if "valid_from" in said and said["valid_from"] is None:
            raise InvalidInput("valid_from", "must be given, or left out")
        if key.id.attribute:
            if "text" in said:
                raise InvalidInput("text", "is not what this memory says; give its value")
            kind, stored = head.value_kind or "text", head.value or ""
            asked["value"] = said["value"] if "value" in said else decode(kind, stored)
            asked |= {"subject": key.name, "attribute": key.id.attribute}
        else:
            if "value" in said:
                raise InvalidInput("value", "is not what this memory says; give its text")
            asked |= {"subject": key.name or None, "text": said.get("text", head.text)}
        kept = {name: fields[name] for name in _KEPT if fields.get(name) is not None}
        if "confidence" not in kept and trust_rank(about.get("trust", "application")) < APPLICATION:
            kept["confidence"] = head.confidence
        draft = accept(
            self.context.schema, person,
            Request(type=head.type, mode="correction", corrects=head.id, **asked, **about, **kept),
        )  # fmt: skip
        # A correction of the dates alone is no new claim of what kind of thing it is.
        draft.held = None
        draft.end_given = "valid_to" in said
        return draft

    def _note(
        self, session: Session, person: str, key: Key, made: Record, fields: Mapping[str, Any]
    ) -> None:
        entry = self.context.audit(
            person=person, key=key.no, at=made.known, action="memory_update", outcome="updated",
            target=made.memory_id, content={"fields": sorted(fields)},
        )  # fmt: skip
        session.transaction.apply(ChangeSet(self.context.tenant, audit=[entry]))

    # ------------------------------------------------------------------------ retracting

    def retract(
        self,
        person: str,
        memory_id: object,
        *,
        mode: str = "change",
        valid_from: object = None,
        source_episode_id: object = None,
        quote: object = None,
        source: object = None,
        trust: str = "application",
        timezone: str | None = None,
    ) -> WriteResult:
        """Say that a memory no longer holds, or (``mode="correction"``) that it never did.

        One that is not believed any more is a ``noop``; raises ConflictError for a candidate.
        """
        choice(mode, "mode", ("change", "correction"))
        if mode == "correction" and valid_from is not None:
            raise InvalidInput("valid_from", "is for what no longer holds, not for what never did")
        start = start_of(valid_from, timezone)
        about: dict[str, Any] = {
            "source_episode": reference(source_episode_id, "source_episode_id"),
            "quote": words_of(quote, "quote", MAX_TEXT),
            "source": words_of(source, "source", 2_000), "trust": trust,
            "trust_rank": trust_rank(trust),
        }  # fmt: skip
        with self.writer.pipeline.together() as session:
            key, head = self._head(session, person, memory_id)
            if head.role == "held":
                raise ConflictError(
                    f"memory_id: {head.id} is a candidate; decide it in the review",
                    field="memory_id",
                )
            last = last_belief(session.transaction, key, head)
            if last.recorded_to is not None:
                return WriteResult("noop", None, ())
            # What never held is withdrawn where it stands, and nothing else of the same value.
            draft = _retraction(
                self.context.schema, key, head, mode=mode,
                valid_from=last.valid_from if mode == "correction" else start, **about,
            )  # fmt: skip
            return self.writer.pipeline.enter(session, draft)


def _retraction(
    schema: Schema, key: Key, head: Statement, *, mode: str, valid_from: int | None, **about: Any
) -> Draft:
    definition = schema.attribute(key.id.attribute) if key.id.attribute else None
    if key.id.attribute:
        stored = decode(head.value_kind or "text", head.value or "")
        value = canonical(stored, definition)
    else:
        text = head.text or ""
        lineage = json.loads(head.fields).get("lineage") if head.type == "episode" else None
        value = Value("text", text, canon_of(text, lineage))
    return Draft(
        person=key.id.person, subject=key.id.subject, name=key.name, attribute=key.id.attribute,
        definition=definition, type=key.id.type or head.type, retract=True, mode=mode,
        values=(value,), text=None, flagged=False, valid_from=valid_from, valid_to=OPEN,
        corrects=None, supersedes=None, confidence=None, importance=5, fields="{}",
        expires_at=None, ttl_days=None, retention=None, metadata=None, expect=None, **about,
    )  # fmt: skip
