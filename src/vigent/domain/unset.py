"""What stands where nothing was given."""

from __future__ import annotations

from typing import Final

__all__ = ["UNSET", "unset"]


class _Unset:
    """Stands where nothing was given; None is a value of its own in some places."""

    def __repr__(self) -> str:
        return "<unset>"


UNSET: Final = _Unset()


def unset(value: object) -> bool:
    """Whether nothing was given."""
    return value is UNSET
