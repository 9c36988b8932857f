"""The verbs of memory that read, as requests and answers."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from vigent.client.conduct import Exchange
from vigent.client.requests import PAGE, Verbs
from vigent.domain.episodes import Provenance, Visibility
from vigent.domain.jsontext import check_json
from vigent.domain.messages import ContextAnswer
from vigent.domain.query import SearchAnswer
from vigent.domain.records import Record
from vigent.domain.results import Change
from vigent.domain.state import State
from vigent.domain.text import canonical_subject, check_id, check_name
from vigent.domain.threads import Thread
from vigent.domain.time import Instantlike
from vigent.domain.unset import UNSET
from vigent.errors import InvalidInput

__all__ = ["ReadVerbs"]


class ReadVerbs(Verbs):
    """What a client asks for."""

    __slots__ = ()

    def current(
        self,
        subject: str,
        attribute: str | None = None,
        *,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Any]:
        """Give what is in force: a record or None.

        A multi-valued attribute gives a tuple; with no attribute named it is the ``State`` of
        the subject.
        """
        query = {
            **_about(subject, attribute), "as_of": as_of, "known_at": known_at,
            "timezone": timezone,
        }  # fmt: skip
        found = yield self.request("GET", *self.store("state"), query=query, person=person)
        if attribute is None:
            return State.from_dict(found)
        if "memories" in found:
            return _records(found["memories"])
        return None if found["memory"] is None else Record.from_dict(found["memory"])

    def history(
        self,
        subject: str,
        attribute: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[Record, ...]]:
        """Give every stretch ever believed, by valid_from, then recorded_from."""
        path, query = self.store("history"), _about(subject, attribute)
        found = yield self.request("GET", *path, query=query, person=person)
        return _records(found["memories"])

    def provenance(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Provenance]:
        """Say who said it, and where: the memory with all that supports it."""
        found = yield self.request("GET", *_memory(memory_id), "provenance", person=person)
        return Provenance.from_dict(found)

    def visibility(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Visibility]:
        """Say to whom a memory belongs, and by which keys it may be seen."""
        found = yield self.request("GET", *_memory(memory_id), "visibility", person=person)
        keys = [one["key_id"] for one in found["policies"]]
        return Visibility.from_dict({**found, "policies": keys})

    def diff(
        self,
        *,
        since: Instantlike,
        until: Instantlike,
        axis: Literal["valid", "recorded"] = "valid",
        subject: str | None = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[Change, ...]]:
        """Say what changed in ``(since, until]``, in the world or in what was believed."""
        query = {
            "since": since, "until": until, "axis": axis, "subject": subject, "timezone": timezone,
        }  # fmt: skip
        found = yield self.request("GET", *self.store("diff"), query=query, person=person)
        return tuple(Change.from_dict(one) for one in found["changes"])

    def search(
        self,
        query: str,
        *,
        types: Sequence[str] | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        after: Instantlike = None,
        before: Instantlike = None,
        include: Literal["current", "history", "episodes"] = "current",
        expand: Literal["auto", "always", "never"] = "auto",
        recipe: str = "relevance",
        timezone: str | None = None,
        limit: int = 10,
        budget_tokens: int | None = None,
        explain: bool = False,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[SearchAnswer]:
        """Find what answers a question: exact state first, then by words and by meaning."""
        body = {
            "index_id": self.scope.store, "query": query, "types": types, "subject": subject,
            "attribute": attribute, "metadata": metadata, "as_of": as_of, "known_at": known_at,
            "after": after, "before": before, "include": include, "expand": expand,
            "recipe": recipe, "timezone": timezone, "limit": limit,
            "budget_tokens": budget_tokens, "explain": explain,
        }  # fmt: skip
        found = yield self.request(
            "POST", "memory", "search", body=body, person=person, question=True
        )
        return SearchAnswer.from_dict(found)

    def context(
        self,
        query: str | None = None,
        *,
        thread: Thread | str | None = None,
        system_prompt: str | None = None,
        budget_tokens: int = 8_000,
        memory_share: float = 0.2,
        recent_turns: int = 5,
        limit: int = 10,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[ContextAnswer]:
        """Give the messages for a model: system prompt, memory, recent turns verbatim, query."""
        if isinstance(thread, Thread):
            if person is UNSET and thread.person is not None:
                person = thread.person
            thread = thread.id
        body = {
            "index_id": self.scope.store, "query": query, "thread": thread,
            "system_prompt": system_prompt, "budget_tokens": budget_tokens,
            "memory_share": memory_share, "recent_turns": recent_turns, "limit": limit,
            "timezone": timezone,
        }  # fmt: skip
        found = yield self.request("POST", "context", body=body, person=person, question=True)
        return ContextAnswer.from_dict(found)

    def list(
        self,
        *,
        type: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        as_of: Instantlike = None,
        known_at: Instantlike = None,
        status: str | None = None,
        min_confidence: float | None = None,
        metadata: Mapping[str, Any] | None = None,
        after: Instantlike = None,
        before: Instantlike = None,
        include: Literal["current", "history"] = "current",
        order: Literal["recorded", "confidence"] = "recorded",
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Iterator[Exchange[builtins.list[Record]]]:
        """Give the memories that fit, by default those in force now, in order of recording."""
        if order not in ("recorded", "confidence"):
            raise InvalidInput("order", "must be one of recorded, confidence")
        query = {
            "index_id": self.scope.store, "type": type, "subject": subject,
            "attribute": attribute, "as_of": as_of, "known_at": known_at, "status": status,
            "min_confidence": _number(min_confidence), "include": include,
            "after": after, "before": before, "timezone": timezone, "limit": PAGE,
            **_filters(metadata),
        }  # fmt: skip
        return self._sorted(query, person) if order == "confidence" else self._pages(query, person)

    def _pages(
        self, query: Mapping[str, Any], person: Any
    ) -> Iterator[Exchange[builtins.list[Record]]]:
        cursor: builtins.list[str | None] = [None]

        def page() -> Exchange[builtins.list[Record]]:
            asked = {**query, "next": cursor[0]}
            found = yield self.request("GET", "memory", query=asked, person=person)
            cursor[0] = found.get("next")
            return [Record.from_dict(one) for one in found["memories"]]

        yield page()
        while cursor[0] is not None:
            yield page()

    def _sorted(
        self, query: Mapping[str, Any], person: Any
    ) -> Iterator[Exchange[builtins.list[Record]]]:
        def whole() -> Exchange[builtins.list[Record]]:
            rows: builtins.list[Record] = []
            for page in self._pages(query, person):
                rows += yield from page
            return sorted(rows, key=_descending)

        yield whole()

    def get(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Record]:
        """Give one memory over its last believed stretch; raises NotFound."""
        found = yield self.request("GET", *_memory(memory_id), person=person)
        return Record.from_dict(found)


def _records(found: Iterable[Mapping[str, Any]]) -> tuple[Record, ...]:
    return tuple(Record.from_dict(one) for one in found)


def _memory(memory_id: object) -> tuple[str, str]:
    return ("memory", check_id(memory_id, "memory_id"))


def _about(subject: object, attribute: object) -> dict[str, str | None]:
    named = None if attribute is None else check_name(attribute, "attribute")
    return {"subject": canonical_subject(subject)[0], "attribute": named}


def _number(given: object) -> object:
    # In a query a text that reads as a number would be one.
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float)):
        raise InvalidInput("min_confidence", "must be a number from 0 to 1")
    return given


def _filters(metadata: object) -> dict[str, str]:
    """Give filters on metadata as parameters of a query, each value as JSON."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InvalidInput("metadata", f"must be a mapping, not {type(metadata).__name__}")
    asked = cast("Mapping[str, Any]", metadata)
    return {
        f"metadata.{name}": check_json(value, f"metadata.{name}") for name, value in asked.items()
    }


def _descending(record: Record) -> tuple[bool, float]:
    effective = record.effective_confidence
    return effective is None, -(effective or 0.0)
