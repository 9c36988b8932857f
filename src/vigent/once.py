"""Requests that are answered once: the same again, within a day, gets the answer of the first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, cast

from vigent.domain.changes import Answered
from vigent.domain.text import check_id
from vigent.domain.time import DAY, Instant
from vigent.errors import IdempotencyMismatch
from vigent.ports.storage import Snapshot

__all__ = ["Once"]


class Once(NamedTuple):
    """A request by its idempotency key, which counts per tenant, caller and endpoint."""

    tenant: str
    caller: str
    endpoint: str
    name: str
    request: bytes

    @classmethod
    def of(
        cls, tenant: str, caller: str, endpoint: str, name: str, *parts: object, salt: bytes
    ) -> Once:
        """Make one of what was asked for; raises InvalidInput for a name that is no id."""
        text = json.dumps(_steady(parts))
        digest = hashlib.blake2b(text.encode(), key=salt, digest_size=16).digest()
        return cls(tenant, caller, endpoint, check_id(name, "idempotency_key"), digest)

    def before(self, snapshot: Snapshot, now: Instant) -> dict[str, Any] | None:
        """Give the answer of the first time; raises IdempotencyMismatch for another request."""
        handle = (self.caller, self.endpoint, self.name)
        found = snapshot.ledger(self.tenant, answer=handle).answered
        if found is None or found.at <= now - DAY:
            return None
        if found.request != self.request:
            raise IdempotencyMismatch(
                f"idempotency_key: {self.name} was used for another request",
                field="idempotency_key",
            )
        return json.loads(found.answer)

    def kept(self, person: str, answer: Mapping[str, Any], now: Instant) -> Answered:
        """Give what is kept of an answer, to be committed with what was done."""
        return Answered(
            self.tenant, self.caller, self.endpoint, self.name, person, self.request,
            json.dumps(answer), now,
        )  # fmt: skip


def _steady(part: object) -> object:
    """Give a part of a request in one form, whatever the order of its names and of its sets.

    Kinds are told apart, so that ``1``, ``True`` and ``"1"`` are different requests.
    """
    if isinstance(part, Mapping):
        named = cast("Mapping[object, object]", part)
        return {"named": sorted([_text(name), _text(of)] for name, of in named.items())}
    if isinstance(part, (set, frozenset)):
        return {"set": sorted(map(_text, cast("AbstractSet[object]", part)))}
    if isinstance(part, (list, tuple)):
        return [_steady(each) for each in cast("Sequence[object]", part)]
    if part is None or isinstance(part, (str, bool)):
        return part
    return {type(part).__name__: str(part)}


def _text(part: object) -> str:
    return json.dumps(_steady(part))
