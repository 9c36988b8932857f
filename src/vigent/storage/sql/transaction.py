"""A write transaction on a store that an SQL engine keeps: its reads see what it gathered."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from typing import Any

import orjson

from vigent.domain.episodes import EpisodeRow
from vigent.domain.statements import (
    BEGINNING,
    END,
    ONE_VALUE,
    Belief,
    Key,
    KeyId,
    Rank,
    Statement,
)  # fmt: skip
from vigent.domain.time import Instant
from vigent.ports.storage import Ledger, Selection, Stretched
from vigent.storage.sql.reading import key_of
from vigent.storage.sql.writing import Gathering

__all__ = ["SqlTransaction"]

_WIDTH = len(Belief._fields)
_FIRST: Rank = (BEGINNING, BEGINNING, 0, 0)
_LEDGER = {"answer_insert", "tenant_insert", "person_link", "person_unlink"}


class SqlTransaction(Gathering):
    """A snapshot that holds the write lock."""

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
            rows = self._run(self._q["statements_in_order"], (*scope, member, *_FIRST))
            about_all = self._run(self._q["statements_about_all"], scope)
            found = [Statement._make(row) for row in (*rows.fetchall(), *about_all.fetchall())]
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

    def highest_place(self, key: Key, member: bytes, start: Instant) -> int:
        """Give the highest place of a timeline's live statements from one instant; 0 if none."""
        self._settle(key.no)
        found = self._run(self._q["highest_place"], (key.id.tenant, key.no, member, start))
        return next((row[0] for row in found.fetchall()), 0)

    def cites(self, key: Key, member: bytes, episode: str) -> bool:
        """Whether a live statement of a timeline came from an episode."""
        self._settle(key.no)
        asked = (key.id.tenant, episode, key.no, member)
        return bool(self._run(self._q["cites"], asked).fetchall())

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
