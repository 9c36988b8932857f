"""The audit trail: what happened in the tenant, newest first."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from vigent.edges.http.answers.governance import AuditAnswer
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.calling import Called, Route, answer, reads
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.govern.people import shown_entry

__all__ = ["router"]

router = APIRouter(prefix="/v1/audit", tags=["audit"], route_class=Route)

Wanted = Annotated[str | None, Query(min_length=1, max_length=200)]


@router.get("", response_model=AuditAnswer, responses=problems_of())
@reads
def listed(
    caller: Called,
    action: Wanted = None,
    target: Wanted = None,
    person: Wanted = None,
    limit: Limit = 50,
    next: Next = None,  # noqa: A002
) -> Response:
    """Give entries, all or those of one action, about one record or one person."""
    caller.require("management")
    question = {"action": action, "target": target, "person": person}
    before = place(caller, question, next)
    if person is not None:
        caller.note_admin_read(person)
    with caller.host.storage.snapshot() as snapshot:
        rows = snapshot.audit_entries(caller.tenant, before=before, limit=limit + 1, **question)
    more = cursor(caller, question, rows[limit - 1].id) if len(rows) > limit else None
    return answer({"entries": [shown_entry(row) for row in rows[:limit]], "next": more})
