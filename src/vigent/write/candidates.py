"""Candidates on their way in: capture was before; here are the gate, reconciling and the commit.

One transaction takes a candidate in, with its verdict, or leaves nothing. What was handed in
before is not judged again by itself: the same candidate has the same answer. After a change of
policy it can be judged anew, unless it is in force or somebody has decided it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import islice
from typing import Any, Final

from vigent.domain.candidates import Candidate, beyond_episode, id_of, of_episode, words_of
from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.episodes import EpisodeRow
from vigent.domain.gate.case import Case, Finding, Nomination, Verdict, finding, gravest
from vigent.domain.gate.policy import GatePolicy
from vigent.domain.gate.rules import judge, known_confidence
from vigent.domain.modelword import MODELS_WORD
from vigent.domain.resources import ResourceRow
from vigent.domain.text import MAX_TEXT, check_id
from vigent.domain.time import iso
from vigent.errors import CallerError, InvalidInput, NotFound
from vigent.ports.storage import Snapshot
from vigent.write.candidaterows import SECRET, digest_of, kept_of, shown_of, told_of
from vigent.write.draft import Draft
from vigent.write.result import WriteResult
from vigent.write.review import Reviewer, proposed_by
from vigent.write.session import Session
from vigent.write.surroundings import case_of, source_row, waiting_for
from vigent.write.verbs import Writer
from vigent.write.work import token_of

__all__ = ["Candidates", "Checked"]

Checked = Callable[[str], tuple[str | None, str | None]]
"""What the caller's own checks say of a candidate under a trust: why held, and why refused."""

_FIELDS: Final = tuple(f.name for f in fields(Nomination))
_REASONS: Final = {
    "needs the person's own word": "not_own_wish",
    "confidence is less than the store asks": "confidence_low",
}
_PAGE: Final = 200
_END: Final = "\U0010ffff"
"""Greater than any id."""


