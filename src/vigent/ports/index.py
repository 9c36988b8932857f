"""What the core asks of storage about the search index; part of every snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from vigent.domain.changes import Head
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import EmbedderRow, PassageRow, VectorRow
from vigent.domain.statements import Key, Statement
from vigent.domain.threads import Place
from vigent.domain.time import Instant

__all__ = ["Amiss", "Given", "Have", "IndexReads", "News", "Said"]


class Said(NamedTuple):
    """An episode, its place in a thread, and until when that thread is kept; None for no thread."""

    episode: EpisodeRow
    place: Place | None
    thread_expires: Instant | None


class Given(NamedTuple):
    """A memory, with the number of its key and the quick answer that is kept of that."""

    key: int
    head: Head
    statement: Statement


class Amiss(NamedTuple):
    """A memory or an episode by kind and number, and whether its passages are missing."""

    kind: int
    source: int
    missing: int


class Have(NamedTuple):
    """What a reader has of a scope: passages up to a number, by a view with a horizon."""

    scope: str
    last: int
    horizon: int


class News(NamedTuple):
    """The generation of a scope, and passages, rising: those that a reader may not have.

    That is the last one that it has, where the view sees that; those with higher numbers; and
    what was written since its horizon, some of which it may have.
    """

    generation: int
    passages: list[PassageRow]


class IndexReads(Protocol):
    """Passages and vectors, as one view sees them.

    Engines store and give rows by scope; what they mean and how they rank, the core decides.
    """

    def index_generation(self, tenant: str, scope: str) -> int:
        """Give a number that changes whenever passages or vectors of a scope were removed."""
        ...

    def passages(self, tenant: str, scope: str, after: int) -> list[PassageRow]:
        """Give the passages of a scope with higher numbers than one, rising."""
        ...

    def news(self, tenant: str, scopes: Sequence[Have]) -> tuple[int, list[News]]:
        """Say what is new in some scopes, and from which moment on others may still write.

        That is the horizon of the view: what it does not see is written at or after it. It is 0
        where writes come one after another, and what is new has a higher number.
        """
        ...

    def passage_before(self, passage: PassageRow) -> PassageRow | None:
        """Give what goes before a passage of an item in its thread, within the scope."""
        ...

    def passages_unembedded(self, model: int, after: int, limit: int) -> list[PassageRow]:
        """Give passages of every tenant without a vector by a model, from a number on, rising."""
        ...

    def last_passage(self) -> int:
        """Give the highest number of a passage."""
        ...

    def last_change(self) -> int:
        """Give a number that is another one after every write that changed a memory."""
        ...

    def passages_counted(self, tenant: str, after: int) -> tuple[int, int]:
        """Give how many passages a tenant has, and how many of them with higher numbers."""
        ...

    def vectors(self, tenant: str, scope: str, model: int, after: int) -> list[VectorRow]:
        """Give the vectors of a scope by one model with higher numbers than one, rising."""
        ...

    def vectors_by_others(self, tenant: str, model: int) -> int:
        """Give how many vectors of a tenant are there that a model did not make."""
        ...

    def embedder(self, name: str, revision: str, dimension: int) -> EmbedderRow | None:
        """Give what is known of a model; None where it never made a vector."""
        ...

    def believed_after(self, tenant: str, memories: Sequence[int], at: Instant) -> list[int]:
        """Give those of some memories that are believed now and are not over at an instant."""
        ...

    def episodes_by_number(self, tenant: str, numbers: Sequence[int]) -> list[EpisodeRow]:
        """Give episodes by their row numbers."""
        ...

    def said(self, tenant: str, numbers: Sequence[int]) -> list[Said]:
        """Give episodes by their row numbers, each with where it stands."""
        ...

    def episodes_from(self, tenant: str, after: int, limit: int) -> list[EpisodeRow]:
        """Give the episodes of a tenant, stubs too, with higher row numbers than one, rising."""
        ...

    def statements_from(self, tenant: str, after: int, limit: int) -> list[tuple[Key, Statement]]:
        """Give the statements of a tenant with higher numbers than one, rising."""
        ...

    def given(self, tenant: str, ids: Sequence[str]) -> list[Given]:
        """Give memories by their ids, those that are there; in no order."""
        ...

    def index_amiss(self, tenant: str) -> list[Amiss]:
        """Give what of a tenant lacks its passages, or has some and should not."""
        ...

    def prepare(self, tenant: str, memories: Sequence[Statement]) -> None:
        """Have at hand what ``beliefs`` and ``at`` will be asked of some memories, one by one.

        It changes no answer: an engine that is near does nothing.
        """
        ...

    def prepare_keys(self, tenant: str, keys: Sequence[Key]) -> None:
        """Have at hand what ``at`` will be asked of some keys, one by one; as ``prepare``."""
        ...

    def waits(self, tenant: str, kind: str, lane: str) -> bool:
        """Say whether work of a kind waits in a lane of a tenant."""
        ...
