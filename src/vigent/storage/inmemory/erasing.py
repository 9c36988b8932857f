"""Removes every row of a person, a store or a tenant from a store in memory."""

from __future__ import annotations

import json
from typing import Any

from vigent.ports.removal import Erasure
from vigent.storage.inmemory.changing import Change
from vigent.storage.inmemory.moving import MovingRows

__all__ = ["ErasingChange"]


class ErasingChange(MovingRows, Change):
    """A view that holds the write lock, can remove a person and take in rows as they are."""

    def erase(self, erasure: Erasure, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a person, and give the counts per table."""
        rows = self._rows
        keys = {
            no
            for no, id in rows.key_ids.items()
            if id.tenant == erasure.tenant
            and (id.person == erasure.person or no in erasure.shared_keys)
        }
        gone = {no for no, s in rows.statements.items() if s.key in keys}
        beliefs = [no for no, b in rows.beliefs.items() if b.key in keys]
        episodes = [
            no
            for no, e in rows.episodes.items()
            if (e.tenant, e.person) == (erasure.tenant, erasure.person)
        ]
        audit = {
            e.id
            for e in rows.trail.entries.values()
            if e.tenant == erasure.tenant
            and (e.person == erasure.person or e.key in erasure.shared_keys)
            and e.id not in rows.trail.emptied
        }
        answers = [
            k
            for k, a in rows.answered.items()
            if a.tenant == erasure.tenant
            and (a.person == erasure.person or json.loads(a.answer).get("about") in erasure.about)
        ]
        link = (erasure.tenant, erasure.person)
        aliases = [
            k
            for k, r in rows.aliases.items()
            if (r.tenant, r.person) == link or r in erasure.aliases
        ]
        resources = [
            k for k, r in rows.resources.items() if r.person and (r.tenant, r.person) == link
        ]
        threads = rows.threads.erase(*link, episodes, dry_run=dry_run)
        found = rows.index.erase(erasure.tenant, gone, set(episodes), dry_run=dry_run)
        counts = {
            **found, "belief": len(beliefs),
            "audit_content": len(audit), "statement": len(gone), "key": len(keys),
            **threads, "episode": len(episodes), "idempotency": len(answers), "job": 0,
            "alias": len(aliases), "person": int(link in rows.persons), "resource": len(resources),
        }  # fmt: skip
        if dry_run:
            return counts
        for table, ids in (
            (rows.statements, gone), (rows.beliefs, beliefs), (rows.episodes, episodes),
            (rows.answered, answers), (rows.aliases, aliases), (rows.resources, resources),
        ):  # fmt: skip
            for id in ids:
                del table[id]  # pyright: ignore[reportArgumentType]
        for number in keys:
            del rows.keys[rows.key_ids.pop(number)]
        rows.persons.pop(link, None)
        rows.trail.emptied |= audit
        rows.erased[erasure.tenant, erasure.digest] = erasure.at
        rows.erased_counts[erasure.tenant, erasure.digest] = (json.dumps(counts), "purged")
        return counts

    def erase_store(self, tenant: str, store: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a store, and give the counts per table."""
        rows, scope = self._rows, (tenant, store)
        keys = {no for no, id in rows.key_ids.items() if id[:2] == scope}
        gone = {no for no, s in rows.statements.items() if s.key in keys}
        beliefs = [no for no, b in rows.beliefs.items() if b.key in keys]
        episodes = [no for no, e in rows.episodes.items() if (e.tenant, e.store) == scope]
        audit = {
            e.id
            for e in rows.trail.of(tenant)
            if e.store == store and e.id not in rows.trail.emptied
        }
        aliases = [k for k, r in rows.aliases.items() if (r.tenant, r.store) == scope]
        threads = rows.threads.erase_store(*scope, episodes, dry_run=dry_run)
        found = rows.index.erase(tenant, gone, set(episodes), dry_run=dry_run)
        counts = {
            **found, "belief": len(beliefs), "audit_content": len(audit), "statement": len(gone),
            "key": len(keys), **threads, "episode": len(episodes), "job": 0, "alias": len(aliases),
        }  # fmt: skip
        if dry_run:
            return counts
        for table, ids in (
            (rows.statements, gone), (rows.beliefs, beliefs), (rows.episodes, episodes),
            (rows.aliases, aliases),
        ):  # fmt: skip
            for id in ids:
                del table[id]  # pyright: ignore[reportArgumentType]
        for number in keys:
            del rows.keys[rows.key_ids.pop(number)]
        rows.trail.emptied |= audit
        return counts

    def erase_tenant(self, tenant: str, *, dry_run: bool) -> dict[str, int]:
        """Remove every row of a tenant, and give the counts per table."""
        rows = self._rows
        keys = {no for no, id in rows.key_ids.items() if id.tenant == tenant}
        gone = {no for no, s in rows.statements.items() if s.key in keys}
        beliefs = [no for no, b in rows.beliefs.items() if b.key in keys]
        episodes = [no for no, e in rows.episodes.items() if e.tenant == tenant]
        audit = [e.id for e in rows.trail.of(tenant)]
        usage = [k for k in rows.trail.usage if k[0] == tenant]
        generations = [k for k in rows.index.generations if k[0] == tenant]
        named: tuple[tuple[str, dict[Any, Any]], ...] = (
            ("idempotency", rows.answered), ("alias", rows.aliases), ("person", rows.persons),
            ("resource", rows.resources), ("erased", rows.erased),
        )  # fmt: skip
        held = {name: [k for k in table if k[0] == tenant] for name, table in named}
        threads = rows.threads.erase_tenant(tenant, episodes, dry_run=dry_run)
        found = rows.index.erase(tenant, gone, set(episodes), dry_run=dry_run)
        counts = {
            **found, "belief": len(beliefs),
            "audit_content": len(set(audit) - rows.trail.emptied), "statement": len(gone),
            "key": len(keys), **threads, "episode": len(episodes), "job": 0,
            **{name: len(ids) for name, ids in held.items()}, "audit": len(audit),
            "seal": len(rows.trail.seals.get(tenant, [])), "usage": len(usage),
            "index_change": len(generations), "tenant": int(tenant in rows.salts),
        }  # fmt: skip
        if dry_run:
            return counts
        for table, ids in (
            (rows.statements, gone), (rows.beliefs, beliefs), (rows.episodes, episodes),
            (rows.trail.usage, usage),
            *((table, held[name]) for name, table in named),
        ):  # fmt: skip
            for id in ids:
                del table[id]  # pyright: ignore[reportArgumentType]
        for number in keys:
            del rows.keys[rows.key_ids.pop(number)]
        rows.trail.remove(audit)
        rows.trail.seals.pop(tenant, None)
        for generation in [k for k in rows.index.generations if k[0] == tenant]:
            del rows.index.generations[generation]
        rows.salts.pop(tenant, None)
        rows.salted.pop(tenant, None)
        for gone in [k for k in rows.erased_counts if k[0] == tenant]:
            del rows.erased_counts[gone]
        return counts

    def alone(self) -> None:
        """Keep all others out, which the lock does already."""
