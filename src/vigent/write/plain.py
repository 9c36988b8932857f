"""First and next statements of keys: nothing stands there, or one value that the new one ends.

What comes out is what the general rules give; it is found with one look, and those of one
transaction are gathered into one change set. Most writes, and loading many, are just this.
"""

from __future__ import annotations

from typing import Final

from vigent.domain.changes import ChangeSet, Close, Head
from vigent.domain.records import Stretch, pack
from vigent.domain.statements import (
    BEGINNING,
    END,
    ONE_VALUE,
    Belief,
    Key,
    KeyId,
    Statement,
    edited,
)
from vigent.domain.time import OPEN, Instant
from vigent.ports.storage import Transaction
from vigent.standing import shown
from vigent.write.answering import Standing
from vigent.write.context import Context
from vigent.write.draft import Draft
from vigent.write.entered import Entered
from vigent.write.holding import Dated
from vigent.write.reconcile import inherit, member_of, place_of, trust_problem
from vigent.write.work import Work

__all__ = ["Plain", "is_plain"]

_NOTHING: Final = Key(0, KeyId("", "", "", "", "", ""), "", 0)
"""Stands for the key until the first is turned to."""


def is_plain(draft: Draft, id: str | None) -> bool:
    """Whether a draft is a plain change, which names nothing that stands."""
    return (
        id is None
        and draft.mode == "change"
        and not draft.retract
        and draft.held is None
        and draft.expect is None
        and draft.supersedes is None
    )


class Plain:
    """Plain changes that the transaction has not been given yet, one at most for a key."""

    def __init__(self, transaction: Transaction, context: Context, salt: bytes) -> None:
        self._transaction = transaction
        changes = ChangeSet(context.tenant)
        self.work = Work(transaction, context, _NOTHING, None, 0, salt, changes)
        self._keys, _, self._beliefs = transaction.numbers
        self.ids: set[KeyId] = set()

    def turn_to(self, key: Key | None, id: KeyId, draft: Draft, at: Instant) -> Work:
        """Turn to the key of the next one, which is made where there is none."""
        work = self.work
        work.at = at
        work.key = Key(self._keys, id, draft.name, at) if key is None else key
        work.definition = draft.definition
        return work

    def first(self, draft: Draft, dated: Dated, fingerprint: bytes | None) -> Entered:
        """Enter the first value of the key."""
        work, key, at = self.work, self.work.key, self.work.at
        start, end = dated.start, dated.end
        member = member_of(work, draft, draft.values[0])
        statement = self._state(draft, dated, member)
        statement = _answered(statement, fingerprint, "stored")
        work.changes.keys.append(key)
        self._keys += 1
        self._believe(member, statement.no, start, end)
        if key.id.attribute and not draft.multi:
            if start <= at < end:
                head = Head(start, end, at, statement.expires_at, None, None, pack(statement))
            elif at < start:
                head = Head(BEGINNING, start, 0, OPEN, None, None, None)
            else:
                head = Head(end, OPEN, 0, OPEN, None, None, None)
            work.changes.heads.append((key.no, head))
        self._enter(statement)
        return Entered("stored", Standing(statement, Stretch(start, end, at, None), None, None))

    def last(self, draft: Draft, dated: Dated) -> tuple[Belief, Statement] | None:
        """Give what a draft ends, where it is one memory that nothing is planned after.

        None where the general rules have more to consider.
        """
        work, value = self.work, draft.values[0]
        at, start = work.at, dated.start
        if draft.multi or not draft.attribute or dated.end != OPEN or start > at:
            return None
        statements = self._transaction.window(work.key, ONE_VALUE, END)
        old, after = next(statements, None), next(statements, None)
        statements.close()
        plain = (
            old is not None
            and after is None
            and old.clean
            and old.valid_from < start
            and old.kind == "value"
            and old.bears == old.no
            and old.indexed
            and old.evidence_count == 1
            and old.status == "active"
            and shown(old, at)
            and old.token != work.token(value)
            and trust_problem(work, draft, [old]) is None
        )
        if old is None or not plain:
            return None
        believed = self._transaction.believed(work.key, ONE_VALUE, old.valid_from, OPEN)
        alone = [(b.valid_from, b.valid_to, b.memory) for b in believed] == [
            (old.valid_from, OPEN, old.no)
        ]
        return (believed[0], old) if alone else None

    def next(
        self, draft: Draft, dated: Dated, ends: tuple[Belief, Statement], fingerprint: bytes | None
    ) -> Entered:
        """Enter the value that follows the last one of the key."""
        work, at, start = self.work, self.work.at, dated.start
        belief, old = ends
        statement = inherit(work, draft, self._state(draft, dated, ONE_VALUE), old)
        statement = _answered(statement, fingerprint, "superseded", old)
        changes = work.changes
        changes.closed.append(Close(belief.no, at))
        self._believe(ONE_VALUE, old.no, old.valid_from, start)
        self._believe(ONE_VALUE, statement.no, start, OPEN)
        until = min(old.expires_at, statement.expires_at)
        head = Head(start, OPEN, at, until, old.id, None, pack(statement))
        changes.recorded.append((work.key, at))
        changes.heads.append((work.key.no, head))
        self._enter(statement)
        before = Stretch(old.valid_from, start, at, None)
        ended = Standing(old, before, None, statement.id, later=True)
        after = Standing(statement, Stretch(start, OPEN, at, None), old.id, None)
        return Entered("superseded", after, (ended,))

    def _state(self, draft: Draft, dated: Dated, member: bytes) -> Statement:
        work = self.work
        return work.state(
            draft, draft.values[0], kind="value", member=member, start=dated.start, end=dated.end,
            basis=dated.basis, speaker=dated.speaker, place=place_of(work, draft),
        )  # fmt: skip

    def _believe(self, member: bytes, memory: int, start: Instant, end: Instant) -> None:
        key, at = self.work.key, self.work.at
        self.work.changes.opened.append(
            Belief(self._beliefs, key.id.tenant, key.no, member, memory, start, end, at, None)
        )
        self._beliefs += 1

    def _enter(self, statement: Statement) -> None:
        self.work.index(statement)
        self.work.changes.statements.append(statement)
        self.ids.add(self.work.key.id)

    def settle(self) -> None:
        """Give what was gathered to the transaction."""
        self._transaction.apply(self.work.changes)


def _answered(
    statement: Statement, fingerprint: bytes | None, outcome: str, ended: Statement | None = None
) -> Statement:
    """Keep the answer with the statement, for the same request of the same episode."""
    if fingerprint is None:
        return statement
    return edited(
        statement, fingerprint=fingerprint, outcome=f"{outcome} {statement.id}",
        ended="" if ended is None else ended.id,
    )  # fmt: skip
