"""The storage port: what an engine must offer, and nothing it should decide.

A *snapshot* is one consistent view; a *transaction* is a snapshot that holds the write lock of a
tenant and applies change sets, all or nothing. Engines store and find; they never decide what is
in force.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, runtime_checkable

from vigent.domain.changes import Answered, ChangeSet, Head
from vigent.domain.episodes import EpisodeRow
from vigent.domain.statements import Belief, Key, KeyId, Rank, Statement
from vigent.domain.time import Instant
from vigent.ports.aliases import AliasQuick, AliasReads
from vigent.ports.audit import AuditTrail
from vigent.ports.index import IndexReads
from vigent.ports.listing import ListingReads
from vigent.ports.moving import Loads, MovingReads
from vigent.ports.removal import PersonReads, Removal
from vigent.ports.resources import ResourceQuick, ResourceReads
from vigent.ports.threads import ThreadNumbers, ThreadReads
from vigent.ports.typed import TypedReads
from vigent.ports.upkeep import UpkeepReads

__all__ = [
    "Folding",
    "HeadRow",
    "Ledger",
    "Numbers",
    "Quick",
    "Scope",
    "Selection",
    "Snapshot",
    "Storage",
    "Stretched",
    "Timelines",
    "Transaction",
]


class Scope(NamedTuple):
    """Whose memory a call concerns. An empty person means what the tenant shares."""

    tenant: str
    store: str
    person: str

    @property
    def readable(self) -> tuple[str, ...]:
        """The persons a read sees, own first: the person and the shared."""
        return (self.person, "") if self.person else ("",)


class Selection(NamedTuple):
    """Which keys a read concerns; None leaves a part open, no persons means everyone's.

    A selection of every store names a subject, and whose. ``exact`` names keys of one store
    instead of all else.
    """

    tenant: str
    store: str | None
    persons: tuple[str, ...]
    subject: str | None = None
    attribute: str | None = None
    type: str | None = None
    exact: tuple[KeyId, ...] = ()


class HeadRow(NamedTuple):
    """The quick answer for one single-valued key: a ``Head``, and what key it is of."""

    key: int
    person: str
    name: str
    last_recorded: Instant
    valid_from: Instant
    valid_to: Instant
    recorded_from: Instant
    expires_at: Instant
    replaced: str | None
    replacer: str | None
    content: str | None

    @property
    def head(self) -> Head:
        """What is in force, as it is kept."""
        return Head._make(self[4:])


class Stretched(NamedTuple):
    """A belief, the statement of its memory, and the key both belong to."""

    key: Key
    belief: Belief
    statement: Statement


class Numbers(NamedTuple):
    """The next free row numbers, given out while the write lock is held."""

    key: int
    statement: int
    belief: int


class Ledger(NamedTuple):
    """Small facts about a tenant; None where there is none, or it was not asked for."""

    salt: bytes | None
    erased_at: Instant | None
    answered: Answered | None
    subject: str | None


class Quick(AliasQuick, ResourceQuick, Protocol):
    """A view for a read of a single row, which needs no transaction."""

    def head(
        self, tenant: str, store: str, person: str, subject: str, attribute: str
    ) -> HeadRow | None:
        """Give the quick answer of one attribute, for one person or (empty) what is shared."""
        ...


class Timelines(Protocol):
    """What is believed of keys, and the statements it comes from."""

    def at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Stretched]:
        """Give what is believed at two instants: of one member, or of all of them.

        ``known_at`` None means now. Forgotten memories are included.
        """
        ...

    def beliefs(self, key: Key, memory: int | None = None) -> list[Stretched]:
        """Give every stretch of a key, or of one memory, ever believed, in order of time."""
        ...

    def statements(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        numbers: Iterable[int] = (),
        replacing: str | None = None,
        fingerprint: bytes | None = None,
        evidence_for: int | None = None,
        held_by: int | None = None,
        of_key: int | None = None,
        expired_by: Instant | None = None,
    ) -> list[tuple[Key, Statement]]:
        """Give statements by one of their handles, in order of recording."""
        ...


class Snapshot(
    Quick, Timelines, ThreadReads, TypedReads, IndexReads, AliasReads, ResourceReads, PersonReads,
    UpkeepReads, ListingReads, MovingReads, Protocol,
):  # fmt: skip
    """One consistent view of a store."""

    def keys(self, selection: Selection) -> list[Key]:
        """Give the keys that a selection names, in order of their identity."""
        ...

    def changed(
        self, selection: Selection, axis: str, since: Instant, until: Instant
    ) -> list[Stretched]:
        """Give the stretches with an end in ``(since, until]`` on one axis."""
        ...

    def episodes(
        self,
        tenant: str,
        *,
        ids: Iterable[str] = (),
        external: tuple[str, str, str] | None = None,
        expired_by: Instant | None = None,
    ) -> list[EpisodeRow]:
        """Give episodes by id, by (store, person, external id), or those past their time."""
        ...

    def ledger(
        self,
        tenant: str,
        *,
        person: bytes | None = None,
        answer: tuple[str, str, str] | None = None,
        subject_of: str | None = None,
    ) -> Ledger:
        """Look up small facts.

        The tenant's salt; when a person was erased (by digest); the answer kept for an
        idempotency key (caller, endpoint, name); the subject a person is.
        """
        ...


class Folding(Timelines, Protocol):
    """What the rules of memory ask of a transaction: the part that decides a write."""

    def window(self, key: Key, member: bytes, before: Rank) -> Generator[Statement]:
        """Give live statements in order, from the last clean one before a place on."""
        ...

    def believed(self, key: Key, member: bytes | None, low: Instant, high: Instant) -> list[Belief]:
        """Give what is believed now, of one member or of all, and begins in ``[low, high)``."""
        ...

    def highest_place(self, key: Key, member: bytes, start: Instant) -> int:
        """Give the highest place of a timeline's live statements from one instant; 0 if none."""
        ...

    def cites(self, key: Key, member: bytes, episode: str) -> bool:
        """Whether a live statement of a timeline came from an episode."""
        ...

    @property
    def numbers(self) -> Numbers:
        """The next free row numbers, counting what was applied so far."""
        ...

    def apply(self, changes: ChangeSet) -> None:
        """Take a change set into the transaction."""
        ...


