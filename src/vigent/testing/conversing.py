"""What the agreement machine does with threads, and asks about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from vigent.testing.pairs import Pair

__all__ = ["THREAD_CALLS", "ask_threads", "thread_name"]

Call = tuple[str, tuple[Any, ...], dict[str, Any]]

THREAD_CALLS: Final[tuple[Call, ...]] = (
    ("threads.create", (), {"ttl_days": 1}),
    ("threads.create", (), {"agent": "a1", "metadata": {"title": "x"}}),
    ("capture", ("as she said",), {"speaker": "Mira"}),
    ("capture", ("as she said",), {"external_id": "m1"}),
    ("capture", ("a letter",), {"kind": "mail", "external_id": "t1"}),
    ("threads.append", (), {"content": "as she said", "role": "user"}),
    ("threads.append", (), {"content": "called", "kind": "tool_call", "sealed": True}),
    ("threads.append", (), {"content": "done", "role": "tool", "external_id": "t1"}),
    ("threads.append", (), {"content": "old", "role": "user", "occurred_at": "2025-12-01T00:00Z"}),
    ("threads.set_state", (), {"state": {"step": 1}}),
    ("threads.set_state", (), {"state": {"step": 2}, "expect": 1}),
    ("threads.delete", (), {}),
)
"""Verbs with their arguments, but for the thread and the person."""


def thread_name(verb: str, thread: str) -> dict[str, str]:
    """Give the argument by which a verb is told the thread."""
    return {"id" if verb == "threads.create" else "thread": thread}


def ask_threads(pair: Pair, thread: str, persons: Iterable[str | None]) -> None:
    """Ask what there is to ask about one thread, and for the threads there are."""
    for person in dict.fromkeys(persons):
        pair.do("threads.list", person=person)
        pair.do("threads.state", thread, person=person)
        pair.do("threads.items", thread, last=2, person=person)
        items = pair.do("threads.items", thread, person=person)
        if isinstance(items, list) and items:
            found = cast("list[dict[str, Any]]", items)
            after = found[len(found) // 2]["episode_id"]
            pair.do("threads.items", thread, after=after, person=person)
