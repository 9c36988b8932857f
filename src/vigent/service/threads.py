"""Threads as callers of the service have them: found by id, in whichever store they are."""

from __future__ import annotations

from typing import Any, cast

from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow
from vigent.domain.threads import Thread, ThreadItem, ThreadRow
from vigent.domain.windows import Reading, reading_id, thread_digest
from vigent.errors import SubjectConflict
from vigent.memory import Memory
from vigent.service.caller import Caller

__all__ = [
    "ThreadPlace",
    "home_of",
    "make_thread",
    "note_named",
    "note_turn",
    "own_thread",
    "person_of",
    "responses_on",
    "shown",
    "shown_item",
    "threads_after",
]

ThreadPlace = tuple[str, int, str]
"""Where a thread stands in a list: its id, whether it is shared, the id of its store."""

_HOME = "default"
_PAGE = 200


def person_of(caller: Caller, named: str | None) -> str | None:
    """Say for whom a thread is: the person that is named, who must be the caller's.

    A key with management may name another than its header does; a subject token may not. Raises
    SubjectConflict.
    """
    if named is None or named == caller.person:
        return caller.person
    if caller.by_token or (caller.person is not None and not caller.can("management")):
        raise SubjectConflict("person", "is not the person of the request")
    return named


def make_thread(
    caller: Caller, index_id: str | None, person: str | None, fields: dict[str, Any]
) -> Thread:
    """Make a thread in a store; its id is issued here. Raises NotFound, Forbidden."""
    caller.require("threads")
    store = _home(caller) if index_id is None else caller.store(index_id, "write")
    memory = caller.host.memory(store, caller)
    id = fields.pop("id", None) or caller.host.registry.ids.new("thr")
    return memory.threads.create(person_of(caller, person), id=id, **fields)


def _home(caller: Caller) -> ResourceRow:
    """Give the store of threads that name none: ``default``, else the first that may be written."""
    may_write = [
        row
        for row in caller.stores()
        if "write" in (caller.document.policy.rights(row.id) or ())
    ]  # fmt: skip
    for row in may_write:
        if row.name == _HOME:
            return row
    return may_write[0] if may_write else cast("ResourceRow", caller.refuse("no store to write in"))


def own_thread(caller: Caller, id: str) -> tuple[Memory, ThreadRow]:
    """Give a thread that the caller may change as a whole; raises NotFound, Forbidden.

    With a person named that is their own, and without one the shared.
    """
    memory, row = caller.thread(id, "write")
    if row.person != (caller.person or ""):
        caller.refuse("the thread is shared, not this person's", id)
    return memory, row


def responses_on(memory: Memory, row: ThreadRow, person: str | None) -> list[str]:
    """Give the ids of the responses that stand on a thread, whose traces go with it."""
    found: dict[str, None] = {}
    after: str | None = None
    while items := memory.threads.items(row.id, after=after, limit=_PAGE, person=person):
        told = (item.metadata.get("response_id") for item in items)
        found.update((id, None) for id in told if isinstance(id, str) and id.startswith("rsp_"))
        after = items[-1].id
    return list(found)


def threads_after(
    caller: Caller, index_id: str | None, place: ThreadPlace | None, limit: int
) -> tuple[list[tuple[ResourceRow, ThreadRow]], ThreadPlace | None]:
    """Give the next threads of the caller's person and the shared, by id; and where more begin.

    Ids rise with time. Of one id in several places the person's own goes first.
    """
    caller.require("threads")
    stores = caller.stores() if index_id is None else [caller.store(index_id, "read")]
    persons = (caller.person, "") if caller.person else ("",)
    now = caller.host.clock.now()
    found: list[tuple[ThreadPlace, ResourceRow, ThreadRow]] = []
    with caller.host.storage.snapshot() as snapshot:
        for store in stores:
            if "read" not in (caller.document.policy.rights(store.id) or ()):
                continue
            for person in persons:
                begin = "" if place is None else place[0]
                here: list[ThreadRow] = []
                if place is not None:  # the same id again, of another person or store
                    here += snapshot.threads(caller.tenant, store.name or store.id, [person], begin)
                while True:
                    rows = snapshot.threads(
                        caller.tenant, store.name or store.id, [person], after=begin,
                        limit=limit + 1,
                    )  # fmt: skip
                    here += rows
                    live = [row for row in here if row.expires_at > now]
                    if len(rows) <= limit or len(live) > limit + 1:
                        break
                    begin = rows[-1].id
                found += [((row.id, int(not row.person), store.id), store, row) for row in live]
    found = sorted(one for one in found if place is None or one[0] > tuple(place))
    more = found[limit - 1][0] if len(found) > limit else None
    return [(store, row) for _, store, row in found[:limit]], more


def note_turn(caller: Caller, row: ThreadRow) -> None:
    """Note which key speaks in a thread, and that it is hidden from now on if the key hides.

    That is before the item is there, so that no item of a hiding key is ever read openly.
    """
    store, host = home_of(caller, row), caller.host
    digest = thread_digest(row.person, row.id, row.created_at)
    id, pii = reading_id(store.id, digest), caller.document.pii
    hide = pii.classes if pii.hide else None
    kept = Reading.of_row(host.registry.find(caller.tenant, "reading", id))
    if kept.with_key(caller.row.id, hide) == kept:
        return
    with host.registry.writing(caller.tenant) as transaction:
        before = transaction.resource(caller.tenant, "reading", id)
        noted = Reading.of_row(before).with_key(caller.row.id, hide)
        changed = noted.row(row, store.id, before, host.clock.now())
        transaction.apply(ChangeSet(caller.tenant, resources=ResourceChanges(kept=[changed])))


def note_named(caller: Caller, index_id: str, thread: str) -> None:
    """Note a turn of a thread that is named by its id in a store, where it is there."""
    store = caller.store(index_id, "write")
    whose = (caller.person, "") if caller.person else ("",)
    with caller.host.storage.snapshot() as snapshot:
        found = snapshot.threads(caller.tenant, store.name or store.id, whose, thread)
    for row in found[:1]:
        note_turn(caller, row)


def home_of(caller: Caller, row: ThreadRow) -> ResourceRow:
    """Give the store that a thread is in; raises NotFound where it is gone."""
    found = caller.host.registry.named(caller.tenant, "store", row.store)
    return found or cast("ResourceRow", caller.miss("thread", row.id))


def shown(store: ResourceRow, row: ThreadRow) -> dict[str, Any]:
    """Give a thread as it is answered."""
    return {"id": row.id, "index_id": store.id, **Thread(row).to_dict()}


def shown_item(item: ThreadItem) -> dict[str, Any]:
    """Give an item as it is answered."""
    return {"id": item.id, **item.to_dict()}
