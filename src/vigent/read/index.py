"""The passages of scopes in memory, fetched once and then kept up with what is new.

What is kept is never trusted for truth: whoever finds something by it asks the store whether that
is in force. It gives the words, the vectors and the order alone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from vigent.domain.corpus import Corpus
from vigent.ports.index import Have
from vigent.ports.storage import Snapshot

__all__ = ["IndexCache", "Kept"]

_MOST: Final = 2_000_000
"""How many passages are kept at most, over all scopes; those not asked longest go first."""


class Kept:
    """One scope: its passages as of a generation, and the vectors of one model.

    ``behind`` says that the view they are given to is older than they are; ``horizon`` is that of
    the view they were read by.
    """

    __slots__ = ("behind", "corpus", "generation", "horizon", "lock", "model")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.behind = False
        self.corpus = Corpus()
        self.generation = -1
        self.horizon = 0
        self.model = 0


class IndexCache:
    """Keeps the passages of the scopes of one store that were asked for last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Kept] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def scopes(
        self, snapshot: Snapshot, tenant: str, scopes: Sequence[str], model: int | None
    ) -> Generator[list[Kept]]:
        """Give the passages of some scopes as a view sees them, with the vectors of a model.

        Nobody else changes them until they are given back. ``model`` 0 is none; None
        leaves the vectors as they are, for what needs none.
        """
        with ExitStack() as held:
            found = [self._find(tenant, scope) for scope in scopes]
            for kept in found:
                held.enter_context(kept.lock)
            _refresh(found, snapshot, tenant, scopes, model)
            yield found

    def forget(self, tenant: str) -> None:
        """Let go of all that is kept of a tenant, as after an erasure."""
        with self._lock:
            for asked in [asked for asked in self._kept if asked[0] == tenant]:
                del self._kept[asked]

    def _find(self, tenant: str, scope: str) -> Kept:
        with self._lock:
            kept = self._kept.get((tenant, scope))
            if kept is None:
                kept = self._kept[tenant, scope] = Kept()
                self._make_room()
            self._kept.move_to_end((tenant, scope))
            return kept

    def _make_room(self) -> None:
        size = sum(len(kept.corpus) for kept in self._kept.values())
        while size > _MOST and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            size -= len(oldest.corpus)


def _refresh(
    found: Sequence[Kept],
    snapshot: Snapshot,
    tenant: str,
    scopes: Sequence[str],
    model: int | None,
) -> None:
    """Bring scopes up to what a view sees."""
    asked = [
        Have(scope, kept.corpus.last, kept.horizon)
        for scope, kept in zip(scopes, found, strict=True)
    ]
    horizon, news = snapshot.news(tenant, asked)
    for scope, kept, new in zip(scopes, found, news, strict=True):
        passages = new.passages
        if new.generation > kept.generation:
            if len(kept.corpus):  # what it had goes, so all is new
                passages = snapshot.passages(tenant, scope, 0)
            kept.corpus, kept.horizon, kept.generation = Corpus(), 0, new.generation
            kept.model = model or 0
        elif model is not None and kept.model != model:
            kept.corpus.drop_vectors()
            kept.model = model
        corpus = kept.corpus
        kept.behind = (
            new.generation < kept.generation
            or horizon < kept.horizon
            or (len(corpus) > 0 and all(row.no != corpus.last for row in passages))
        )
        if kept.behind:
            continue  # what this view has more was removed since
        corpus.add(passages)
        kept.horizon = horizon
        if model:
            corpus.add_vectors(snapshot.vectors(tenant, scope, model, corpus.last_vector))
