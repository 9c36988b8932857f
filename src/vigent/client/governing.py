"""The verbs of review and of persons as requests and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from vigent.client.conduct import Exchange
from vigent.client.requests import PAGE, Verbs, every
from vigent.client.wire import Request
from vigent.domain.candidates import Candidate
from vigent.domain.records import Record
from vigent.domain.results import ReviewItem, WriteResult
from vigent.domain.text import canonical_subject, check_id
from vigent.domain.unset import UNSET
from vigent.errors import InvalidInput, NotFound, VigentError

__all__ = ["CandidateVerbs", "PersonVerbs", "ReviewVerbs"]


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
        named = [_checked(id) for id in memory_ids]
        good = [id for id in named if isinstance(id, str)]
        told: list[WriteResult | Record | VigentError] = []
        for start in range(0, len(good), PAGE):
            some = good[start : start + PAGE]
            body = {
                "index_id": self.scope.store, "decision": decision, "memory_ids": some,
                "reason": reason if decision == "reject" else None,
            }  # fmt: skip
            try:
                found = yield self.request("POST", "review", "decide", body=body)
                told += [_decided(one, decision) for one in found["results"]]
            except VigentError as error:  # of those before it is known what came of them
                told += [error] * len(some)
        answers = iter(told)
        return tuple(id if isinstance(id, VigentError) else next(answers) for id in named)


class CandidateVerbs(Verbs):
    """What ``Client.candidates`` asks a service for."""

    __slots__ = ()

    def list(
        self,
        episode_id: str | None = None,
        *,
        outcome: str | None = None,
        after: str | None = None,
        limit: int | None = None,
        shared: bool = True,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[Candidate, ...]]:
        """Give the candidates of an episode, or all, with their verdicts; of one outcome.

        They come by their ids: those behind ``after``, at most ``limit``. Needs ``management``,
        or a token; with that, and without ``shared``, those of the person alone.
        """
        if limit is not None and limit < 1:
            raise InvalidInput("limit", "must be at least 1")
        query = {
            "index_id": self.scope.store, "episode_id": episode_id, "outcome": outcome,
            "limit": PAGE,
        }  # fmt: skip
        found: list[Candidate] = []
        own = not shared and self.whose(person) is not None
        cursor: str | None = None
        while True:
            asked = {**query, "next": cursor}
            page = yield self.request("GET", "candidates", query=asked, person=person)
            found += [
                one
                for one in map(_candidate, page["items"])
                if (after is None or one.candidate_id > after)
                and not (own and one.person_id is None)
            ]
            cursor = page.get("next")
            if cursor is None or (limit is not None and len(found) >= limit):
                return tuple(found[:limit])

    def get(
        self,
        candidate_id: str,
        *,
        shared: bool = True,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Candidate]:
        """Give one candidate with its verdict; raises NotFound."""
        path = ("candidates", check_id(candidate_id, "candidate_id"))
        found = _candidate((yield self.request("GET", *path, person=person)))
        if not shared and found.person_id is None and self.whose(person) is not None:
            raise NotFound("candidate_id: is shared", field="candidate_id")
        return found

    def judge(
        self,
        candidate_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Candidate]:
        """Judge a candidate again, by policy and schema as they are now; needs ``management``.

        What is in force stays, and so does what somebody decided. Raises NotFound.
        """
        path = ("candidates", check_id(candidate_id, "candidate_id"), "judge")
        return _candidate((yield self.request("POST", *path, person=person)))


class PersonVerbs(Verbs):
    """What ``Client.persons`` asks a service for."""

    __slots__ = ()

    def link(self, person: str, subject: str) -> Exchange[None]:
        """Note which entity a person is; erasing them then takes shared facts about it along."""
        body = {"subject": canonical_subject(subject)[1]}
        yield self.request("PATCH", "persons", check_id(person, "person"), body=body, person=None)


def _checked(id: object) -> str | VigentError:
    try:
        return check_id(id, "memory_id")
    except VigentError as error:
        return error


def _decided(found: Mapping[str, Any], decision: str) -> WriteResult | Record | VigentError:
    """Give what came of one of many decisions."""
    error = found.get("error")
    if error is not None:
        told = {"category": "caller", **error, "message": error["detail"]}
        return VigentError.from_dict(told)
    return (
        WriteResult.from_dict(found) if decision == "accept" else Record.from_dict(found["memory"])
    )


def _candidate(found: Mapping[str, Any]) -> Candidate:
    return Candidate.from_dict({name: one for name, one in found.items() if name != "index_id"})
