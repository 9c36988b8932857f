"""Makes the vectors of passages, behind the writes: searches go on by words meanwhile.

A model notes up to which passage it has come, so that a change of models, a stop half way and a
crash all end alike: whoever comes next goes on from there. A lease keeps two processes from doing
the same work; if they do, the second vector of a passage is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from vigent.domain.changes import ChangeSet, Vectors
from vigent.domain.passages import ITEM, EmbedderRow, PassageRow, VectorRow
from vigent.domain.time import Instant
from vigent.errors import ModelUnavailable
from vigent.ports.models import Embedder
from vigent.ports.storage import Snapshot, Storage
from vigent.ports.system import Clock
from vigent.standing import said_by

__all__ = [
    "Identity",
    "Lease",
    "Progress",
    "drop_others",
    "embed_some",
    "give_back",
    "note_problem",
    "text_of",
]

Identity: TypeAlias = tuple[str, str, int]
"""Name, revision and dimension of a model."""

_BATCH: Final = 64
_LEASE: Final = 60_000_000
_DROPPED: Final = 2_000
_MODELS: Final = ""
"""Under whose lock models are written: no tenant's."""


class Progress:
    """How far a model is; ``busy`` says that another process has the lease."""

    __slots__ = ("busy", "done", "last")

    def __init__(self, done: int, last: int, *, busy: bool = False) -> None:
        self.done = done
        self.last = last
        self.busy = busy

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.done >= self.last


class Lease:
    """The right to make the vectors of a model, as one worker has it.

    ``until`` is when it ends, 0 where it is not held; ``identity`` the model's, once it was told.
    """

    __slots__ = ("identity", "until")

    def __init__(self) -> None:
        self.identity: Identity | None = None
        self.until: Instant = 0


def embed_some(storage: Storage, embedder: Embedder, clock: Clock, lease: Lease) -> Progress:
    """Make the vectors of the next passages that have none, and give how far it came.

    ``lease`` is kept by the caller from one call to the next. Raises ModelUnavailable when the
    model cannot be reached; what was done before stays.
    """
    identity = lease.identity = (embedder.name, embedder.revision, embedder.dimension)
    with storage.snapshot() as snapshot:
        row, last = _row(snapshot, identity), snapshot.last_passage()
    if row.done >= last:
        give_back(storage, lease)
        return Progress(row.done, last)
    if _taken(row, lease, clock.now()):
        return Progress(row.done, last, busy=True)
    # Before the work: it shows that the store can be written, and keeps others from starting too.
    taken = _take(storage, identity, clock, lease)
    if taken is None:
        return Progress(row.done, last, busy=True)
    row = taken
    with storage.snapshot() as snapshot:
        last = snapshot.last_passage()
        passages = snapshot.passages_unembedded(row.no, row.done, _BATCH)
        texts = [text_of(snapshot, passage) for passage in passages]
    vectors = _embed(embedder, passages, texts)
    done = passages[-1].no if len(passages) == _BATCH else max(last, row.done)
    with storage.transaction(_MODELS) as transaction:
        there = _row(transaction, identity)
        # Others may have come farther meanwhile, or have had it begin anew.
        done = there.done if there.done < row.done else max(done, there.done)
        until, mine = there.lease_until, there.lease_until == lease.until
        if mine:
            until = 0 if done >= last else clock.now() + _LEASE
        there = there._replace(done=done, lease_until=until, problem=None)
        transaction.apply(ChangeSet("", vectors=Vectors(there, vectors)))
    lease.until = until if mine else 0
    return Progress(done, last)


def give_back(storage: Storage, lease: Lease) -> None:
    """End a lease before its time, so that others need not wait for that."""
    if lease.identity is None or not lease.until:
        return
    with storage.transaction(_MODELS) as transaction:
        row = _row(transaction, lease.identity)
        if row.lease_until == lease.until:
            row = row._replace(lease_until=0)
            transaction.apply(ChangeSet("", vectors=Vectors(row)))
    lease.until = 0


