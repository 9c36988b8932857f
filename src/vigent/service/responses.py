"""Responses as they are answered, and as they are looked at again: the trace of a turn."""

from __future__ import annotations

from typing import Any

from vigent.domain.resources import ResourceRow
from vigent.domain.time import iso
from vigent.govern.responses import ResponseDocument
from vigent.service.caller import Caller

__all__ = ["find_response", "shown_response"]


def find_response(caller: Caller, id: str) -> dict[str, Any]:
    """Give a response of the caller's person, or a shared one; raises NotFound, Forbidden.

    It is absent where its thread is gone, or a store of it is not named by the key's policy.
    """
    caller.require("responses")
    row = caller.host.registry.find(caller.tenant, "response", id)
    if row is None or row.person not in (caller.person or "", ""):
        return caller.miss("response_id", id)
    document = ResponseDocument.model_validate_json(row.document)
    if not all(caller.document.policy.rights(store) for store in document.stores):
        return caller.miss("response_id", id)
    if document.thread is not None and not _on_thread(caller, document.thread):
        return caller.miss("response_id", id)
    return shown_response(caller, row, document)


def _on_thread(caller: Caller, thread: str) -> bool:
    """Whether the thread is there for the caller, who must read in its store."""
    whose = (caller.person, "") if caller.person else ("",)
    with caller.host.storage.snapshot() as snapshot:
        found = snapshot.threads(caller.tenant, None, whose, thread)
    now = caller.host.clock.now()
    return any(caller.may_read(row.store) and row.expires_at > now for row in found)


def shown_response(caller: Caller, row: ResourceRow, document: ResponseDocument) -> dict[str, Any]:
    """Give a response with its trace; the text is read from the thread, where it has one."""
    told = document.model_dump(exclude={"stores"})
    return {
        "id": row.id, "object": "response", **told, "tools": list(document.tools),
        "person": row.person or None, "items": list(document.items),
        "output_text": _text(caller, document), "output": None,
        "created_at": iso(row.created_at), "changed_at": iso(row.changed_at),
    }  # fmt: skip


def _text(caller: Caller, document: ResponseDocument) -> str | None:
    if document.thread is None or not document.items:
        return None
    with caller.host.storage.snapshot() as snapshot:
        found = {one.id: one for one in snapshot.episodes(caller.tenant, ids=document.items)}
    said = [found[id] for id in document.items if id in found]
    parts = [one.content for one in said if one.role == "assistant" and one.kind != "tool_call"]
    return "\n\n".join(part for part in parts if part) or None
