"""The rows memory is made of: statements, beliefs and the keys they belong to.

A *statement* is one assertion about a key; what it said never changes. A *belief* is a stretch
of valid time over which a memory is held true, and the stretch of recorded time over which the
store held that. Both are plain tuples, in the order of their database columns, because they are
built and bound on every write.

Instants are microseconds since 1970 in UTC. ``OPEN`` stands for "until further notice".
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from vigent.domain.time import OPEN, Instant

__all__ = [
    "ALL_MEMBERS",
    "BEGINNING",
    "END",
    "ONE_VALUE",
    "Belief",
    "Key",
    "KeyId",
    "Rank",
    "Statement",
    "edited",
    "rank",
]

BEGINNING: Final[Instant] = -(2**63)
"""Before every instant; start of a replay that has no earlier statement to begin from."""

ONE_VALUE: Final = b""
"""The member of a single-valued key: there is one timeline."""

ALL_MEMBERS: Final = b"*"
"""The member of a statement about the attribute as a whole ("from f, none but these")."""

Rank = tuple[Instant, int, int, int]
"""Place of a statement in the replay: valid_from, place among ties, turn, number."""

END: Final[Rank] = (OPEN, 0, 0, 0)
"""After every statement of a timeline."""


class KeyId(NamedTuple):
    """What a key stands for: everything in scope that shares one recorded clock.

    ``person`` is empty for what is shared by the tenant. Free text has an empty ``attribute``
    and bears its memory type; typed facts have an empty ``type``.
    """

    tenant: str
    store: str
    person: str
    subject: str
    attribute: str
    type: str


class Key(NamedTuple):
    """A key as stored: its number, the subject's written name and its latest recorded instant."""

    no: int
    id: KeyId
    name: str
    last_recorded: Instant


class Statement(NamedTuple):
    """One assertion about a key, with what is known about how it was made.

    ``role``: ``asserted`` takes part in the replay; ``evidence`` only supports a memory; ``held``
    is a candidate; ``note`` keeps the answer of a request that entered nothing.
    ``kind``: ``value``; ``none`` (nothing holds); ``end`` (the named value stops holding);
    ``others`` (none but the tokens in ``keep``, for multi-valued attributes).
    ``token`` is the keyed digest of the canonical value: two values are equal where tokens are.
    ``bears`` is the number of the memory this statement stands for when it heads a run, with the
    instant that memory was first recorded in ``bears_from``: its own, unless a correction of an
    interval had to enter the rest of a memory again.
    """

    no: int
    tenant: str
    id: str
    key: int
    member: bytes
    role: str
    kind: str
    token: bytes
    valid_from: Instant
    valid_to: Instant
    stated_end: int
    basis: str
    recorded_from: Instant
    withdrawn_at: Instant
    forgotten_at: Instant
    gap: int
    place: int
    turn: int
    bears: int
    bears_from: Instant
    clean: int
    indexed: int
    keep: str
    type: str
    value_kind: str | None
    value: str | None
    text: str | None
    replaces: str | None
    status: str
    contested: int
    source_episode: str | None
    source: str | None
    quote: str | None
    speaker: str | None
    trust: str
    writer: str | None
    confidence: float | None
    importance: int
    metadata: str
    retention: str | None
    expires_at: Instant
    created_at: Instant
    last_changed_at: Instant
    confirmed_at: Instant | None
    evidence_count: int
    retrieved_count: int
    schema_version: int
    fields: str
    flagged: int
    fingerprint: bytes | None
    outcome: str
    ended: str
    reason: str | None

    @property
    def live(self) -> bool:
        """Whether the statement takes part in the replay as now known."""
        return self.role == "asserted" and self.withdrawn_at == OPEN


class Belief(NamedTuple):
    """A memory held true over ``[valid_from, valid_to)``, as recorded over its recorded time."""

    no: int
    tenant: str
    key: int
    member: bytes
    memory: int
    valid_from: Instant
    valid_to: Instant
    recorded_from: Instant
    recorded_to: Instant | None

    def known(self, known_at: Instant | None) -> bool:
        """Whether it was believed at a recorded instant; None is now."""
        if known_at is None:
            return self.recorded_to is None
        ended = self.recorded_to
        return self.recorded_from <= known_at and (ended is None or known_at < ended)


def rank(statement: Statement) -> Rank:
    """Give the place of a statement in the replay."""
    return (statement.valid_from, statement.place, statement.turn, statement.no)


_AT: Final = {name: i for i, name in enumerate(Statement._fields)}


def edited(statement: Statement, **columns: Any) -> Statement:
    """Give a statement with some columns set (quicker than ``_replace`` on so wide a row)."""
    row = list(statement)
    for name, value in columns.items():
        row[_AT[name]] = value
    return Statement._make(row)
