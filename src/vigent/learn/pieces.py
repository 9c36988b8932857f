"""The items of a thread as a model may see them: what is ours, sealed or secret is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from vigent.domain.episodes import EpisodeRow
from vigent.domain.sections import without_injected
from vigent.domain.threads import Place, ThreadRow
from vigent.domain.windows import Piece, parts_of
from vigent.ports.storage import Snapshot

__all__ = ["pieces_before", "pieces_between", "thread_of"]

_NEVER_KINDS: Final = frozenset(
    {"injected", "prompt", "example", "recalled", "system", "reasoning", "plan"}
)
_NEVER_ROLES: Final = frozenset({"system", "developer", "injected"})
_OURS: Final = frozenset({"memory", "vigent"})
"""Sources of tool items that are our own answers: reading them would confirm what we said."""
_PAGE: Final = 500
_BACK: Final = 16


def thread_of(
    snapshot: Snapshot, tenant: str, store: str, person: str, id: str, made: int
) -> ThreadRow | None:
    """Give the very thread that was made at an instant; None where it is gone."""
    for row in snapshot.threads(tenant, store, (person,), id):
        if row.created_at == made and row.person == person:
            return row
    return None


def pieces_between(
    snapshot: Snapshot, thread: ThreadRow, after: int, last: int | None = None
) -> Iterator[Piece]:
    """Give the pieces behind a position, in order, up to the position ``last``."""
    while True:
        items = snapshot.thread_items(thread, thread.person, after=after, last=None, limit=_PAGE)
        for place, row in items:
            if last is not None and place.position > last:
                return
            yield from _pieces(place, row)
        if len(items) < _PAGE:
            return
        after = items[-1][0].position


def pieces_before(
    snapshot: Snapshot, thread: ThreadRow, first: tuple[int, int], most: int
) -> list[Piece]:
    """Give the last pieces before a place."""
    after = max(0, first[0] - _BACK - 1)
    before = [p for p in pieces_between(snapshot, thread, after, first[0]) if p.place < first]
    return before[-most:]


def _pieces(place: Place, row: EpisodeRow) -> Iterator[Piece]:
    if place.sealed or row.stub or row.content is None:
        return
    if row.kind in _NEVER_KINDS or row.role in _NEVER_ROLES:
        return
    more: dict[str, Any] = json.loads(row.metadata)
    tool = row.role == "tool" or row.kind in {"tool_call", "tool_result"}
    if tool and (more.get("source") in _OURS or row.speaker in _OURS):
        return
    text = without_injected(row.content)
    if not text.strip():
        return
    role = "tool" if tool else row.role
    zone = more.get("timezone")
    for part, said in enumerate(parts_of(text, role)):
        yield Piece(
            place.position, part, row.id, role, row.speaker, said, row.occurred_at,
            zone if isinstance(zone, str) else None, evidence=row.kind != "tool_call",
        )  # fmt: skip
