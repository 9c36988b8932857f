"""MultiWOZ 2.1: a dialogue's ``log`` alternates user and system turns.

The state stands whole in the ``metadata`` of a system turn (``semi`` and ``book`` without
``booked``); the user turn before it is where it was said. ``""``, ``none`` and
``not mentioned`` mean that the slot holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from vigent.evaluation.gold.dataset import (
    Dialogue,
    GoldError,
    GoldSet,
    Slot,
    Utterance,
    distinct_subject,
)
from vigent.evaluation.gold.documents import documents, listed, mapping
from vigent.evaluation.gold.story import Spellings, Step, differences, tell

__all__ = ["read"]

NAME: Final = "multiwoz"
_NOTHING: Final = {"", "none", "not mentioned"}

Entry = tuple[str, str, Any]


def read(path: Path, limit: int | None = None) -> GoldSet:
    """Read the dialogues at ``path``, the first ``limit`` of them.

    Raises:
        GoldError: nothing at ``path`` is a MultiWOZ dialogue, or a file is damaged.
    """
    logs = [story for _, document in documents(path) for story in _stories(document)]
    if not logs:
        raise GoldError(f"{path} holds no MultiWOZ dialogue")
    logs = logs[:limit]
    slots: dict[tuple[str, str], Slot] = {}
    for _, log in logs:
        for turn in log:
            for service, name, _ in _entries(turn):
                slots.setdefault((service, name), Slot(service, name))
    taken: set[str] = set()
    dialogues = tuple(
        _dialogue(dialogue_id, distinct_subject(dialogue_id, taken), log, slots)
        for dialogue_id, log in logs
    )
    return GoldSet(NAME, tuple(slots.values()), dialogues)


def _stories(document: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for dialogue_id, story in mapping(document).items():
        log = mapping(story).get("log")
        if isinstance(log, list):
            yield dialogue_id, [mapping(turn) for turn in listed(log)]


def _entries(turn: Mapping[str, Any]) -> Iterator[Entry]:
    for service, parts in mapping(turn.get("metadata")).items():
        for part in ("semi", "book"):
            for name, value in mapping(mapping(parts).get(part)).items():
                if name != "booked":
                    yield service, name, value


def _dialogue(
    dialogue_id: str,
    subject: str,
    log: list[dict[str, Any]],
    slots: Mapping[tuple[str, str], Slot],
) -> Dialogue:
    states: dict[int, dict[Slot, Spellings]] = {}
    said_at = 0
    for number, turn in enumerate(log):
        if turn.get("metadata"):
            # Two states after one user turn: the later one is what that turn led to.
            states[said_at] = {
                slots[service, name]: spellings
                for service, name, value in _entries(turn)
                if (spellings := _spellings(value))
            }
        else:
            said_at = number
    steps: list[Step] = []
    before: dict[Slot, Spellings] = {}
    for number, state in sorted(states.items()):
        given, dropped = differences(before, state)
        words = Utterance.of(number, "user", str(log[number]["text"]))
        steps.append(Step(words, given, dropped))
        before = state
    said = [
        Utterance.of(number, "system" if turn.get("metadata") else "user", str(turn.get("text")))
        for number, turn in enumerate(log)
    ]
    return tell(
        dialogue_id, subject, steps, last_turn=len(log) - 1, known=slots.values(), said=said
    )


def _spellings(value: Any) -> Spellings:
    return tuple(
        text for text in listed(value) if isinstance(text, str) and text.strip() not in _NOTHING
    )
