"""Takes in what an export wrote: all of it, in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Final, NamedTuple

from vigent.domain.audit import person_digest
from vigent.domain.changes import ChangeSet, Vectors
from vigent.domain.moving import Row, Table, total
from vigent.domain.passages import MEMORY, EmbedderRow, VectorRow
from vigent.domain.text import check_id
from vigent.domain.time import OPEN
from vigent.errors import BadExport, CorruptStore, ErasedPerson, ResourceExists
from vigent.govern.indexing import REINDEX, mend_index
from vigent.moving.exporting import Export, nobody_asks
from vigent.moving.ledger import BORN
from vigent.moving.unfolding import Unfolding
from vigent.ports.moving import Progress
from vigent.ports.storage import Storage, Transaction
from vigent.ports.system import Clock, IdSource

__all__ = ["Imported", "import_lines", "verify_lines"]

_TOLD: Final = 1_000
_VECTORS: Final = 500
"""Vectors in a transaction."""


class Imported(NamedTuple):
    """What an import came to; ``fresh`` is False where all of it was there already."""

    tenant: str
    person: str | None
    fresh: bool
    counts: Mapping[str, int]
    digest: str
    vectors: int = 0


def verify_lines(lines: Iterable[bytes]) -> str:
    """Read a file to its end and give its digest; raises BadExport where it is not whole."""
    found = Unfolding(lines)
    digest = found.skip()
    for _ in found.vector_rows():
        pass
    return digest


def import_lines(
    storage: Storage,
    lines: Iterable[bytes],
    *,
    clock: Clock,
    ids: IdSource,
    tenant: str | None = None,
    progress: Progress = nobody_asks,
) -> Imported:
    """Take in the lines of an export, as another tenant if one is named.

    A tenant must not be there yet, nor anything of a person. Nothing is to be seen of it before
    all of it is there and checked. Run again after it was ended anywhere, the result is that of
    one run; what is there already, and the same, stays as it is.
    Raises BadExport; ResourceExists where something else is there; ErasedPerson where the
    person was erased since.
    """
    with storage.snapshot() as snapshot:
        schema = snapshot.engine().schema
    found = Unfolding(lines, schema=schema)
    target = check_id(found.tenant if tenant is None else tenant, "tenant")
    loading = _Loading(storage, found, target, clock, ids, progress)
    fresh = loading.run()
    if not fresh:
        loading.compare()
    mend_index(storage, target)
    loading.index_done()
    vectors = loading.vectors()
    return Imported(target, found.person, fresh, found.counts, loading.digest, vectors)


class _Loading:
    """One import."""

    def __init__(
        self,
        storage: Storage,
        found: Unfolding,
        tenant: str,
        clock: Clock,
        ids: IdSource,
        progress: Progress,
    ) -> None:
        self.storage = storage
        self.found = found
        self.tenant = tenant
        self.clock = clock
        self.ids = ids
        self.progress = progress
        self.digest = ""
        self._earliest = OPEN
        self._done = 0
        self._bases: Mapping[str, int] = {}
        self._there: Mapping[str, Sequence[int]] = {}
        self._stores: set[str] = set()

    def run(self) -> bool:
        """Load all rows in one transaction; gives False where something is there already."""
        found = self.found
        with self.storage.transaction(self.tenant) as transaction:
            salt = transaction.ledger(self.tenant).salt
            if self._is_there(transaction, salt):
                return False
            self._bases = transaction.last_given(self.tenant)
            rows = found.rows(self._bases)
            for table, group in groupby(rows, key=lambda pair: pair[0]):
                self._take(transaction, table, (row for _, row in group), salt)
            self._refuse_erased(transaction)
            now = self.clock.now()
            for store in sorted(self._stores):  # until the index is made, whoever opens it makes it
                transaction.queue(REINDEX, self.tenant, store, now)
        self.digest = found.digest
        return True

    def _is_there(self, transaction: Transaction, salt: bytes | None) -> bool:
        if self.found.person is None:
            return salt is not None
        counts = transaction.moving_counts(self.tenant, self.found.person)
        known = ("tenant", "erased", "audit")  # what an erasure leaves
        return any(n for name, n in counts.items() if name not in known)

    def _take(
        self, transaction: Transaction, table: Table, rows: Iterator[Row], salt: bytes | None
    ) -> None:
        if table.name == "tenant" and salt is not None:
            if any(row[0] != salt for row in rows):
                raise ResourceExists(
                    f"tenant: {self.tenant} is another tenant than the person's; values are told"
                    " apart by digests of each tenant's own. Import into a tenant of that origin,"
                    " or into one that is not there yet",
                    field="tenant",
                )
            return
        if table.name == "audit":  # an erasure leaves entries, which are no conflict to be told
            self._refuse_erased(transaction)
        try:
            transaction.load(table.name, self.tenant, self._watched(table, rows))
        except CorruptStore as error:
            if salt is None:
                raise BadExport(f"rows of {table.name} contradict each other") from error
            raise ResourceExists(
                f"tenant: a row of {table.name} bears an id that another one here has;"
                " nothing was imported",
                field="tenant",
            ) from error

    def _watched(self, table: Table, rows: Iterator[Row]) -> Iterator[Row]:
        born, whole = BORN.get(table.name), total(self.found.counts)
        if table.name == "resource":
            rows = map(self._named, rows)
        store = next((i for i, c in enumerate(table.columns) if c.name == "store"), None)
        indexed = table.name in ("key", "episode")
        for row in rows:
            if born is not None:
                self._earliest = min(self._earliest, row[born])
            if indexed and store is not None:
                self._stores.add(row[store + 1])
            yield row
            self._done += 1
            if self._done % _TOLD == 0:
                self.progress(self._done, whole)

    def _named(self, row: Row) -> Row:
        return (row[0], self.tenant, *row[2:]) if row[:2] == ("tenant", "") else row

    def _refuse_erased(self, transaction: Transaction) -> None:
        person = self.found.person
        if person is None:
            return
        salt = transaction.ledger(self.tenant).salt or b""
        erased = transaction.ledger(self.tenant, person=person_digest(salt, person)).erased_at
        if erased is not None and self._earliest <= erased:
            raise ErasedPerson(
                "person: was erased here after what the file holds; nothing was imported",
                field="person",
            )

    # ----------------------------------------------------------------- what follows

    def compare(self) -> None:
        """Raise ResourceExists unless what is there is what the file holds."""
        self.digest = self.found.skip()
        now = self.clock.now()
        there = Export(self.storage, self.tenant, self.found.person, now=now).run()
        if there.digest != self.digest:
            what = f"tenant: {self.tenant}" if self.found.person is None else "person: it"
            field = "tenant" if self.found.person is None else "person"
            raise ResourceExists(
                f"{what} has memory here already, and other than the file; nothing was changed",
                field=field,
            )
        with self.storage.snapshot() as snapshot:
            self._there = {
                name: snapshot.moving_numbers(name, self.tenant, self.found.person)
                for name in ("statement", "episode")
            }

    def index_done(self) -> None:
        """Note that the index is made."""
        with self.storage.snapshot() as snapshot:
            rows = snapshot.moving_rows("key", self.tenant, self.found.person)
            stores = {row[1] for row in rows} | self._stores
            waiting = [s for s in sorted(stores) if snapshot.waits(self.tenant, REINDEX, s)]
        if waiting:
            with self.storage.transaction(self.tenant) as transaction:
                finished = [(REINDEX, store) for store in waiting]
                transaction.apply(ChangeSet(self.tenant, finished=finished))
        self.progress(total(self.found.counts), total(self.found.counts))

    def vectors(self) -> int:
        """Keep the vectors that the file brings, each with the passage it is of; gives how many."""
        kept = 0
        for model, group in groupby(self.found.vector_rows(), key=lambda row: row[:3]):
            while rows := list(islice(group, _VECTORS)):
                with self.storage.transaction(self.tenant) as transaction:
                    kept += self._keep(transaction, model, rows)
        return kept

    def _keep(self, transaction: Transaction, model: Row, rows: Sequence[Row]) -> int:
        name, revision, dimension = model
        known = transaction.embedder(name, revision, dimension)
        known = known or EmbedderRow(0, name, revision, dimension, 0, 0, None)
        vectors: list[VectorRow] = []
        for _, _, _, kind, source, start, data in rows:
            number = self._number(kind, source)
            passage = transaction.passage_at(self.tenant, kind, number, start)
            if passage is not None:
                vectors.append(VectorRow(0, self.tenant, passage[1], 0, passage[0], data))
        transaction.apply(ChangeSet(self.tenant, vectors=Vectors(known, vectors)))
        return len(vectors)

    def _number(self, kind: int, place: int) -> int:
        name = "statement" if kind == MEMORY else "episode"
        if not 1 <= place <= self.found.counts[name]:
            raise BadExport("a vector is of nothing in the file")
        there = self._there.get(name)
        return self._bases[name] + place if there is None else there[place - 1]
