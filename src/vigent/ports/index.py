"""What the core asks of storage about the search index; part of every snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from vigent.domain.passages import PassageRow, VectorRow
from vigent.domain.time import Instant

__all__ = ["IndexReads"]


class IndexReads(Protocol):
    """Passages and vectors, as one view sees them.

    Engines store and give rows by scope; what they mean and how they rank, the core decides.
    """

    def index_generation(self, tenant: str, scope: str) -> int:
        """Give a number that changes whenever passages of a scope were removed."""
        ...

    def passages(self, tenant: str, scope: str, after: int) -> list[PassageRow]:
        """Give the passages of a scope with higher numbers than one, rising."""
        ...

    def passages_by_number(self, tenant: str, numbers: Iterable[int]) -> list[PassageRow]:
        """Give passages by their numbers, rising."""
        ...

    def passages_unembedded(self, model: int, after: int, limit: int) -> list[PassageRow]:
        """Give passages of every tenant without a vector by a model, from a number on, rising."""
        ...

    def vectors(self, tenant: str, scope: str, model: int, after: int) -> list[VectorRow]:
        """Give the vectors of a scope by one model with higher numbers than one, rising."""
        ...

    def model_number(self, name: str, revision: str, dimension: int) -> int | None:
        """Give the number under which vectors of a model are kept; None where there are none."""
        ...

    def believed_at(self, tenant: str, memories: Sequence[int], at: Instant) -> list[int]:
        """Give those of some memories that are believed now and hold at an instant."""
        ...
