"""What governs memory, as rows: tenants, stores, keys, persons, candidates, responses, windows."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, get_args

from vigent.domain.time import Instant

__all__ = ["KINDS", "AuditRow", "ResourceRow", "Rkind"]

Rkind = Literal[
    "tenant", "store", "key", "agent", "person", "candidate", "response", "window", "reading",
    "run",
]  # fmt: skip
KINDS: Final[tuple[Rkind, ...]] = get_args(Rkind)


class ResourceRow(NamedTuple):
    """A small document under an id; ``name`` is unique among those of its kind and tenant.

    ``document`` is JSON. ``version`` rises by one with every change. ``person`` is whose it is,
    empty for nobody's; erasing a person takes theirs along.
    """

    tenant: str
    kind: Rkind
    id: str
    name: str | None
    person: str
    version: int
    document: str
    created_at: Instant
    changed_at: Instant


class AuditRow(NamedTuple):
    """One entry of the audit trail as it is read; ``content`` is None where it was erased."""

    id: str
    at: Instant
    action: str
    outcome: str
    target: str | None
    seal: int | None
    store: str | None
    person: str | None
    content: str | None
