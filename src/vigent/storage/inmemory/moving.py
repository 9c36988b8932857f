"""The rows of a store in memory as they are: read out of it, and loaded into another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from vigent.domain.aliases import AliasRow
from vigent.domain.audit import Sealed
from vigent.domain.changes import Answered, AuditEntry
from vigent.domain.episodes import EpisodeRow
from vigent.domain.moving import TABLES, Row
from vigent.domain.resources import ResourceRow
from vigent.domain.statements import Belief, Key, KeyId, Statement
from vigent.domain.threads import Place, StateRow, ThreadRow
from vigent.domain.time import Instant
from vigent.domain.usage import UsageRow
from vigent.errors import CorruptStore
from vigent.ports.moving import Engine, VectorOf
from vigent.ports.storage import Numbers
from vigent.storage.inmemory.rows import Rows

__all__ = ["MovingRows"]

_SCHEMA: Final = 10
"""The schema whose columns these rows have."""
_NO_HEAD: Final = (0, 0, 0, 0, None, None, None)
_THERE: Final = "the store refused a contradiction: a row is there already"
_NUMBERED: Final = tuple(table.name for table in TABLES if table.numbered)


class MovingRows:
    """Reads everything of a tenant, and takes it in."""

    _rows: Rows

    def engine(self) -> Engine:
        """Say which engine this is, and at which schema."""
        return Engine("memory", _SCHEMA)

    def moving_counts(self, tenant: str, person: str | None) -> Mapping[str, int]:
        """Give how many rows there are, by the name of the table."""
        return {t.name: len(self._moved(t.name, tenant, person)) for t in TABLES}

    def moving_numbers(self, table: str, tenant: str, person: str | None) -> Sequence[int]:
        """Give the numbers of a numbered table's rows, rising."""
        return [row[0] for row in self._moved(table, tenant, person)]

    def moving_rows(self, table: str, tenant: str, person: str | None) -> Iterator[Row]:
        """Give the rows of a table, one after another."""
        return iter(self._moved(table, tenant, person))

    def _moved(self, table: str, tenant: str, person: str | None) -> list[Row]:
        return sorted(_READ[table](self._rows, tenant, person), key=_KEYS.get(table))

    def moving_vectors(self, tenant: str, person: str | None) -> Iterator[VectorOf]:
        """Give every vector, by model, then kind, number and start of what it is of."""
        index = self._rows.index
        models = {m.no: m for m in index.models.values()}
        mine = {0: set(self.moving_numbers("statement", tenant, person)),
                1: set(self.moving_numbers("episode", tenant, person))}  # fmt: skip
        found: list[VectorOf] = []
        for v in index.vectors.values():
            p, m = index.passages[v.passage], models[v.model]
            if v.tenant == tenant and p.source in mine[p.kind]:
                named = (m.name, m.revision, m.dimension)
                found.append(VectorOf(*named, p.kind, p.source, p.start, v.data))
        return iter(sorted(found))

    def persons_of(self, tenant: str) -> list[str]:
        """Give every person of whom a tenant has anything, in order."""
        r = self._rows
        owned: tuple[Iterable[Any], ...] = (
            r.keys, r.episodes.values(), r.threads.threads.values(), r.aliases.values(),
            r.resources.values(), r.answered.values(),
        )  # fmt: skip
        found = {row.person for rows in owned for row in rows if row.tenant == tenant}
        found |= {person for of, person in r.persons if of == tenant}
        return sorted(found - {""})

    def passage_at(self, tenant: str, kind: int, source: int, start: int) -> tuple[int, str] | None:
        """Give number and scope of the passage that begins there of a memory or an episode."""
        for p in self._rows.index.passages.values():
            if (p.tenant, p.kind, p.source, p.start) == (tenant, kind, source, start):
                return p.no, p.scope
        return None

    # ------------------------------------------------------------------------- loading

    def last_given(self, tenant: str) -> Mapping[str, int]:
        """Give the highest number in use of each numbered table."""
        del tenant
        r = self._rows
        held = (
            r.episodes, r.threads.threads, r.key_ids, r.statements, r.beliefs,
            range(1, len(r.trail.entries) + 1),
        )  # fmt: skip
        last = {name: max(there, default=0) for name, there in zip(_NUMBERED, held, strict=True)}
        return last | {"thread": max(last["thread"], r.threads.last)}

    def load(self, table: str, tenant: str, rows: Iterable[Row]) -> None:
        """Store rows as they are."""
        r, take = self._rows, _LOAD[table]
        ids = {s.id for s in r.statements.values() if s.tenant == tenant}
        for row in rows:
            if table == "statement" and row[1] in ids:
                raise CorruptStore(_THERE)
            take(r, tenant, row)
        r.last = Numbers(
            max(r.last.key, max(r.key_ids, default=0) + 1),
            max(r.last.statement, max(r.statements, default=0) + 1),
            max(r.last.belief, max(r.beliefs, default=0) + 1),
        )
        r.threads.last = max(r.threads.last, max(r.threads.threads, default=0))

    def queue(self, kind: str, tenant: str, lane: str, at: Instant) -> None:
        """Note nothing: in memory no work waits."""
        del kind, tenant, lane, at


