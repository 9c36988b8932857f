"""WOZ 2.0: each turn holds the words and the whole state after them.

The state is the ``belief_state`` entries with the act ``inform``. There is one service, so a
slot stands alone.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from vigent.evaluation.gold.documents import documents, objects
from vigent.evaluation.gold.story import Spellings, Step, differences, tell

__all__ = ["read"]

NAME: Final = "woz"

State = dict[Slot, Spellings]


def read(path: Path, limit: int | None = None) -> GoldSet:
    """Read the dialogues at ``path``, the first ``limit`` of them.

    Raises:
        GoldError: nothing at ``path`` is a WOZ dialogue, or a file is damaged.
    """
    stories = [
        story
        for _, document in documents(path)
        for story in objects(document, "dialogue_idx", "dialogue")
    ][:limit]
    if not stories:
        raise GoldError(f"{path} holds no WOZ dialogue")
    told = [[_state(turn) for turn in story["dialogue"]] for story in stories]
    slots = tuple(dict.fromkeys(slot for states in told for state in states for slot in state))
    taken: set[str] = set()
    dialogues = tuple(
        _dialogue(story, states, slots, taken) for story, states in zip(stories, told, strict=True)
    )
    return GoldSet(NAME, slots, dialogues)


def _state(turn: Mapping[str, Any]) -> State:
    return {
        Slot(None, str(name)): (str(value),)
        for entry in turn.get("belief_state") or ()
        if entry.get("act") == "inform"
        for name, value in entry["slots"]
        if str(value).strip()
    }


def _dialogue(
    story: Mapping[str, Any], states: list[State], slots: tuple[Slot, ...], taken: set[str]
) -> Dialogue:
    dialogue_id = str(story["dialogue_idx"])
    turns: list[Mapping[str, Any]] = story["dialogue"]
    steps: list[Step] = []
    before: State = {}
    for number, (turn, state) in enumerate(zip(turns, states, strict=True)):
        given, dropped = differences(before, state)
        words = Utterance.of(number, "user", str(turn["transcript"]))
        steps.append(Step(words, given, dropped))
        before = state
    return tell(
        dialogue_id,
        distinct_subject(dialogue_id, taken),
        steps,
        last_turn=len(turns) - 1,
        known=slots,
    )
