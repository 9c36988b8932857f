"""What model calls come to: counted by day, store, model and kind; and a tenant's monthly limit."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import NamedTuple

from vigent.domain.time import Instant, instant_of, to_datetime

__all__ = ["Account", "Parked", "UsageRow", "month_of", "parked"]


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


class Account(NamedTuple):
    """Whom a call is for: ``store`` is a store's id, ``kind`` what it is for, as ``extraction``."""

    tenant: str
    store: str
    kind: str


@dataclass(frozen=True, slots=True)
class Parked:
    """Work waits: the tenant's limit of tokens for the month is used up, or would be by it.

    ``used`` are the tokens of the month so far, ``wanted`` what the call would have come to at
    least, ``until`` the instant at which the next month begins in UTC.
    """

    limit: int
    used: int
    wanted: int
    until: Instant

    @property
    def reason(self) -> str:
        """Why, in words."""
        return f"{self.used} of {self.limit} tokens of this month are used"


def month_of(at: Instant) -> tuple[Instant, Instant]:
    """Give the first instant of the month in UTC that an instant is in, and of the next."""
    day = to_datetime(at).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    after = (day + dt.timedelta(days=32)).replace(day=1)
    return instant_of(day.isoformat()), instant_of(after.isoformat())


def parked(limit: int | None, used: int, wanted: int, now: Instant) -> Parked | None:
    """Say whether a call has to wait for the next month; with ``limit`` None none has."""
    if limit is None or used + wanted <= limit:
        return None
    return Parked(limit, used, wanted, month_of(now)[1])
