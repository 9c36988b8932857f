"""Makes the vectors of passages, behind the writes: searches go on by words meanwhile.

A model notes up to which passage it has come, so that a change of models, a stop half way and a
crash all end alike: whoever comes next goes on from there. A lease keeps two processes from doing
the same work; if they do, the second vector of a passage is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from vigent.domain.changes import ChangeSet, Vectors
from vigent.domain.passages import ITEM, EmbedderRow, PassageRow, VectorRow
from vigent.domain.time import Instant
from vigent.errors import ModelUnavailable
from vigent.ports.models import Embedder
from vigent.ports.storage import Snapshot, Storage
from vigent.ports.system import Clock
from vigent.standing import said_by

__all__ = ["Progress", "drop_others", "embed_some", "note_problem", "text_of"]

_BATCH: Final = 64
_LEASE: Final = 60_000_000
_DROPPED: Final = 2_000


class Progress:
    """How far a model is.

    ``busy`` says that another process has the lease; ``held`` until when we have it.
    """

    __slots__ = ("busy", "done", "held", "last")

    def __init__(self, done: int, last: int, *, busy: bool = False, held: Instant = 0) -> None:
        self.done = done
        self.last = last
        self.busy = busy
        self.held = held

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.done >= self.last


def embed_some(storage: Storage, embedder: Embedder, clock: Clock, held: Instant) -> Progress:
    """Make the vectors of the next passages that have none, and give how far it came.

    ``held`` is until when the caller has the lease from a call before, or 0; the answer says
    until when it has it now. Raises ModelUnavailable when the model cannot be reached; what was
    done before stays.
    """
    identity = (embedder.name, embedder.revision, embedder.dimension)
    now = clock.now()
    with storage.snapshot() as snapshot:
        row = snapshot.embedder(*identity) or EmbedderRow(0, *identity, 0, 0, None)
        last = snapshot.last_passage()
        if row.lease_until > now and row.lease_until != held:
            return Progress(row.done, last, busy=True)
        passages = snapshot.passages_unembedded(row.no, row.done, _BATCH)
        texts = [text_of(snapshot, passage) for passage in passages]
    vectors = _embed(embedder, passages, texts)
    done = passages[-1].no if len(passages) == _BATCH else max(last, row.done)
    lease = 0
    if passages or done > row.done:
        with storage.transaction() as transaction:
            there = transaction.embedder(*identity)
            if there is not None:
                # Others may have come farther meanwhile, or have had it begin anew.
                done = there.done if there.done < row.done else max(done, there.done)
            lease = 0 if done >= last else now + _LEASE
            row = row._replace(done=done, lease_until=lease, problem=None)
            transaction.apply(ChangeSet("", vectors=Vectors(row, vectors)))
    return Progress(done, last, held=lease)


def note_problem(storage: Storage, embedder: Embedder, problem: str) -> None:
    """Note why no vectors are made, for others to see."""
    identity = (embedder.name, embedder.revision, embedder.dimension)
    with storage.transaction() as transaction:
        row = transaction.embedder(*identity) or EmbedderRow(0, *identity, 0, 0, None)
        row = row._replace(lease_until=0, problem=problem)
        transaction.apply(ChangeSet("", vectors=Vectors(row)))


def drop_others(storage: Storage, embedder: Embedder) -> None:
    """Drop the vectors that other models made, in small steps; they begin anew if used again."""
    identity = (embedder.name, embedder.revision, embedder.dimension)
    more = True
    while more:
        with storage.transaction() as transaction:
            row = transaction.embedder(*identity) or EmbedderRow(0, *identity, 0, 0, None)
            before = transaction.vectors_by_others(row.no)
            transaction.apply(ChangeSet("", vectors=Vectors(row, dropped=_DROPPED)))
            more = before > _DROPPED


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
