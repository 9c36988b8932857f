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
from vigent.learn.embedding import Identity, drop_others
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
_AWAY: Final = 5.0
"""Seconds for which a model that could not say what it is is not asked again."""


class Asked(NamedTuple):
    """A question as a vector, or why there is none."""

    vector: Floats | None
    problem: str | None


class SearchIndex:
    """The words and vectors by which a store is searched.

    Words are there with the write. Vectors follow: the first search starts a thread that makes
    them, and a search waits a quarter of a second at most for the last few. ``embedder`` None
    means that the store is searched by words alone.
    """

    def __init__(
        self,
        storage: Storage,
        reading: Reading,
        embedder: Embedder | None,
        worker: EmbeddingWorker | None = None,
    ) -> None:
        self._storage = storage
        self._reading = reading
        self._embedder = embedder
        # One that was made elsewhere serves many stores, and is ended there.
        self._owns_worker = worker is None
        if worker is None and embedder is not None:
            worker = EmbeddingWorker(storage, embedder, SystemClock())
        self._worker = worker
        self._cache = IndexCache()
        self._questions: OrderedDict[str, Floats] = OrderedDict()
        self._forgotten = 0
        self._identity: Identity | None = None
        self._away: tuple[str | None, float] = (None, 0.0)
        self._lock = threading.Lock()

    @property
    def cache(self) -> IndexCache:
        """The passages that are kept in memory."""
        return self._cache

    def status(self) -> IndexState:
        """Say how far the index of the tenant is: passages, and those without a vector."""
        problem = self._identify()
        with self._storage.snapshot() as snapshot:
            row = self._row(snapshot)
            tenant, done = self._reading.tenant, 0 if row is None else row.done
            every, pending = snapshot.passages_counted(tenant, done)
        if self._embedder is None:
            return IndexState(every, 0, 0)
        told = problem or (None if self._worker is None else self._worker.problem)
        return self._state(every, pending, told or (None if row is None else row.problem))

    def catch_up(self, seconds: float = 60.0) -> IndexState:
        """Wait until what is written now has its vectors, and say how far it is."""
        if self._worker is not None:
            with self._storage.snapshot() as snapshot:
                row, last = self._row(snapshot), snapshot.last_passage()
            self._worker.catch_up(last, seconds, None if row is None else row.done)
        return self.status()

    def rebuild(self, *, drop_other_models: bool = False) -> Reindexed:
        """Make the passages of this store anew, and their vectors after them.

        Searches and writes go on meanwhile. ``drop_other_models`` removes the vectors that other
        models made for this tenant, once those of this model are there.
        """
        done = reindex(self._storage, self._reading.tenant, self._reading.store)
        state = self.catch_up(3600.0)
        if drop_other_models and self._embedder is not None and not state.pending:
            drop_others(self._storage, self._embedder, self._reading.tenant)
        return done

    def close(self) -> None:
        """End the thread that makes vectors."""
        if self._worker is not None and self._owns_worker:
            self._worker.stop()

    def forget(self) -> None:
        """Forget what is kept in memory: the questions of late, and the passages."""
        with self._lock:
            self._questions.clear()
            self._forgotten += 1  # a question under way is not kept either
        self._cache.forget(self._reading.tenant)

    def ask(self, question: str) -> Asked:
        """Give a question as a vector of unit length."""
        if self._embedder is None:
            return Asked(None, None)
        if (problem := self._identify()) is not None:
            return Asked(None, problem)
        forgotten = self._forgotten
        known = self.remembered(question)
        if known is not None:
            return Asked(known, None)
        try:
            vector = np.asarray(self._embedder.embed_query(question), np.float32).reshape(-1)
        except ModelUnavailable as error:
            return Asked(None, str(error))
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or not length:
            return Asked(None, None)
        vector = vector / length
        with self._lock:
            if forgotten == self._forgotten:
                self._questions[question] = vector
            if len(self._questions) > _REMEMBERED:
                self._questions.popitem(last=False)
        return Asked(vector, None)

    def remembered(self, question: str) -> Floats | None:
        """Give the vector of a question that was asked of late; None for any other."""
        with self._lock:
            known = self._questions.get(question)
            if known is not None:
                self._questions.move_to_end(question)
            return known

    def model_of(self, snapshot: Snapshot) -> int:
        """Give the number of the model whose vectors are compared; 0 for none.

        A model that was asked before, as ``ask`` does, is not asked again while a view is open.
        """
        self._identify()
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
        return self._state(passages, pending, told)

    def _state(self, passages: int, pending: int, problem: str | None) -> IndexState:
        name = revision = None
        if self._embedder is not None:
            try:
                name, revision = self._embedder.name, self._embedder.revision
            except ModelUnavailable as error:
                problem = problem or str(error)
        return IndexState(passages, passages - pending, pending, name, revision, problem)

    def _identify(self) -> str | None:
        """Have the model say what it is, where it has not; gives why it could not.

        A server may have to be asked, which takes as long as it takes: views are opened
        afterwards, and one that is away is not asked again for some seconds.
        """
        if self._embedder is None or self._identity is not None:
            return None
        if self._worker is not None and self._worker.identity is not None:
            self._identity = self._worker.identity
            return None
        now = time.monotonic()
        problem, until = self._away
        if now < until:
            return problem
        try:
            self._identity = (
                self._embedder.name, self._embedder.revision, self._embedder.dimension
            )  # fmt: skip
        except ModelUnavailable as error:
            self._away = (str(error), time.monotonic() + _AWAY)
            return str(error)
        return None

    def _row(self, snapshot: Snapshot) -> EmbedderRow | None:
        """Give what is known of the model; None for none, and for a server that is away."""
        return None if self._identity is None else snapshot.embedder(*self._identity)
