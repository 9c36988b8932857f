"""Responses: the trace of a turn that the service answered, without a word of what was said.

The words stand on the thread, and go with it. A trace goes when its person is erased, its thread
is deleted, or it is old.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from pydantic import Field

from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow
from vigent.domain.time import DAY
from vigent.govern.exacting import Exacting
from vigent.govern.registry import Actor, Registry
from vigent.ports.storage import Snapshot, Transaction

__all__ = ["KEPT_DAYS", "ResponseDocument", "Status", "keep_response", "remove_responses",
           "responses_of"]  # fmt: skip

Status = Literal["in_progress", "completed", "failed", "cancelled"]
KEPT_DAYS: Final = 90
"""For how many days a trace is kept."""
_AT_ONCE: Final = 20
_AUDITED: Final = {
    "model", "answered_by", "agent_id", "agent_version", "thread", "stores", "finish", "error",
}  # fmt: skip
"""What the audit trail tells of a turn: who was asked about what memory, and how it ended."""


class ResponseDocument(Exacting):
    """The trace of one turn: what was injected, which tools ran, what it came to.

    Milliseconds are counted from the beginning of the turn.
    """

    status: Status = "in_progress"
    key_id: str
    model: str
    answered_by: str = ""
    agent_id: str | None = None
    agent_version: int | None = None
    thread: str | None = None
    stores: tuple[str, ...] = ()
    memory: dict[str, Any] = Field(default_factory=dict)
    tools: tuple[dict[str, Any], ...] = ()
    items: tuple[str, ...] = ()
    usage: dict[str, int] = Field(default_factory=dict)
    timing: dict[str, int] = Field(default_factory=dict)
    finish: str | None = None
    error: str | None = None


def keep_response(
    registry: Registry,
    transaction: Transaction,
    actor: Actor,
    id: str,
    document: ResponseDocument,
    *,
    store: str = "",
) -> ResourceRow:
    """Enter a trace, or its next state, in the audit trail too: as of ``store``, if it reads one.

    With it go a few traces that are past their time.
    """
    now = registry.clock.now()
    before = transaction.resource(actor.tenant, "response", id)
    version, made = (1, now) if before is None else (before.version + 1, before.created_at)
    row = ResourceRow(
        actor.tenant, "response", id, None, actor.person, version, document.model_dump_json(),
        made, now,
    )  # fmt: skip
    # Ids rise with time: what is oldest stands first.
    first = transaction.resources(actor.tenant, "response", limit=_AT_ONCE)
    old = [one for one in first if one.created_at < now - KEPT_DAYS * DAY and one.id != id]
    changes = ResourceChanges(kept=[row], removed=old)
    action = "response_begin" if document.status == "in_progress" else "response_end"
    told = document.model_dump(include=_AUDITED)
    entry = registry.entry(actor, action, document.status, id, told, store=store)
    transaction.apply(ChangeSet(actor.tenant, resources=changes, audit=[entry]))
    return row


def remove_responses(registry: Registry, tenant: str, ids: Sequence[str]) -> None:
    """Let traces go, by their ids; those that are not there are left out."""
    if not ids:
        return
    with registry.writing(tenant) as transaction:
        found = [transaction.resource(tenant, "response", id) for id in ids]
        changes = ResourceChanges(removed=[row for row in found if row is not None])
        transaction.apply(ChangeSet(tenant, resources=changes))


def responses_of(snapshot: Snapshot, tenant: str, person: str) -> list[dict[str, Any]]:
    """Give the traces of a person's turns, the oldest first."""
    found: list[dict[str, Any]] = []
    after = ""
    while rows := snapshot.resources(tenant, "response", after=after):
        found += [
            {"id": row.id, **ResponseDocument.model_validate_json(row.document).model_dump()}
            for row in rows
            if row.person == person
        ]
        after = rows[-1].id
    return found
