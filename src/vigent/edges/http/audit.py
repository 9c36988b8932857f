"""The audit trail: what happened in the tenant, newest first."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Response

from vigent.domain.resources import AuditRow
from vigent.edges.http.answers.governance import AuditAnswer
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.calling import Called, Route, answer, reads
from vigent.edges.http.cursors import Limit, Next, cursor, place
from vigent.govern.documents import ALL_STORES
from vigent.govern.people import shown_entries
from vigent.service.caller import Caller

__all__ = ["router"]

router = APIRouter(prefix="/v1/audit", tags=["audit"], route_class=Route)

_PAGE: Final = 1_000
_PAGES: Final = 10
"""How many pages of the trail one request walks at most, for a key that sees little of it."""
_STORE: Final = "idx_"

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
    """Give entries, all or those of one action, about one record or one person.

    Entries of stores in which the key may not read are left out, and so are emptied ones for a
    key that may not read in all. A page may then be short, and still have a next one.
    """
    caller.require("management")
    question = {"action": action, "target": target, "person": person}
    before = place(caller, question, next)
    if person is not None:
        caller.note_admin_read(person)
    seen = _Seen(caller)
    size = limit + 1 if seen.all else _PAGE
    found: list[AuditRow] = []
    for _ in range(_PAGES):
        with caller.host.storage.snapshot() as snapshot:
            rows = snapshot.audit_entries(caller.tenant, before=before, limit=size, **question)
        found += [row for row in rows if seen(row)]
        before = rows[-1].id if len(rows) == size else None
        if before is None or len(found) > limit:
            break
    last = found[limit - 1].id if len(found) > limit else before
    more = None if last is None else cursor(caller, question, last)
    with caller.host.storage.snapshot() as snapshot:
        told = shown_entries(snapshot, caller.tenant, found[:limit], caller.host.clock.now())
    return answer({"entries": told, "next": more})


class _Seen:
    """Whether a key sees an entry: by the store it is of, or that it is about."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._known: dict[str, bool] = {}
        policy = caller.document.policy.stores
        self.all = all("read" in policy.get(name, ()) for name in {ALL_STORES, *policy})

    def __call__(self, row: AuditRow) -> bool:
        if self.all:
            return True
        if row.store is None:  # emptied: of which store it was is not known any more
            return False
        about = row.target if (row.target or "").startswith(_STORE) else ""
        return self._sees(row.store) and self._sees(about or "")

    def _sees(self, store: str) -> bool:
        if store not in self._known:
            self._known[store] = self._caller.may_read(store)
        return self._known[store]