def note_problem(storage: Storage, lease: Lease, problem: str) -> None:
    """Note why no vectors are made, for others to see, and give the lease back.

    Of a model that never said what it is nothing is noted: there is nothing to note it under.
    """
    if lease.identity is None:
        return
    with storage.transaction(_MODELS) as transaction:
        row = _row(transaction, lease.identity)
        until = 0 if row.lease_until == lease.until else row.lease_until
        row = row._replace(lease_until=until, problem=problem)
        transaction.apply(ChangeSet("", vectors=Vectors(row)))
    lease.until = 0


def drop_others(storage: Storage, embedder: Embedder, tenant: str) -> None:
    """Drop a tenant's vectors by other models, in small steps; they begin anew if used again."""
    identity = (embedder.name, embedder.revision, embedder.dimension)
    more = True
    while more:
        with storage.transaction(_MODELS) as transaction:
            row = _row(transaction, identity)
            before = transaction.vectors_by_others(tenant, row.no)
            transaction.apply(ChangeSet(tenant, vectors=Vectors(row, dropped=_DROPPED)))
            more = before > _DROPPED


def _row(snapshot: Snapshot, identity: Identity) -> EmbedderRow:
    return snapshot.embedder(*identity) or EmbedderRow(0, *identity, 0, 0, None)


def _taken(row: EmbedderRow, lease: Lease, now: Instant) -> bool:
    return row.lease_until > now and row.lease_until != lease.until


def _take(storage: Storage, identity: Identity, clock: Clock, lease: Lease) -> EmbedderRow | None:
    """Take the lease, or keep it longer; gives how far the model is, None where another has it."""
    with storage.transaction(_MODELS) as transaction:
        now = clock.now()
        row = _row(transaction, identity)
        if _taken(row, lease, now):
            return None
        until = now + _LEASE
        transaction.apply(ChangeSet("", vectors=Vectors(row._replace(lease_until=until))))
        row = _row(transaction, identity)
    lease.until = until
    return row


def _embed(
    embedder: Embedder, passages: Sequence[PassageRow], texts: Sequence[str | None]
) -> list[VectorRow]:
    said = [(p, text) for p, text in zip(passages, texts, strict=True) if text]
    if not said:
        return []
    matrix = np.asarray(embedder.embed_passages([text for _, text in said]), np.float32)
    if matrix.shape != (len(said), embedder.dimension) or not np.isfinite(matrix).all():
        raise ModelUnavailable(f"{embedder.name}: gave vectors of the wrong form")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = (matrix / np.where(lengths > 0, lengths, 1)).astype("<f2")
    return [
        VectorRow(0, p.tenant, p.scope, 0, p.no, unit[i].tobytes() if lengths[i] > 0 else b"")
        for i, (p, _) in enumerate(said)
    ]


def text_of(snapshot: Snapshot, passage: PassageRow) -> str | None:
    """Give what a model is to read of a passage: an item with what was said before it.

    None where what it was taken from is gone.
    """
    own = _said(snapshot, passage)
    if own is None or passage.kind != ITEM:
        return own
    before = snapshot.passage_before(passage)
    said = None if before is None else _said(snapshot, before)
    return own if said is None else f"{said}\n{own}"


def _said(snapshot: Snapshot, passage: PassageRow) -> str | None:
    if passage.kind == ITEM:
        rows = snapshot.episodes_by_number(passage.tenant, [passage.source])
        if not rows or rows[0].content is None:
            return None
        said = rows[0].content[passage.start : passage.stop]
        return said if rows[0].speaker is None else f"{rows[0].speaker}: {said}"
    found = snapshot.statements(passage.tenant, numbers=[passage.source])
    for key, statement in itertools.islice(found, 1):
        return said_by(key, statement)[passage.start : passage.stop] or None
    return None
