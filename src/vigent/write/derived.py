"""Writes what is derived of sessions: each in one transaction with all that follows from it.

It is judged against the state at the commit, not against what a model read: a source that is gone
by then cancels the work, a newer record of the same session makes it stale.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from vigent.domain.derivation import ACROSS, Derivation, Settled, canon_of
from vigent.domain.jsontext import check_metadata
from vigent.domain.records import Record
from vigent.domain.schema import trust_rank
from vigent.domain.statements import Key, KeyId, Statement, edited
from vigent.domain.text import clean_text
from vigent.domain.time import OPEN
from vigent.domain.values import Value
from vigent.ports.storage import Selection, Snapshot
from vigent.write.answering import apply
from vigent.write.draft import Draft
from vigent.write.finish import finish
from vigent.write.forget import forget
from vigent.write.pipeline import WritePipeline
from vigent.write.session import Session
from vigent.write.work import token_of

__all__ = ["DerivedWriter", "drop_resting"]

_LONGEST: Final = 4_000
_NOTED: Final = ("reflected", "compared")
"""Fields of an episode that say what was made of it; the next record of its session has them."""


class DerivedWriter:
    """Writes derived memories of one tenant and store."""

    def __init__(self, pipeline: WritePipeline) -> None:
        self.pipeline = pipeline

    def session(
        self, person: str, episode: Derivation, lessons: Sequence[Derivation] = ()
    ) -> Settled:
        """Let one record stand for a session, with the lessons of it, in one transaction.

        An earlier record of the session goes, and so do lessons that rested on it alone.
        """
        with self.pipeline.together() as session:
            if not self._said(session, person, episode.rests_on):
                return Settled("cancelled")
            every = _standing(self.pipeline, session, person, "episode")
            own = _own(episode)
            before = [s for s in every if _session_of(_fields(s)) == _session_of(own)]
            if any(_fields(old).get("lineage") == own["lineage"] for old in before):
                return Settled("known")
            if self._recorded(session.transaction, session.salt, person, [own["lineage"]]):
                return Settled("gone")
            if any(int(_fields(old).get("count", 0)) > own["count"] for old in before):
                return Settled("stale")
            noted = {k: v for old in before for k, v in _fields(old).items() if k in _NOTED}
            made = self._enter(session, person, episode, {**own, **noted})
            if made is None:
                return Settled("gone")
            records = [made]
            for lesson in lessons:
                records += self._cited(session, person, lesson, [made.memory_id])
            dropped = self._replaced(session, person, [s.id for s in before], made.memory_id)
        return Settled("done", tuple(records), tuple(dropped))

    def drawn(
        self,
        person: str,
        items: Sequence[Derivation],
        *,
        noted: Sequence[str],
        note: Mapping[str, Any],
        unless: str | None = None,
    ) -> Settled:
        """Write what is drawn from several episodes, and note on these that it was.

        With ``unless``, a field of ``note``, nothing is written where one of ``noted`` has it so
        already.
        """
        with self.pipeline.together() as session:
            episodes = {s.id: s for s in _standing(self.pipeline, session, person, "episode")}
            cited = {id for item in items for id in item.rests_on}
            if not cited.union(noted) <= episodes.keys():
                return Settled("cancelled")
            if unless is not None and any(
                _fields(episodes[id]).get(unless) == note[unless] for id in noted
            ):
                return Settled("known")
            records = [
                made for item in items for made in self._cited(session, person, item, item.rests_on)
            ]
            for id in noted:
                _amend(self.pipeline, session, episodes[id], {**_fields(episodes[id]), **note})
        return Settled("done", tuple(records))

    def drop(self, person: str, ids: Sequence[str]) -> Settled:
        """Forget derived memories, in one transaction."""
        with self.pipeline.together() as session:
            gone = [
                s.id
                for type in ("lesson", "reflection")
                for s in _standing(self.pipeline, session, person, type)
                if s.id in ids and _drop(self.pipeline, session, s)
            ]
        return Settled("done", dropped=tuple(gone))

    # ------------------------------------------------------------------------------- parts

    def _said(self, session: Session, person: str, ids: Sequence[str]) -> bool:
        """Whether all that was read is still there, and to be seen by whose memory it is."""
        rows = session.transaction.episodes(self.pipeline.context.tenant, ids=ids)
        there = {r.id for r in rows if r.content is not None and r.person in (person, "")}
        return set(ids) <= there

    def _enter(
        self, session: Session, person: str, item: Derivation, fields: Mapping[str, Any]
    ) -> Record | None:
        """Enter one; None where the same was entered before and somebody removed it."""
        said, flagged = clean_text(item.text, "text", _LONGEST)
        canon = canon_of(said, fields.get("lineage"))
        source = item.source_episode
        if source is not None:
            rows = session.transaction.episodes(self.pipeline.context.tenant, ids=[source])
            source = source if rows and rows[0].store == self.pipeline.context.store else None
        draft = Draft(
            person=person, subject="", name="", attribute="", definition=None, type=item.type,
            retract=False, mode="change", values=(Value("text", said, canon),), text=said,
            flagged=flagged, valid_from=None, valid_to=OPEN, corrects=None, supersedes=None,
            confidence=item.confidence, importance=item.importance, fields=json.dumps(fields),
            source_episode=source, quote=item.quote, source=None, trust=item.trust,
            trust_rank=trust_rank(item.trust), expires_at=None, ttl_days=None, retention=None,
            metadata=check_metadata(dict(item.metadata)) if item.metadata else None, expect=None,
        )  # fmt: skip
        return self.pipeline.enter(session, draft).memory

    def _cited(
        self, session: Session, person: str, item: Derivation, episodes: Sequence[str]
    ) -> tuple[Record, ...]:
        """Enter what names episodes; what it confirms names them too from then on."""
        made = self._enter(session, person, item, {**_own(item), "episodes": list(episodes)})
        if made is None:
            return ()
        rows = session.transaction.statements(self.pipeline.context.tenant, ids=[made.memory_id])
        kept = _fields(rows[0][1])
        cited = list(dict.fromkeys([*kept.get("episodes", []), *episodes]))
        if cited != kept.get("episodes"):
            _amend(self.pipeline, session, rows[0][1], {**kept, "episodes": cited})
        return (made,)

    def recorded(self, person: str, lineages: Sequence[str]) -> set[str]:
        """Give those of some lineages of which there is or was a record, also one removed since."""
        with self.pipeline.storage.snapshot() as snapshot:
            salt = snapshot.ledger(self.pipeline.context.tenant).salt or b""
            return self._recorded(snapshot, salt, person, lineages)

    def _recorded(
        self, snapshot: Snapshot, salt: bytes, person: str, lineages: Sequence[str]
    ) -> set[str]:
        context = self.pipeline.context
        keys = snapshot.keys(Selection(context.tenant, context.store, (person,), "", "", "episode"))
        members = {
            s.member for key in keys for _, s in snapshot.statements(context.tenant, of_key=key.no)
        }
        return {one for one in lineages if token_of(salt, canon_of("", one)) in members}

    def _replaced(self, session: Session, person: str, olds: Sequence[str], new: str) -> list[str]:
        """Let the new record of a session stand for the old ones, wherever these are named."""
        if not olds:
            return []

        def instead(statement: Statement, cited: list[str]) -> list[str]:
            fields = _fields(statement)
            own = statement.type == "lesson" and fields.get("basis") != ACROSS
            left = [new if e in olds and not own else e for e in cited if not (own and e in olds)]
            return list(dict.fromkeys(left))

        dropped = _recite(self.pipeline, session, person, olds, instead)
        for statement in _standing(self.pipeline, session, person, "episode"):
            if statement.id in olds and _drop(self.pipeline, session, statement):
                dropped.append(statement.id)
        return dropped


def drop_resting(pipeline: WritePipeline, session: Session, person: str, episode: str) -> list[str]:
    """Drop what rests on an episode that is forgotten; gives the ids of what went.

    A lesson that was learned in other sessions too stays, and names these alone.
    """

    def without(statement: Statement, cited: list[str]) -> list[str]:
        left = [e for e in cited if e != episode]
        alone = statement.type == "reflection" or _fields(statement).get("basis") == ACROSS
        return [] if alone else left

    return _recite(pipeline, session, person, [episode], without)


def _recite(
    pipeline: WritePipeline,
    session: Session,
    person: str,
    gone: Sequence[str],
    left: Callable[[Statement, list[str]], list[str]],
) -> list[str]:
    """Let derived memories that name one of some episodes name what is left, or drop them."""
    dropped: list[str] = []
    for type in ("lesson", "reflection"):
        for statement in _standing(pipeline, session, person, type):
            fields = _fields(statement)
            cited: list[str] = list(fields.get("episodes", []))
            if not set(cited).intersection(gone):
                continue
            rest = left(statement, cited)
            if rest:
                _amend(pipeline, session, statement, {**fields, "episodes": rest})
            elif _drop(pipeline, session, statement):
                dropped.append(statement.id)
    return dropped


def _standing(pipeline: WritePipeline, session: Session, person: str, type: str) -> list[Statement]:
    """Give the derived memories of a type that one owner has now."""
    context = pipeline.context
    key = session.find(KeyId(context.tenant, context.store, person, "", "", type))
    if key is None:
        return []
    now = context.clock.now()
    return [
        s
        for _, s in session.transaction.statements(context.tenant, of_key=key.no)
        if s.live and s.kind == "value" and s.bears == s.no and s.status == "active"
        and s.forgotten_at == OPEN and s.expires_at > now
    ]  # fmt: skip


def _key(pipeline: WritePipeline, session: Session, statement: Statement) -> Key:
    rows = session.transaction.statements(pipeline.context.tenant, numbers=[statement.no])
    return rows[0][0]


def _amend(
    pipeline: WritePipeline, session: Session, statement: Statement, fields: Mapping[str, Any]
) -> None:
    work = pipeline.work(session, _key(pipeline, session, statement))
    work.amend(edited(work.find(statement.no), fields=json.dumps(fields)))
    finish(work)
    apply(work)


def _drop(pipeline: WritePipeline, session: Session, statement: Statement) -> bool:
    key = _key(pipeline, session, statement)
    work = pipeline.work(session, key)
    if not forget(work, statement):
        return False
    work.changes.audit.append(
        pipeline.context.audit(
            person=key.id.person, key=key.no, at=work.at, action="memory_forget",
            outcome="forgotten", target=statement.id, content={},
        )
    )  # fmt: skip
    apply(work)
    return True


def _fields(statement: Statement) -> dict[str, Any]:
    return json.loads(statement.fields)


def _own(item: Derivation) -> dict[str, Any]:
    return {name: value for name, value in item.fields.items() if value is not None}


def _session_of(fields: Mapping[str, Any]) -> tuple[Any, Any]:
    """Give what a session is told by: its thread and its first item."""
    items = fields.get("items") or [None]
    return fields.get("thread"), items[0]
