"""Injection blocks as they stand in keys and agents: made for the engine, and checked at once."""

from __future__ import annotations

from vigent.domain.injection import InjectionBlock
from vigent.errors import InvalidInput
from vigent.govern.documents import InjectionSpec

__all__ = ["block_of", "check_block"]


def block_of(spec: InjectionSpec | None) -> InjectionBlock:
    """Give an injection block as the engine takes it."""
    if spec is None:
        return InjectionBlock()
    return InjectionBlock(**spec.model_dump(exclude={"index_id"}))


def check_block(spec: InjectionSpec | None, field: str) -> None:
    """Raise InvalidInput, on a field below ``field``, for a block that could not be used later."""
    try:
        block_of(spec)
    except InvalidInput as error:
        below = (error.field or "").removeprefix("injection.")
        raise InvalidInput(f"{field}.{below}", error.message.partition(": ")[2]) from error
