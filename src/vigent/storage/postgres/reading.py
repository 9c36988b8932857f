"""A consistent view of a store in a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, Final

import orjson

from vigent.domain.episodes import EpisodeRow
from vigent.domain.statements import Belief, Key, Statement
from vigent.domain.time import Instant
from vigent.ports.moving import Engine
from vigent.ports.storage import Selection, Stretched
from vigent.storage.postgres.ahead import AheadView
from vigent.storage.postgres.indexing import PgIndexView
from vigent.storage.postgres.resources import PgResourceView
from vigent.storage.postgres.statements import Q
from vigent.storage.sql.reading import SqlSnapshot, key_of
from vigent.storage.sql.rows import Queries, Row, Run

__all__ = ["PgSnapshot", "numbers_of"]

_HANDLES: Final = {
    "replacing": "statements_replacing",
    "fingerprint": "statements_of_fingerprint",
    "evidence_for": "statements_of_evidence",
    "held_by": "statements_held",
    "of_key": "statements_of_key",
    "expired_by": "statements_expired",
}


Stream = Callable[[Any, Sequence[Any]], Generator[Row]]
"""Runs a statement whose answer may be long."""


def numbers_of(numbers: Iterable[int]) -> str:
    """Give row numbers as the text in which they are handed to a statement."""
    return orjson.dumps(list(numbers)).decode()


class PgSnapshot(AheadView, PgIndexView, PgResourceView, SqlSnapshot):
    """Reads rows of one moment. Rows that belong together are fetched in one trip."""

    def __init__(self, run: Run, queries: Queries, stream: Stream | None = None) -> None:
        super().__init__(run, queries)
        self._long = stream
        self._with_aliases: dict[str, bool] = {}
        """Whether tenants have any alias, as far as it was looked up."""

    def engine(self) -> Engine:
        """Say which engine this is, and at which schema."""
        return Engine("postgres", self.ask("schema")[0][0])

    def stream(self, query: str, values: Sequence[Any]) -> Generator[Row]:
        """Give rows one after another, never all at once but within a write transaction."""
        if self._long is None:
            return super().stream(query, values)
        return self._long(self._q[query], values)

    def _statements_numbered(self, tenant: str, numbers: Iterable[int]) -> dict[int, Statement]:
        distinct = list(dict.fromkeys(numbers))
        found = {n: self._read[n] for n in distinct if n in self._read}
        wanted = [n for n in distinct if n not in found]
        if len(wanted) == 1:
            rows = self._run(Q["statement_by_no"], (wanted[0], tenant)).fetchall()
        elif wanted:
            asked = (tenant, numbers_of(wanted))
            rows = self._run(Q["statements_numbered"], asked).fetchall()
        else:
            return found
        return found | {row[0]: Statement._make(row) for row in rows}

    def _stretch(self, key: Key, rows: Sequence[Row]) -> list[Stretched]:
        """Give beliefs with the statements of their memories."""
        beliefs = [Belief._make(row) for row in rows]
        found = self._statements_numbered(key.id.tenant, (b.memory for b in beliefs))
        return [Stretched(key, b, found[b.memory]) for b in beliefs]

    def _walk(self, key: Key, member: bytes, valid_at: Instant, known_at: Instant) -> Row | None:
        """Find the stretch that covers both instants."""
        asked = (key.id.tenant, key.no, member, valid_at, known_at)
        return self._run(Q["believed_known_at"], asked).fetchone()

    def changed(
        self, selection: Selection, axis: str, since: Instant, until: Instant
    ) -> list[Stretched]:
        """Give the stretches with an end in ``(since, until]`` on one axis."""
        s, out = selection, list[Stretched]()
        query = Q["changed_valid"] if axis == "valid" else Q["changed_recorded"]
        for person in s.persons:
            numbers = self._run(query, (s.tenant, s.store, person, since, until)).fetchall()
            listed = numbers_of(number for (number,) in numbers)
            found = self._run(Q["beliefs_numbered"], (s.tenant, listed)).fetchall()
            rows = {row[0]: row for row in found}
            self._know_keys(s.tenant, (row[2] for row in found))
            for (number,) in numbers:
                key = self._keys[rows[number][2]]
                if s.subject is None or key.id.subject == s.subject:
                    out += self._stretch(key, [rows[number]])
        return out

    def _know_keys(self, tenant: str, numbers: Iterable[int]) -> None:
        """See to it that keys are at hand."""
        wanted = [n for n in dict.fromkeys(numbers) if n not in self._keys]
        if len(wanted) == 1:
            rows = self._run(Q["key_by_no"], (wanted[0], tenant)).fetchall()
        elif wanted:
            rows = self._run(Q["keys_numbered"], (tenant, numbers_of(wanted))).fetchall()
        else:
            return
        for row in rows:
            self._keys[row[0]] = key_of(row)

    def _keyed(self, tenant: str, found: Sequence[Statement]) -> list[tuple[Key, Statement]]:
        """Give statements, each with its key."""
        self._know_keys(tenant, (s.key for s in found))
        return super()._keyed(tenant, found)

    def statements(self, tenant: str, **handles: Any) -> list[tuple[Key, Statement]]:
        """Give statements by one of their handles, in order of recording."""
        asked = [self._run(Q["statement_by_id"], (tenant, text)) for text in handles.get("ids", ())]
        numbers = list(handles.get("numbers", ()))
        rows: list[Row] = list(self._statements_numbered(tenant, numbers).values())
        for name, query in _HANDLES.items():
            handle = handles.get(name)
            if handle is not None:
                asked.append(self._run(Q[query], (tenant, handle)))
        for answer in asked:
            rows += answer.fetchall()
        found = [Statement._make(row) for row in rows]
        found.sort(key=lambda s: (s.recorded_from, s.id))
        return self._keyed(tenant, found)

    def episodes(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        external: tuple[str, str, str] | None = None,
        expired_by: Instant | None = None,
    ) -> list[EpisodeRow]:
        """Give episodes by id, by (store, person, external id), or those past their time."""
        asked = [self._run(Q["episode_by_id"], (tenant, text)) for text in ids]
        found = super().episodes(tenant, external=external, expired_by=expired_by)
        return [EpisodeRow._make(row) for one in asked for row in one.fetchall()] + found

    def _no_alias(self, tenant: str) -> bool:
        return self._with_aliases.get(tenant) is False

    def _has_aliases(self, tenant: str) -> bool:
        if tenant not in self._with_aliases:
            found = self._run(Q["any_alias"], (tenant,)).fetchall()
            self._with_aliases[tenant] = bool(found[0][0])
        return self._with_aliases[tenant]
