"""All that is in force of one subject."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, Self, cast

from vigent.domain.records import Record
from vigent.domain.time import Instant, instant_of, iso, to_datetime

__all__ = ["State"]


class State(Mapping[str, "Record | tuple[Record, ...]"]):
    """All that is in force of one subject: attribute to record, or records if multi-valued.

    ``as_of`` and ``known_at`` are the instants the answer stands for, also when it is empty.
    """

    __slots__ = ("_known", "_records", "_valid_at", "subject")

    def __init__(
        self,
        subject: str,
        records: dict[str, Record | tuple[Record, ...]],
        valid_at: Instant,
        known: Instant,
    ) -> None:
        self.subject = subject
        self._records = records
        self._valid_at = valid_at
        self._known = known

    @property
    def as_of(self) -> dt.datetime:
        """The instant of valid time the answer stands for."""
        return to_datetime(self._valid_at)

    @property
    def known_at(self) -> dt.datetime:
        """The instant of recorded time the answer stands for."""
        return to_datetime(self._known)

    def __getitem__(self, attribute: str) -> Record | tuple[Record, ...]:
        return self._records[attribute]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Self:
        """Give back what ``to_dict`` wrote."""
        given = cast("dict[str, Any]", found["attributes"])
        records = {name: _records(one) for name, one in given.items()}
        return cls(
            found["subject"], records, instant_of(found["as_of"]), instant_of(found["known_at"])
        )

    def to_dict(self) -> dict[str, Any]:
        """Give the state as JSON-ready values."""
        return {
            "subject": self.subject,
            "as_of": iso(self._valid_at),
            "known_at": iso(self._known),
            "attributes": {
                name: found.to_dict()
                if isinstance(found, Record)
                else [record.to_dict() for record in found]
                for name, found in self._records.items()
            },
        }

    def __repr__(self) -> str:
        return f"<State of {self.subject}: {', '.join(self._records) or 'nothing'}>"


def _records(found: Any) -> Record | tuple[Record, ...]:
    if isinstance(found, list):
        return tuple(Record.from_dict(one) for one in cast("list[dict[str, Any]]", found))
    return Record.from_dict(found)
