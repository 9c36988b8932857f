"""Writes a tenant or a person as lines of JSON, from one view of the store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from vigent.domain.audit import person_digest
from vigent.domain.moving import (
    FORMAT,
    TABLES,
    VECTORS,
    Row,
    Table,
    encoder,
    line_of,
    places_of,
    total,
)
from vigent.domain.text import check_id
from vigent.domain.time import Instant, iso
from vigent.errors import NotFound
from vigent.ports.moving import Progress
from vigent.ports.storage import Snapshot, Storage

__all__ = ["Export", "nobody_asks"]

_TOLD: Final = 1_000
"""Rows between two words of progress."""
_REFERRED: Final = ("episode", "thread", "key", "statement")


def nobody_asks(done: int, whole: int) -> None:
    """Tell nobody how far it is."""
    del done, whole


class Export:
    """What belongs to a tenant, or to one person of it, as lines.

    The first line says what it is, the last how many rows of each table there are and the digest
    of all between: two exports of the same memory differ in the first line alone, whichever
    engines they come from. ``counts`` and ``digest`` are known when the lines are at their end.
    Raises NotFound for a tenant that is not there, or a person of whom nothing is.
    """

    def __init__(
        self,
        storage: Storage,
        tenant: str,
        person: str | None = None,
        *,
        now: Instant,
        vectors: bool = False,
        progress: Progress = nobody_asks,
    ) -> None:
        self.tenant = check_id(tenant, "tenant")
        self.person = None if person is None else check_id(person, "person")
        self.counts: Mapping[str, int] = {}
        self.digest = ""
        self._storage = storage
        self._now = now
        self._vectors = vectors
        self._progress = progress

    def lines(self) -> Iterator[bytes]:
        """Give the lines, one after another."""
        with self._storage.snapshot() as snapshot:
            yield from self._lines(snapshot)

    def run(self) -> Export:
        """Go through all lines and keep none: for the counts and the digest."""
        for _ in self.lines():
            pass
        return self

    def _lines(self, snapshot: Snapshot) -> Iterator[bytes]:
        salt = snapshot.ledger(self.tenant).salt
        if salt is None:
            raise NotFound(f"tenant: there is no tenant {self.tenant} here", field="tenant")
        counts = dict(snapshot.moving_counts(self.tenant, self.person))
        if self.person is not None:
            counts["erased"] = len(list(self._erased(snapshot, salt)))
            if total(counts) == counts["tenant"] + counts["erased"]:
                raise NotFound(f"person: nothing of {self.person} is here", field="person")
        places = {
            name: places_of(snapshot.moving_numbers(name, self.tenant, self.person))
            for name in _REFERRED
        }
        yield line_of(self._header(snapshot, counts))
        digest, done, whole = hashlib.sha256(), 0, total(counts)
        for table in TABLES:
            encode = encoder(table, places)
            for row in self._rows(snapshot, table, salt):
                line = encode(row)
                digest.update(line)
                yield line
                done += 1
                if done % _TOLD == 0:
                    self._progress(done, whole)
        self.counts, self.digest = counts, digest.hexdigest()
        yield line_of({"end": "tables", "counts": counts, "digest": self.digest})
        if self._vectors:
            yield from self._vector_lines(snapshot, places)
        self._progress(whole, whole)

    def _header(self, snapshot: Snapshot, counts: Mapping[str, int]) -> dict[str, Any]:
        engine = snapshot.engine()
        return {
            "vigent_export": FORMAT, "what": "tenant" if self.person is None else "person",
            "tenant": self.tenant, "person": self.person, "engine": engine.name,
            "schema": engine.schema, "made_at": iso(self._now), "vectors": self._vectors,
            "counts": counts,
        }  # fmt: skip

    def _rows(self, snapshot: Snapshot, table: Table, salt: bytes) -> Iterator[Row]:
        if table.name == "erased" and self.person is not None:
            return self._erased(snapshot, salt)
        rows = snapshot.moving_rows(table.name, self.tenant, self.person)
        return map(self._unnamed, rows) if table.name == "resource" else rows

    def _unnamed(self, row: Row) -> Row:
        """Leave the tenant's own name to the first line, so that it can be another one."""
        return (row[0], "", *row[2:]) if row[:2] == ("tenant", self.tenant) else row

    def _erased(self, snapshot: Snapshot, salt: bytes) -> Iterator[Row]:
        digest = person_digest(salt, self.person or "")
        rows = snapshot.moving_rows("erased", self.tenant, self.person)
        return (row for row in rows if row[0] == digest)

    def _vector_lines(self, snapshot: Snapshot, places: Mapping[str, Any]) -> Iterator[bytes]:
        digest, count = hashlib.sha256(), 0
        of = (places["statement"], places["episode"])
        encode = encoder(VECTORS, {})
        for v in snapshot.moving_vectors(self.tenant, self.person):
            line = encode(v._replace(source=of[v.kind](v.source)))
            digest.update(line)
            yield line
            count += 1
        yield line_of({"end": "vectors", "count": count, "digest": digest.hexdigest()})
