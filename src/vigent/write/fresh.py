"""First statements of keys: nothing stands there, so there is nothing to reconcile.

What comes out is what the general rules give; it is only found without looking anything up.
Those of one transaction are gathered into one change set: loading many is mostly this.
"""

from __future__ import annotations

from vigent.domain.changes import ChangeSet, Head
from vigent.domain.records import Stretch, pack
from vigent.domain.statements import BEGINNING, Belief, Key, KeyId
from vigent.domain.time import OPEN
from vigent.ports.storage import Transaction
from vigent.write.answering import Standing
from vigent.write.context import Context
from vigent.write.draft import Draft
from vigent.write.entered import Entered
from vigent.write.holding import Dated
from vigent.write.reconcile import member_of, place_of
from vigent.write.work import Work, edited

__all__ = ["Firsts", "is_first"]


def is_first(draft: Draft, id: str | None) -> bool:
    """Whether a draft is a plain change: what it says needs no look at what stands."""
    return (
        id is None
        and draft.mode == "change"
        and not draft.retract
        and draft.held is None
        and draft.expect is None
        and draft.supersedes is None
    )


class Firsts:
    """First statements that the transaction has not been given yet."""

    def __init__(self, transaction: Transaction, context: Context, salt: bytes) -> None:
        self._transaction = transaction
        self._context = context
        changes = ChangeSet(context.tenant)
        nothing = Key(0, KeyId("", "", "", "", "", ""), "", 0)
        self.work = Work(transaction, context, nothing, None, 0, salt, changes, "")
        self._keys, _, self._beliefs = transaction.numbers
        self.ids: set[KeyId] = set()

    def begin(self, id: KeyId, draft: Draft) -> Work:
        """Turn to the key of the next one."""
        work = self.work
        work.at = max(self._context.clock.now(), 1)
        work.key = Key(self._keys, id, draft.name, work.at)
        work.definition = draft.definition
        work.person = draft.person
        return work

    def enter(self, draft: Draft, dated: Dated, fingerprint: bytes | None) -> Entered:
        """Enter the first value of the key."""
        work, key, at = self.work, self.work.key, self.work.at
        value = draft.values[0]
        start, end = dated.start, dated.end
        member = member_of(work, draft, value)
        statement = work.state(
            draft, value, kind="value", member=member, start=start, end=end, basis=dated.basis,
            speaker=dated.speaker, place=place_of(work, draft),
        )  # fmt: skip
        if fingerprint is not None:
            outcome = f"stored {statement.id}"
            statement = edited(statement, fingerprint=fingerprint, outcome=outcome)
        changes = work.changes
        work.index(statement)
        changes.keys.append(key)
        changes.statements.append(statement)
        changes.opened.append(
            Belief(self._beliefs, key.id.tenant, key.no, member, statement.no, start, end, at, None)
        )
        if key.id.attribute and not draft.multi:
            if start <= at < end:
                head = Head(start, end, at, statement.expires_at, None, None, pack(statement))
            elif at < start:
                head = Head(BEGINNING, start, 0, OPEN, None, None, None)
            else:
                head = Head(end, OPEN, 0, OPEN, None, None, None)
            changes.heads.append((key.no, head))
        self.ids.add(key.id)
        self._keys += 1
        self._beliefs += 1
        return Entered("stored", Standing(statement, Stretch(start, end, at, None), None, None))

    def settle(self) -> None:
        """Give what was gathered to the transaction."""
        self._transaction.apply(self.work.changes)
