"""What a write transaction on a store that an SQL engine keeps is to write.

Rows are gathered and written a table at a time, when the transaction ends or when something that
was changed is read again: a batch then costs one pass over each table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from vigent.domain.changes import ChangeSet, Head
from vigent.domain.passages import ITEM, MEMORY
from vigent.domain.statements import (
    Belief,
    Key,
    KeyId,
    Statement,
)  # fmt: skip
from vigent.domain.time import DAY
from vigent.ports.storage import Numbers
from vigent.storage.sql.aliases import alias_rows
from vigent.storage.sql.indexing import passage_rows, take_vectors, unindex
from vigent.storage.sql.order import ORDER, amendment
from vigent.storage.sql.reading import SqlSnapshot
from vigent.storage.sql.rows import Queries, Run
from vigent.storage.sql.threads import thread_rows

__all__ = ["Gathering"]

_HANDLES = attrgetter("id", "fingerprint", "replaces")

_PLACE = {query: place for place, query in enumerate(ORDER)}
_NOTHING = Head(0, 0, 0, 0, None, None, None)


class Gathering(SqlSnapshot):
    """A snapshot that holds the write lock, and gathers what is to be written."""

    def __init__(self, run: Run, queries: Queries) -> None:
        super().__init__(run, queries)
        self._pending: dict[str, list[Any]] = {}
        self._dirty: set[int] = set()
        self._stale = False
        self._fresh: dict[KeyId, Key] = {}
        self._last: dict[str, int] = {}
        self._unwritten, self._numbers = 0, Numbers(0, 0, 0)
        self._handles: set[object] = set()
        self._wanted: list[int] = []
        self._ahead: dict[int, tuple[Belief, Statement]] = {}

    @property
    def numbers(self) -> Numbers:
        """The next free row numbers, counting what was applied so far."""
        return self._numbers

    def apply(self, changes: ChangeSet) -> None:
        """Take a change set into the transaction."""
        if self._dirty and any(key.no in self._dirty for key, _ in changes.recorded):
            self.flush()  # rows of one key are written in the order of its changes
        self._take_statements(changes)
        self._take_beliefs(changes)
        self._take_rest(changes)
        if changes.aliases is not None:
            self._aliased(changes.tenant)
            for query, rows in alias_rows(changes.aliases):
                self._add(query, rows)
        if changes.resources is not None:
            removed, kept = changes.resources
            self._add("resource_delete", [(r.tenant, r.kind, r.id) for r in removed])
            self._add("resource_put", kept)
        if changes.threads or changes.aliases or changes.resources:
            self.flush()  # reads of these look at the tables alone

    def _add(self, query: str, rows: Sequence[Any]) -> None:
        if rows:
            self._pending.setdefault(query, []).extend(rows)

    def _take_statements(self, changes: ChangeSet) -> None:
        add = self._add
        if changes.statements:
            add("statement_insert", changes.statements)
            self._dirty.update([s.key for s in changes.statements])
            self._handles.update(chain.from_iterable(map(_HANDLES, changes.statements)))
        if changes.edits:
            self._take_edits(changes)

    def _take_edits(self, changes: ChangeSet) -> None:
        add, tenant = self._add, changes.tenant
        add("statement_delete", [(number, tenant) for number in changes.discarded])
        add(
            "statement_withdraw",
            [(w.at, w.status, w.statement, tenant) for w in changes.withdrawn],
        )
        add("statement_amend", [amendment(s) for s in changes.amended])
        add("statement_retrieved", [(n, number, tenant) for number, n in changes.retrieved])
        add(
            "statement_refold",
            [(r.clean, r.indexed, r.statement, tenant) for r in changes.refolded],
        )
        add(
            "statement_forget",
            [(f.at, f.gap, f.withdrawn_at, f.statement, tenant) for f in changes.forgotten],
        )
        unindex(add, tenant, [(MEMORY, f.statement) for f in changes.forgotten])
        add("audit_forget", [(tenant, f.id) for f in changes.forgotten])
        add("audit_untell", [(tenant, *u) for u in changes.untold])
        add("statement_blank", [(number, tenant) for number, _ in changes.blanked])
        add("audit_forget", [(tenant, id) for _, id in changes.blanked])
        add("audit_forget", [(tenant, id) for id in changes.unsaid])
        # These name no key: whatever is read next has to see them.
        c = changes
        self._stale |= bool(c.withdrawn or c.amended or c.refolded or c.forgotten or c.retrieved)

    def _take_beliefs(self, changes: ChangeSet) -> None:
        add, numbers, tenant = self._add, self._numbers, changes.tenant
        heads = dict(changes.heads)
        for key in changes.keys:
            self._fresh[key.id] = key
            self._keys[key.no] = key
            self._dirty.add(key.no)
        add(
            "key_insert",
            [
                (key.no, *key.id, key.name, key.last_recorded, *heads.pop(key.no, _NOTHING))
                for key in changes.keys
            ],
        )
        add("belief_close", [(c.at, c.belief, tenant) for c in changes.closed])
        add("belief_insert", changes.opened)
        for key, instant in changes.recorded:
            self._dirty.add(key.no)
            self._ahead.pop(key.no, None)
            moved = key._replace(last_recorded=instant)
            self._fresh[key.id] = moved
            self._keys[key.no] = moved
            head = heads.pop(key.no, None)
            if head is None:
                add("key_recorded", [(instant, key.no, tenant)])
            else:
                add("key_recorded_head", [(instant, *head, key.no, tenant)])
        for number, head in heads.items():
            self._dirty.add(number)  # a later change of the key must come after this
            add("key_head", [(*head, number, tenant)])
        self._numbers = Numbers(
            numbers.key + len(changes.keys),
            max([numbers.statement, *(s.no + 1 for s in changes.statements)]),
            numbers.belief + len(changes.opened),
        )

    def _take_rest(self, changes: ChangeSet) -> None:
        add, tenant = self._add, changes.tenant
        if changes.audit:
            number = self._next("last_audit", len(changes.audit))
            numbered = list(enumerate(changes.audit, number))
            add(
                "audit_insert",
                [(n, tenant, e.id, e.at, e.action, e.outcome, e.target, e.digest, e.said)
                 for n, e in numbered],
            )  # fmt: skip
            add(
                "audit_content_insert",
                [(n, tenant, e.store, e.person, e.key, e.salt, e.content) for n, e in numbered],
            )
        numbered_as: dict[str, int] = {}
        for episode in changes.episodes:
            number = numbered_as[episode.id] = self._next("last_episode")
            add("episode_insert", [episode._replace(no=number)])
        if changes.threads is not None:
            for query, rows in thread_rows(tenant, changes.threads, numbered_as):
                add(query, rows)
        if changes.stubs:
            add("episode_stub", [(number, tenant) for number in changes.stubs])
            unindex(add, tenant, [(ITEM, number) for number in changes.stubs])
        self._take_index(changes, numbered_as)
        if changes.finished:
            add("job_finished", [(kind, tenant, lane) for kind, lane in changes.finished])
        if changes.answered:
            add("answer_insert", changes.answered)
            self._run(self._q["answer_prune"], (tenant, changes.answered[-1].at - DAY))
        if changes.links:
            add("person_link", [link for link in changes.links if link.subject is not None])
            add("person_unlink", [link[:2] for link in changes.links if link.subject is None])
        add("usage_add", changes.used)
        if changes.audit_pruned:
            add("audit_prune_content", [(tenant, changes.audit_pruned)])
            add("audit_prune", [(tenant, changes.audit_pruned)])
        if changes.salt is not None:
            add("tenant_insert", [(tenant, changes.salt, changes.salted_at)])

    def _take_index(self, changes: ChangeSet, numbered_as: dict[str, int]) -> None:
        if changes.unindexed:
            unindex(self._add, changes.tenant, changes.unindexed)
            self.flush()  # passages of the same sources may come in their place
        self._add("passage_insert", passage_rows(changes, numbered_as))
        if changes.vectors is not None:
            take_vectors(self._run, self._q, changes.tenant, changes.vectors)

    def next_thread(self) -> int:
        """Give a free row number for a thread; each call gives another."""
        return self._next("last_thread")

    def _next(self, query: str, count: int = 1) -> int:
        """Give the first of so many free numbers."""
        last = self._last.get(query)
        if last is None:
            last = self._run(self._q[query], ()).fetchall()[0][0]
        self._last[query] = last + count
        return last + 1

    def _settle(self, key: int) -> None:
        """Write what is pending if this key is part of it."""
        if self._stale or key in self._dirty:
            self.flush()

    def flush(self) -> None:
        """Write what is pending, a table at a time."""
        pending = self._pending
        if not pending:
            return
        for query in sorted(pending, key=_PLACE.__getitem__):
            self._write(query, pending[query])
        pending.clear()
        self._dirty.clear()
        self._handles.clear()
        self._unwritten = self._numbers.statement
        self._stale = False

    def _write(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a query once for each of some rows."""
        raise NotImplementedError

    def _aliased(self, tenant: str) -> None:
        """Know that a tenant has aliases from now on."""
        raise NotImplementedError
