"""The verbs of threads as requests and answers."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from vigent.client.conduct import Exchange
from vigent.client.requests import PAGE, Verbs, every
from vigent.client.wire import Request
from vigent.domain.text import check_id
from vigent.domain.threads import Thread, ThreadItem, ThreadState, check_state, stored_as
from vigent.domain.unset import UNSET
from vigent.errors import InvalidInput

__all__ = ["ThreadVerbs"]


class ThreadVerbs(Verbs):
    """What ``Client.threads`` asks a service for."""

    __slots__ = ()

    def _named(self, given: Thread | str, person: Any) -> tuple[Any, tuple[str, str]]:
        """Give whose thread is meant, and its path."""
        if isinstance(given, Thread):
            own = given.person if person is UNSET and given.person is not None else person
            return own, ("threads", given.id)
        return person, ("threads", check_id(given, "thread"))

    def create(
        self,
        person: str | None = UNSET,  # type: ignore[assignment]
        agent: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        id: str | None = None,
        *,
        ttl_days: int | None = None,
        idempotency_key: str | None = None,
    ) -> Exchange[Thread]:
        """Make a thread; raises ThreadExists where the person has one of this id."""
        body = {
            "index_id": self.scope.store, "id": id, "agent": agent, "metadata": metadata,
            "ttl_days": ttl_days,
        }  # fmt: skip
        found = yield self.request("POST", "threads", body=body, person=person, key=idempotency_key)
        return Thread.from_dict(found)

    def get(
        self,
        id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Thread]:
        """Give one thread; raises NotFound."""
        whose, path = self._named(id, person)
        found = yield self.request("GET", *path, person=whose)
        return Thread.from_dict(found)

    def list(
        self,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[Thread, ...]]:
        """Give a person's threads and the shared, in the order in which they were made."""

        def page(cursor: str | None) -> Request:
            query = {"index_id": self.scope.store, "limit": PAGE, "next": cursor}
            return self.request("GET", "threads", query=query, person=person)

        found = yield from every(page, "threads", Thread.from_dict)
        own = self.whose(person)
        found.sort(key=lambda thread: (thread.person != own, thread.created_at))
        return tuple(found)

    def append(
        self,
        thread: Thread | str,
        content: str,
        *,
        role: str | None = None,
        kind: str | None = None,
        occurred_at: Any = None,
        speaker: str | None = None,
        agent: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        sealed: bool = False,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[ThreadItem]:
        """Add an item to a thread; the same external id gives the first one again."""
        whose, path = self._named(thread, person)
        stored_as(role, kind)
        body = {
            "content": content, "role": role, "kind": kind, "occurred_at": occurred_at,
            "speaker": speaker, "agent": agent, "external_id": external_id,
            "metadata": metadata, "sealed": sealed,
        }  # fmt: skip
        found = yield self.request(
            "POST", *path, "items", body=body, person=whose, key=idempotency_key
        )
        return ThreadItem.from_dict(found)

    def items(
        self,
        thread: Thread | str,
        *,
        after: str | ThreadItem | None = None,
        last: int | None = None,
        limit: int | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[ThreadItem, ...]]:
        """Give the items of a thread in order: all, what follows one of them, or the last few."""
        whose, path = self._named(thread, person)
        for name, given in (("last", last), ("limit", limit)):
            whole = isinstance(given, int) and not isinstance(given, bool) and given > 0
            if given is not None and not whole:
                raise InvalidInput(name, "must be a whole number from 1")
        begin = after.id if isinstance(after, ThreadItem) else after
        query = {"after": None if begin is None else check_id(begin, "after"), "limit": PAGE}

        def page(cursor: str | None) -> Request:
            return self.request(
                "GET", *path, "items", query={**query, "next": cursor}, person=whose
            )

        found: builtins.list[ThreadItem] = yield from every(page, "items", ThreadItem.from_dict)
        if last is not None:
            found = found[-last:]
        return tuple(found if limit is None else found[:limit])

    def state(
        self,
        thread: Thread | str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[ThreadState]:
        """Give the state of a thread; empty and of version 0 where none was set."""
        whose, path = self._named(thread, person)
        found = yield self.request("GET", *path, "state", person=whose)
        return ThreadState.from_dict(found)

    def set_state(
        self,
        thread: Thread | str,
        state: Mapping[str, Any],
        *,
        expect: int | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[ThreadState]:
        """Set the state of a thread; with ``expect`` only where it is at that version."""
        whose, path = self._named(thread, person)
        check_state(state)
        body = {"state": state, "expect": expect}
        found = yield self.request("PUT", *path, "state", body=body, person=whose)
        return ThreadState.from_dict(found)

    def delete(
        self,
        thread: Thread | str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[int]:
        """Remove a thread with its items and its state; gives how many items it had."""
        whose, path = self._named(thread, person)
        found = yield self.request("DELETE", *path, person=whose)
        return int(found["items"])
