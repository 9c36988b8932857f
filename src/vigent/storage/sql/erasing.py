"""Removes every row of a person, a store or a tenant from a store that an SQL engine keeps.

It is *removed* then, out of every read; that it is *purged*, out of the files too, is another step.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from vigent.ports.removal import Erasure
from vigent.storage.sql.transaction import SqlTransaction

__all__ = ["ErasingTransaction"]

# What is counted and removed, children first. Each query takes tenant, person and a list of
# further keys (as JSON) that are about the person.
_TABLES = (
    "vector",
    "passage",
    "belief",
    "audit_content",
    "statement",
    "key",
    "thread_item",
    "thread_state",
    "thread",
    "episode",
    "idempotency",
    "job",
    "alias",
    "person",
    "resource",
)


# What is a store's: all but what belongs to the tenant or to a person as such.
_STORE_TABLES = tuple(t for t in _TABLES if t not in {"idempotency", "person", "resource"})

# What else is a tenant's.
_TENANT_TABLES = (
    *_TABLES,
    "audit",
    "seal",
    "usage",
    "index_change",
    "erased",
    "tenant",
)


class ErasingTransaction(SqlTransaction):
    """A write transaction that can also remove a person."""

    def erase(self, erasure: Erasure, *, dry_run: bool) -> dict[str, int]:
        """Remove a person's rows and note it in the ledger; gives the counts per table."""
        self.flush()
        run = self._run
        handles = (erasure.tenant, erasure.person, json.dumps(erasure.shared_keys))
        counts: dict[str, int] = {}
        self._save()
        run(self._q["erase_outdate"], handles)
        for table in _TABLES:
            counts[table] = self._change(f"erase_{table}", handles)
        for digest in erasure.about:
            asked = (erasure.tenant, digest)
            counts["idempotency"] += self._change("erase_answers_about", asked)
        for alias in erasure.aliases:
            named = (alias.tenant, alias.name, alias.store, alias.person)
            counts["alias"] += self._change("alias_delete", named)
        if dry_run:
            self._undo()
        else:
            run(
                self._q["erased_insert"],
                (erasure.tenant, erasure.digest, erasure.at, json.dumps(counts), "removed"),
            )
            run(self._q["job_insert"], (erasure.tenant, "purge", "", "{}", erasure.at, ""))
        return counts

    def erase_store(self, tenant: str, store: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a store, and give the counts per table."""
        self.flush()
        run = self._run
        counts: dict[str, int] = {}
        self._save()
        run(self._q["store_outdate"], (tenant, store))
        for table in _STORE_TABLES:
            counts[table] = self._change(f"store_{table}", (tenant, store))
        if dry_run:
            self._undo()
        return counts

    def erase_tenant(self, tenant: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a tenant, and give the counts per table."""
        self.flush()
        counts: dict[str, int] = {}
        self._save()
        for table in _TENANT_TABLES:
            counts[table] = self._change(f"end_{table}", (tenant,))
        if dry_run:
            self._undo()
        return counts

    def _change(self, query: str, values: Sequence[Any]) -> int:
        """Run a query and give how many rows it changed."""
        raise NotImplementedError

    def _save(self) -> None:
        """Remember how things stand."""
        raise NotImplementedError

    def _undo(self) -> None:
        """Put things back to how they stood."""
        raise NotImplementedError
