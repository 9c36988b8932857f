"""Writes to joined subjects: judged on the timeline of all names, stored under their own.

The rules run on one key that stands for all, so that trust, conflicts, corrections and what is
told to have ended are those of the joined timeline. What comes of it is then entered for each
key by itself, whose beliefs follow from its own statements: parted again, each reads as if it had
never been joined.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, cast

from vigent.domain.changes import ChangeSet
from vigent.domain.statements import (
    ALL_MEMBERS,
    BEGINNING,
    ONE_VALUE,
    Belief,
    Key,
    Rank,
    Statement,
    edited,
    rank,
)
from vigent.domain.time import OPEN, Instant
from vigent.joining import Timeline
from vigent.ports.storage import Folding, Numbers, Stretched
from vigent.standing import shown
from vigent.write.correct import run_of
from vigent.write.draft import Draft
from vigent.write.finish import finish
from vigent.write.gaps import leave_gap
from vigent.write.holding import Dated
from vigent.write.work import Work

__all__ = ["JoinedWork", "Together", "join"]


class Together:
    """A transaction in which several keys are one: ``key`` stands for all of them."""

    def __init__(self, plain: Folding, keys: Sequence[Key], key: Key) -> None:
        self.plain = plain
        latest = max(k.last_recorded for k in keys)
        self.own = {k.no: k for k in keys}
        self.key = key._replace(last_recorded=latest)
        self._found: Timeline | None = None

    @property
    def timeline(self) -> Timeline:
        """What the statements of all keys give."""
        if self._found is None:
            self._found = Timeline.read(self.plain, tuple(self.own.values()))
        return self._found

    def _one(self, rows: Iterable[Stretched]) -> list[Stretched]:
        return [row._replace(key=self.key) for row in rows]

    def at(
        self, key: Key, member: bytes | None, valid_at: Instant, known_at: Instant | None
    ) -> list[Stretched]:
        """Give what is believed at two instants: of one member, or of all of them."""
        del key
        return self._one(self.timeline.at(member, valid_at, known_at))

    def beliefs(self, key: Key, memory: int | None = None) -> list[Stretched]:
        """Give every stretch ever believed, or of one memory, in order of time."""
        del key
        return self._one(self.timeline.beliefs(memory))

    def statements(self, tenant: str, **handles: Any) -> list[tuple[Key, Statement]]:
        """Give statements by one of their handles, in order of recording."""
        if handles.get("of_key") == self.key.no:
            every = self.timeline.statements.values()
            return [(self.key, s) for s in sorted(every, key=lambda s: (s.recorded_from, s.id))]
        found = self.plain.statements(tenant, **handles)
        return [(self.key if key.no in self.own else key, s) for key, s in found]

    def window(self, key: Key, member: bytes, before: Rank) -> Generator[Statement]:
        """Give every live statement of the timeline, in order; none is called clean."""
        del key, before
        for s in sorted(self.timeline.statements.values(), key=rank):
            if s.live and (s.kind == "others" or s.member == member):
                yield edited(s, clean=0)

    def believed(self, key: Key, member: bytes | None, low: Instant, high: Instant) -> list[Belief]:
        """Give what is believed now, of one member or of all, and begins in ``[low, high)``."""
        del key
        return [
            b
            for _, b, _ in self.timeline.every(member)
            if b.recorded_to is None and low <= b.valid_from < high
        ]

    def highest_place(self, key: Key, member: bytes, start: Instant) -> int:
        """Give the highest place of the timeline's live statements from one instant; 0 if none."""
        del key
        return max(self.plain.highest_place(k, member, start) for k in self.own.values())

    def cites(self, key: Key, member: bytes, episode: str) -> bool:
        """Whether a live statement of the timeline came from an episode."""
        del key
        return any(self.plain.cites(k, member, episode) for k in self.own.values())

    @property
    def numbers(self) -> Numbers:
        """The next free row numbers."""
        return self.plain.numbers

    def apply(self, changes: ChangeSet) -> None:
        """Take a change set into the transaction."""
        self.plain.apply(changes)
        self._found = None


def join(work: Work, keys: Sequence[Key], draft: Draft, dated: Dated) -> JoinedWork:
    """Give the change a request makes to all of some keys, in place of one to its own alone."""
    others = [key for key in keys if key.no != work.key.no]
    together = Together(work.transaction, [*others, work.key], work.key)
    target = _target(together, draft, dated)
    if target is not None and target.no != work.key.no:
        keys = others if work.changes.keys else [*others, work.key]
        work.changes.keys.clear()  # nothing is said under that name
        together = Together(work.transaction, keys, target)
    return JoinedWork(
        together, work.context, together.key, work.definition, work.at, work.salt, work.changes,
    )  # fmt: skip


