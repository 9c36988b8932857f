"""A write transaction on a PostgreSQL database.

Transactions of one tenant run beside one another. Each holds the tenant's lock together with the
others, and for itself the row of every key that it reads, so that a key's statements are recorded
one after another; who needs the whole tenant (erasure, names, settings) holds its lock alone.
Deadlocks and waits beyond the bound are StoreBusy: nothing was written, and it can be done again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import orjson

from vigent.domain.changes import ChangeSet
from vigent.domain.episodes import EpisodeRow
from vigent.domain.statements import Key, KeyId, Statement
from vigent.domain.threads import ThreadRow
from vigent.domain.time import Instant
from vigent.errors import StoreBusy
from vigent.ports.storage import Ledger, Numbers, Selection
from vigent.storage.postgres.reading import PgSnapshot, numbers_of
from vigent.storage.postgres.span import Span, lock_of
from vigent.storage.postgres.statements import Q
from vigent.storage.sql.loading import NUMBERED, LoadingTransaction
from vigent.storage.sql.reading import key_of
from vigent.storage.sql.rows import Row, Rows

__all__ = ["PgTransaction"]

_BLOCK: Final = 1_048_576
"""How many row numbers of a table a transaction is given at once; see migration 0001."""
_BORNE: Final = {"commitment": 1, "behaviour": 2}
_KEY, _TYPE, _AT = 2, 22, 2
"""Where a row that is moved names key and type of a statement, and the time of an audit entry."""
_FEW: Final = 32
"""Up to how many keys that are not there yet are locked by name; of more, whoever comes second
finds them there and is told so."""
_MEANWHILE: Final = "others wrote the same at the same time; nothing was written, try again"
_ALSO_OF_TENANT: Final = ("activity", "passage_made", "tenant_name")


class PgTransaction(LoadingTransaction, PgSnapshot):
    """A snapshot that holds what it changes.

    ``alone`` says that it has the tenant to itself; ``joined`` notes the tenants with aliases.
    """

    def __init__(self, span: Span, tenant: str, joined: set[str], *, alone: bool) -> None:
        super().__init__(span.run, Q)
        self._span = span
        self._tenant = tenant
        self._alone = alone
        self._joined = joined
        self._held: set[KeyId] = set()
        self._held_numbers: set[int] = set()
        self._taken: set[int] = set()
        self._block: Rows | None = None
        self._base = 0
        self._used: dict[str, int] = {}
        self._wrote_at: Instant | None = None
        self._indexed = False

    def prepare(self, tenant: str, memories: Sequence[Statement]) -> None:
        """Do nothing: what was read may be changed here."""

    def prepare_keys(self, tenant: str, keys: Sequence[Key]) -> None:
        """Do nothing: what was read may be changed here."""

    # ------------------------------------------------------------------------ numbers

    def _given(self) -> int:
        """Give the first number of this transaction's block.

        It is taken after the keys were locked: of two statements of a key, the later has the
        higher number.
        """
        if not self._base:
            block = self._block or self._run(Q["numbers_take"], ())
            self._base = block.fetchall()[0][0]
            self._numbers = Numbers(self._base, self._base, self._base)
            self._unwritten = self._base
        return self._base

    @property
    def numbers(self) -> Numbers:
        """The next free row numbers, counting what was applied so far."""
        base = self._given()
        if max(self._numbers) - base > _BLOCK // 2:
            self.flush()
            self._base, self._block = 0, None
            self._given()
        return self._numbers

    def _next(self, query: str, count: int = 1) -> int:
        base = self._given()
        first = self._used.get(query, base)
        if not base <= first < base + _BLOCK - count:
            self._base, self._block = 0, None
            first = self._given()
        self._used[query] = first + count
        return first

    def _rise_above(self, number: int) -> None:
        """Have all numbers that are given from now on be higher than one."""
        if self._base > number:
            return
        base = self._run(Q["numbers_take"], ()).fetchall()[0][0]
        if base <= number:
            blocks = (number - base) // _BLOCK + 1
            base = self._run(Q["numbers_past"], (blocks,)).fetchall()[0][0]
        self._base, self._block, self._used = base, None, {}
        self._numbers = Numbers(base, base, base)
        self._unwritten = base

    def last_given(self, tenant: str) -> Mapping[str, int]:
        """Give the highest number in use of each numbered table."""
        self.alone()
        self.flush()
        return dict(zip(NUMBERED, self.ask("move_last", (tenant,))[0], strict=True))

    def load(self, table: str, tenant: str, rows: Iterable[Row]) -> None:
        """Store rows as they are; what is written later goes on from their numbers."""
        super().load(table, tenant, rows)
        if table in NUMBERED:
            self._rise_above(self.last_given(tenant)[table])
        self._span.finish()  # what is refused is told here

    def _load_some(self, table: str, tenant: str, rows: Sequence[Row]) -> None:
        super()._load_some(table, tenant, rows)
        if table == "tenant":
            self._run(Q["tenant_name_insert"], (tenant,))
        elif table == "alias":
            self._aliased(tenant)
        elif table == "audit":
            self._run(Q["activity_insert"], (tenant, max(row[_AT] for row in rows)))
        elif table == "statement":
            borne = {(_BORNE[row[_TYPE]], row[_KEY]) for row in rows if row[_TYPE] in _BORNE}
            self._write("key_bears_set", [(*one, tenant) for one in sorted(borne)])

    # -------------------------------------------------------------------------- locks

    def alone(self) -> None:
        """Have the tenant to itself from now on: what was read before may be another by now."""
        if not self._alone:
            self._run(Q["lock_whole"], (lock_of("tenant", self._tenant),)).fetchall()
            self._alone = True

    def _take(self, *name: str) -> Rows | None:
        """Have something that has a name for this transaction alone, by when it reads on."""
        number = lock_of("of", self._tenant, *name)
        if self._alone or number in self._taken:
            return None
        self._taken.add(number)
        answer = self._run(Q["lock_whole"], (number,))
        if self._block is None and not self._base:  # in the same trip; unused ones are let go
            self._block = self._run(Q["numbers_take"], ())
        return answer

    def _take_names(self, store: str) -> None:
        """Have the joined subjects of a store, and only then go on: the clock is read next."""
        taken = self._take("names", store)
        if taken is not None:
            taken.fetchall()

    def _exact(self, id: KeyId) -> Key | None:
        fresh = self._fresh.get(id)
        if fresh is not None:
            return fresh
        if self._alone or id in self._held:
            rows = self._run(Q["key_exact"], id).fetchall()
        else:
            rows = self._lock_one(id)
        if not rows:
            return None
        key = key_of(rows[0])
        self._keys[key.no] = key
        return key

    def _lock_one(self, id: KeyId) -> list[Row]:
        """Lock a key and read it; one that is not there is locked by its name."""
        known = self._joined_before()
        if known:
            self._lock_names(id)
        late = bool(self._base)
        looked = None if known is not None else self._run(Q["any_alias"], (id.tenant,))
        rows = self._read_locked("key_lock", id)
        if not rows:
            self._run(Q["lock_whole"], (lock_of("key", *id),))
            rows = self._read_locked("key_lock", id)
        self._held.add(id)
        self._held_numbers.update(row[0] for row in rows)
        if looked is not None and self._note_aliases(joined=bool(looked.fetchall()[0][0])):
            self._lock_names(id)
        if late:
            self._refuse_newer(row[0] for row in rows)
        return rows

    def _joined_before(self) -> bool | None:
        """Whether the tenant has aliases, as far as it need not be looked up first.

        In a tenant that was seen to have some it is looked up before anything is locked, since
        the names have to be locked before the keys.
        """
        known = self._with_aliases.get(self._tenant)
        if known is None and self._tenant in self._joined:
            known = self._has_aliases(self._tenant)
        return known

    def _note_aliases(self, *, joined: bool) -> bool:
        self._with_aliases[self._tenant] = joined
        if joined:
            self._joined.add(self._tenant)
        return joined

    def _read_locked(self, query: str, values: Sequence[Any]) -> list[Row]:
        """Lock and read keys, and have numbers that are higher than any they bear by then."""
        answer = self._run(Q[query], values)
        if not self._base:
            self._block = self._run(Q["numbers_take"], ())
        return answer.fetchall()

    def _lock_names(self, id: KeyId) -> None:
        """Joined subjects of a store are written one after another: all their keys are one."""
        if self.aliased(id.tenant, id.store, id.subject, id.person):
            self._take_names(id.store)

    def _aliased(self, tenant: str) -> None:
        self._with_aliases[tenant] = True

    def _refuse_newer(self, keys: Iterable[int]) -> None:
        """Raise StoreBusy where others wrote a key with higher numbers than these."""
        listed = list(keys)
        if listed:
            asked = (self._tenant, numbers_of(listed))
            newest = self._run(Q["newest_of_keys"], asked).fetchall()[0][0]
            if newest is not None and newest > self._base:
                raise StoreBusy(_MEANWHILE)

    def _lock_numbers(self, keys: Iterable[Key]) -> bool:
        """Lock keys that were found; gives whether any was not locked before."""
        if self._alone:
            return False
        wanted = [
            key.no
            for key in keys
            if key.no not in self._held_numbers and self._fresh.get(key.id) is None
        ]
        if not wanted:
            return False
        late = bool(self._base)
        rows = self._read_locked("keys_lock", (self._tenant, numbers_of(wanted)))
        for row in rows:
            key = key_of(row)
            self._keys[key.no] = key
            self._held.add(key.id)
            self._held_numbers.add(key.no)
        if late:
            self._refuse_newer(wanted)
        return True

    # -------------------------------------------------------------------------- reads

    def keys(self, selection: Selection) -> list[Key]:
        """Give the keys that a selection names, as they stand in this transaction."""
        if selection.exact and not self._alone:
            self._lock_many(selection)
        found = super().keys(selection)
        if self._lock_numbers(found):
            found = super().keys(selection)
        return found

    def _lock_many(self, selection: Selection) -> None:
        """Lock keys by their names, in one trip."""
        if self._note_aliases(joined=self._has_aliases(selection.tenant)):
            self._take_names(str(selection.store))
        late = bool(self._base)
        named = orjson.dumps([id[2:] for id in selection.exact]).decode()
        asked = (selection.tenant, selection.store, named)
        keys = [key_of(row) for row in self._read_locked("keys_named_lock", asked)]
        there = {key.id for key in keys}
        missing = sorted(lock_of("key", *id) for id in {*selection.exact} - there)
        if missing and len(missing) <= _FEW:
            for number in missing:
                self._run(Q["lock_whole"], (number,))
            keys = [key_of(row) for row in self._read_locked("keys_named_lock", asked)]
        if late:  # what was held before, nobody but this transaction wrote
            self._refuse_newer(key.no for key in keys if key.id not in self._held)
        self._held.update(selection.exact)
        self._held_numbers.update(key.no for key in keys)

    def statements(self, tenant: str, **handles: Any) -> list[tuple[Key, Statement]]:
        """Give statements by one of their handles, in order of recording; their keys are locked."""
        handles = {
            name: list(value) if name in ("ids", "numbers") else value
            for name, value in handles.items()
        }
        found = super().statements(tenant, **handles)
        if self._lock_numbers({key.no: key for key, _ in found}.values()):
            found = super().statements(tenant, **handles)
        return found

    def episodes(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        external: tuple[str, str, str] | None = None,
        expired_by: Instant | None = None,
    ) -> list[EpisodeRow]:
        """Give episodes by id, by (store, person, external id), or those past their time."""
        if external is not None:
            self._take("episode", *external)
        return super().episodes(tenant, ids=ids, external=external, expired_by=expired_by)

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
        """Give threads; one that is named is this transaction's alone."""
        if id is not None:
            self._take("thread", id)
        return super().threads(tenant, store, persons, id, after=after, limit=limit)

    def ledger(self, tenant: str, **asked: Any) -> Ledger:
        """Look up small facts; who gives the first salt, or keeps an answer, does so alone."""
        answer = asked.get("answer")
        if answer is not None:
            self._take("answer", *answer)
        found = super().ledger(tenant, **asked)
        if found.salt is None and not self._alone:
            self._take("salt")
            found = super().ledger(tenant, **asked)
        return found

    # ------------------------------------------------------------------------- writes

    def apply(self, changes: ChangeSet) -> None:
        """Take a change set into the transaction."""
        if changes.audit or changes.statements or changes.passages or changes.said:
            self._given()
        super().apply(changes)

    def _take_statements(self, changes: ChangeSet) -> None:
        super()._take_statements(changes)
        borne = {(_BORNE[s.type], s.key) for s in changes.statements if s.type in _BORNE}
        self._add("key_bears_set", [(*one, changes.tenant) for one in sorted(borne)])

    def _take_rest(self, changes: ChangeSet) -> None:
        super()._take_rest(changes)
        if changes.salt is not None:
            self._add("tenant_name_insert", [(changes.tenant,)])
        if changes.audit and self._wrote_at is None:
            self._wrote_at = changes.audit[-1].at
        self._indexed |= bool(changes.passages or changes.said)

    def finish(self) -> None:
        """Write what is pending, and note once what of it is looked for through all tenants."""
        self.flush()
        if self._wrote_at is not None:
            self._write("activity_insert", [(self._tenant, self._wrote_at)])
        if self._indexed:  # last: the number it bears is above those of all passages
            self._write("passage_made_insert", [(self._tenant,)])

    def _write(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        """Send a query once for each of some rows; nothing is waited for."""
        if query == "statement_retrieved":
            rows = sorted(rows, key=lambda row: row[1])
        run, statement = self._run, Q[query]
        for row in rows:
            run(statement, row)

    def _change(self, query: str, values: Sequence[Any]) -> int:
        return self._span.run(Q[query], values).count()

    def _save(self) -> None:
        self._span.command(b"SAVEPOINT erasure")

    def _undo(self) -> None:
        self._span.command(b"ROLLBACK TO SAVEPOINT erasure")

    def erase_tenant(self, tenant: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a tenant, and give the counts per table."""
        counts = super().erase_tenant(tenant, dry_run=dry_run)
        if not dry_run:
            for table in _ALSO_OF_TENANT:
                self._run(Q[f"end_{table}"], (tenant,))
            self._wrote_at, self._indexed = None, False
        return counts
