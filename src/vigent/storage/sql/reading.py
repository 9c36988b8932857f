"""A consistent view of a store that an SQL engine keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from vigent.domain.changes import Answered, Head
from vigent.domain.episodes import EpisodeRow
from vigent.domain.statements import Belief, Key, KeyId, Statement
from vigent.domain.threads import Place, StateRow, ThreadRow
from vigent.domain.time import Instant
from vigent.ports.index import Given
from vigent.ports.storage import HeadRow, Ledger, Selection, Stretched
from vigent.ports.typed import TypedRow
from vigent.storage.sql.aliases import AliasView
from vigent.storage.sql.indexing import IndexView
from vigent.storage.sql.moving import MovingView
from vigent.storage.sql.resources import ResourceView
from vigent.storage.sql.rows import Queries, Row, Run

__all__ = ["SqlSnapshot", "covers", "key_of"]

# How a key notes that it has borne a memory of a type; see migration 0003.
_BORNE: Final = {"commitment": 1, "behaviour": 2}


def key_of(row: Sequence[Any]) -> Key:
    """Make a key of its columns."""
    return Key(row[0], KeyId(*row[1:7]), row[7], row[8])


def covers(row: Sequence[Any], valid_at: Instant, known_at: Instant) -> bool:
    """Whether a row of a belief covers two instants."""
    return (
        row[5] <= valid_at < row[6] and row[7] <= known_at and (row[8] is None or known_at < row[8])
    )


class SqlSnapshot(AliasView, IndexView, ResourceView, MovingView):
    """Reads rows; whoever opened it sees to it that they are of one moment."""

    def __init__(self, run: Run, queries: Queries) -> None:
        super().__init__(run, queries)
        self._head = queries["head"]
        self._keys: dict[int, Key] = {}

    def head(
        self, tenant: str, store: str, person: str, subject: str, attribute: str
    ) -> HeadRow | None:
        """Give the quick answer of one attribute, for one person or (empty) what is shared."""
        rows = self._run(self._head, (tenant, store, person, subject, attribute)).fetchall()
        return HeadRow._make(rows[0]) if rows else None

    def keys(self, selection: Selection) -> list[Key]:
        """Give the keys that a selection names, in order of their identity."""
        s = selection
        rows: list[Any] = []
        if s.exact:
            named = orjson.dumps([id[2:] for id in s.exact]).decode()
            rows = self._run(self._q["keys_named"], (s.tenant, s.store, named)).fetchall()
            return [key_of(row) for row in rows]
        if s.store is None:
            for person in s.persons:
                rows += self._run(self._q["keys_about"], (s.tenant, s.subject, person)).fetchall()
        elif not s.persons and s.subject is not None:
            named_as = (s.tenant, s.subject, s.store)
            rows += self._run(self._q["keys_of_subject_everyone"], named_as).fetchall()
        elif not s.persons:
            rows += self._run(self._q["keys_of_store"], (s.tenant, s.store)).fetchall()
        for person in sorted(s.persons) if s.store is not None else ():
            scope = (s.tenant, s.store, person)
            if s.subject is not None and s.attribute is not None and s.type is not None:
                rows += self._run(
                    self._q["key_exact"], (*scope, s.subject, s.attribute, s.type)
                ).fetchall()
            elif s.subject is not None:
                rows += self._run(self._q["keys_of_subject"], (*scope, s.subject)).fetchall()
            else:
                rows += self._run(self._q["keys_of_person"], scope).fetchall()
        return [
            key_of(row)
            for row in rows
            if (s.subject is None or row[4] == s.subject)
            and (s.attribute is None or row[5] == s.attribute)
            and (s.type is None or row[6] == s.type)
        ]

    def at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Stretched]:
        """Give what is believed at two instants: of one member, or of all of them."""
        return self._stretch(key, self._rows_at(key, member, valid_at, known_at))

    def _rows_at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Row]:
        scope = (key.id.tenant, key.no)
        if known_at is None or known_at >= key.last_recorded:
            if member is None:
                rows = self._run(self._q["believed_members_at"], (*scope, valid_at)).fetchall()
            else:
                rows = self._run(self._q["believed_at"], (*scope, member, valid_at)).fetchall()
                rows = [row for row in rows if row[6] > valid_at]
        elif member is None:
            rows = self._run(self._q["members_known_at"], (*scope, valid_at, known_at)).fetchall()
        else:
            found = self._walk(key, member, valid_at, known_at)
            rows = [] if found is None else [found]
        return rows

    def _walk(self, key: Key, member: bytes, valid_at: Instant, known_at: Instant) -> Row | None:
        """Find the stretch that covers both instants by walking two indexes in turns.

        A long history lies behind either instant, seldom behind both: whichever walk meets the
        row, or its end, first answers.
        """
        scope = (key.id.tenant, key.no, member)
        by_valid = self.stream("walk_by_valid", (*scope, valid_at))
        by_recorded = self.stream("walk_by_recorded", (*scope, known_at))
        try:
            while True:
                for walk in (by_valid, by_recorded):
                    row = next(walk, None)
                    if row is None or covers(row, valid_at, known_at):
                        return row
        finally:
            by_valid.close()
            by_recorded.close()

    def _stretched(self, key: Key, belief: Belief) -> Stretched:
        return Stretched(key, belief, self._statement(key.id.tenant, belief.memory))

    def _statement(self, tenant: str, number: int) -> Statement:
        return Statement._make(
            self._run(self._q["statement_by_no"], (number, tenant)).fetchall()[0]
        )

    def beliefs(self, key: Key, memory: int | None = None) -> list[Stretched]:
        """Give every stretch of a key, or of one memory, ever believed, in order of time."""
        tenant = key.id.tenant
        if memory is None:
            rows = self._run(self._q["beliefs_of_key"], (tenant, key.no)).fetchall()
        else:
            rows = self._run(self._q["beliefs_of_memory"], (tenant, memory)).fetchall()
        return self._stretch(key, rows)

    def _stretch(self, key: Key, rows: Sequence[Row]) -> list[Stretched]:
        """Give beliefs with the statements of their memories."""
        return [self._stretched(key, Belief._make(row)) for row in rows]

    def changed(
        self, selection: Selection, axis: str, since: Instant, until: Instant
    ) -> list[Stretched]:
        """Give the stretches with an end in ``(since, until]`` on one axis."""
        s = selection
        query = self._q["changed_valid"] if axis == "valid" else self._q["changed_recorded"]
        out: list[Stretched] = []
        for person in s.persons:
            numbers = self._run(query, (s.tenant, s.store, person, since, until)).fetchall()
            for (number,) in numbers:
                row = self._run(self._q["belief_by_no"], (number, s.tenant)).fetchall()[0]
                belief = Belief._make(row)
                key = self._key(s.tenant, belief.key)
                if s.subject is None or key.id.subject == s.subject:
                    out.append(self._stretched(key, belief))
        return out

    def _keyed(self, tenant: str, found: Sequence[Statement]) -> list[tuple[Key, Statement]]:
        """Give statements, each with its key."""
        return [(self._key(tenant, s.key), s) for s in found]

    def _key(self, tenant: str, number: int) -> Key:
        key = self._keys.get(number)
        if key is None:
            key = key_of(self._run(self._q["key_by_no"], (number, tenant)).fetchall()[0])
            self._keys[number] = key
        return key

    def of_type(
        self, tenant: str, store: str, person: str, type: str, at: Instant
    ) -> list[TypedRow]:
        """Give what is in force of one owner, of the type commitment or behaviour."""
        asked = (tenant, store, person, _BORNE[type], type, at)
        return [TypedRow._make(row) for row in self._run(self._q["of_type"], asked).fetchall()]

    def statements(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        numbers: Iterable[int] = (),
        replacing: str | None = None,
        fingerprint: bytes | None = None,
        evidence_for: int | None = None,
        held_by: int | None = None,
        of_key: int | None = None,
        expired_by: Instant | None = None,
    ) -> list[tuple[Key, Statement]]:
        """Give statements by one of their handles, in order of recording."""
        rows: list[Any] = []
        for text in ids:
            rows += self._run(self._q["statement_by_id"], (tenant, text)).fetchall()
        for number in numbers:
            rows += self._run(self._q["statement_by_no"], (number, tenant)).fetchall()
        for query, handle in (
            ("statements_replacing", replacing),
            ("statements_of_fingerprint", fingerprint),
            ("statements_of_evidence", evidence_for),
            ("statements_held", held_by),
            ("statements_of_key", of_key),
            ("statements_expired", expired_by),
        ):
            if handle is not None:
                rows += self._run(self._q[query], (tenant, handle)).fetchall()
        found = [Statement._make(row) for row in rows]
        found.sort(key=lambda s: (s.recorded_from, s.id))
        return self._keyed(tenant, found)

    def given(self, tenant: str, ids: Sequence[str]) -> list[Given]:
        """Give memories by their ids, those that are there; in no order."""
        named = orjson.dumps(ids).decode()
        rows = self._run(self._q["statements_with_heads"], (tenant, named)).fetchall()
        end = 1 + len(Head._fields)
        return [Given(r[0], Head._make(r[1:end]), Statement._make(r[end:])) for r in rows]

    def statements_from(self, tenant: str, after: int, limit: int) -> list[tuple[Key, Statement]]:
        """Give the statements of a tenant with higher numbers than one, rising."""
        rows = self._run(self._q["statements_from"], (tenant, after, limit)).fetchall()
        found = [Statement._make(row) for row in rows]
        return self._keyed(tenant, found)

    def broad(self, tenant: str, store: str, persons: tuple[str, ...], keys: int) -> bool:
        """Say whether some persons have together more than so many keys in a store."""
        asked = ((tenant, store, person, keys + 1) for person in persons)
        return sum(self._run(self._q["keys_counted"], one).fetchall()[0][0] for one in asked) > keys

    def recorded(
        self,
        tenant: str,
        store: str,
        persons: tuple[str, ...],
        attribute: str | None,
        since: tuple[Instant, str],
        limit: int,
    ) -> list[tuple[Key, Statement]]:
        """Give the next statements in order of recording, then of their ids."""
        asked = (tenant, *since, store, persons[0], persons[-1], attribute, limit)
        rows = self._run(self._q["statements_recorded"], asked).fetchall()
        found = [Statement._make(row) for row in rows]
        return self._keyed(tenant, found)

    def waiting(
        self,
        tenant: str,
        stores: tuple[str, ...],
        persons: tuple[str, ...],
        reason: str | None,
        now: Instant,
        after: tuple[Instant, str],
        limit: int,
    ) -> list[tuple[Key, Statement]]:
        """Give the next candidates that wait for a decision, in order of recording, then of ids."""
        whose = (persons[0], persons[-1]) if persons else (None, None)
        asked = (tenant, *after, orjson.dumps(stores).decode(), *whose, reason, now, limit)
        rows = self._run(self._q["statements_waiting"], asked).fetchall()
        return self._keyed(tenant, [Statement._make(row) for row in rows])

    def episodes(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        external: tuple[str, str, str] | None = None,
        expired_by: Instant | None = None,
    ) -> list[EpisodeRow]:
        """Give episodes by id, by (store, person, external id), or those past their time."""
        rows: list[Any] = []
        for text in ids:
            rows += self._run(self._q["episode_by_id"], (tenant, text)).fetchall()
        if external is not None:
            rows += self._run(self._q["episode_by_external"], (tenant, *external)).fetchall()
        if expired_by is not None:
            rows += self._run(self._q["episodes_expired"], (tenant, expired_by)).fetchall()
        return [EpisodeRow._make(row) for row in rows]

    def threads(
        self,
        tenant: str,
        store: str | None,
        persons: Sequence[str],
        id: str | None = None,
        *,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[ThreadRow]:
        """Give the threads of some persons, or those of one id; in the order of the persons."""
        if store is None:
            found = self._run(self._q["thread_anywhere"], (tenant, id)).fetchall()
            every = sorted(ThreadRow._make(row) for row in found)
            return [row for person in persons for row in every if row.person == person]
        rows: list[ThreadRow] = []
        if id is not None:  # all are sent before the first is waited for
            asked = [self._run(self._q["thread_find"], (tenant, store, p, id)) for p in persons]
            return [ThreadRow._make(row) for one in asked for row in one.fetchall()]
        for person in persons:
            if limit is not None:
                asked = (tenant, store, person, after or "", limit)
                found = self._run(self._q["threads_page"], asked).fetchall()
                rows += [ThreadRow._make(row) for row in found]
            else:
                found = self._run(self._q["threads_of_person"], (tenant, store, person)).fetchall()
                rows += sorted(ThreadRow._make(row) for row in found)
        return rows

    def threads_expired(self, tenant: str, by: Instant) -> list[ThreadRow]:
        """Give the threads of every store that are past their time."""
        rows = self._run(self._q["threads_expired"], (tenant, by)).fetchall()
        return [ThreadRow._make(row) for row in rows]

    def threads_quiet(
        self, tenant: str, store: str, after: tuple[Instant, int], until: Instant, limit: int
    ) -> list[ThreadRow]:
        """Give threads in order of when they were last spoken in, those of an instant by number."""
        asked = (tenant, store, after[0], until, *after, limit)
        rows = self._run(self._q["threads_quiet"], asked).fetchall()
        return [ThreadRow._make(row) for row in rows]

    def thread_items(
        self,
        thread: ThreadRow,
        person: str,
        *,
        after: int,
        last: int | None,
        limit: int | None = None,
    ) -> list[tuple[Place, EpisodeRow]]:
        """Give what follows a position, in order: a person's and the shared, or the last of it."""
        asked = (thread.tenant, thread.no, after, person)
        if last is None:
            many = -1 if limit is None else limit
            rows = self._run(self._q["items_after"], (*asked, many)).fetchall()
        else:
            rows = self._run(self._q["items_last"], (*asked, last)).fetchall()[::-1]
        width = len(Place._fields)
        return [(Place._make(row[:width]), EpisodeRow._make(row[width:])) for row in rows]

    def thread_episodes(self, thread: ThreadRow) -> list[int]:
        """Give the row numbers of all episodes in a thread, whoever's they are."""
        rows = self._run(self._q["item_episodes"], (thread.tenant, thread.no)).fetchall()
        return [number for (number,) in rows]

    def thread_place(self, tenant: str, episode: int) -> tuple[ThreadRow, Place] | None:
        """Give where an episode stands, by its row number."""
        rows = self._run(self._q["item_of_episode"], (tenant, episode)).fetchall()
        if not rows:
            return None
        place = Place._make(rows[0])
        thread = self._run(self._q["thread_by_no"], (place.thread, tenant)).fetchall()[0]
        return ThreadRow._make(thread), place

    def thread_state(self, thread: ThreadRow) -> StateRow | None:
        """Give the state of a thread, where one was set."""
        rows = self._run(self._q["state_find"], (thread.no, thread.tenant)).fetchall()
        return StateRow._make(rows[0]) if rows else None

    def ledger(
        self,
        tenant: str,
        *,
        person: bytes | None = None,
        answer: tuple[str, str, str] | None = None,
        subject_of: str | None = None,
    ) -> Ledger:
        """Look up small facts about a tenant."""
        salt = self._run(self._q["tenant_find"], (tenant,)).fetchone()
        erased = person and self._run(self._q["erased_find"], (tenant, person)).fetchone()
        found = answer and self._run(self._q["answer_find"], (tenant, *answer)).fetchone()
        subject = subject_of and self._run(self._q["person_find"], (tenant, subject_of)).fetchone()
        return Ledger(
            salt[0] if salt else None,
            erased[0] if erased else None,
            Answered._make(found) if found else None,
            subject[0] if subject else None,
        )
