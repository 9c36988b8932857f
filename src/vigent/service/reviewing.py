"""What waits for a decision, and what was proposed, as callers of the service see it."""

from __future__ import annotations

from typing import Any

from vigent.domain.candidates import Candidate
from vigent.domain.resources import ResourceRow
from vigent.domain.text import check_id
from vigent.govern.documents import Right
from vigent.memory import Memory
from vigent.service.caller import Caller
from vigent.write.review import BEGIN

__all__ = ["Waiting", "candidate", "readable", "require_review", "seen", "waiting"]

Waiting = tuple[list[dict[str, Any]], list[Any] | None]
"""What waits, and the place of the last of it where more does."""


def require_review(caller: Caller) -> None:
    """Refuse who may neither manage what waits nor is shown to be the person whose it is."""
    caller.require("memory")
    if not caller.by_token:
        caller.require("management")


def readable(caller: Caller, index_id: str | None) -> list[ResourceRow]:
    """Give the stores whose candidates are asked for: one, or all in which the key may read."""
    if index_id is not None:
        return [caller.store(index_id, "read")]
    rights = caller.document.policy.rights
    return [row for row in caller.stores() if "read" in (rights(row.id) or ())]


def seen(caller: Caller, action: str, target: str | None) -> tuple[str, ...]:
    """Say whose candidates a caller looks at, nobody for everyone's, and audit the look.

    A person looks at their own by token, and that is no admin read. Management looks at
    everyone's, or at what a person sees who is named: theirs and the shared.
    """
    if caller.person is None:
        caller.note_wide_read(action, target)
        return ()
    caller.note_admin_read(caller.person)
    return (caller.person, "") if caller.can("management") else (caller.person,)


def waiting(
    caller: Caller,
    persons: tuple[str, ...],
    stores: list[ResourceRow],
    reason: str | None,
    after: list[Any] | None,
    limit: int,
) -> Waiting:
    """Give the next of what waits in some stores, oldest first, behind a place."""
    named = {row.name or row.id: row for row in stores}
    now, begin = caller.host.clock.now(), BEGIN if after is None else (after[0], after[1])
    with caller.host.storage.snapshot() as snapshot:
        rows = snapshot.waiting(caller.tenant, tuple(named), persons, reason, now, begin, limit + 1)
    found: list[dict[str, Any]] = []
    for key, held in rows[:limit]:
        store = named[key.id.store]
        item = caller.host.memory(store, caller).records.waits(key, held)
        found.append({**item.to_dict(), "index_id": store.id})
    last = rows[limit - 1][1] if len(rows) > limit else None
    return found, None if last is None else [last.recorded_from, last.id]


def candidate(caller: Caller, id: str, right: Right) -> tuple[ResourceRow, Memory, bool]:
    """Give the store of a candidate, its memory, and whether a shared one is the caller's to see.

    It is absent where its store is, and where it is another's; raises NotFound, Forbidden.
    """
    caller.require("memory")
    field, registry = "candidate_id", caller.host.registry
    row = registry.find(caller.tenant, "candidate", check_id(id, field))
    manages = caller.can("management")
    whose = () if caller.person is None else (caller.person, "") if manages else (caller.person,)
    if row is None or (whose and row.person not in whose):
        return caller.miss(field, id)
    store = registry.named(caller.tenant, "store", Candidate.of_row(row).store_id)
    rights = None if store is None else caller.document.policy.rights(store.id)
    if store is None or not rights:
        return caller.miss(field, id)
    if right not in rights:
        caller.refuse(f"the key may not {right} in the store of this candidate", id)
    if right == "read":
        if caller.person is None:
            caller.note_wide_read("candidates_read", id)
        else:
            caller.note_admin_read(caller.person)
    return store, caller.host.memory(store, caller), "" in whose or not whose
