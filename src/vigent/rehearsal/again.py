"""Learns anew what a store has kept, with something changed, on a branch; and what differs then.

The store itself is not touched. On the branch the new memory stands in a store of its own, beside
a copy of the old one: its name ends in ``-replayed``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

from vigent.domain.episodes import EpisodeRow
from vigent.domain.reasoning.window import DEFAULT_TYPES, StateLine, Window, WindowItem
from vigent.domain.records import Record
from vigent.domain.schema import Schema
from vigent.domain.time import Instant, iso, to_datetime
from vigent.errors import NotFound, VigentError
from vigent.memory import Memory
from vigent.moving import drop_branch, list_branches, make_branch
from vigent.ports.models import LanguageModel
from vigent.proposals import MemoryDelta
from vigent.rehearsal.windows import learn_window
from vigent.schema import SchemaSource, load_schema
from vigent.testing import FakeClock
from vigent.wiring import open_storage

__all__ = ["replay_store"]

_TURNS: Final = 12
_CONTEXT: Final = 2
_STATE: Final = 60
"""So many lines of state are shown at most, the newest."""
_PAGE: Final = 500
_ID: Final = 1
"""Where the id of an episode stands in its row, behind the number."""

Key = tuple[str, str, str, str]
Facts = dict[Key, list[tuple[str, str, str | None]]]


@dataclass(slots=True)
class _Counts:
    episodes: int = 0
    windows: int = 0
    nominations: int = 0
    outcomes: dict[str, int] = field(default_factory=dict[str, int])
    problems: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, kind: dict[str, int], name: str) -> None:
        kind[name] = kind.get(name, 0) + 1


def replay_store(
    where: str | os.PathLike[str],
    *,
    tenant: str = "default",
    store: str = "default",
    branch: str = "replay",
    schema: SchemaSource = None,
    before: SchemaSource = None,
    model: LanguageModel | None = None,
    instructions: str = "",
    settings: Any = None,
    replace: bool = False,
) -> dict[str, Any]:
    """Rebuild the memory of a store from its episodes on a branch, and give what differs.

    With ``model`` every thread is read anew, window by window, with ``instructions``. Without
    one, what was once nominated of each episode goes through the gate again. ``before`` is the
    schema the store is read with. Facts that rest on no episode are left out on both sides.
    Raises ResourceExists where the branch is there, unless ``replace``; InvalidInput.
    """
    declared = load_schema(schema)
    if replace and branch in dict(list_branches(where)):
        drop_branch(where, branch)
    place = make_branch(where, branch)
    target = f"{store}-replayed"
    rows = list(_episodes(place, tenant, store))
    clock = FakeClock(to_datetime(min((row.recorded_at for row in rows), default=0)))
    counts = _Counts(episodes=len(rows))
    with (
        Memory.open(place, tenant=tenant, store=store, schema=before, embedder="none") as old,
        Memory.open(
            place, tenant=tenant, store=target, schema=declared, clock=clock, embedder="none",
            settings=settings,
        ) as new,
    ):  # fmt: skip
        run = _Again(old, new, declared, tenant, counts, clock)
        if model is None:
            run.nominate(rows)
        else:
            run.ask(rows, model, instructions)
        persons = sorted({row.person for row in rows} | {""})
        here, there = _facts(old, persons), _facts(new, persons)
    return {
        "branch": branch,
        "db": place,
        "store": target,
        "episodes": counts.episodes,
        "windows": counts.windows,
        "nominations": counts.nominations,
        "outcomes": dict(sorted(counts.outcomes.items())),
        "problems": dict(sorted(counts.problems.items())),
        "differences": _differences(here, there),
    }


def _episodes(where: str, tenant: str, store: str) -> Iterator[EpisodeRow]:
    """Give the episodes of a store that still have their words, in order of time."""
    found: list[EpisodeRow] = []
    with closing(open_storage(where)) as storage, storage.snapshot() as snapshot:
        ids = [str(row[_ID]) for row in snapshot.moving_rows("episode", tenant, None)]
        for start in range(0, len(ids), _PAGE):
            found += snapshot.episodes(tenant, ids=ids[start : start + _PAGE])
    kept = (row for row in found if row.store == store and row.content is not None)
    return iter(sorted(kept, key=lambda row: (row.occurred_at, row.no)))


class _Again:
    """One rebuilding under way."""

    def __init__(
        self, old: Memory, new: Memory, schema: Schema, tenant: str, counts: _Counts,
        clock: FakeClock,
    ) -> None:  # fmt: skip
        self._old, self._new, self._schema = old, new, schema
        self._tenant, self._counts, self._clock = tenant, counts, clock
        self._at: Instant = 0
        self._ids: dict[str, str] = {}

    def _captured(self, row: EpisodeRow) -> str:
        """Capture an episode anew, once, when it was recorded; gives its id."""
        known = self._ids.get(row.id)
        if known is not None:
            return known
        self._at = max(self._at, row.recorded_at)
        self._clock.set(to_datetime(self._at))
        at = to_datetime(row.occurred_at)
        self._ids[row.id] = self._new.capture(
            row.content or "", role=row.role, kind=row.kind, occurred_at=at,
            speaker=row.speaker, thread=row.thread, external_id=f"replay:{row.id}",
            person=row.person or None,
        ).id  # fmt: skip
        return self._ids[row.id]

    # ------------------------------------------------------------------ with no model

    def nominate(self, rows: list[EpisodeRow]) -> None:
        """Put what was nominated of each episode through the gate again, in order of time."""
        told = {person: self._told(person) for person in {row.person for row in rows}}
        for row in rows:
            episode = self._captured(row)
            for given in told[row.person].get(row.id, ()):
                self._counts.nominations += 1
                whole = {"quote": row.content, **given, "source_episode_id": episode}
                try:
                    delta = MemoryDelta.of({"tenant_id": self._tenant, **whole})
                    judged = self._new.candidates.learn(delta, person=row.person or None)
                except VigentError as error:
                    self._counts.add(self._counts.outcomes, error.code)
                    continue
                self._counts.add(self._counts.outcomes, judged.outcome)

    def _told(self, person: str) -> dict[str, list[dict[str, Any]]]:
        """Give what was nominated, by episode: as candidates, and as what was written of it."""
        whose = person or None
        found: dict[str, list[dict[str, Any]]] = {}
        known: set[str] = set()
        for one in self._old.candidates.list(person=whose):
            if (one.person_id or "") != person:
                continue
            given = dict(one.delta)
            if one.memory_id is not None:
                known.add(one.memory_id)
                given |= self._said(one.memory_id, whose)
            found.setdefault(one.episode_id, []).append(given)
        for record in self._old.list(include="history", person=whose):
            if record.memory_id in known or (record.person_id or "") != person:
                continue
            known.add(record.memory_id)
            if record.source_episode_id is not None:
                found.setdefault(record.source_episode_id, []).append(_of_record(record))
        return found

    def _said(self, memory_id: str, whose: str | None) -> dict[str, Any]:
        try:
            return _of_record(self._old.get(memory_id, person=whose))
        except NotFound:
            return {}  # forgotten since, or turned down: its labels are all that is left

    # ------------------------------------------------------------------- with a model

    def ask(self, rows: list[EpisodeRow], model: LanguageModel, instructions: str) -> None:
        """Read every thread anew, a window after the other, in the order of their last items."""
        threads: dict[tuple[str, str], list[EpisodeRow]] = {}
        for row in rows:
            threads.setdefault((row.person, row.thread or row.id), []).append(row)
        windows = [
            (said[max(0, start - _CONTEXT) : start], said[start : start + _TURNS])
            for said in threads.values()
            for start in range(0, len(said), _TURNS)
        ]
        for context, turns in sorted(windows, key=lambda w: w[1][-1].occurred_at):
            person = turns[0].person or None
            items = [self._item(row, evidence=False) for row in context]
            items += [self._item(row) for row in turns]
            state = list(self._new.list(person=person))[-_STATE:]
            window = Window(
                items=tuple(items), schema=self._schema, state=tuple(map(StateLine.of, state)),
                subject=person, types=DEFAULT_TYPES, instructions=instructions,
            )  # fmt: skip
            learned = learn_window(self._new, window, model, tenant=self._tenant, person=person)
            self._counts.windows += 1
            self._counts.nominations += len(learned.judged)
            if learned.problem is not None:
                self._counts.add(self._counts.problems, learned.problem)
            for fault in learned.faults:
                self._counts.add(self._counts.problems, fault.code)
            for one in learned.judged:
                self._counts.add(self._counts.outcomes, one.outcome)

    def _item(self, row: EpisodeRow, *, evidence: bool = True) -> WindowItem:
        return WindowItem(
            episode_id=self._captured(row), role=row.role, text=row.content or "",
            at=iso(row.occurred_at), who=row.speaker, evidence=evidence,
        )  # fmt: skip


def _of_record(record: Record) -> dict[str, Any]:
    """Give what a memory says, as a nomination; a start that was the message's own is left out."""
    given: dict[str, Any] = {
        "subject": record.subject, "attribute": record.attribute, "type": record.memory_type,
        "value": record.value if record.text is None else None, "text": record.text,
        "quote": record.quote, "importance": record.importance,
    }  # fmt: skip
    if record.valid_from_basis == "stated":
        given["valid_from"] = record.valid_from
    return {name: value for name, value in given.items() if value is not None}