class Transaction(Snapshot, Folding, ThreadNumbers, Removal, Loads, Protocol):
    """A snapshot that holds the write lock; leaving it commits, an error rolls all back."""

    def alone(self) -> None:
        """Keep all others from writing to the tenant from now on."""
        ...


@runtime_checkable
class Storage(AuditTrail, Protocol):
    """A store, by whatever engine."""

    @property
    def writable(self) -> bool:
        """Whether it can be written, as far as was known when it was opened."""
        ...

    @property
    def is_branch(self) -> bool:
        """Whether it is a copy to try something on, on which nothing works by itself."""
        ...

    def reader(self) -> Quick:
        """Give a view for a read of a single row, which needs no transaction."""
        ...

    def snapshot(self, *, settled: str | None = None) -> AbstractContextManager[Snapshot]:
        """Open a consistent view for reading.

        With ``settled``, a tenant, nothing is recorded later than this under an instant from
        before it: whoever writes to the tenant now is waited for, as long as for a lock.
        """
        ...

    def transaction(
        self, tenant: str, *, wait: bool = True, beside: bool = False
    ) -> AbstractContextManager[Transaction]:
        """Take the write lock of a tenant; raises StoreBusy after a bounded wait, or at once.

        ``beside`` lets others who say so write to the tenant at the same time: what is read is
        then kept from them, key by key. An engine may keep them out altogether.
        """
        ...

    def purge(self) -> bool:
        """Make removed content unreadable in the files too; False while a reader prevents it."""
        ...

    def check(self, tenant: str | None = None) -> list[str]:
        """Say what does not add up in the files and rows of the store."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...
