"""What moving memory asks of an engine: its rows as they are, out of one view and into another.

Rows are plain tuples in the order of ``vigent.domain.moving``: without the tenant, of a numbered
table after their number. Nothing is decided here, and nothing derived: what is read is what was
stored, and what is loaded is stored as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from vigent.domain.moving import Row
from vigent.domain.time import Instant

__all__ = ["Carried", "Copies", "Engine", "Held", "Loads", "MovingReads", "Progress", "VectorOf"]

Progress = Callable[[int, int], None]
"""Told how much of how much is done."""


class Engine(NamedTuple):
    """Which engine holds a store, and the number of its schema."""

    name: str
    schema: int


class VectorOf(NamedTuple):
    """A vector, by the model and by what the passage it belongs to is of."""

    name: str
    revision: str
    dimension: int
    kind: int
    source: int
    start: int
    data: bytes


class MovingReads(Protocol):
    """Everything of a tenant, as one view sees it; part of every snapshot.

    ``person`` None is all of the tenant; else what is that person's: their keys with statements
    and beliefs, episodes, threads with items and state, aliases, resources, answers, which entity
    they are, and the audit entries whose content is about them.
    """

    def engine(self) -> Engine:
        """Say which engine this is, and at which schema."""
        ...

    def moving_counts(self, tenant: str, person: str | None) -> Mapping[str, int]:
        """Give how many rows there are, by the name of the table."""
        ...

    def moving_numbers(self, table: str, tenant: str, person: str | None) -> Sequence[int]:
        """Give the numbers of a numbered table's rows, rising."""
        ...

    def moving_rows(self, table: str, tenant: str, person: str | None) -> Iterator[Row]:
        """Give the rows of a table, one after another and never all at once.

        Numbered ones come in order of their numbers, all others in order of their key, texts
        compared by code point.
        """
        ...

    def moving_vectors(self, tenant: str, person: str | None) -> Iterator[VectorOf]:
        """Give every vector, by model, then kind, number and start of what it is of."""
        ...

    def persons_of(self, tenant: str) -> list[str]:
        """Give every person of whom a tenant has anything, in order."""
        ...

    def passage_at(self, tenant: str, kind: int, source: int, start: int) -> tuple[int, str] | None:
        """Give number and scope of the passage that begins there of a memory or an episode."""
        ...


class Loads(Protocol):
    """Taking rows in, within a write transaction; part of every one."""

    def last_given(self, tenant: str) -> Mapping[str, int]:
        """Give the highest number in use of each numbered table: rows to load go on from it.

        Until the transaction ends nobody else is given a number for this tenant.
        """
        ...

    def load(self, table: str, tenant: str, rows: Iterable[Row]) -> None:
        """Store rows as they are; raises CorruptStore where one is there already.

        The rows of ``erased`` take the place of those of the same person.
        """
        ...

    def queue(self, kind: str, tenant: str, lane: str, at: Instant) -> None:
        """Note work to be done, as ``waits`` tells it until a finished one takes it off."""
        ...


class Held(NamedTuple):
    """Who of a tenant was erased: by digests under the tenant's salt."""

    tenant: str
    salt: bytes
    rows: tuple[Row, ...]
    """Of the table ``erased``."""


class Carried(Protocol):
    """A store that nobody else has open, to be put in another's place."""

    def ledger(self) -> list[Held]:
        """Give who was erased, of every tenant."""
        ...

    def replace(self, path: Path) -> None:
        """Put a file in the place of the store."""
        ...


class Copies(Protocol):
    """Whole copies of a store, where the engine can make them itself."""

    def exists(self) -> bool:
        """Whether there is a store to be copied."""
        ...

    def copy(self, to: str, progress: Progress) -> None:
        """Copy the store as it is at one instant, while others read and write it.

        ``to`` is a file that is not there; what is left by a copy that was ended half way is
        no store.
        """
        ...

    def alone(self) -> AbstractContextManager[Carried]:
        """Keep everybody else out; raises StoreBusy where another has the store open."""
        ...

    def branch(self, name: str, progress: Progress) -> str:
        """Make an isolated copy under a name, and give where it is opened.

        It says of itself that it is one (``Storage.is_branch``).
        """
        ...

    def branches(self) -> list[tuple[str, str]]:
        """Give the branches by name, and where each is opened."""
        ...

    def drop(self, name: str) -> None:
        """Remove a branch, with all that is in it; raises NotFound."""
        ...
