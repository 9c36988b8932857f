"""The search index of a store, as its user sees it: how far it is, and building it anew."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from vigent.domain.corpus import Corpus, Floats
from vigent.domain.passages import EmbedderRow
from vigent.domain.query import IndexState
from vigent.errors import ModelUnavailable
from vigent.govern.indexing import Reindexed, reindex
from vigent.learn.embedding import drop_others
from vigent.learn.worker import EmbeddingWorker
from vigent.ports.models import Embedder
from vigent.ports.storage import Snapshot, Storage
from vigent.read.index import IndexCache
from vigent.read.reading import Reading
from vigent.system import SystemClock

__all__ = ["Asked", "SearchIndex"]

_REMEMBERED: Final = 256
_NEAR: Final = 200
_PATIENCE: Final = 0.25


class Asked(NamedTuple):
    """A question as a vector, or why there is none."""

    vector: Floats | None
    problem: str | None


class SearchIndex:
    """The words and vectors by which a store is searched.

    Words are there with the write. Vectors follow: the first search starts a thread that makes
    them, and a search waits a quarter of a second at most for the last few. ``model`` None means
    that the store is searched by words alone.
    """

    def __init__(self, storage: Storage, reading: Reading, embedder: Embedder | None) -> None:
        self._storage = storage
        self._reading = reading
        self._embedder = embedder
        self._worker = (
            None if embedder is None else EmbeddingWorker(storage, embedder, SystemClock())
        )
        self._cache = IndexCache()
        self._questions: OrderedDict[str, Floats] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def cache(self) -> IndexCache:
        """The passages that are kept in memory."""
        return self._cache

    def status(self) -> IndexState:
        """Say how far the index of the whole file is: passages, and those without a vector."""
        with self._storage.snapshot() as snapshot:
            row = self._row(snapshot)
            every, pending = snapshot.passages_counted(0 if row is None else row.done)
        if self._embedder is None:
            return IndexState(every, 0, 0)
        told = None if self._worker is None else self._worker.problem
        return IndexState(
            every, every - pending, pending, self._embedder.name, self._embedder.revision,
            told if row is None else row.problem,
        )  # fmt: skip

    def catch_up(self, seconds: float = 60.0) -> IndexState:
        """Wait until what is written now has its vectors, and say how far it is."""
        if self._worker is not None:
            with self._storage.snapshot() as snapshot:
                last = snapshot.last_passage()
            end = time.monotonic() + seconds
            while not self._worker.catch_up(last, max(0.0, end - time.monotonic())):
                if time.monotonic() >= end or self._worker.problem is not None:
                    break
        return self.status()

    def rebuild(self, *, drop_other_models: bool = False) -> Reindexed:
        """Make the passages of this store anew, and their vectors after them.

        Searches and writes go on meanwhile. ``drop_other_models`` removes the vectors that other
        models made, once those of this model are there.
        """
        done = reindex(self._storage, self._reading.tenant, self._reading.store)
        state = self.catch_up(3600.0)
        if drop_other_models and self._embedder is not None and not state.pending:
            drop_others(self._storage, self._embedder)
        return done

    def close(self) -> None:
        """End the thread that makes vectors."""
        if self._worker is not None:
            self._worker.stop()

    def ask(self, question: str) -> Asked:
        """Give a question as a vector of unit length."""
        if self._embedder is None:
            return Asked(None, None)
        with self._lock:
            known = self._questions.get(question)
            if known is not None:
                self._questions.move_to_end(question)
                return Asked(known, None)
        try:
            vector = np.asarray(self._embedder.embed_query(question), np.float32).reshape(-1)
            if len(vector) != self._embedder.dimension:
                return Asked(None, f"{self._embedder.name}: gave a vector of the wrong form")
        except ModelUnavailable as error:
            return Asked(None, str(error))
        except Exception as error:  # noqa: BLE001 - an embedder of the caller's: words go on
            return Asked(None, type(error).__name__)
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or not length:
            return Asked(None, None)
        vector = vector / length
        with self._lock:
            self._questions[question] = vector
            if len(self._questions) > _REMEMBERED:
                self._questions.popitem(last=False)
        return Asked(vector, None)

    def model_of(self, snapshot: Snapshot) -> int:
        """Give the number of the model whose vectors are compared; 0 for none."""
        row = self._row(snapshot)
        return 0 if row is None else row.no

    def hurry(self, snapshot: Snapshot, corpora: Sequence[Corpus]) -> int:
        """Give up to which passage a search had better wait for vectors; 0 for none.

        Only the last few are waited for: a long backlog goes on behind the searches.
        """
        if self._worker is None or not any(corpus.pending for corpus in corpora):
            return 0
        row = self._row(snapshot)
        behind = snapshot.last_passage() - (0 if row is None else row.done)
        if behind > _NEAR:
            self._worker.catch_up(0, 0)
            return 0
        return max(corpus.last for corpus in corpora)

    def wait(self, last: int) -> bool:
        """Wait a little for the vectors up to a passage; gives whether they came."""
        return self._worker is not None and self._worker.catch_up(last, _PATIENCE)

    def state_of(self, corpora: Sequence[Corpus], problem: str | None) -> IndexState:
        """Say how far the index is for what a search may see."""
        passages = sum(len(corpus) for corpus in corpora)
        if self._embedder is None:
            return IndexState(passages, 0, 0)
        pending = sum(corpus.pending for corpus in corpora)
        told = problem or (None if self._worker is None else self._worker.problem)
        return IndexState(
            passages, passages - pending, pending, self._embedder.name, self._embedder.revision,
            told,
        )  # fmt: skip

    def _row(self, snapshot: Snapshot) -> EmbedderRow | None:
        """Give what is known of the model; None for none, and for a server that is away."""
        if self._embedder is None:
            return None
        try:
            dimension = self._embedder.dimension
        except ModelUnavailable:  # asked for the first time; without it no vector fits
            return None
        return snapshot.embedder(self._embedder.name, self._embedder.revision, dimension)
