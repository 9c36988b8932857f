"""One change to one key, while it is being worked out.

New statements, refolded timelines, and what follows from them. Nothing is written before all of
it is decided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

from vigent.domain.changes import ChangeSet, Withdraw
from vigent.domain.records import Stretch
from vigent.domain.schema import AttributeDefinition
from vigent.domain.statements import BEGINNING, Key, Statement
from vigent.domain.text import is_own
from vigent.domain.time import DAY, OPEN, Instant
from vigent.domain.values import Value
from vigent.ports.storage import Folding, Timelines
from vigent.standing import passages_of, shown
from vigent.write.context import Context
from vigent.write.draft import Draft
from vigent.write.gaps import leave_gap
from vigent.write.refold import Refolded, refold

__all__ = ["Standing", "Work", "token_of"]


# One of these is made for every write: ``dict[int, Statement]`` is a slow way to make a dict.
_rows: Final = cast("Callable[[], list[Any]]", list)
_by_number: Final = cast("Callable[[], dict[int, Any]]", dict)


def token_of(salt: bytes, canon: str) -> bytes:
    """Give the keyed digest that stands for a canonical value."""
    return hashlib.blake2b(canon.encode(), key=salt, digest_size=16).digest()


class Standing(NamedTuple):
    """A memory over a stretch, as an answer shows it."""

    statement: Statement
    stretch: Stretch
    replaced: str | None
    replacer: str | None
    later: bool = False
    """Whether what it replaced lies outside what was read, and is looked up when asked for."""
    until: Instant = OPEN
    """Until when the memories beside it can be named."""


@dataclass(slots=True)
class Work:
    """The change under way. ``at`` is its recorded instant."""

    transaction: Folding
    context: Context
    key: Key
    definition: AttributeDefinition | None
    at: Instant
    salt: bytes
    changes: ChangeSet
    folds: list[Refolded] = field(default_factory=_rows)
    new: dict[int, Statement] = field(default_factory=_by_number)
    amended: dict[int, Statement] = field(default_factory=_by_number)
    shown: dict[int, Standing] = field(default_factory=_by_number)
    joined: Timelines | None = None
    """What readers see where an alias bears on the key; no quick answer is kept there."""
    _next: int = 0
    _token: tuple[Value | None, bytes] = (None, b"")
    """The value asked for last, and its token."""

    def __post_init__(self) -> None:
        self._next = self.transaction.numbers.statement

    # ------------------------------------------------------------------ statements

    def number(self) -> int:
        """Give the next free statement number."""
        self._next += 1
        return self._next - 1

    def token(self, value: Value) -> bytes:
        """Give the token of a value, which is asked for more than once in a row."""
        if self._token[0] is not value:
            self._token = (value, token_of(self.salt, value.canon))
        return self._token[1]

    def state(
        self,
        draft: Draft,
        value: Value | None,
        *,
        kind: str,
        member: bytes,
        start: Instant,
        end: Instant,
        basis: str,
        speaker: str | None,
        id: str | None = None,
        role: str = "asserted",
        status: str = "active",
        reason: str | None = None,
        keep: str = "",
        place: int = 0,
    ) -> Statement:
        """Make a statement of what a draft says."""
        number, at = self.number(), self.at
        expires, retention = self._deadline(draft)
        asserts = kind == "value"
        # What most statements come to; ``finish`` puts right what the replay finds otherwise.
        clean = int(end == OPEN and role == "asserted" and kind != "end")
        indexed = int(asserts and role == "asserted" and not is_own(self.key.id.subject))
        token = b"" if value is None else self.token(value)
        shows = asserts and draft.text is None and value is not None
        # A row this wide is made from one tuple in two thirds of the time.
        return Statement._make((
            number, self.context.tenant, id or self.context.ids.new("mem"), self.key.no, member,
            role, kind, token, start, end, 1, basis, at, OPEN, OPEN, 0, place, at, number, at,
            clean, indexed, keep, draft.type, value.kind if shows and value is not None else None,
            value.stored if shows and value is not None else None, draft.text if asserts else None,
            None, status, 0, draft.source_episode, draft.source, draft.quote, speaker, draft.trust,
            self.context.writer, draft.confidence, draft.importance, draft.metadata or "{}",
            retention, expires if asserts else OPEN, at, at, None, 1, 0,
            self.context.schema.version, draft.fields, int(draft.flagged), None, "", "", reason,
        ))  # fmt: skip

    def _deadline(self, draft: Draft) -> tuple[Instant, str | None]:
        """Give when the memory expires, and by which policy; None where a date was given."""
        schema = self.context.schema
        if draft.expires_at is not None:
            return draft.expires_at, None
        if draft.ttl_days is not None:
            return self.at + draft.ttl_days * DAY, None
        name = draft.retention
        if name is None and self.definition is not None:
            name = self.definition.retention
        if name is None:
            known = schema.type(draft.type)
            name = (known.retention if known is not None else None) or schema.default_retention
        return schema.retention(name).expires_at(self.at) or OPEN, name

    def renewed(self, memory: Statement) -> Instant:
        """Give until when a memory is kept if its policy begins anew.

        What was given a date keeps it, and so does what bears a policy no longer declared.
        """
        policy = self.context.schema.policies.get(memory.retention or "")
        return memory.expires_at if policy is None else policy.expires_at(self.at) or OPEN

    # --------------------------------------------------------------------- timelines

    def refold(
        self,
        member: bytes,
        added: Sequence[Statement] = (),
        removed: Sequence[Statement] = (),
        patience: int | None = None,
    ) -> Refolded:
        """Work out what a timeline becomes; it is kept only when ``take`` is called.

        Memories past their time that it would change or confirm are forgotten first: a write
        finds them gone, swept or not. Raises LongWalk as ``refold`` does.
        """
        fresh = {s.no for s in added}
        while True:
            folded = refold(
                self.transaction, self.key, member, added=added, removed=removed, patience=patience
            )
            before = {(b.valid_from, b.valid_to, b.memory) for b in folded.before}
            met = {memory for _, _, memory in before.symmetric_difference(folded.after)}
            met |= {
                folded.memory_of(s)
                for s in added
                if s.kind == "value" and s.no in folded.statements
            }
            runs = {c: [s for s in run if s.no not in fresh] for c, run in folded.runs.items()}
            if not self.forget_expired(runs, folded.heads, met - fresh):
                return folded

    def forget_expired(
        self, runs: dict[int, list[Statement]], heads: dict[int, int], met: set[int]
    ) -> bool:
        """Forget those of some memories that are past their time; gives whether any was."""
        gaps = ChangeSet(self.context.tenant)
        for changer, memory in heads.items():
            if memory in met:
                head = self.find(memory)
                if head.expires_at <= self.at and head.forgotten_at == OPEN:
                    run = runs[changer]
                    leave_gap(self.transaction, self.key, memory, run, self.at, gaps)
        self.transaction.apply(gaps)
        return bool(gaps.forgotten)

    def take(
        self,
        folded: Refolded,
        added: Iterable[Statement] = (),
        removed: Iterable[Statement] = (),
        status: str = "withdrawn",
    ) -> None:
        """Decide for a refolded timeline."""
        self.folds.append(folded)
        for statement in added:
            self.new[statement.no] = statement
        for statement in removed:
            self.take_out(statement, status)

    def take_out(self, statement: Statement, status: str) -> None:
        """Decide that a statement no longer takes part."""
        self.changes.withdrawn.append(Withdraw(statement.no, self.at, status))

    def find(self, number: int) -> Statement:
        """Give a statement by its number: new, amended, or stored."""
        found = self.new.get(number) or self.amended.get(number)
        if found is not None:
            return found
        for folded in self.folds:
            stored = folded.statements.get(number)
            if stored is not None:
                return stored
        return self.transaction.statements(self.context.tenant, numbers=[number])[0][1]

    def lost(self, folded: Refolded, keeper: int | None) -> list[int]:
        """Give the memories that hold over less than before, but for one that may."""
        before: dict[int, int] = {}
        after: dict[int, int] = {}
        for b in folded.before:
            before[b.memory] = before.get(b.memory, 0) + b.valid_to - b.valid_from
        for s in folded.after:
            after[s.memory] = after.get(s.memory, 0) + s.end - s.start
        return [
            memory
            for memory, length in before.items()
            if memory != keeper and after.get(memory, 0) < length and self._shown(folded, memory)
        ]

    def _shown(self, folded: Refolded, memory: int) -> bool:
        return shown(folded.statements.get(memory) or self.find(memory), self.at)

    def index(self, statement: Statement) -> None:
        """Make a memory findable; what is kept for the store's own use is not."""
        if is_own(self.key.id.subject):
            return
        scope = self.context.scope(self.salt, self.key.id.person)
        self.changes.passages.extend(passages_of(scope, self.key, statement))

    def stretches(self, folded: Refolded, memory: int, *, outside: bool = False) -> list[Stretch]:
        """Give what a memory holds over after the change, in order; or only what lies outside.

        Outside is what of the timeline was not read, because nothing changes there.
        """
        since = {(b.valid_from, b.valid_to, b.memory): b.recorded_from for b in folded.before}
        every: list[Stretch] = []
        if not outside:
            every = [
                Stretch(s.start, s.end, since.get(s, self.at), None)
                for s in folded.after
                if s.memory == memory
            ]
        if memory not in self.new and (folded.low, folded.high) != (BEGINNING, OPEN):
            every += [
                Stretch(*found.belief[5:])
                for found in self.transaction.beliefs(self.key, memory)
                if found.belief.recorded_to is None
                and not folded.low <= found.belief.valid_from < folded.high
            ]
            every.sort()
        return every

    def trust_rules(self) -> bool:
        """Whether sources below some trust may confirm here, but not change anything."""
        d = self.definition
        return d is not None and (d.min_rank > 0 or d.conflict == "most_trusted")

    def amend(self, statement: Statement) -> None:
        """Set what of a statement may change in place."""
        if statement.no in self.new:
            self.new[statement.no] = statement
        else:
            self.amended[statement.no] = statement