# ----------------------------------------------------------------------------- reading


def _tenant(r: Rows, tenant: str, person: str | None) -> list[Row]:
    del person
    return [(r.salts[tenant], r.salted.get(tenant, 0))] if tenant in r.salts else []


def _owned(rows: Iterable[Any], tenant: str, person: str | None) -> list[Any]:
    return [row for row in rows if row.tenant == tenant and person in (None, row.person)]


def _without_tenant(row: tuple[Any, ...], at: int = 0) -> Row:
    return (*row[:at], *row[at + 1 :])


def _plain(pick: Callable[[Rows], Iterable[Any]]) -> Callable[[Rows, str, str | None], list[Row]]:
    def read(r: Rows, tenant: str, person: str | None) -> list[Row]:
        return [_without_tenant(row) for row in _owned(pick(r), tenant, person)]

    return read


def _numbered(
    pick: Callable[[Rows], Iterable[Any]],
) -> Callable[[Rows, str, str | None], list[Row]]:
    def read(r: Rows, tenant: str, person: str | None) -> list[Row]:
        return [_without_tenant(row, 1) for row in _owned(pick(r), tenant, person)]

    return read


def _keys(r: Rows, tenant: str, person: str | None) -> list[Row]:
    return [
        (no, *id[1:], r.keys[id].name, r.keys[id].last_recorded, *_NO_HEAD)
        for no, id in r.key_ids.items()
        if id.tenant == tenant and person in (None, id.person)
    ]


def _of_keys(
    pick: Callable[[Rows], Iterable[Any]],
) -> Callable[[Rows, str, str | None], list[Row]]:
    def read(r: Rows, tenant: str, person: str | None) -> list[Row]:
        return [
            _without_tenant(row, 1)
            for row in pick(r)
            if row.tenant == tenant and person in (None, r.key_ids[row.key].person)
        ]

    return read


def _items(r: Rows, tenant: str, person: str | None) -> list[Row]:
    return [
        tuple(p)
        for p in r.threads.places.values()
        if r.threads.threads[p.thread].tenant == tenant
        and person in (None, r.threads.threads[p.thread].person)
        and person in (None, r.episodes[p.episode].person)
    ]


def _states(r: Rows, tenant: str, person: str | None) -> list[Row]:
    return [
        _without_tenant(s, 1)
        for s in r.threads.states.values()
        if s.tenant == tenant and person in (None, r.threads.threads[s.thread].person)
    ]


def _persons(r: Rows, tenant: str, person: str | None) -> list[Row]:
    return [
        (who, subject)
        for (of, who), subject in r.persons.items()
        if of == tenant and person in (None, who)
    ]


def _audit(r: Rows, tenant: str, person: str | None) -> list[Row]:
    found: list[Row] = []
    for place, e in enumerate(r.trail.entries.values(), 1):
        gone = e.id in r.trail.emptied
        if e.tenant != tenant or (person is not None and (gone or e.person != person)):
            continue
        seal = r.trail.sealed.get(e.id) if person is None else None
        fixed = (place, e.id, e.at, e.action, e.outcome, e.target, e.digest, e.said, seal)
        said = (None,) * 5 if gone else (e.store, e.person, e.key, e.salt, e.content)
        found.append((*fixed, *said))
    return found


def _seals(r: Rows, tenant: str, person: str | None) -> list[Row]:
    return [] if person is not None else [tuple(s) for s in r.trail.seals.get(tenant, [])]


def _erased(r: Rows, tenant: str, person: str | None) -> list[Row]:
    del person
    counts = r.erased_counts
    return [
        (who, at, *counts.get((of, who), ("{}", "purged")))
        for (of, who), at in r.erased.items()
        if of == tenant
    ]


