"""Candidates as what is kept of a person and of a store: to be handed out, and to be removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from vigent.domain.candidates import Candidate, episode_of
from vigent.domain.resources import ResourceRow
from vigent.domain.time import Instant
from vigent.ports.storage import Snapshot

__all__ = ["nominated_in", "nominated_of"]

_PAGE: Final = 200


def nominated_in(snapshot: Snapshot, tenant: str, store: str) -> list[ResourceRow]:
    """Give the candidates of a store as rows, whosesoever."""
    pages = _pages(snapshot, tenant)
    return [row for rows in pages for row in rows if Candidate.of_row(row).store_id == store]


def nominated_of(
    snapshot: Snapshot, tenant: str, person: str, now: Instant, sees: Callable[[str], bool]
) -> list[dict[str, Any]]:
    """Give what models proposed of a person's episodes that are still there, with the verdicts."""
    found: list[dict[str, Any]] = []
    for rows in _pages(snapshot, tenant):
        mine = [row for row in rows if row.person == person]
        ids = {episode_of(row.id) for row in mine}
        told = snapshot.episodes(tenant, ids=ids) if ids else []
        there = {one.id for one in told if one.content is not None and one.expires_at > now}
        kept = [Candidate.of_row(row) for row in mine if episode_of(row.id) in there]
        found += [one.to_dict() for one in kept if sees(one.store_id)]
    return found


def _pages(snapshot: Snapshot, tenant: str) -> Iterator[list[ResourceRow]]:
    after = ""
    while rows := snapshot.resources(tenant, "candidate", after=after, limit=_PAGE):
        yield rows
        after = rows[-1].id
