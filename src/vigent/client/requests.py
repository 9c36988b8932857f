"""What every verb begins with: the store and the person that are meant, and the request made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar
from uuid import uuid4

from vigent.client.conduct import Exchange
from vigent.client.wire import Request, encode, path_of, query_of
from vigent.domain.text import check_id
from vigent.domain.unset import UNSET

__all__ = ["PAGE", "Scope", "Verbs", "every"]

T = TypeVar("T")

PAGE: Final = 200
"""How many of a list are asked for at once."""


class Scope(NamedTuple):
    """The store that is meant, and the person where a verb names none."""

    store: str
    person: str | None

    @classmethod
    def of(cls, store: object, person: object) -> Scope:
        """Check what a caller gave; raises InvalidInput."""
        return cls(check_id(store, "store"), None if person is None else check_id(person, "person"))


class Verbs:
    """Some verbs; each gives its requests, and makes its result of what is answered."""

    __slots__ = ("scope",)

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def request(
        self,
        method: str,
        *path: str,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        person: Any = UNSET,
        key: Any = None,
        question: bool = False,
    ) -> Request:
        """Make a request; a POST gets an idempotency key of its own unless one is given.

        A ``question`` changes nothing, and needs none.
        """
        headers: list[tuple[str, str]] = []
        whose = self.whose(person)
        if whose is not None:
            headers.append(("X-Vigent-Subject", whose))
        if body is not None:
            headers.append(("Content-Type", "application/json"))
        if method == "POST" and not question:
            named = uuid4().hex if key is None else check_id(key, "idempotency_key")
            headers.append(("Idempotency-Key", named))
        return Request(
            method, path_of(*path), query_of(query or {}), None if body is None else encode(body),
            tuple(headers),
        )  # fmt: skip

    def whose(self, person: Any) -> str | None:
        """Give the person that a verb is for; None for what is shared."""
        if person is UNSET:
            return self.scope.person
        return None if person is None else check_id(person, "person")

    def store(self, *path: str) -> tuple[str, ...]:
        """Give a path below the store."""
        return ("stores", self.scope.store, *path)


def every(
    ask: Callable[[str | None], Request], name: str, read: Callable[[Any], T]
) -> Exchange[list[T]]:
    """Give a list whole, however many pages it has: ``name`` is what a page calls it."""
    found: list[T] = []
    cursor: str | None = None
    while True:
        page = yield ask(cursor)
        found += [read(one) for one in page[name]]
        cursor = page.get("next")
        if cursor is None:
            return found
