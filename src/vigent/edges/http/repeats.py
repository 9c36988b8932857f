"""Answers that are given again: what is kept of them are ids, and records are read anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from vigent.errors import NotFound
from vigent.memory import Memory
from vigent.service.caller import Caller

__all__ = ["kept", "once", "recalled"]

_PLAIN: Final = ("outcome", "reason", "verdict", "reasons", "error")


def once(
    memory: Memory,
    caller: Caller,
    endpoint: str,
    name: str | None,
    request: object,
    make: Callable[[], dict[str, Any]],
    whose: str | None = None,
) -> dict[str, Any]:
    """Do a write whose answer is that of a write, under an idempotency key only once.

    ``whose`` is the person whose memory it is about, where that is not the caller's.
    """
    return memory.records.once(
        endpoint, name, request, make, kept=kept, person=whose or caller.person,
        again=lambda told: recalled(memory, whose or caller.person, told),
    )  # fmt: skip


def kept(told: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is kept of a write's answer: what it says, and records by their ids."""
    memory, ended = told.get("memory"), told.get("ended")
    found = {name: told[name] for name in _PLAIN if name in told}
    if "memory" in told:
        found["memory"] = None if memory is None else memory["memory_id"]
    if ended is not None:
        found["ended"] = [one["memory_id"] for one in ended]
    return found


def recalled(memory: Memory, person: str | None, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Give an answer again, its records as they stand now; what was forgotten is left out."""
    told = {name: answer[name] for name in _PLAIN if name in answer}
    if "memory" in answer:
        told["memory"] = _record(memory, person, answer["memory"])
    if "ended" in answer:
        found = [_record(memory, person, id) for id in answer["ended"]]
        told["ended"] = [one for one in found if one is not None]
    return told


def _record(memory: Memory, person: str | None, id: str | None) -> dict[str, Any] | None:
    if id is None:
        return None
    try:
        return memory.get(id, person=person).to_dict()
    except NotFound:
        return None
