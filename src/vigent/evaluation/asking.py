"""Asking a memory everything the gold set knows, and comparing."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from vigent import Memory, Record
from vigent.evaluation.gold.dataset import (
    Dialogue,
    HistoryQuestion,
    Question,
    Refusal,
    Slot,
    SourceQuestion,
    Stretch,
    ValueQuestion,
    folded,
)

__all__ = ["KINDS", "Answer", "Counts", "Tally", "answer_all", "answer_refusal"]

KINDS: Final = ("current", "as_of", "history", "provenance", "rejected")


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, what the memory answered, and whether that is right.

    ``answer`` is JSON-ready: the value, a list where several hold at once, None for none; for
    the history the list of stretches, for the provenance the words.
    """

    kind: str
    turn: int
    slot: Slot
    answer: Any
    right: bool


@dataclass(slots=True)
class Tally:
    """How many questions were asked and how many answered wrongly."""

    checked: int = 0
    wrong: int = 0

    def add(self, *, right: bool) -> None:
        """Count one question."""
        self.checked += 1
        self.wrong += not right

    def to_dict(self) -> dict[str, int]:
        """Give both numbers as JSON-ready values."""
        return {"checked": self.checked, "wrong": self.wrong}


@dataclass(slots=True)
class Counts:
    """What the store holds in the end, counted from the histories it gives.

    A *fact* began where nothing held, one *superseded* another, one was *confirmed* by a
    further episode, one was *retracted*: it ended, unannounced, and nothing followed. Counted
    from the histories and not from the outcomes of the writes, the numbers do not depend on the
    order of writing, and are the same after a second run.
    """

    facts: int = 0
    confirmed: int = 0
    superseded: int = 0
    retracted: int = 0
    stated_ends: set[tuple[str, str, dt.datetime]] = field(
        default_factory=set[tuple[str, str, dt.datetime]]
    )

    def announce(self, dialogues: Iterable[Dialogue]) -> None:
        """Take note of the ends that were given with the value."""
        for dialogue in dialogues:
            for change in dialogue.changes:
                if change.valid_to is not None:
                    key = (dialogue.subject, change.slot.attribute, change.valid_to)
                    self.stated_ends.add(key)

    def add(self, subject: str, slot: Slot, believed: list[Record]) -> None:
        """Count what stands in the history of one slot."""
        lines: dict[str | None, list[Record]] = defaultdict(list)
        for record in believed:
            lines[folded(record.value) if slot.many else None].append(record)
        for line in lines.values():
            first: dict[str, Record] = {}
            for record in sorted(line, key=lambda r: r.valid_from):
                first.setdefault(record.memory_id, record)
            ended = {record.valid_to for record in line}
            followed = {record.valid_from for record in line}
            for record in first.values():
                follows = record.valid_from in ended and not slot.many
                self.superseded += follows
                self.facts += not follows
                self.confirmed += record.evidence_count - 1
            self.retracted += sum(
                end is not None
                and end not in followed
                and (subject, slot.attribute, end) not in self.stated_ends
                for end in ended
            )


def answer_all(memory: Memory, dialogue: Dialogue, counts: Counts) -> Iterator[Answer]:
    """Ask every question of one dialogue."""
    for question in dialogue.questions:
        yield _answer(memory, dialogue.subject, question, counts)


def answer_refusal(refusal: Refusal, *, refused: bool) -> Answer:
    """Give the attempt of a forbidden write as a question; right is that nothing was kept."""
    kept = None if refused else refusal.value
    return Answer("rejected", refusal.source.turn, refusal.slot, kept, refused)


def _answer(memory: Memory, subject: str, question: Question, counts: Counts) -> Answer:
    if isinstance(question, ValueQuestion):
        return _value(memory, subject, question)
    if isinstance(question, HistoryQuestion):
        return _history(memory, subject, question, counts)
    return _source(memory, subject, question)


def _holding(
    memory: Memory, subject: str, slot: Slot, at: dt.datetime | None
) -> tuple[Record, ...]:
    found: Record | tuple[Record, ...] | None = memory.current(subject, slot.attribute, as_of=at)
    if found is None:
        return ()
    return (found,) if isinstance(found, Record) else found


def _value(memory: Memory, subject: str, question: ValueQuestion) -> Answer:
    records = _holding(memory, subject, question.slot, question.at)
    values: list[str] = sorted(record.value for record in records)
    right = len(values) == len(question.accepted) and all(
        any(folded(value) in group for value in values) for group in question.accepted
    )
    answer = values if question.slot.many else values[0] if values else None
    return Answer(question.kind, question.turn, question.slot, answer, right)


def _history(memory: Memory, subject: str, question: HistoryQuestion, counts: Counts) -> Answer:
    rows = memory.history(subject, question.slot.attribute)
    believed = [row for row in rows if row.recorded_to is None]
    counts.add(subject, question.slot, believed)
    stretches = _joined(believed)
    answer = [
        {"value": s.value, "valid_from": _iso(s.begin), "valid_to": s.end and _iso(s.end)}
        for s in stretches
    ]
    right = stretches == _order(question.stretches)
    return Answer("history", question.turn, question.slot, answer, right)


def _source(memory: Memory, subject: str, question: SourceQuestion) -> Answer:
    said: list[str] = []
    for record in _holding(memory, subject, question.slot, question.at):
        if folded(record.value) == question.value:
            evidence = memory.provenance(record.memory_id).evidence
            said += [e.episode.content for e in evidence if e.episode and e.episode.content]
    right = question.source.text in said
    answer = question.source.text if right else next(iter(said), None)
    return Answer("provenance", question.turn, question.slot, answer, right)


def _joined(believed: list[Record]) -> list[Stretch]:
    """One stretch a value and uninterrupted time: beliefs may stand in several rows."""
    joined: dict[str, list[Stretch]] = defaultdict(list)
    for row in sorted(believed, key=lambda r: r.valid_from):
        value = folded(row.value)
        same = joined[value]
        if same and same[-1].end == row.valid_from:
            same[-1] = Stretch(same[-1].begin, row.valid_to, value)
        else:
            same.append(Stretch(row.valid_from, row.valid_to, value))
    return _order(stretch for same in joined.values() for stretch in same)


def _order(stretches: Iterable[Stretch]) -> list[Stretch]:
    return sorted(stretches, key=lambda s: (s.begin, s.value))


def _iso(instant: dt.datetime) -> str:
    return instant.isoformat().replace("+00:00", "Z")
