"""What a commit is: a closed set of changes, decided before anything is written.

Pipelines decide, adapters obey. A ``ChangeSet`` lists all that one verb changes; an adapter
applies it in one transaction or not at all, and takes no decision of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from vigent.domain.aliases import AliasRow
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import EmbedderRow, PassageRow, VectorRow
from vigent.domain.resources import ResourceRow
from vigent.domain.statements import Belief, Key, Statement
from vigent.domain.threads import Place, StateRow, ThreadRow
from vigent.domain.time import Instant
from vigent.domain.usage import UsageRow

__all__ = [
    "AliasChanges",
    "Answered",
    "AuditEntry",
    "ChangeSet",
    "Close",
    "Forget",
    "Head",
    "PersonLink",
    "Refold",
    "ResourceChanges",
    "ThreadChanges",
    "Untold",
    "Vectors",
    "Withdraw",
]


class Close(NamedTuple):
    """Stop believing a stretch."""

    belief: int
    at: Instant


class Withdraw(NamedTuple):
    """Take a statement out of the replay, as of a recorded instant."""

    statement: int
    at: Instant
    status: str


class Refold(NamedTuple):
    """Note what the replay derived for a statement."""

    statement: int
    clean: int
    indexed: int


class Forget(NamedTuple):
    """Turn a statement into a gap: dates and place stay, what it said goes."""

    statement: int
    id: str
    at: Instant
    gap: int
    withdrawn_at: Instant


class Untold(NamedTuple):
    """What entries of the audit about a key that name another target tell of a forgotten memory.

    One that says what a correction found tells it where it names ``id``; one that has no target
    (nothing was entered) where it has ``value``. Both are as they stand in the content.
    """

    key: int
    id: str
    value: str


class Head(NamedTuple):
    """What is in force of a single-valued key over an interval, packed for the quick read.

    ``content`` is None where nothing is in force over the interval. From ``expires_at`` on the
    answer is another: the memory, or one that it names, is past its time.
    """

    valid_from: Instant
    valid_to: Instant
    recorded_from: Instant
    expires_at: Instant
    replaced: str | None
    replacer: str | None
    content: str | None


class Vectors(NamedTuple):
    """What changes of the vectors of a model, and how far it has come.

    Numbers are left 0 in the rows and, of a model that is not there yet, in ``model``: storage
    gives them. ``dropped`` is how many vectors of the tenant by other models may go.
    """

    model: EmbedderRow
    rows: Sequence[VectorRow] = ()
    dropped: int = 0


class AuditEntry(NamedTuple):
    """One thing that happened; the content is salted, erasable, and part of the digest."""

    id: str
    tenant: str
    store: str
    person: str
    key: int | None
    at: Instant
    action: str
    outcome: str
    target: str | None
    content: str
    salt: bytes
    digest: bytes
    said: bytes | None = None
    """The digest of the content, which outlasts it."""


class Answered(NamedTuple):
    """The answer given to a request that carries an idempotency key."""

    tenant: str
    caller: str
    endpoint: str
    name: str
    person: str
    request: bytes
    answer: str
    at: Instant


class PersonLink(NamedTuple):
    """Which entity a person is; None where it is not known any more."""

    tenant: str
    person: str
    subject: str | None


class AliasChanges(NamedTuple):
    """Aliases that go, and those that come."""

    removed: Sequence[AliasRow] = ()
    made: Sequence[AliasRow] = ()


class ResourceChanges(NamedTuple):
    """Resources that go, and those that are from now on as given, new or not."""

    removed: Sequence[ResourceRow] = ()
    kept: Sequence[ResourceRow] = ()


class ThreadChanges(NamedTuple):
    """What changes of threads.

    ``dropped`` go, with the places of their items and their state. ``kept`` are threads as they
    are from now on, new or not; ``placed`` the places of episodes of the same change set, by the
    id of the episode.
    """

    dropped: Sequence[int] = ()
    kept: Sequence[ThreadRow] = ()
    placed: Sequence[tuple[str, Place]] = ()
    states: Sequence[StateRow] = ()


# One is made for every write: ``list[Key]`` as a factory takes five times as long as ``list``.
_rows: Final = cast("Callable[[], list[Any]]", list)


@dataclass(slots=True)
class ChangeSet:
    """All that one verb changes, in the order in which adapters apply it."""

    tenant: str
    salt: bytes | None = None
    salted_at: Instant = 0
    keys: list[Key] = field(default_factory=_rows)
    episodes: list[EpisodeRow] = field(default_factory=_rows)
    withdrawn: list[Withdraw] = field(default_factory=_rows)
    discarded: list[int] = field(default_factory=_rows)
    statements: list[Statement] = field(default_factory=_rows)
    amended: list[Statement] = field(default_factory=_rows)
    refolded: list[Refold] = field(default_factory=_rows)
    forgotten: list[Forget] = field(default_factory=_rows)
    untold: list[Untold] = field(default_factory=_rows)
    blanked: list[tuple[int, str]] = field(default_factory=_rows)
    retrieved: list[tuple[int, int]] = field(default_factory=_rows)
    """Numbers of statements, and how often each was given to a reader since."""
    unsaid: list[str] = field(default_factory=_rows)
    """Ids of what is gone without a trace: the audit keeps no content about them."""
    closed: list[Close] = field(default_factory=_rows)
    opened: list[Belief] = field(default_factory=_rows)
    passages: list[PassageRow] = field(default_factory=_rows)
    said: list[tuple[str, PassageRow]] = field(default_factory=_rows)
    """Passages of episodes of the same change set, by the id of the episode."""
    unindexed: list[tuple[int, int]] = field(default_factory=_rows)
    """Kind and source of what goes out of the index, before passages are taken in."""
    vectors: Vectors | None = None
    recorded: list[tuple[Key, Instant]] = field(default_factory=_rows)
    heads: list[tuple[int, Head]] = field(default_factory=_rows)
    stubs: list[int] = field(default_factory=_rows)
    threads: ThreadChanges | None = None
    aliases: AliasChanges | None = None
    resources: ResourceChanges | None = None
    audit: list[AuditEntry] = field(default_factory=_rows)
    finished: list[tuple[str, str]] = field(default_factory=_rows)
    """Kind and lane of work that is done for the tenant."""
    answered: list[Answered] = field(default_factory=_rows)
    links: list[PersonLink] = field(default_factory=_rows)
    used: list[UsageRow] = field(default_factory=_rows)
    """Model calls, to be added to what is counted."""
    audit_pruned: int = 0
    """The seal up to which entries of the audit trail go, at the end of their time."""

    @property
    def edits(self) -> bool:
        """Whether statements that are stored already are changed."""
        return bool(
            self.discarded
            or self.withdrawn
            or self.amended
            or self.refolded
            or self.forgotten
            or self.blanked
            or self.unsaid
            or self.retrieved
        )
