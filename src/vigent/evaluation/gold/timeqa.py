"""TimeQA: questions about an entity's property, asked of an interval of years or months.

A question "from Y1 to Y2" (months count) with its answers says that these values held over
[start of Y1, start of Y2); several may hold at once, and an empty answer says that none is
known. Questions of another form, and those whose interval is empty, are left out. A question is
asked in the middle of its interval: right is the set of the answers of all intervals that cover
that instant.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vigent.evaluation.gold.dataset import (
    Change,
    Dialogue,
    GoldError,
    GoldSet,
    HistoryQuestion,
    Question,
    Refusal,
    Slot,
    SourceQuestion,
    Stretch,
    Utterance,
    ValueQuestion,
    distinct_subject,
    folded,
    unused_name,
)
from vigent.evaluation.gold.documents import beside, mapping, objects

__all__ = ["read"]

NAME: Final = "timeqa"
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_DATE: Final = r"(?:([A-Za-z]{3,9})\.?\s+)?(\d{4})"
_INTERVAL: Final = re.compile(rf"\bfrom\s+{_DATE}\s+to\s+{_DATE}\b")
_NO_SUCH_PROPERTY: Final = "no such property"


@dataclass(frozen=True, slots=True)
class _Told:
    """What one question tells: over this interval these values held."""

    turn: int
    begin: dt.datetime
    end: dt.datetime
    answers: tuple[tuple[str, Utterance], ...]

    @property
    def middle(self) -> dt.datetime:
        return self.begin + (self.end - self.begin) / 2


@dataclass(frozen=True, slots=True)
class _Fact:
    """One value over one interval, with the words it rests on."""

    begin: dt.datetime
    end: dt.datetime
    value: str
    source: Utterance


def read(path: Path, limit: int | None = None) -> GoldSet:
    """Read the entries at ``path`` (the first ``limit``), and the names of their properties.

    Without ``relations.json`` there or beside it a property bears its number as its name.

    Raises:
        GoldError: nothing at ``path`` is a TimeQA entry, or a file is damaged.
    """
    entries: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for _, document in beside(path):
        entries += objects(document, "index", "type", "questions")
        names.update(_relations(document))
    if not entries:
        raise GoldError(f"{path} holds no TimeQA entry")
    entries = entries[:limit]
    slots = {
        kind: Slot(None, names.get(kind, kind), many=True)
        for kind in dict.fromkeys(str(entry["type"]) for entry in entries)
    }
    unknown = unused_name(_NO_SUCH_PROPERTY, (slot.name for slot in slots.values()))
    taken: set[str] = set()
    dialogues = tuple(
        _dialogue(entry, slots[str(entry["type"])], Slot(None, unknown), taken) for entry in entries
    )
    return GoldSet(NAME, tuple(dict.fromkeys(slots.values())), dialogues)


def _relations(document: Any) -> Iterator[tuple[str, str]]:
    for kind, relation in mapping(document).items():
        meaning = mapping(relation).get("meaning")
        if isinstance(meaning, str):
            yield kind, meaning


def _interval(question: str) -> tuple[dt.datetime, dt.datetime] | None:
    """The interval a question asks of; where it names two, the last is the one asked."""
    found = _INTERVAL.findall(question)
    if not found:
        return None
    month, year, end_month, end_year = found[-1]
    begin, end = _start(month, year), _start(end_month, end_year)
    return (begin, end) if begin is not None and end is not None and begin < end else None


def _start(month: str, year: str) -> dt.datetime | None:
    name = month[:3].lower()
    if int(year) < 1 or (name and name not in _MONTHS):
        return None
    return dt.datetime(int(year), _MONTHS.index(name) + 1 if name else 1, 1, tzinfo=dt.UTC)


def _told(entry: Mapping[str, Any]) -> list[_Told]:
    paragraphs: list[str] = entry.get("paras") or []
    told: list[_Told] = []
    for turn, (question, answers) in enumerate(entry["questions"]):
        interval = _interval(question)
        if interval is not None:
            values = tuple(
                (str(answer["answer"]), _words(answer, paragraphs, turn, question))
                for answer in answers
                if str(answer["answer"]).strip()
            )
            told.append(_Told(turn, *interval, values))
    return told


def _words(answer: Mapping[str, Any], paragraphs: list[str], turn: int, question: str) -> Utterance:
    number = answer.get("para")
    if isinstance(number, int) and 0 <= number < len(paragraphs):
        return Utterance.of(number, "document", paragraphs[number])
    return Utterance.of(len(paragraphs) + turn, "document", f"{question} {answer['answer']}")


def _facts(told: Iterable[_Told]) -> list[_Fact]:
    """One fact a value and interval, without those that lie within another of the same value.

    An interval inside a longer one adds nothing to the union that the questions ask for.
    """
    facts: dict[str, list[_Fact]] = {}
    for each in told:
        for value, source in each.answers:
            same = facts.setdefault(folded(value), [])
            fact = _Fact(each.begin, each.end, value, source)
            if not any(f.begin <= fact.begin and fact.end <= f.end for f in same):
                same[:] = [f for f in same if not (fact.begin <= f.begin and f.end <= fact.end)]
                same.append(fact)
    everything = [fact for same in facts.values() for fact in same]
    return sorted(everything, key=lambda fact: (fact.begin, fact.end))


def _stretches(facts: Iterable[_Fact]) -> tuple[Stretch, ...]:
    """The union of the intervals of each value."""
    joined: dict[str, list[Stretch]] = {}
    for fact in facts:
        value = folded(fact.value)
        same = joined.setdefault(value, [])
        last = same[-1] if same else None
        if last is not None and last.end is not None and fact.begin <= last.end:
            same[-1] = Stretch(last.begin, max(last.end, fact.end), value)
        else:
            same.append(Stretch(fact.begin, fact.end, value))
    return tuple(sorted(stretch for same in joined.values() for stretch in same))


def _dialogue(entry: Mapping[str, Any], slot: Slot, unknown: Slot, taken: set[str]) -> Dialogue:
    told = _told(entry)
    facts = _facts(told)
    questions: list[Question] = []
    for each in told:
        holding = {
            folded(value)
            for other in told
            if other.begin <= each.middle < other.end
            for value, _ in other.answers
        }
        accepted = tuple(frozenset({value}) for value in sorted(holding))
        questions.append(ValueQuestion("as_of", each.turn, slot, each.middle, accepted))
        for value, source in each.answers:
            if any(fact.source is source for fact in facts):
                questions.append(
                    SourceQuestion(each.turn, slot, folded(value), each.middle, source)
                )
    if facts:
        last = len(entry["questions"]) - 1
        # Every interval has an end, and "now" is after all of them.
        questions.append(ValueQuestion("current", last, slot, None, ()))
        questions.append(HistoryQuestion(last, slot, _stretches(facts)))
    changes = tuple(Change(slot, f.value, f.source, f.begin, f.end) for f in facts)
    refusals = tuple(Refusal(unknown, unknown.name, fact.source) for fact in facts[:1])
    subject = distinct_subject(str(entry["index"]), taken)
    return Dialogue(str(entry["index"]), subject, changes, refusals, tuple(questions))
