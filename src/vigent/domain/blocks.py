"""Always-visible blocks: short notes under a name that stand in every context."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final, Self

from vigent.domain.records import Record
from vigent.domain.text import own_name
from vigent.errors import InvalidInput

__all__ = ["BLOCK_SUBJECT", "BLOCK_TYPE", "Block", "check_block_name"]

BLOCK_TYPE: Final = "block"
"""The memory type that blocks bear."""
BLOCK_SUBJECT: Final = own_name("blocks")
"""The subject that blocks are kept under; no caller can write it."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


def check_block_name(name: object) -> str:
    """Check the name of a block: 1 to 64 letters, digits, hyphens and underscores of ASCII.

    It stands in a label, so nothing that could end one is let in.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidInput(
            "name", "must be 1 to 64 of the letters a to z, digits, hyphens and underscores"
        )
    return name


class Block:
    """A block as it stands, or stood, over one stretch of time."""

    __slots__ = ("record",)

    def __init__(self, record: Record) -> None:
        self.record = record

    @property
    def name(self) -> str:
        """The name it stands under."""
        return self.record.key.attribute[1:]

    @property
    def text(self) -> str:
        """What it says."""
        return str(self.record.value)

    @property
    def person(self) -> str | None:
        """Whose it is; None when shared."""
        return self.record.person_id

    @property
    def memory_id(self) -> str:
        """The memory that it is, for provenance."""
        return self.record.memory_id

    @property
    def set_at(self) -> dt.datetime:
        """Since when it says so."""
        return self.record.valid_from

    @property
    def ended_at(self) -> dt.datetime | None:
        """Since when it no longer does; None while it stands."""
        return self.record.valid_to

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        return cls(Record.from_dict(found["record"]))

    def to_dict(self) -> dict[str, Any]:
        """Give the block as JSON-ready values, the record that it is among them."""
        row = self.record.to_dict()
        return {
            "name": self.name, "text": self.text, "person_id": self.person,
            "memory_id": self.memory_id, "valid_from": row["valid_from"],
            "valid_to": row["valid_to"], "recorded_from": row["recorded_from"],
            "recorded_to": row["recorded_to"], "expires_at": row["expires_at"],
            "record": row,
        }  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Block) and self.record == other.record

    def __hash__(self) -> int:
        return hash(self.record)

    def __repr__(self) -> str:
        return f"<Block {self.name} {self.text[:40]!r}>"