class Candidates:
    """Takes in what models propose, for one tenant and store."""

    def __init__(self, writer: Writer, policy: GatePolicy) -> None:
        self._writer = writer
        self._reviewer = Reviewer(writer.pipeline)
        self._context = writer.context
        self.policy = policy

    # ------------------------------------------------------------------------ handing in

    def learn(self, person: str, given: Mapping[str, Any], checked: Checked) -> Candidate:
        """Judge a candidate and enter what comes of it; the same one again gives the first answer.

        Raises InvalidInput without an episode, and NotFound where it is not there.
        """
        episode = given.get("source_episode_id")
        if episode is None:
            raise InvalidInput("source_episode_id", "must be given")
        delta = {k: v for k, v in given.items() if v is not None and k != "source_episode_id"}
        with self._writer.pipeline.session() as session:
            row = source_row(session, self._context, check_id(episode, "source_episode_id"))
            if row is None:
                raise NotFound(
                    f"source_episode_id: there is no episode {episode} here",
                    field="source_episode_id",
                )
            id = id_of(row.id, digest_of(session.salt, person, delta))
            before = session.transaction.resource(self._context.tenant, "candidate", id)
            if before is not None and not SECRET & set(Candidate.of_row(before).reasons):
                return self._again(session, Candidate.of_row(before))
            # What was refused as secret was not kept: only here can it be judged anew.
            return self._judged(session, person, row, id, delta, checked, before)

    def judge(
        self, person: str, candidate_id: object, checked: Callable[[Mapping[str, Any]], Checked]
    ) -> Candidate:
        """Judge a candidate again, by the policy and the schema as they are now.

        One that is in force, that somebody decided, or whose episode is gone, stays as it is.
        Raises NotFound.
        """
        id = check_id(candidate_id, "candidate_id")
        with self._writer.pipeline.session() as session:
            kept, found = self._found(session.transaction, person, id)
            row = source_row(session, self._context, found.episode_id)
            if (
                row is None
                or row.content is None
                or found.outcome == "accepted"
                or self._decided(session, found)
            ):
                return found
            delta = {**found.delta, **self._waiting(session, found)}
            return self._judged(session, kept.person, row, id, delta, checked(delta), kept)

    def get(self, person: str, candidate_id: object, *, shared: bool = True) -> Candidate:
        """Give one candidate of a person, or a shared one if those count too; raises NotFound."""
        id = check_id(candidate_id, "candidate_id")
        with self._writer.pipeline.storage.snapshot() as snapshot:
            row, found = self._found(snapshot, person, id, shared=shared)
            told = told_of(snapshot, self._context, [row])
        return found if found.episode_id in told else replace(found, delta={})

    def _found(
        self, snapshot: Snapshot, person: str, id: str, *, shared: bool = True
    ) -> tuple[ResourceRow, Candidate]:
        row = snapshot.resource(self._context.tenant, "candidate", id)
        found = None if row is None else Candidate.of_row(row)
        mine = not person or (row is not None and row.person in (person, "" if shared else person))
        if row is None or found is None or found.store_id != self._context.store or not mine:
            raise NotFound(f"candidate_id: there is no candidate {id} here", field="candidate_id")
        return row, found

    def _waiting(self, session: Session, found: Candidate) -> dict[str, Any]:
        """Give what a candidate that is held says; its row has no word of it."""
        if found.memory_id is None:
            return {}
        held = session.transaction.statements(self._context.tenant, ids=[found.memory_id])[0][1]
        return proposed_by(held)

    def list(
        self,
        person: str,
        episode: object = None,
        outcome: str | None = None,
        after: str | None = None,
        limit: int | None = None,
        *,
        shared: bool = True,
    ) -> tuple[Candidate, ...]:
        """Give the candidates of an episode, or of all, those of a person and the shared.

        Without ``shared`` the person's alone. Nobody named, it is everyone's.

        They come in the order of their ids: those behind ``after``, at most ``limit``. Of one
        whose episode is gone, only the verdict is left.
        """
        first, end = after or "", _END
        if episode is not None:
            named = check_id(episode, "episode_id")
            first, end = max(of_episode(named), first), beyond_episode(named)
        persons = () if not person else (person, "") if shared else (person,)
        words = words_of(self._context.store, outcome)
        size = _PAGE if limit is None else min(_PAGE, limit)
        found = (
            one
            for one in self._rows(persons, words, first, end, size)
            if one.store_id == self._context.store and outcome in (None, one.outcome)
        )
        return tuple(islice(found, limit))

    def _rows(
        self, persons: tuple[str, ...], words: str, after: str, end: str, size: int
    ) -> Iterator[Candidate]:
        with self._writer.pipeline.storage.snapshot() as snapshot:
            while True:
                rows = snapshot.candidates(self._context.tenant, persons, words, (after, end), size)
                told = told_of(snapshot, self._context, rows)
                for row in rows:
                    one = Candidate.of_row(row)
                    yield one if one.episode_id in told else replace(one, delta={})
                if len(rows) < size:
                    return
                after = rows[-1].id

    # -------------------------------------------------------------------------- judging

    def _judged(
        self,
        session: Session,
        person: str,
        row: EpisodeRow,
        id: str,
        delta: dict[str, Any],
        checked: Checked,
        kept: ResourceRow | None,
    ) -> Candidate:
        nomination = Nomination(**{k: delta[k] for k in _FIELDS if k in delta})
        too_long = next((k for k, v in delta.items() if len(str(v)) > MAX_TEXT), None)
        if too_long is not None:
            delta = {k: v for k, v in delta.items() if len(str(v)) <= MAX_TEXT}
            verdict = _refused(finding("schema_mismatch", too_long), nomination)
            draft, found = None, list(verdict.findings)
        elif row.person not in (person, ""):
            verdict = _refused(finding("other_person"), nomination)
            draft, found = None, list(verdict.findings)
        else:
            case, bearer = case_of(
                session, self._context, person, row, nomination,
                timezone=delta.get("timezone"), policy=self.policy,
            )  # fmt: skip
            verdict = judge(case)
            as_known = delta if bearer is None else {**delta, "subject": bearer}
            draft, more = self._drafted(person, row, case, verdict, as_known)
            found = [*verdict.findings, *more, *_own_checks(checked, verdict.trust)]
        verdict = replace(verdict, findings=tuple(dict.fromkeys(found)), outcome=gravest(found))
        waiting = None if kept is None else Candidate.of_row(kept).memory_id
        result = self._entered(session, person, draft, verdict, delta, waiting)
        return self._kept(session, person, row, id, delta, verdict, result, kept)

    def _drafted(
        self, person: str, row: EpisodeRow, case: Case, verdict: Verdict, delta: Mapping[str, Any]
    ) -> tuple[Draft | None, list[Finding]]:
        """Give the draft of a candidate, and what of the schema it does not fit."""
        sure = known_confidence(case.nomination.confidence)
        request = {
            k: v for k, v in delta.items() if k not in {"assertion", "durable", "time_words"}
        }
        request |= {
            "mode": verdict.mode, "valid_from": verdict.valid_from, "valid_to": verdict.valid_to,
            "trust": verdict.trust, "timezone": case.timezone, "source_episode_id": row.id,
            "confidence": sure,
        }  # fmt: skip
        if sure is None and verdict.trust != "person":
            request["confidence"] = MODELS_WORD
        try:
            draft = self._writer.proposed(person, request, None)
        except CallerError as error:
            # A date that is none was found by the gate already.
            found = any(f.code == "date_invalid" for f in verdict.findings)
            return None, [] if found else [finding("schema_mismatch", error.field)]
        if case.nomination.confidence is not None and sure is None:
            draft.confidence = None
        more: list[Finding] = []
        if draft.held is not None:
            more.append(finding(_REASONS.get(draft.held, draft.held)))
        return draft, more

    def _entered(
        self,
        session: Session,
        person: str,
        draft: Draft | None,
        verdict: Verdict,
        delta: Mapping[str, Any],
        waiting: str | None,
    ) -> WriteResult:
        if draft is None or verdict.outcome == "rejected":
            if waiting is not None:
                self._reviewer.settle(session, waiting, "rejected", verdict.reason)
            shown = {k: shown_of(verdict, delta, k) for k in ("subject", "attribute")}
            return self._writer.note_refused(session, person, shown, verdict.reason or "")
        draft.held = None if verdict.outcome == "accepted" else verdict.reason
        draft.hold_as = "buffered" if verdict.outcome == "buffered" else "pending_review"
        if waiting is not None:
            if draft.held is not None:
                return self._reviewer.settle(session, waiting, draft.hold_as, draft.held)
            return self._reviewer.release(session, waiting, draft)
        if draft.held is None:
            self._rise(session, draft)
        return self._writer.pipeline.enter(session, draft)

    def _rise(self, session: Session, draft: Draft) -> None:
        """Let in what was buffered of the value that now has recurred, each as it was said."""
        if not draft.values:
            return
        key = session.find(self._writer.pipeline.key_id(draft))
        if key is None:
            return
        token = token_of(session.salt, draft.values[0].canon)
        for held in waiting_for(session.transaction, key, token):
            self._reviewer.release(session, held.id, None)

    def _kept(
        self,
        session: Session,
        person: str,
        row: EpisodeRow,
        id: str,
        delta: Mapping[str, Any],
        verdict: Verdict,
        result: WriteResult,
        kept: ResourceRow | None,
    ) -> Candidate:
        """Keep a candidate with its verdict, and with what came of it."""
        outcome, reasons, detail = verdict.outcome, verdict.codes, verdict.detail
        if outcome == "accepted" and result.outcome in {"pending_review", "rejected"}:
            outcome = result.outcome  # the key's own policy for conflicts
            reasons = (result.reason or result.outcome, *reasons)
            detail = None
        now = self._context.clock.now()
        made = now if kept is None else kept.created_at
        candidate = Candidate(
            id, row.id, self._context.store, person or None, outcome, reasons, detail,
            verdict.trust, None if result.memory is None else result.memory.memory_id,
            kept_of(verdict, outcome, delta), iso(made), iso(now),
            1 if kept is None else kept.version + 1, result,
        )  # fmt: skip
        stored = ResourceRow(
            self._context.tenant, "candidate", id, None, person, candidate.judged,
            candidate.document(), made, now,
        )  # fmt: skip
        session.transaction.apply(
            ChangeSet(self._context.tenant, resources=ResourceChanges(kept=[stored]))
        )
        return candidate

    def _again(self, session: Session, found: Candidate) -> Candidate:
        """Give the first answer again, with the memory as it stands now."""
        memory = None
        if found.memory_id is not None:
            rows = session.transaction.statements(self._context.tenant, ids=[found.memory_id])
            if rows:
                key, statement = rows[0]
                work = self._writer.pipeline.work(session, key)
                held = statement.role == "held"
                memory = (
                    self._writer.pipeline.candidate(key, statement)
                    if held
                    else self._writer.pipeline.stored(work, statement)
                )
        outcome = "confirmed" if found.outcome == "accepted" else found.outcome
        return replace(found, result=WriteResult(outcome, memory, (), found.reason))

    def _decided(self, session: Session, found: Candidate) -> bool:
        """Whether what was held is held no more: somebody decided it, or it is gone."""
        if found.memory_id is None:
            return False
        rows = session.transaction.statements(self._context.tenant, ids=[found.memory_id])
        return not rows or rows[0][1].status not in {"pending_review", "buffered"}


def _own_checks(checked: Checked, trust: str) -> list[Finding]:
    held, refused = checked(trust)
    found: list[Finding] = []
    if held is not None:
        found.append(Finding(held, "pending_review"))
    if refused is not None:
        found.append(Finding(refused, "rejected"))
    return found


def _refused(one: Finding, nomination: Nomination) -> Verdict:
    return Verdict("rejected", (one,), "person", nomination.mode, None, None, "")
