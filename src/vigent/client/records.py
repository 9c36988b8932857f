"""The verbs of memory as requests and answers."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast

from vigent.client.conduct import Exchange
from vigent.client.requests import PAGE, Verbs
from vigent.client.wire import Request, encode, moment, told_value
from vigent.domain.episodes import Episode, Provenance, Visibility
from vigent.domain.jsontext import check_json
from vigent.domain.messages import ContextAnswer
from vigent.domain.query import SearchAnswer
from vigent.domain.records import Record
from vigent.domain.results import Change, ForgetResult, Receipt, WriteResult
from vigent.domain.state import State
from vigent.domain.text import canonical_subject, check_id, check_name
from vigent.domain.threads import Thread
from vigent.domain.unset import UNSET
from vigent.errors import InvalidInput, VigentError
from vigent.proposals import MemoryDelta

__all__ = ["RecordVerbs"]

Instantlike = Any
BATCH: Final = 1_000
"""How many items a service takes in one request."""

_IN_PLACE: Final = frozenset({
    "confidence", "importance", "metadata", "expires_at", "ttl_days", "retention_policy", "due",
    "state", "timezone",
})  # fmt: skip


class RecordVerbs(Verbs):
    """What ``Client`` asks a service for."""

    __slots__ = ()

    def capture(
        self,
        content: str,
        *,
        role: str = "user",
        kind: str = "message",
        occurred_at: Instantlike = None,
        speaker: str | None = None,
        thread: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Episode]:
        """Keep a raw record of what happened; the same external id gives the first one again."""
        body = {
            "index_id": self.scope.store, "content": content, "role": role, "kind": kind,
            "occurred_at": occurred_at, "speaker": speaker, "thread": thread,
            "external_id": external_id, "metadata": metadata,
        }  # fmt: skip
        found = yield self.request("POST", "episodes", body=body, person=person)
        return Episode.from_dict(found)

    def write(
        self,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        value: Any = UNSET,
        text: str | None = None,
        type: str = "fact",
        valid_from: Instantlike = None,
        valid_to: Instantlike = None,
        mode: Literal["change", "correction", "replace"] = "change",
        corrects: str | None = None,
        supersedes: str | None = None,
        confidence: float | None = None,
        importance: int | None = None,
        due: Instantlike = None,
        source_episode_id: str | None = None,
        quote: str | None = None,
        source: str | None = None,
        trust: str = "application",
        timezone: str | None = None,
        expires_at: Instantlike = None,
        ttl_days: int | None = None,
        retention_policy: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expect: str | None = None,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[WriteResult]:
        """Say what holds: a value of an attribute, or a memory in free text."""
        body = {
            "index_id": self.scope.store, "subject": subject, "attribute": attribute,
            **_value(value), "text": text, "type": type, "valid_from": valid_from,
            "valid_to": valid_to, "mode": mode, "corrects": corrects, "supersedes": supersedes,
            "confidence": confidence, "importance": importance, "due": due,
            "source_episode_id": source_episode_id, "quote": quote, "source": source,
            "trust": _lower(trust), "timezone": timezone, "expires_at": expires_at,
            "ttl_days": ttl_days,
            "retention_policy": retention_policy, "metadata": metadata, "expect": expect,
        }  # fmt: skip
        found = yield self.request("POST", "memory", body=body, person=person, key=idempotency_key)
        return WriteResult.from_dict(found)

    def write_many(
        self,
        items: Iterable[Mapping[str, Any]],
        atomic: bool = False,  # noqa: FBT002 - callers may pass it by position
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[list[WriteResult | VigentError]]:
        """Take many writes and retractions in, in order.

        Each item has the fields of ``write`` (``"op": "retract"``: of ``retract``). An item that
        is refused gives its error in place; with ``atomic`` it raises, naming the item in
        ``field`` (``items.3.value``), and nothing is written.
        """
        told = [_item(one) for one in items]
        good = [one for one in told if not isinstance(one, VigentError)]
        if atomic and len(good) < len(told):
            raise next(
                one.within(f"items.{n}") for n, one in enumerate(told)
                if isinstance(one, VigentError)
            )  # fmt: skip
        size = max(1, len(good)) if atomic else BATCH  # the service refuses what is too large
        found: builtins.list[WriteResult | VigentError] = []
        for start in range(0, len(good), size):
            part = good[start : start + size]
            done = yield self._batch(part, person, atomic=atomic)
            found += [_entered(one) for one in done["results"]]
        answers = iter(found)
        return [one if isinstance(one, VigentError) else next(answers) for one in told]

    def _batch(
        self,
        items: builtins.list[dict[str, Any]],
        person: Any,
        *,
        atomic: bool,
        key: str | None = None,
    ) -> Request:
        body = {"index_id": self.scope.store, "atomic": atomic, "items": items}
        return self.request("POST", "memory", "batch", body=body, person=person, key=key)

    def propose(
        self,
        delta: MemoryDelta,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[WriteResult]:
        """Hand in a candidate: the service's checks see it and the state, and may hold it."""
        if not isinstance(delta, MemoryDelta):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("delta", "must be a MemoryDelta")
        fields = delta.model_dump(exclude_defaults=True)
        value = fields.pop("value", None)
        body = {
            "index_id": self.scope.store, **fields, **({} if value is None else told_value(value)),
        }  # fmt: skip
        found = yield self.request("POST", "memory", "propose", body=body, person=person)
        return WriteResult.from_dict(found)

    def retract(
        self,
        *,
        subject: str,
        attribute: str,
        value: Any = UNSET,
        valid_from: Instantlike = None,
        mode: Literal["change", "correction"] = "change",
        source_episode_id: str | None = None,
        quote: str | None = None,
        source: str | None = None,
        trust: str = "application",
        timezone: str | None = None,
        idempotency_key: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[WriteResult]:
        """Say what no longer holds, or (``mode="correction"``) what never did."""
        item = {
            "op": "retract", "subject": subject, "attribute": attribute, **_value(value),
            "valid_from": valid_from, "mode": mode, "source_episode_id": source_episode_id,
            "quote": quote, "source": source, "trust": _lower(trust), "timezone": timezone,
        }  # fmt: skip
        told = {name: moment(given) for name, given in item.items() if given is not None}
        found = yield self._batch([told], person, atomic=True, key=idempotency_key)
        return WriteResult.from_dict(found["results"][0])

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

    def update(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
        **fields: Any,
    ) -> Exchange[Record]:
        """Change fields in place; what is not named stays."""
        path, body = _memory(memory_id), _in_place(fields)
        found = yield self.request("PATCH", *path, body=body, person=person)
        return Record.from_dict(found["memory"])

    def forget(
        self,
        memory_id: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[ForgetResult]:
        """Remove what a memory said, for good; what it had ended does not come back."""
        found = yield self.request("DELETE", *_memory(memory_id), person=person)
        return ForgetResult.from_dict(found)

    def erase_person(
        self, person: str, *, dry_run: bool = False, wait: bool = False
    ) -> Exchange[Receipt]:
        """Remove everything of a person; needs the capability ``management``, or their token.

        ``wait`` until it is out of the files too. The receipt's state says whether it is.
        """
        query = {"dry_run": dry_run or None, "wait": wait or None}
        path = ("persons", check_id(person, "person"), "memory")
        found = yield self.request("DELETE", *path, query=query, person=None)
        return Receipt.from_dict(found)


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


def _lower(trust: str) -> str | None:
    # The service takes a caller's own trust where none is named, which is never below this.
    return None if trust == "application" else trust


def _in_place(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Give the fields of an update; what would be a correction is refused, as by ``Memory``."""
    unknown = sorted(name for name in fields if name not in _IN_PLACE)
    if unknown:
        raise InvalidInput(unknown[0], f"cannot be updated; only {', '.join(sorted(_IN_PLACE))}")
    return {name: value for name, value in fields.items() if value is not None or name == "due"}


def _value(value: Any) -> dict[str, Any]:
    return {} if value is UNSET else told_value(value)


def _item(given: Mapping[str, Any]) -> dict[str, Any] | VigentError:
    """Give an item as it is sent, or the error of one that JSON cannot say."""
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        return InvalidInput("items", "must be mappings")
    told = {name: moment(value) for name, value in given.items() if value is not UNSET}
    if told.get("trust") == "application":
        del told["trust"]
    try:
        if "value" in told:
            told |= told_value(given["value"])
        encode(told)
    except VigentError as error:
        return error
    return told


def _entered(found: Mapping[str, Any]) -> WriteResult | VigentError:
    error = cast("Mapping[str, Any] | None", found.get("error"))
    if error is None:
        return WriteResult.from_dict(found)
    told = {"category": "caller", **error, "message": error["detail"]}
    return VigentError.from_dict(told)


def _descending(record: Record) -> tuple[bool, float]:
    effective = record.effective_confidence
    return effective is None, -(effective or 0.0)
