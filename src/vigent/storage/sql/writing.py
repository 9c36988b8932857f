"""A write transaction on a store that an SQL engine keeps.

Rows are gathered and written a table at a time, when the transaction ends or when something that
was changed is read again: a batch then costs one pass over each table.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from itertools import chain
from operator import attrgetter
from typing import Any

import orjson

from vigent.domain.changes import ChangeSet, Head
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import ITEM, MEMORY
from vigent.domain.statements import BEGINNING, END, ONE_VALUE, Belief, Key, KeyId, Rank, Statement
from vigent.domain.time import DAY, Instant
from vigent.ports.storage import Ledger, Numbers, Selection, Stretched
from vigent.storage.sql.aliases import alias_rows
from vigent.storage.sql.indexing import passage_rows, take_vectors, unindex
from vigent.storage.sql.order import ORDER, amendment
from vigent.storage.sql.reading import SqlSnapshot, key_of
from vigent.storage.sql.rows import Queries, Run
from vigent.storage.sql.threads import thread_rows

__all__ = ["SqlTransaction"]

_WIDTH = len(Belief._fields)
_HANDLES = attrgetter("id", "fingerprint", "replaces")
_FIRST: Rank = (BEGINNING, BEGINNING, 0, 0)

_LEDGER = {"answer_insert", "tenant_insert", "person_link", "person_unlink"}
_PLACE = {query: place for place, query in enumerate(ORDER)}
_NOTHING = Head(0, 0, 0, 0, None, None, None)


class SqlTransaction(SqlSnapshot):
    """A snapshot that holds the write lock."""

    def __init__(self, run: Run, queries: Queries) -> None:
        super().__init__(run, queries)
        self._pending: dict[str, list[Any]] = {}
        self._dirty: set[int] = set()
        self._stale = False
        self._fresh: dict[KeyId, Key] = {}
        self._last: dict[str, int] = {}
        self._unwritten = 0
        self._numbers = Numbers(0, 0, 0)
        self._handles: set[object] = set()
        self._wanted: list[int] = []
        self._ahead: dict[int, tuple[Belief, Statement]] = {}

    @property
    def numbers(self) -> Numbers:
        """The next free row numbers, counting what was applied so far."""
        return self._numbers

    def keys(self, selection: Selection) -> list[Key]:
        """Give the keys that a selection names, as they stand in this transaction."""
        s = selection
        if (
            s.persons
            and s.store is not None
            and s.subject is not None
            and s.attribute is not None
            and s.type is not None
        ):
            # Keys made in this transaction are all in ``_fresh``; nothing need be written first.
            return [
                key
                for person in sorted(s.persons)
                if (
                    key := self._exact(
                        KeyId(s.tenant, s.store, person, s.subject, s.attribute, s.type)
                    )
                )
            ]
        self.flush()
        found = [self._fresh.get(key.id, key) for key in super().keys(selection)]
        if s.exact:
            self._wanted = [key.no for key in found if key.id.attribute]
        return found

    def _end_of(self, key: Key) -> Statement | None:
        """Give the last statement of a timeline, where it is clean and believed for good.

        Of keys that were asked for together all are read with the first of them.
        """
        tenant = key.id.tenant
        if self._wanted:
            self.flush()
            wanted = orjson.dumps(self._wanted).decode()
            self._wanted.clear()
            rows = self._run(self._q["last_of_keys"], (tenant, wanted)).fetchall()
        elif key.no not in self._ahead:
            rows = self._run(self._q["last_of_key"], (tenant, key.no)).fetchall()
        else:
            rows = []
        for row in rows:
            belief, last = Belief._make(row[:_WIDTH]), Statement._make(row[_WIDTH:])
            self._ahead[belief.key] = (belief, last)
        found = self._ahead.get(key.no)
        return None if found is None else found[1]

    def _exact(self, id: KeyId) -> Key | None:
        fresh = self._fresh.get(id)
        if fresh is not None:
            return fresh
        rows = self._run(self._q["key_exact"], id).fetchall()
        return key_of(rows[0]) if rows else None

    def window(self, key: Key, member: bytes, before: Rank) -> Generator[Statement]:
        """Give live statements in order, from the last clean one before a place on.

        For a value of a multi-valued attribute that is all of its statements, and those about
        the attribute as a whole.
        """
        self._settle(key.no)
        scope = (key.id.tenant, key.no)
        if member != ONE_VALUE:
            rows = self._run(self._q["statements_in_order"], (*scope, member, *_FIRST)).fetchall()
            rows += self._run(self._q["statements_about_all"], scope).fetchall()
            found = [Statement._make(row) for row in rows]
            found.sort(key=lambda s: (s.valid_from, s.place, s.turn, s.no))
            yield from found
            return
        if before == END:
            last = self._end_of(key)
            if last is not None:
                yield last
                return
        clean = self._run(self._q["last_clean"], (*scope, member, *before)).fetchall()
        start = clean[0] if clean else _FIRST
        with closing(self.stream("statements_in_order", (*scope, member, *start))) as rows:
            for row in rows:
                yield Statement._make(row)

    def believed(self, key: Key, member: bytes | None, low: Instant, high: Instant) -> list[Belief]:
        """Give the stretches of one member, or of all, believed now that begin in an interval."""
        self._settle(key.no)
        ahead = self._ahead.get(key.no)
        if ahead is not None and member == ONE_VALUE and low == ahead[0].valid_from < high:
            return [ahead[0]]
        if member is None:
            rows = self._run(self._q["believed_of_key"], (key.id.tenant, key.no, low, high))
        else:
            rows = self._run(
                self._q["believed_between"], (key.id.tenant, key.no, member, low, high)
            )
        return [Belief._make(row) for row in rows.fetchall()]

    def at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Stretched]:
        """Give what is believed at two instants: of one member, or of all of them."""
        self._settle(key.no)
        return super().at(key, member, valid_at, known_at)

    def beliefs(self, key: Key, memory: int | None = None) -> list[Stretched]:
        """Give every stretch of a key, or of one memory, ever believed, in order of time."""
        self._settle(key.no)
        return super().beliefs(key, memory)

    def statements(self, tenant: str, **handles: Any) -> list[tuple[Key, Statement]]:
        """Give statements by one of their handles, in order of recording."""
        if self._pending and self._touches(handles):
            self.flush()
        found = super().statements(tenant, **handles)
        return [(self._fresh.get(key.id, key), statement) for key, statement in found]

    def _touches(self, handles: dict[str, Any]) -> bool:
        """Whether what is asked for may be among what is not written yet."""
        if self._stale:
            return True
        for name, handle in handles.items():
            if handle is None:
                continue
            if name == "numbers":
                if any(number >= self._unwritten for number in handle):
                    return True
            elif name == "ids":
                if any(id in self._handles for id in handle):
                    return True
            elif name in ("fingerprint", "replacing"):
                if handle in self._handles:
                    return True
            else:
                return True
        return False

    def episodes(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        external: tuple[str, str, str] | None = None,
        expired_by: Instant | None = None,
    ) -> list[EpisodeRow]:
        """Give episodes by id, by (store, person, external id), or those past their time."""
        if "episode_insert" in self._pending:
            self.flush()
        return super().episodes(tenant, ids=ids, external=external, expired_by=expired_by)

    def ledger(self, tenant: str, **asked: Any) -> Ledger:
        """Look up small facts, as they stand in this transaction."""
        if self._pending.keys() & _LEDGER:
            self.flush()
        return super().ledger(tenant, **asked)

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