def _target(together: Together, draft: Draft, dated: Dated) -> Key | None:
    """Give the key of the memory that a correction concerns; None where that is the draft's."""
    if draft.mode != "correction" or draft.retract:
        return None
    if draft.corrects is not None:
        rows = together.plain.statements(together.key.id.tenant, ids=[draft.corrects])
        return together.own.get(rows[0][0].no) if rows else None
    member = None if draft.multi else ONE_VALUE
    found = together.timeline.at(member, dated.start, None)
    numbers = {f.key.no for f in found if shown(f.statement, OPEN - 1)} or {f.key.no for f in found}
    return together.own[numbers.pop()] if len(numbers) == 1 else None


class JoinedWork(Work):
    """A change to a joined timeline, while it is being worked out."""

    homes: dict[int, int] = {}  # noqa: RUF012 - replaced, never changed
    """The keys that new statements were entered for, by their numbers."""

    def key_of(self, s: Statement) -> Key:
        """Give the key a statement stands under."""
        return self.together.own.get(self.homes.get(s.no, s.key), self.key)

    @property
    def together(self) -> Together:
        """The transaction in which the keys are one."""
        return cast("Together", self.transaction)

    def forget_expired(
        self, runs: dict[int, list[Statement]], heads: dict[int, int], met: set[int]
    ) -> bool:
        """Forget those of some memories that are past their time, each with its own run."""
        del runs
        gaps = ChangeSet(self.context.tenant)
        for memory in dict.fromkeys(heads.values()):
            if memory in met:
                head = self.find(memory)
                if head.expires_at <= self.at and head.forgotten_at == OPEN:
                    work = self._apart(self.together.own[head.key])
                    _, run = run_of(work, _live_of(work, head))
                    leave_gap(work.transaction, work.key, memory, run, self.at, gaps)
        self.transaction.apply(gaps)
        return bool(gaps.forgotten)

    def _apart(self, key: Key) -> Work:
        changes = ChangeSet(self.context.tenant)
        return Work(
            self.together.plain, self.context, key, self.definition, self.at, self.salt, changes,
        )  # fmt: skip

    def part(self) -> None:
        """Enter what was decided, for each key by itself."""
        plain, changes = self.together.plain, self.changes
        plain.apply(ChangeSet(changes.tenant, keys=changes.keys))
        stored = self.together.timeline.statements
        amended = [self._as_its_own(s, stored) for s in changes.amended]
        gone = [(w, stored[w.statement]) for w in changes.withdrawn]
        # What a correction enters again has the turn of what it replaces, and keeps its name.
        homes = {(s.turn, s.place): s.key for w, s in gone if w.status == "corrected"}
        new = [edited(s, key=homes.get((s.turn, s.place), s.key)) for s in changes.statements]
        self.homes = {s.no: s.key for s in new}
        numbers = dict.fromkeys([*self.homes.values(), *(s.key for _, s in gone)])
        for number in numbers:
            work = self._apart(self.together.own[number])
            work.new = {s.no: s for s in new if s.key == number}
            work.amended = {s.no: s for s in amended if s.key == number}
            out = [s for _, s in gone if s.key == number]
            work.changes.withdrawn += [w for w, s in gone if s.key == number]
            _fold(work, list(work.new.values()), out)
            finish(work)
            plain.apply(work.changes)
        rest = [s for s in amended if s.key not in numbers]
        plain.apply(ChangeSet(changes.tenant, amended=rest, audit=changes.audit))

    def _as_its_own(self, s: Statement, stored: dict[int, Statement]) -> Statement:
        """Leave how many support a memory, and whether it holds, to its own key."""
        before = stored.get(s.no)
        if before is None or not self.folds:
            return s
        status = s.status if before.withdrawn_at != OPEN else before.status
        return edited(s, evidence_count=before.evidence_count, status=status)


def _live_of(work: Work, memory: Statement) -> Statement:
    """Give a live statement of a memory: itself, or one that bears it on."""
    if memory.withdrawn_at == OPEN:
        return memory
    rows = work.transaction.statements(work.context.tenant, of_key=work.key.no)
    return next(s for _, s in rows if s.live and s.bears == memory.no)


def _fold(work: Work, new: Sequence[Statement], gone: Sequence[Statement]) -> None:
    """Work out what the timelines of one key become."""
    coming = [s for s in new if s.role == "asserted"]
    members = {s.member for s in (*coming, *gone)} - {ALL_MEMBERS}
    if any(s.kind == "others" for s in (*coming, *gone)):
        members |= {b.member for b in work.transaction.believed(work.key, None, BEGINNING, OPEN)}
        members |= {
            s.member
            for _, s in work.transaction.statements(work.context.tenant, of_key=work.key.no)
            if s.kind == "value" and s.role == "asserted"
        }
    for member in sorted(members):
        added = [s for s in coming if _concerns(s, member)]
        removed = [s for s in gone if _concerns(s, member)]
        if added or removed:
            work.take(work.refold(member, added, removed))


def _concerns(s: Statement, member: bytes) -> bool:
    if s.kind == "others":
        return member.hex() not in s.keep.split()
    return s.member == member
