"""Windows of conversations: how a thread is cut into them, and what is kept of each.

A window waits under an id that says in which store, in which state and behind which other windows
of its thread it does: ``<store>/<state>/<thread>/<first item>``. One that was read leaves no row,
but a count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, NamedTuple, Self

from vigent.domain.resources import ResourceRow
from vigent.domain.threads import ThreadRow
from vigent.domain.time import Instant

__all__ = [
    "COUNTED", "FAILED", "OVERLAP", "PARKED", "QUEUED", "Piece", "Reading", "Run", "Span",
    "Waiting", "cut", "of_state", "parts_of", "prefix", "reading_id", "thread_digest",
]  # fmt: skip

QUEUED: Final = "q"
FAILED: Final = "f"
PARKED: Final = "p"
COUNTED: Final[tuple[str, ...]] = (
    "written",
    "confirmed",
    "superseded",
    "held",
    "rejected",
    "left_out",
)
"""What of candidates is counted for a run."""
OVERLAP: Final = 4
"""So many pieces before a window are shown with it, and never learned from again."""

_PIECE: Final = 3_900
_SHARED: Final = 200
_WINDOW: Final = 12_000
_PIECES: Final = 60
_TOOL: Final = 300
_KEYS: Final = 100


class Piece(NamedTuple):
    """An item of a thread as it is shown, or a part of a long one, in order from part 0."""

    position: int
    part: int
    episode_id: str
    role: str
    who: str | None
    text: str
    at: Instant
    zone: str | None
    evidence: bool

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in the thread."""
        return self.position, self.part


class Span(NamedTuple):
    """The places of the first and of the last piece of a window."""

    first: tuple[int, int]
    last: tuple[int, int]


def cut(pieces: Sequence[Piece]) -> Iterator[Span]:
    """Cut pieces into windows, in order; what gives no evidence at all is no window."""
    held: list[Piece] = []
    size = 0
    for piece in pieces:
        length = min(len(piece.text), _TOOL if piece.role == "tool" else _PIECE)
        if held and (size + length > _WINDOW or len(held) == _PIECES):
            yield from _span(held)
            held, size = [], 0
        held.append(piece)
        size += length
    yield from _span(held)


def _span(held: Sequence[Piece]) -> Iterator[Span]:
    # What the assistant alone said is never learned: no call is made for that.
    if any(piece.evidence and piece.role != "assistant" for piece in held):
        yield Span(held[0].place, held[-1].place)


def parts_of(text: str, role: str) -> list[str]:
    """Give a text in parts that a prompt can show whole; of what agents say the first alone.

    Parts share some characters, so that what is said across their border stands in one of them.
    """
    if len(text) <= _PIECE or role != "user":
        return [text]
    step = _PIECE - _SHARED
    return [text[at : at + _PIECE] for at in range(0, max(len(text) - _SHARED, 1), step)]


def thread_digest(person: str, id: str, made: Instant) -> str:
    """Give what stands for a thread in ids: two of one id, made one after the other, are two."""
    told = json.dumps([person, id, made]).encode()
    return hashlib.sha256(told).hexdigest()[:24]


def prefix(store: str, state: str) -> str:
    """Give what the ids of windows of a store in a state begin with."""
    return f"{store}/{state}/"


