"""Removes every row of a person from a store in memory."""

from __future__ import annotations

import json

from vigent.ports.storage import Erasure
from vigent.storage.inmemory.rows import Change

__all__ = ["ErasingChange"]


class ErasingChange(Change):
    """A view that holds the write lock and can also remove a person."""

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
            for e in rows.audit.values()
            if e.tenant == erasure.tenant
            and (e.person == erasure.person or e.key in erasure.shared_keys)
            and e.id not in rows.emptied
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
        threads = rows.threads.erase(*link, episodes, dry_run=dry_run)
        found = rows.index.erase(erasure.tenant, gone, set(episodes), dry_run=dry_run)
        counts = {
            **found, "belief": len(beliefs),
            "audit_content": len(audit), "statement": len(gone), "key": len(keys),
            **threads, "episode": len(episodes), "idempotency": len(answers), "job": 0,
            "alias": len(aliases), "person": int(link in rows.persons),
        }  # fmt: skip
        if dry_run:
            return counts
        for number in gone:
            del rows.statements[number]
        for number in beliefs:
            del rows.beliefs[number]
        for number in episodes:
            del rows.episodes[number]
        for number in keys:
            del rows.keys[rows.key_ids.pop(number)]
        for answer in answers:
            del rows.answered[answer]
        for alias in aliases:
            del rows.aliases[alias]
        rows.persons.pop(link, None)
        rows.emptied |= audit
        rows.erased[erasure.tenant, erasure.digest] = erasure.at
        return counts
