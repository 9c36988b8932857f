"""What every part of a view of a PostgreSQL store asks by."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

__all__ = ["Row", "View"]

Row = tuple[Any, ...]


class View:
    """Runs named queries; whoever opened it sees to it that they are of one moment."""

    @abstractmethod
    def _ask(self, tenant: str | None, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """Give the rows of a named query for a tenant; None is for what concerns all of them."""