# ------------------------------------------------------------------------------ comparing


def _facts(memory: Memory, persons: list[str]) -> Facts:
    """Give what is in force and rests on episodes, by key."""
    found: Facts = {}
    seen: set[str] = set()
    for person in persons:
        for record in memory.list(person=person or None):
            if record.memory_id in seen or record.source_episode_id is None:
                continue
            seen.add(record.memory_id)
            told = record.to_dict()
            key = (
                record.person_id or "", record.subject or "", record.attribute or "",
                "" if record.attribute else record.memory_type,
            )  # fmt: skip
            value = record.text if record.text is not None else told["value"]
            found.setdefault(key, []).append((str(value), told["valid_from"], told["valid_to"]))
    return {key: sorted(facts, key=str) for key, facts in found.items()}


def _differences(here: Facts, there: Facts) -> list[dict[str, Any]]:
    """Give the keys of which something else is in force on the branch."""
    told: list[dict[str, Any]] = []
    for key in sorted({*here, *there}):
        ours, theirs = here.get(key, []), there.get(key, [])
        if ours == theirs:
            continue
        person, subject, attribute, type = key
        told.append(
            {
                "change": "added" if not ours else "changed" if theirs else "removed",
                "person": person or None, "subject": subject or None,
                "attribute": attribute or None, "type": type or None,
                "here": [_fact(one) for one in ours], "there": [_fact(one) for one in theirs],
            }
        )  # fmt: skip
    return told


def _fact(one: tuple[str, str, str | None]) -> dict[str, Any]:
    return {"value": one[0], "valid_from": one[1], "valid_to": one[2]}
