"""Changes to the rows of a store in memory: what the rules ask before they decide, and applying."""

from __future__ import annotations

from collections.abc import Generator

from vigent.domain.changes import ChangeSet
from vigent.domain.passages import ITEM, MEMORY
from vigent.domain.statements import Belief, Key, Rank, Statement, rank
from vigent.domain.threads import stub_of
from vigent.domain.time import DAY, Instant
from vigent.ports.storage import Numbers
from vigent.storage.inmemory.rows import View

__all__ = ["Change"]


class Change(View):
    """A view that holds the write lock."""

    @property
    def numbers(self) -> Numbers:
        """The next free row numbers, counting what was applied so far."""
        return self._rows.last

    def window(self, key: Key, member: bytes, before: Rank) -> Generator[Statement]:
        """Give every live statement of the timeline, in order: the plain form of the rule."""
        del before  # the oracle always takes all of it
        for s in sorted(self._of_key(key), key=rank):
            if s.live and (s.kind == "others" or s.member == member):
                # None is called clean, so that the whole of the timeline is always taken.
                yield s._replace(clean=0)

    def believed(self, key: Key, member: bytes | None, low: Instant, high: Instant) -> list[Belief]:
        """Give the stretches of one member, or of all, believed now that begin in an interval."""
        rows = [
            b
            for b in self._rows.beliefs.values()
            if b.key == key.no
            and b.recorded_to is None
            and member in (None, b.member)
            and low <= b.valid_from < high
        ]
        return sorted(rows, key=lambda b: (b.member, b.valid_from))

    def highest_place(self, key: Key, member: bytes, start: Instant) -> int:
        """Give the highest place of a timeline's live statements from one instant; 0 if none."""
        return max(
            (
                s.place
                for s in self._of_key(key)
                if s.live and s.member == member and s.valid_from == start
            ),
            default=0,
        )

    def cites(self, key: Key, member: bytes, episode: str) -> bool:
        """Whether a live statement of a timeline came from an episode."""
        return any(
            s.live and s.member == member and s.source_episode == episode for s in self._of_key(key)
        )

    def apply(self, changes: ChangeSet) -> None:
        """Take a change set in."""
        rows = self._rows
        if changes.salt is not None:
            rows.salts.setdefault(changes.tenant, changes.salt)
            rows.salted.setdefault(changes.tenant, changes.salted_at)
        for key in changes.keys:
            rows.keys[key.id], rows.key_ids[key.no] = key, key.id
        for number in changes.discarded:
            del rows.statements[number]
        for w in changes.withdrawn:
            s = rows.statements[w.statement]
            rows.statements[s.no] = s._replace(withdrawn_at=w.at, status=w.status)
        for s in (*changes.statements, *changes.amended):
            there = rows.statements.get(s.no)
            if there is not None:
                s = s._replace(withdrawn_at=there.withdrawn_at)  # noqa: PLW2901
            rows.statements[s.no] = s
        for f in changes.forgotten:
            self._forget(f.statement, f.at, f.gap, f.id)
        for id in changes.unsaid:
            self._empty(id)
        for number, id in changes.blanked:
            s = rows.statements[number]
            rows.statements[number] = s._replace(source=None, quote=None, speaker=None)
            self._empty(id)
        for close in changes.closed:
            rows.beliefs[close.belief] = rows.beliefs[close.belief]._replace(recorded_to=close.at)
        for belief in changes.opened:
            rows.beliefs[belief.no] = belief
        self._apply_rest(changes)
        self._change_aliases(changes.aliases)
        self._change_resources(changes.resources)
        rows.last = Numbers(
            rows.last.key + len(changes.keys),
            max([rows.last.statement, *(s.no + 1 for s in changes.statements)]),
            rows.last.belief + len(changes.opened),
        )

    def _apply_rest(self, changes: ChangeSet) -> None:
        rows = self._rows
        for number, times in changes.retrieved:
            s = rows.statements[number]
            rows.statements[number] = s._replace(retrieved_count=s.retrieved_count + times)
        for r in changes.refolded:
            s = rows.statements[r.statement]
            rows.statements[s.no] = s._replace(clean=r.clean, indexed=r.indexed)
        for key, instant in changes.recorded:
            rows.keys[key.id] = rows.keys[key.id]._replace(last_recorded=instant)
        numbers: dict[str, int] = {}
        for episode in changes.episodes:
            number = numbers[episode.id] = max(rows.episodes, default=0) + 1
            rows.episodes[number] = episode._replace(no=number)
        if changes.threads is not None:
            rows.threads.apply(changes.threads, numbers)
        for number in changes.stubs:
            rows.episodes[number] = stub_of(rows.episodes[number])
            rows.index.remove(changes.tenant, ITEM, number)
        rows.index.apply(changes, numbers)
        rows.trail.take(changes)
        for answer in changes.answered:
            rows.answered[answer.tenant, answer.caller, answer.endpoint, answer.name] = answer
            for name, kept in list(rows.answered.items()):
                if name[0] == answer.tenant and kept.at < answer.at - DAY:
                    del rows.answered[name]
        for link in changes.links:
            rows.persons.pop(link[:2], None)
            if link.subject is not None:
                rows.persons[link[:2]] = link.subject

    def _forget(self, number: int, at: Instant, gap: int, id: str) -> None:
        s = self._rows.statements[number]
        self._rows.statements[number] = s._replace(
            forgotten_at=at, gap=gap, status="forgotten", value_kind=None, value=None, text=None,
            source=None, quote=None, speaker=None, writer=None, metadata="{}", fields="{}",
            reason=None, source_episode=None, indexed=0, contested=0,
        )  # fmt: skip
        self._rows.index.remove(s.tenant, MEMORY, number)
        self._empty(id)

    def _empty(self, target: str) -> None:
        trail = self._rows.trail
        trail.emptied |= {e.id for e in trail.entries.values() if e.target == target}
