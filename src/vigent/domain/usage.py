"""What model calls come to: counted by day, store, model and kind."""

from __future__ import annotations

from typing import NamedTuple

from vigent.domain.time import Instant

__all__ = ["UsageRow"]


class UsageRow(NamedTuple):
    """Calls of one model for one store on one day (its start in UTC), failed ones too."""

    tenant: str
    day: Instant
    store: str
    model: str
    kind: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