def of_state(rows: Sequence[ResourceRow], store: str, state: str) -> list[ResourceRow]:
    """Give the windows among rows that are of a store and in a state."""
    begin = prefix(store, state)
    return [row for row in rows if row.id.startswith(begin)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A window that waits, is being read, failed, or is parked.

    ``store`` is a store's id. ``lease`` is until when the worker ``by`` has it (microseconds of
    the machine's clock). ``until`` is when a parked one may go on; ``code`` is why one failed.
    """

    tenant: str
    store: str
    person: str
    thread: str
    made: Instant
    span: Span
    state: str = QUEUED
    lease: Instant = 0
    by: str = ""
    tries: int = 0
    code: str | None = None
    until: Instant = 0
    version: int = 0
    created_at: Instant = 0

    @property
    def digest(self) -> str:
        """What stands for its thread in ids."""
        return thread_digest(self.person, self.thread, self.made)

    @property
    def id(self) -> str:
        """Its id, which changes with its state."""
        position, part = self.span.first
        return f"{prefix(self.store, self.state)}{self.digest}/{position:09d}.{part:04d}"

    @classmethod
    def of(cls, thread: ThreadRow, store: str, span: Span) -> Self:
        """Give a window of a thread that is to be read."""
        return cls(
            tenant=thread.tenant, store=store, person=thread.person, thread=thread.id,
            made=thread.created_at, span=span,
        )  # fmt: skip

    @classmethod
    def of_row(cls, row: ResourceRow) -> Self:
        """Give the window that a row keeps."""
        kept = json.loads(row.document)
        store, state, _, _ = row.id.rsplit("/", 3)
        first, last = kept.pop("span")
        return cls(
            tenant=row.tenant, store=store, state=state, person=row.person, version=row.version,
            created_at=row.created_at, span=Span(tuple(first), tuple(last)), **kept,
        )  # fmt: skip

    def row(self, now: Instant) -> ResourceRow:
        """Give its row, one version on."""
        kept = {
            name: getattr(self, name)
            for name in ("thread", "made", "span", "lease", "by", "tries", "code", "until")
        }
        return ResourceRow(
            self.tenant, "window", self.id, None, self.person, self.version + 1,
            json.dumps(kept, ensure_ascii=False), self.created_at or now, now,
        )  # fmt: skip

    def free(self) -> Self:
        """Give it as one that nobody has and that waits again."""
        return replace(self, state=QUEUED, lease=0, by="", code=None, until=0)


def reading_id(store: str, digest: str) -> str:
    """Give the id under which is kept how far a thread was read."""
    return f"{store}/{digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How far a thread was cut into windows, which keys spoke in it, and whether it is hidden.

    ``hide`` are the classes of personal data that a hiding key named; None where none ever spoke.
    """

    cut: int = 0
    keys: tuple[str, ...] = ()
    hide: tuple[str, ...] | None = None

    @classmethod
    def of_row(cls, row: ResourceRow | None) -> Self:
        """Give what a row keeps; without one, what is so of any thread."""
        if row is None:
            return cls()
        kept = json.loads(row.document)
        hide = kept["hide"]
        return cls(
            cut=kept["cut"], keys=tuple(kept["keys"]), hide=None if hide is None else tuple(hide)
        )

    def with_key(self, key: str, hide: Sequence[str] | None) -> Self:
        """Give it with a key that speaks in the thread; what one hides stays hidden."""
        keys = self.keys if key in self.keys else (*self.keys, key)[-_KEYS:]
        if hide is None:
            return replace(self, keys=keys)
        # Every class is meant where none is named.
        whole = not hide or self.hide == ()
        both = () if whole else tuple(sorted({*hide, *(self.hide or ())}))
        return replace(self, keys=keys, hide=both)

    def row(
        self, thread: ThreadRow, store: str, before: ResourceRow | None, now: Instant
    ) -> ResourceRow:
        """Give the row of a thread."""
        digest = thread_digest(thread.person, thread.id, thread.created_at)
        return ResourceRow(
            thread.tenant, "reading", reading_id(store, digest), None, thread.person,
            1 if before is None else before.version + 1, json.dumps(asdict(self)),
            now if before is None else before.created_at, now,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How extraction of a store stands: up to where it looked, and what the last run came to.

    ``mark`` and ``hot`` are an instant and a thread's number: up to there threads that were quiet,
    and new words, were looked at. ``basis`` says what ``mark`` holds for, ``reads`` with what
    windows are read: another one reads the failed again. ``due`` is when the next run begins;
    ``ready`` counts windows that were read; ``last`` is what is told of the last run.
    """

    mark: tuple[Instant, int] = (0, 0)
    hot: tuple[Instant, int] = (0, 0)
    basis: str = ""
    reads: str = ""
    asked: bool = False
    due: Instant = 0
    ready: int = 0
    last: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def told(self) -> dict[str, Any] | None:
        """What is told of the last run; None before the first."""
        return {name: value for name, value in self.last.items() if name != "partial"} or None

    @property
    def is_open(self) -> bool:
        """Whether a run is under way."""
        return bool(self.last) and self.last.get("ended_at") is None

    @classmethod
    def of_row(cls, row: ResourceRow | None) -> Self:
        """Give what a row keeps; without one, what is so before the first run."""
        if row is None:
            return cls()
        kept: dict[str, Any] = json.loads(row.document)
        mark, hot = tuple(kept.pop("mark")), tuple(kept.pop("hot"))
        return cls(mark=mark, hot=hot, **kept)

    def row(self, tenant: str, store: str, before: ResourceRow | None, now: Instant) -> ResourceRow:
        """Give the row of a store."""
        kept = {**asdict(self), "last": dict(self.last)}
        return ResourceRow(
            tenant, "run", store, None, "", 1 if before is None else before.version + 1,
            json.dumps(kept), now if before is None else before.created_at, now,
        )  # fmt: skip

    def begun(self, at: str) -> Self:
        """Give it with a run that begins; one that is under way goes on."""
        if self.is_open:
            return self
        zero = dict.fromkeys(("windows", "failed", "cancelled", *COUNTED), 0)
        return replace(
            self, last={"started_at": at, "ended_at": None, "status": "running", **zero,
                        "error_code": None},
        )  # fmt: skip

    def counted(self, status: str, code: str | None, counts: Mapping[str, int]) -> Self:
        """Give it with one window more: done, partial, failed, parked or cancelled."""
        last = dict(self.last)
        for name in COUNTED:
            last[name] = last.get(name, 0) + counts.get(name, 0)
        if status in {"done", "partial"}:
            last["windows"] = last.get("windows", 0) + 1
        elif status in {"failed", "cancelled"}:
            last[status] = last.get(status, 0) + 1
        if status == "partial":
            last["partial"] = True
        last["error_code"] = code or last.get("error_code")
        return replace(self, last=last, ready=self.ready + (status in {"done", "partial"}))

    def ended(self, at: str, *, parked: bool) -> Self:
        """Give it with its run at an end; what failed is never told as done."""
        last = dict(self.last)
        failed, done = last.get("failed", 0), last.get("windows", 0)
        status = "done"
        if failed or last.pop("partial", False):
            status = "partial" if done else "failed"
        elif last.get("error_code") == "forbidden":
            status = "failed"
        last.pop("partial", None)
        status = "parked" if parked else status
        return replace(self, last={**last, "ended_at": at, "status": status})
