"""The rows of a store in memory, and views on them that answer by replaying statements.

Belief rows are kept too, because readers of a history ask for them; but what is in force, now or
as known at any instant, comes from the replay alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from vigent.domain.changes import Answered, Head
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import ITEM, MEMORY, searchable
from vigent.domain.statements import Belief, Key, KeyId, Statement
from vigent.domain.time import OPEN, Instant
from vigent.domain.timeline import replay
from vigent.ports.index import Amiss, Given
from vigent.ports.storage import HeadRow, Ledger, Numbers, Selection, Stretched
from vigent.ports.typed import TypedRow
from vigent.storage.inmemory.aliases import AliasRows, AliasView
from vigent.storage.inmemory.auditing import AuditView, TrailRows
from vigent.storage.inmemory.indexing import IndexRows, IndexView
from vigent.storage.inmemory.listing import ListingView
from vigent.storage.inmemory.persons import PersonView
from vigent.storage.inmemory.resources import ResourceRows, ResourceView
from vigent.storage.inmemory.threads import ThreadRows, ThreadView

__all__ = ["Rows", "View"]

_Gone = tuple[str, bytes]
_NO_HEAD = Head(0, 0, 0, OPEN, None, None, None)


@dataclass(slots=True)
class Rows:
    """Everything stored; replaced as a whole when a transaction fails."""

    salts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    salted: dict[str, Instant] = field(default_factory=dict[str, Instant])
    keys: dict[KeyId, Key] = field(default_factory=dict[KeyId, Key])
    key_ids: dict[int, KeyId] = field(default_factory=dict[int, KeyId])
    statements: dict[int, Statement] = field(default_factory=dict[int, Statement])
    beliefs: dict[int, Belief] = field(default_factory=dict[int, Belief])
    episodes: dict[int, EpisodeRow] = field(default_factory=dict[int, EpisodeRow])
    trail: TrailRows = field(default_factory=TrailRows)
    answered: dict[tuple[str, str, str, str], Answered] = field(
        default_factory=dict[tuple[str, str, str, str], Answered]
    )
    erased: dict[_Gone, Instant] = field(default_factory=dict[_Gone, Instant])
    erased_counts: dict[_Gone, tuple[str, str]] = field(
        default_factory=dict[_Gone, tuple[str, str]]
    )
    """Counts and state of each erasure, as text."""
    persons: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    last: Numbers = field(default_factory=lambda: Numbers(1, 1, 1))
    threads: ThreadRows = field(default_factory=ThreadRows)
    index: IndexRows = field(default_factory=IndexRows)
    aliases: AliasRows = field(default_factory=AliasRows)
    resources: ResourceRows = field(default_factory=ResourceRows)

    def copy(self) -> Rows:
        """Give a copy that changes apart from this one."""
        parts = (getattr(self, name) for name in self.__dataclass_fields__)
        return Rows(*(part.copy() if hasattr(part, "copy") else part for part in parts))


class View(ThreadView, IndexView, AliasView, ResourceView, AuditView, PersonView, ListingView):
    """Reads; what is in force comes from the replay."""

    def __init__(self, rows: Rows) -> None:
        ThreadView.__init__(self, rows.threads, rows.episodes)
        IndexView.__init__(self, rows.index, rows.episodes, rows.threads, rows.beliefs)
        AliasView.__init__(self, rows.aliases)
        ResourceView.__init__(self, rows.resources)
        AuditView.__init__(self, rows.trail)
        PersonView.__init__(self, rows)
        ListingView.__init__(self, self.keys, self._of_tenant, rows.resources)
        self._rows = rows

    def _of_tenant(self, tenant: str) -> list[tuple[Key, Statement]]:
        return self.statements_from(tenant, 0, len(self._rows.statements))

    def last_change(self) -> int:
        """Give a number that is another one after every write that changed a memory."""
        return len(self._rows.trail.entries)

    def head(
        self, tenant: str, store: str, person: str, subject: str, attribute: str
    ) -> HeadRow | None:
        """Give a key without a quick answer, so that readers take the long way."""
        key = self._rows.keys.get(KeyId(tenant, store, person, subject, attribute, ""))
        if key is None:
            return None
        return HeadRow(key.no, key.id.person, key.name, key.last_recorded, *_NO_HEAD)

    def keys(self, selection: Selection) -> list[Key]:
        """Give the keys that a selection names, in order of their identity."""
        s, every = selection, self._rows.keys
        named = every.items() if not s.exact else [(i, every[i]) for i in s.exact if i in every]
        return sorted(
            (
                key
                for id, key in named
                if id.tenant == s.tenant
                and s.store in (None, id.store)
                and (not s.persons or id.person in s.persons)
                and s.subject in (None, id.subject)
                and s.attribute in (None, id.attribute)
                and s.type in (None, id.type)
            ),
            key=lambda key: key.id,
        )

    def _of_key(self, key: Key) -> list[Statement]:
        return [s for s in self._rows.statements.values() if s.key == key.no]

    def at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Stretched]:
        """Give what the replay holds at two instants."""
        every = self._of_key(key)
        then = key.last_recorded if known_at is None else min(known_at, key.last_recorded)
        if member is None:
            members = sorted({s.member for s in every if s.kind == "value"})
        else:
            members = [member]
        out: list[Stretched] = []
        for name in members:
            for segment in replay(every, name, then):
                if segment.start <= valid_at < segment.end:
                    belief = self._belief(key, name, segment, then)
                    out.append(Stretched(key, belief, self._rows.statements[segment.memory]))
        return out

    def _belief(self, key: Key, member: bytes, segment: Any, then: Instant) -> Belief:
        for b in self._rows.beliefs.values():
            if (
                (b.key, b.member, b.valid_from, b.valid_to, b.memory) == (key.no, member, *segment)
                and b.recorded_from <= then
                and (b.recorded_to is None or then < b.recorded_to)
            ):
                return b
        raise LookupError(f"the replay holds {segment}, no belief says so")

    def beliefs(self, key: Key, memory: int | None = None) -> list[Stretched]:
        """Give every stretch of a key, or of one memory, ever believed, in order of time."""
        rows = [
            b for b in self._rows.beliefs.values() if b.key == key.no and memory in (None, b.memory)
        ]
        rows.sort(key=lambda b: (b.valid_from, b.recorded_from, b.no))
        return [Stretched(key, b, self._rows.statements[b.memory]) for b in rows]

    def changed(
        self, selection: Selection, axis: str, since: Instant, until: Instant
    ) -> list[Stretched]:
        """Give the stretches with an end in ``(since, until]`` on one axis."""
        out: list[Stretched] = []
        for key in self.keys(selection):
            for found in self.beliefs(key):
                b = found.belief
                if axis == "valid":
                    ends = (b.valid_from, b.valid_to) if b.recorded_to is None else ()
                else:
                    ends = (b.recorded_from, OPEN if b.recorded_to is None else b.recorded_to)
                if any(since < end <= until for end in ends):
                    out.append(found)
        return out

    def of_type(
        self, tenant: str, store: str, person: str, type: str, at: Instant
    ) -> list[TypedRow]:
        """Give what is in force of one owner, of one type."""
        out: list[TypedRow] = []
        for key in self.keys(Selection(tenant, store, (person,))):
            if all(s.type != type for s in self._of_key(key)):
                continue
            now = max(at, key.last_recorded)
            out += [
                TypedRow(
                    s.no, b.no, b.valid_from, b.valid_to, b.recorded_from, s.recorded_from, s.fields
                )
                for _, b, s in self.at(key, None, now, None)
                if s.type == type and s.forgotten_at == OPEN and s.expires_at > now
            ]
        return out

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
        names, wanted = set(ids), set(numbers)
        found = [
            s
            for s in self._rows.statements.values()
            if s.tenant == tenant
            and (
                s.id in names
                or s.no in wanted
                or (replacing is not None and s.replaces == replacing)
                or (fingerprint is not None and s.fingerprint == fingerprint)
                or (evidence_for is not None and s.role == "evidence" and s.bears == evidence_for)
                or (held_by is not None and s.role == "held" and s.key == held_by)
                or (of_key is not None and s.key == of_key)
                or (
                    expired_by is not None and s.expires_at <= expired_by and s.forgotten_at == OPEN
                )
            )
        ]
        found.sort(key=lambda s: (s.recorded_from, s.id))
        return [(self._rows.keys[self._rows.key_ids[s.key]], s) for s in found]

    def given(self, tenant: str, ids: Sequence[str]) -> list[Given]:
        """Give memories by their ids, those that are there; no quick answer is kept of any."""
        return [Given(key.no, _NO_HEAD, s) for key, s in self.statements(tenant, ids=ids)]

    def statements_from(self, tenant: str, after: int, limit: int) -> list[tuple[Key, Statement]]:
        """Give the statements of a tenant with higher numbers than one, rising."""
        rows = self._rows
        found = [s for n, s in sorted(rows.statements.items()) if s.tenant == tenant and n > after]
        return [(rows.keys[rows.key_ids[s.key]], s) for s in found[:limit]]

    def index_amiss(self, tenant: str) -> list[Amiss]:
        """Give what of a tenant lacks its passages, or has some and should not."""
        rows = self._rows
        sealed = {n for n, place in rows.threads.places.items() if place.sealed}
        wanted = {
            (ITEM, e.no): searchable(e, sealed=e.no in sealed)
            for e in rows.episodes.values()
            if e.tenant == tenant
        } | {
            (MEMORY, s.no): bool(s.indexed) for s in rows.statements.values() if s.tenant == tenant
        }
        there = {(p.kind, p.source) for p in rows.index.passages.values() if p.tenant == tenant}
        amiss = {source for source, needed in wanted.items() if needed} ^ there
        return [Amiss(*source, int(source not in there)) for source in sorted(amiss)]

    def episodes(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        external: tuple[str, str, str] | None = None,
        expired_by: Instant | None = None,
    ) -> list[EpisodeRow]:
        """Give episodes by id, by (store, person, external id), or those past their time."""
        names = set(ids)
        return [
            e
            for e in self._rows.episodes.values()
            if e.tenant == tenant
            and (
                e.id in names
                or (external is not None and (e.store, e.person, e.external_id) == external)
                or (expired_by is not None and e.expires_at <= expired_by and not e.stub)
            )
        ]

    def ledger(
        self,
        tenant: str,
        *,
        person: bytes | None = None,
        answer: tuple[str, str, str] | None = None,
        subject_of: str | None = None,
    ) -> Ledger:
        """Look up small facts about a tenant."""
        rows = self._rows
        return Ledger(
            rows.salts.get(tenant),
            None if person is None else rows.erased.get((tenant, person)),
            None if answer is None else rows.answered.get((tenant, *answer)),
            None if subject_of is None else rows.persons.get((tenant, subject_of)),
        )
