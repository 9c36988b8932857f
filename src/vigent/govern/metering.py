"""Calls of language models on a tenant's account: metered, and parked at the monthly limit."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vigent.domain.time import DAY, Instant
from vigent.domain.tokens import estimate_tokens
from vigent.domain.usage import Account, Parked, UsageRow, month_of, parked
from vigent.errors import ModelFailed, VigentError
from vigent.govern.documents import TenantDocument
from vigent.govern.registry import Registry
from vigent.ports.models import Completion, LanguageModel, ModelUsage, Told

__all__ = ["Metering"]

_log = logging.getLogger("vigent")

_MOST_OWED: Final = 10_000
"""Rows that are kept for a store that cannot be written just now; they are added up by day."""


class Metering:
    """Asks language models on behalf of tenants. May be used from several threads.

    Every request counts, those in vain too, with the tokens that the provider told or else an
    estimate. A month is one in UTC. The limit is looked at before a call, with an estimate of
    what it sends: calls that are under way at once may together go beyond it by what they come to.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._owed: dict[tuple[Any, ...], UsageRow] = {}
        self._lock = threading.Lock()

    def complete(
        self,
        account: Account,
        model: LanguageModel,
        messages: Sequence[Told],
        *,
        schema: Mapping[str, Any] | None = None,
        least: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
    ) -> Completion | Parked:
        """Give a model's answer, or that the work is parked: then nothing was sent.

        Raises what is below ModelFailed, which is metered too.
        """
        wanted = sum(estimate_tokens(text) for _, text in messages)
        waiting = self.parked(account.tenant, wanted)
        if waiting is not None:
            return waiting
        try:
            done = model.complete(
                messages, schema=schema, least=least, max_tokens=max_tokens, timeout=timeout
            )
        except ModelFailed as error:
            spent = ModelUsage(error.calls, error.failed, error.input_tokens, error.output_tokens)
            self.meter(account, model.name, spent)
            raise
        self.meter(account, model.name, done.usage)
        return done

    def parked(self, tenant: str, wanted: int = 1) -> Parked | None:
        """Say whether a call that comes to ``wanted`` tokens has to wait for the next month."""
        limit = self.limit(tenant)
        if limit is None:
            return None
        now = self._registry.clock.now()
        return parked(limit, self.used(tenant), wanted, now)

    def limit(self, tenant: str) -> int | None:
        """Give a tenant's limit of tokens for a month; None for none."""
        row = self._registry.find(tenant, "tenant", tenant)
        if row is None:
            return None
        return TenantDocument.model_validate_json(row.document).settings.monthly_token_limit

    def used(self, tenant: str) -> int:
        """Give the tokens of a tenant in this month, both ways together."""
        begin, end = month_of(self._registry.clock.now())
        with self._registry.storage.snapshot() as snapshot:
            rows = list(snapshot.usage(tenant, begin, end))
        with self._lock:
            rows += [r for r in self._owed.values() if r.tenant == tenant and begin <= r.day < end]
        return sum(row.input_tokens + row.output_tokens for row in rows)

    def meter(self, account: Account, model: str, usage: ModelUsage) -> None:
        """Count what an answer came to.

        Where the store cannot be written just now it is kept, counts for the limit, and is
        written with the next: an answer is never lost for that.
        """
        now = self._registry.clock.now()
        self._owe(_row(account, model, usage, now))
        self.pay()

    def owe(self, account: Account, model: str, usage: ModelUsage) -> None:
        """Count what an answer came to without writing it yet: ``pay`` does, or the next call."""
        self._owe(_row(account, model, usage, self._registry.clock.now()))

    def _owe(self, row: UsageRow) -> None:
        with self._lock:
            before = self._owed.get(row[:5])
            if before is not None:
                added = [a + b for a, b in zip(before[5:], row[5:], strict=True)]
                row = UsageRow(*row[:5], *added)
            if before is not None or len(self._owed) < _MOST_OWED:
                self._owed[row[:5]] = row

    def pay(self) -> None:
        """Write what is owed; the lock is not held meanwhile, as a write may have to wait."""
        while True:
            with self._lock:
                if not self._owed:
                    return
                _, row = self._owed.popitem()
            try:
                self._registry.meter(row)
            except VigentError as error:
                self._owe(row)
                _log.warning("usage of models is kept for later: %s", error.code)
                return


def _row(account: Account, model: str, usage: ModelUsage, now: Instant) -> UsageRow:
    return UsageRow(account.tenant, now // DAY * DAY, account.store, model, account.kind, *usage)
