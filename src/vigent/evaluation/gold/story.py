"""A dialogue's state, turn by turn, told as changes and questions.

Plain last-state bookkeeping, shared by the sets that annotate a state after each user turn. A
slot's *stretch* runs from the turn that gave it a value to the turn that gave it another or
none. Every mention in a stretch lists the accepted spellings of the value, and the spelling
that stands in all of these lists is the value: an answer is then right at every turn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from vigent.evaluation.gold.dataset import (
    Change,
    Dialogue,
    HistoryQuestion,
    Question,
    Refusal,
    Slot,
    SourceQuestion,
    Stretch,
    Utterance,
    ValueQuestion,
    folded,
    instant_of,
    unused_name,
)

__all__ = ["Spellings", "Step", "differences", "tell"]

Spellings = tuple[str, ...]

_NO_SUCH_SLOT: Final = "no such slot"
_NO_SUCH_CHOICE: Final = "no such choice"


@dataclass(frozen=True, slots=True)
class Step:
    """What one turn changes, and the slots whose state is asked after it (None: all)."""

    source: Utterance
    given: Mapping[Slot, Spellings]
    dropped: Collection[Slot] = ()
    asked_services: Collection[str | None] | None = None
    refused: tuple[tuple[Slot, str], ...] = ()


@dataclass(slots=True)
class _Run:
    """One stretch of a slot while it is being told."""

    slot: Slot
    mentions: list[tuple[Utterance, Spellings]] = field(
        default_factory=list[tuple[Utterance, Spellings]]
    )
    shared: frozenset[str] = frozenset()
    end: int | None = None

    def add(self, source: Utterance, spellings: Spellings) -> None:
        keys = frozenset(map(folded, spellings))
        self.shared = self.shared & keys if self.mentions else keys
        self.mentions.append((source, spellings))

    @property
    def value(self) -> str:
        """The first spelling that every mention accepts."""
        return next(text for text in self.mentions[0][1] if folded(text) in self.shared)


def differences(
    before: Mapping[Slot, Spellings], after: Mapping[Slot, Spellings]
) -> tuple[dict[Slot, Spellings], set[Slot]]:
    """What leads from one whole state to the next: the slots given and those dropped."""
    given = {slot: value for slot, value in after.items() if before.get(slot) != value}
    return given, set(before) - set(after)


def tell(
    dialogue_id: str,
    subject: str,
    steps: Iterable[Step],
    *,
    last_turn: int,
    known: Collection[Slot],
    final: Mapping[Slot, Spellings] | None = None,
    said: Iterable[Utterance] = (),
) -> Dialogue:
    """Give the dialogue of these steps, one a turn and in order of the turns.

    ``final`` is the last state where the file itself names it, ``known`` every slot of the set
    (the made-up ones must be none of them), ``said`` every turn.
    """
    runs: dict[Slot, list[_Run]] = {}
    snapshots: list[tuple[int, _Run, Spellings]] = []
    dropped: list[tuple[Slot, Utterance]] = []
    refusals: list[Refusal] = []
    for step in steps:
        dropped += [(slot, step.source) for slot in _drop(runs, step)]
        _give(runs, step)
        refusals += [Refusal(slot, value, step.source) for slot, value in step.refused]
        snapshots += _asked(runs, step)
    everything = [run for slot in runs for run in runs[slot]]
    refusals += _made_up(everything, known)
    questions: list[Question] = [
        ValueQuestion("as_of", turn, run.slot, instant_of(turn), (_keys(spellings),))
        for turn, run, spellings in snapshots
    ]
    questions += _closing_questions(runs, last_turn, final or {})
    return Dialogue(
        dialogue_id,
        subject,
        _changes(everything, dropped),
        tuple(refusals),
        tuple(questions),
        tuple(said),
    )


def _drop(runs: Mapping[Slot, list[_Run]], step: Step) -> list[Slot]:
    ended = [slot for slot in step.dropped if slot in runs and runs[slot][-1].end is None]
    for slot in ended:
        runs[slot][-1].end = step.source.turn
    return ended


def _give(runs: dict[Slot, list[_Run]], step: Step) -> None:
    for slot, spellings in step.given.items():
        told = runs.setdefault(slot, [])
        run = told[-1] if told and told[-1].end is None else None
        if run is None or run.shared.isdisjoint(map(folded, spellings)):
            if run is not None:
                run.end = step.source.turn
            run = _Run(slot)
            told.append(run)
        run.add(step.source, spellings)


def _asked(runs: Mapping[Slot, list[_Run]], step: Step) -> list[tuple[int, _Run, Spellings]]:
    return [
        (step.source.turn, told[-1], told[-1].mentions[-1][1])
        for slot, told in runs.items()
        if told[-1].end is None
        and (step.asked_services is None or slot.service in step.asked_services)
    ]


def _changes(runs: Iterable[_Run], dropped: Iterable[tuple[Slot, Utterance]]) -> tuple[Change, ...]:
    given = [
        Change(run.slot, run.value, source, instant_of(source.turn))
        for run in runs
        for source, _ in run.mentions
    ]
    ended = [Change(slot, None, source, instant_of(source.turn)) for slot, source in dropped]
    return tuple(sorted(ended + given, key=lambda change: change.valid_from))


def _closing_questions(
    runs: Mapping[Slot, list[_Run]],
    last_turn: int,
    final: Mapping[Slot, Spellings],
) -> list[Question]:
    questions: list[Question] = []
    for slot, told in runs.items():
        last = told[-1]
        stands = last.mentions[-1][1] if last.end is None else ()
        closing = final.get(slot, stands)
        if closing:
            questions.append(ValueQuestion("current", last_turn, slot, None, (_keys(closing),)))
        stretches = tuple(
            Stretch(
                instant_of(run.mentions[0][0].turn),
                None if run.end is None else instant_of(run.end),
                folded(run.value),
            )
            for run in told
        )
        questions.append(HistoryQuestion(last_turn, slot, stretches))
        if stands:
            source = last.mentions[0][0]
            questions.append(SourceQuestion(source.turn, slot, folded(last.value), None, source))
    return questions


def _made_up(runs: Iterable[_Run], known: Collection[Slot]) -> list[Refusal]:
    """An unknown slot of each service spoken of, and an unlisted value of each closed list."""
    first: dict[Slot, Utterance] = {}
    services: dict[str | None, Utterance] = {}
    for run in runs:
        first.setdefault(run.slot, run.mentions[0][0])
        services.setdefault(run.slot.service, run.mentions[0][0])
    names = [slot.name for slot in known]
    unknown = unused_name(_NO_SUCH_SLOT, names)
    return [
        *(Refusal(Slot(service, unknown), unknown, said) for service, said in services.items()),
        *(
            Refusal(slot, unused_name(_NO_SUCH_CHOICE, slot.choices), said)
            for slot, said in first.items()
            if slot.choices is not None
        ),
    ]


def _keys(spellings: Spellings) -> frozenset[str]:
    return frozenset(map(folded, spellings))
