"""Four functions for small experiments: add, propose, search and delete, one person at a time.

The subject is a person, and what is kept are sentences about them; None or an empty name is
refused with InvalidInput. All four work on one memory:
the file that ``VIGENT_DB`` names, else ``vigent.db``, or the one handed to ``use``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vigent.domain.records import Record
from vigent.domain.text import check_id
from vigent.memory import Memory
from vigent.settings import default_database

__all__ = ["add_memory", "delete_subject", "propose_memory", "search_memory", "use"]

Check = Callable[[str], "bool | str"]


class _Default:
    """The memory that the functions work on; one that was opened here is closed here."""

    def __init__(self) -> None:
        self._memory: Memory | None = None
        self._own = False

    def use(self, memory: Memory | None) -> None:
        if self._memory is not None and self._own:
            self._memory.close()
        self._memory, self._own = memory, False

    def memory(self) -> Memory:
        if self._memory is None:
            self._memory, self._own = Memory.open(default_database()), True
        return self._memory


_default = _Default()


def use(memory: Memory | None) -> None:
    """Let the functions work on this memory from now on; None: on the default file again."""
    _default.use(memory)


def add_memory(
    subject: str, fact: str, source: str | None = None, days: int | None = None
) -> dict[str, Any]:
    """Remember a sentence about a subject, for so many days (else by the standard policy).

    The same sentence again confirms the first one. Returns it as ``search_memory`` does.
    """
    whose = check_id(subject, "subject")
    result = _default.memory().write(
        person=whose, subject=subject, text=fact, source=source, ttl_days=days
    )
    return _shown(result.memory) if result.memory is not None else {}


def propose_memory(
    subject: str,
    fact: str,
    source: str | None,
    days: int | None,
    check: Check,
) -> dict[str, Any]:
    """Remember a sentence if the check agrees.

    The check sees the sentence and answers True, False, or the reason why not. Returns
    ``{"accepted", "reason", "memory"}``; what was refused is not stored.
    """
    check_id(subject, "subject")
    verdict = check(fact)
    if verdict is not True:
        reason = verdict if isinstance(verdict, str) else "refused by the check"
        return {"accepted": False, "reason": reason, "memory": None}
    return {"accepted": True, "reason": None, "memory": add_memory(subject, fact, source, days)}


def search_memory(subject: str, query: str) -> list[dict[str, Any]]:
    """Find what is remembered about a subject by words; best hits first, at most ten.

    Never another subject's, never what has expired or is no longer in force.
    """
    found = _default.memory().search(query, person=check_id(subject, "subject"), limit=10)
    return [_shown(record) for record in found.records if record.person_id == subject]


def delete_subject(subject: str) -> dict[str, int]:
    """Remove everything of a subject, session records and memories; returns counts per table."""
    return dict(_default.memory().erase_person(check_id(subject, "subject")).counts)


def _shown(record: Record) -> dict[str, Any]:
    row = record.to_dict()
    return {
        "text": record.text if record.attribute is None else f"{record.attribute}: {record.value}",
        "source": row["source"],
        "memory_id": row["memory_id"],
        "expires_at": row["expires_at"],
        "recorded_from": row["recorded_from"],
    }