def _usage(r: Rows, tenant: str, person: str | None) -> list[Row]:
    every = r.trail.usage.values()
    return [] if person is not None else [u[1:] for u in every if u.tenant == tenant]


_READ: Final[dict[str, Callable[[Rows, str, str | None], list[Row]]]] = {
    "tenant": _tenant, "resource": _plain(lambda r: r.resources.values()),
    "episode": _numbered(lambda r: r.episodes.values()),
    "thread": _numbered(lambda r: r.threads.threads.values()), "thread_item": _items,
    "thread_state": _states, "key": _keys, "statement": _of_keys(lambda r: r.statements.values()),
    "belief": _of_keys(lambda r: r.beliefs.values()), "alias": _plain(lambda r: r.aliases.values()),
    "person": _persons, "audit": _audit, "seal": _seals,
    "idempotency": _plain(lambda r: r.answered.values()), "erased": _erased, "usage": _usage,
}  # fmt: skip
_KEYS: Final[dict[str, Callable[[Row], Any]]] = {
    **{name: lambda row: row[0] for name in _NUMBERED},
    "resource": lambda row: row[:2], "alias": lambda row: (row[0], row[1], row[2]),
    "thread_item": lambda row: row[:2], "idempotency": lambda row: row[:3],
    "usage": lambda row: row[:4],
}  # fmt: skip


# ----------------------------------------------------------------------------- loading


def _put(table: dict[Any, Any], name: Any, row: Any) -> None:
    if name in table:
        raise CorruptStore(_THERE)
    table[name] = row


def _load_tenant(r: Rows, tenant: str, row: Row) -> None:
    _put(r.salts, tenant, row[0])
    r.salted[tenant] = row[1]


def _load_key(r: Rows, tenant: str, row: Row) -> None:
    no, *identity = row[:6]
    id = KeyId(tenant, *identity)
    _put(r.keys, id, Key(no, id, row[6], row[7]))
    r.key_ids[no] = id


def _load_statement(r: Rows, tenant: str, row: Row) -> None:
    _put(r.statements, row[0], Statement(row[0], tenant, *row[1:]))


def _load_audit(r: Rows, tenant: str, row: Row) -> None:
    _, id, at, action, outcome, target, digest, said, seal, store, person, key, salt, content = row
    entry = AuditEntry(
        id, tenant, store or "", person or "", key, at, action, outcome, target, content or "",
        salt or b"", digest, said,
    )  # fmt: skip
    _put(r.trail.entries, id, entry)
    if salt is None:
        r.trail.emptied.add(id)
    if seal is not None:
        r.trail.sealed[id] = seal


def _load_erased(r: Rows, tenant: str, row: Row) -> None:
    r.erased[tenant, row[0]] = row[1]
    r.erased_counts[tenant, row[0]] = (row[2], row[3])


def _load_place(r: Rows, tenant: str, row: Row) -> None:
    del tenant
    _put(r.threads.places, row[2], Place._make(row))


_LOAD: Final[dict[str, Callable[[Rows, str, Row], None]]] = {
    "tenant": _load_tenant,
    "resource": lambda r, t, row: _put(r.resources, (t, *row[:2]), ResourceRow(t, *row)),
    "episode": lambda r, t, row: _put(r.episodes, row[0], EpisodeRow(row[0], t, *row[1:])),
    "thread": lambda r, t, row: _put(r.threads.threads, row[0], ThreadRow(row[0], t, *row[1:])),
    "thread_item": _load_place,
    "thread_state": lambda r, t, row: _put(
        r.threads.states, row[0], StateRow(row[0], t, *row[1:])
    ),
    "key": _load_key, "statement": _load_statement,
    "belief": lambda r, t, row: _put(r.beliefs, row[0], Belief(row[0], t, *row[1:])),
    "alias": lambda r, t, row: _put(r.aliases, (t, *row[:3]), AliasRow(t, *row)),
    "person": lambda r, t, row: _put(r.persons, (t, row[0]), row[1]),
    "audit": _load_audit,
    "seal": lambda r, t, row: r.trail.seals.setdefault(t, []).append(Sealed._make(row)),
    "idempotency": lambda r, t, row: _put(r.answered, (t, *row[:3]), Answered(t, *row)),
    "erased": _load_erased,
    "usage": lambda r, t, row: _put(r.trail.usage, (t, *row[:4]), UsageRow(t, *row)),
}  # fmt: skip
