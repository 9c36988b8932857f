"""The verbs of memory that write, as requests and answers."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, cast

from vigent.client.conduct import Exchange
from vigent.client.requests import Verbs
from vigent.client.wire import Request, encode, moment, told_value
from vigent.domain.episodes import Episode
from vigent.domain.records import Record
from vigent.domain.results import ForgetResult, Receipt, WriteResult
from vigent.domain.text import check_id
from vigent.domain.time import Instantlike
from vigent.domain.unset import UNSET
from vigent.errors import InvalidInput, VigentError
from vigent.proposals import REASONED, MemoryDelta

__all__ = ["WriteVerbs"]

BATCH: Final = 1_000
"""How many items a service takes in one request."""

_IN_PLACE: Final = frozenset({
    "confidence", "importance", "metadata", "expires_at", "ttl_days", "retention_policy", "due",
    "state", "timezone",
})  # fmt: skip


class WriteVerbs(Verbs):
    """What a client hands in."""

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
        fields = delta.model_dump(exclude_defaults=True, exclude={*REASONED, "importance"})
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


def _memory(memory_id: object) -> tuple[str, str]:
    return ("memory", check_id(memory_id, "memory_id"))


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
