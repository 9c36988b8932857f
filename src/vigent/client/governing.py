"""The verbs of review and of persons as requests and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from vigent.client.conduct import Exchange
from vigent.client.requests import PAGE, Verbs, every
from vigent.client.wire import Request
from vigent.domain.records import Record
from vigent.domain.results import ReviewItem, WriteResult
from vigent.domain.text import canonical_subject, check_id
from vigent.errors import InvalidInput, VigentError

__all__ = ["PersonVerbs", "ReviewVerbs"]


class ReviewVerbs(Verbs):
    """What ``Client.review`` asks a service for."""

    __slots__ = ()

    def list(self, reason: str | None = None) -> Exchange[tuple[ReviewItem, ...]]:
        """Give the candidates that wait, oldest first, or those held for one reason."""

        def page(cursor: str | None) -> Request:
            query = {
                "index_id": self.scope.store, "reason": reason, "limit": PAGE, "next": cursor,
            }  # fmt: skip
            return self.request("GET", "review", query=query)

        found = yield from every(page, "items", ReviewItem.from_dict)
        return tuple(found)

    def accept(
        self,
        memory_id: str,
        trust: str = "reviewer",
        *,
        edits: Mapping[str, Any] | None = None,
    ) -> Exchange[WriteResult]:
        """Let a candidate in, with the trust of the key; raises NotFound, ConflictError."""
        if trust != "reviewer":
            raise InvalidInput(
                "trust", "is that of the key: a reviewer's, or with a token a person's"
            )
        path = ("review", check_id(memory_id, "memory_id"), "accept")
        body = None if not edits else {"edits": dict(edits)}
        found = yield self.request("POST", *path, body=body)
        return WriteResult.from_dict(found)

    def reject(self, memory_id: str, reason: str | None = None) -> Exchange[Record]:
        """Turn a candidate down; it stays on record as rejected."""
        path = ("review", check_id(memory_id, "memory_id"), "reject")
        found = yield self.request("POST", *path, body={"reason": reason})
        return Record.from_dict(found)

    def decide(
        self,
        memory_ids: Iterable[str],
        decision: Literal["accept", "reject"],
        *,
        reason: str | None = None,
    ) -> Exchange[tuple[WriteResult | Record | VigentError, ...]]:
        """Accept or reject many, each by itself; one that cannot be decided gives its error."""
        if decision not in {"accept", "reject"}:
            raise InvalidInput("decision", "must be accept or reject")
        decided: list[WriteResult | Record | VigentError] = []
        for id in memory_ids:
            try:
                if decision == "accept":
                    decided.append((yield from self.accept(id)))
                else:
                    decided.append((yield from self.reject(id, reason)))
            except VigentError as error:
                decided.append(error)
        return tuple(decided)


class PersonVerbs(Verbs):
    """What ``Client.persons`` asks a service for."""

    __slots__ = ()

    def link(self, person: str, subject: str) -> Exchange[None]:
        """Note which entity a person is; erasing them then takes shared facts about it along."""
        body = {"subject": canonical_subject(subject)[1]}
        yield self.request("PATCH", "persons", check_id(person, "person"), body=body, person=None)
