"""Requests that are answered once: the same again, within a day, gets the answer of the first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

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
        text = json.dumps(parts, sort_keys=True, default=str)
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
