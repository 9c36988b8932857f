"""What the core asks of storage about memories of one type; part of every snapshot."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from vigent.domain.time import Instant

__all__ = ["TypedReads", "TypedRow"]


class TypedRow(NamedTuple):
    """As much of a memory in force as it takes to put many of them in order.

    ``memory`` and ``belief`` are row numbers, the next three the stretch that it is believed
    over; ``said_at`` is when its statement was recorded, ``fields`` the type's own as JSON text.
    """

    memory: int
    belief: int
    valid_from: Instant
    valid_to: Instant
    recorded_from: Instant
    said_at: Instant
    fields: str


class TypedReads(Protocol):
    """Memories in force by their type, whatever they are about."""

    def of_type(
        self, tenant: str, store: str, person: str, type: str, at: Instant
    ) -> list[TypedRow]:
        """Give what is in force of one owner, of the type commitment or behaviour.

        Typed and free text; in no order. Nothing forgotten or past its time is given. "Now" is
        never before the latest recorded instant of a key.
        """
        ...
