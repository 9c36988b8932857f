"""The windows of a data set, and what the scripted model is to answer about each."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from vigent.domain.reasoning.window import SELF
from vigent.evaluation.gold.dataset import Change, Dialogue, GoldSet, Utterance
from vigent.rehearsal.corrupting import WAYS, WHOLE, Extra, Wrong, corrupted, extra_of
from vigent.testing import Answer, ModelRequest

__all__ = ["CONTEXT", "Given", "Plan", "Script", "plans_of", "spoil"]

_TURNS: Final = 8
"""Turns of a window that may be learned from."""
CONTEXT: Final = 2
"""Turns before them that are shown to be understood."""
_SPLIT: Final = ("\n\nSTATE\n", "\n\nWINDOW\n")


@dataclass(frozen=True, slots=True)
class Given:
    """A candidate that was answered: of which change, and how it was spoilt if it was."""

    change: Change
    way: str | None = None


@dataclass(slots=True)
class Plan:
    """A window: context, turns, and the gold changes in it; ``spoilt`` is the place and the way.

    ``given`` is filled when the answer is: what stands at each place of it. ``lost`` are the
    right ones that an answer, spoilt whole, took with it.
    """

    dialogue: Dialogue
    context: tuple[Utterance, ...]
    turns: tuple[Utterance, ...]
    changes: tuple[Change, ...]
    spoilt: dict[int, str] = field(default_factory=dict[int, str])
    given: list[Given] = field(default_factory=list[Given])
    lost: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """By what a request is known to be about this window."""
        return self.dialogue.subject, self.turns[0].at.isoformat()

    @property
    def extra(self) -> Extra | None:
        """The item at the end that somebody slipped in."""
        for place, way in self.spoilt.items():
            change = self.changes[place]
            found = extra_of(way, change.slot.attribute, change.value or "")
            if found is not None:
                return found
        return None

    @property
    def whole(self) -> str | None:
        """How the whole answer goes wrong, if it does."""
        return next((way for way in self.spoilt.values() if way in WHOLE), None)


def plans_of(gold: GoldSet) -> list[Plan]:
    """Cut every dialogue into windows; each turn is learned from in one of them."""
    return [plan for dialogue in gold.dialogues for plan in _windows(dialogue)]


def _windows(dialogue: Dialogue) -> Iterator[Plan]:
    said = dialogue.said
    for begin in range(0, len(said), _TURNS):
        turns = said[begin : begin + _TURNS]
        numbers = {each.turn for each in turns}
        changes = tuple(c for c in dialogue.changes if c.source.turn in numbers)
        yield Plan(dialogue, said[max(0, begin - CONTEXT) : begin], turns, changes)


def spoil(plans: Iterable[Plan], share: float, seed: int) -> None:
    """Choose which candidates go wrong, and how: ``share`` of all, the ways in turn."""
    drawn = random.Random(seed)  # noqa: S311 - a choice, no secret
    order = [plan for plan in plans if plan.changes]
    left = round(share * sum(len(plan.changes) for plan in order))
    used: Counter[str] = Counter()
    drawn.shuffle(order)
    # Each window bears one, then each that can bear another, until the share is reached.
    while left > 0 and order:
        still: list[Plan] = []
        for plan in order:
            fits = ((way, _place_for(way, plan, drawn)) for way in _rarest(used))
            way, place = next((one for one in fits if one[1] is not None), ("", None))
            if place is None or left <= 0:
                continue
            plan.spoilt[place] = way
            used[way] += 1
            left -= len(plan.changes) if way in {"malformed", "refusal"} else 1
            if way not in WHOLE:
                still.append(plan)
        order = still


def _rarest(used: Counter[str]) -> list[str]:
    """Give the ways, those that were used least first."""
    return sorted(WAYS, key=lambda way: (used[way], WAYS.index(way)))


def _place_for(way: str, plan: Plan, drawn: random.Random) -> int | None:
    free = [n for n in range(len(plan.changes)) if n not in plan.spoilt]
    if way in WHOLE and plan.spoilt:
        return None
    if way in {"injected_instruction", "other_person"}:
        free = [] if plan.extra else [n for n in free if plan.changes[n].value is not None]
    if way == "wrong_speaker" and _told(plan) is None:
        return None
    if way == "other_key" and not plan.context:
        return None  # nothing can stand yet that a first window shows
    return drawn.choice(free) if free else None


def _told(plan: Plan) -> tuple[int, str] | None:
    """Give a turn of the system's that asks nothing: no yes can make it the person's word."""
    for number, each in enumerate(plan.turns, len(plan.context) + 1):
        if each.speaker == "system" and "?" not in each.text:
            return number, each.text
    return None


class Script:
    """Answers about windows as their plans say, from what the request shows of the state."""

    def __init__(self, plans: Iterable[Plan]) -> None:
        self._plans = {plan.key: plan for plan in plans}

    def answer(self, request: ModelRequest) -> Answer:
        """Give the gold labels of the window a request is about, spoilt where its plan says so."""
        asked = next(text for role, text in request.messages if role == "user")
        head, _, rest = asked.partition(_SPLIT[0])
        stood, _, shown = rest.partition(_SPLIT[1])
        state = [json.loads(line) for line in stood.splitlines() if line.startswith("{")]
        items = [json.loads(line) for line in shown.splitlines()]
        first = next(one for one in items if not one.get("context_only"))
        plan = self._plans[json.loads(head)["user_is"], first["at"]]
        plan.given, plan.lost = [], 0
        return _answered(plan, state, items)


def _answered(plan: Plan, state: list[dict[str, Any]], items: list[dict[str, Any]]) -> Answer:
    listed: list[dict[str, Any]] = []
    last: dict[str, Any] | None = None
    numbers = {each.turn: n for n, each in enumerate(plan.turns, len(plan.context) + 1)}
    extra = (len(items), str(items[-1]["text"])) if plan.extra else None
    for place, change in enumerate(plan.changes):
        right = _right(change, numbers[change.source.turn], state)
        way = plan.spoilt.get(place)
        if way in WHOLE:
            last = right
            continue
        other = next((x["n"] for x in state if x.get("attribute") != change.slot.attribute), None)
        bad = None if way is None else corrupted(way, right, Wrong(_told(plan), extra, other))
        if bad is None or way == "duplicate":
            listed.append(right)
            plan.given.append(Given(change))
        if bad is not None:
            listed.append(bad)
            plan.given.append(Given(change, way))
    if plan.whole is None or last is None:
        return Answer(value={"candidates": listed})
    return _spoilt(plan, listed, last)


def _spoilt(plan: Plan, listed: list[dict[str, Any]], last: dict[str, Any]) -> Answer:
    """Give an answer that goes wrong as a whole; what was cut off stands at its end."""
    place = next(n for n, way in plan.spoilt.items() if way in WHOLE)
    way = plan.spoilt[place]
    if way != "cut_off":
        plan.lost, plan.given = len(listed), [Given(plan.changes[place], way)]
        return Answer(failure="refuse" if way == "refusal" else "malformed")
    plan.given.append(Given(plan.changes[place], way))
    text = json.dumps({"candidates": [*listed, last]}, ensure_ascii=False)
    kept = text[: text.rindex('"relation"')]
    # The server sends the first half of a text that is cut off.
    return Answer(text=kept + " " * len(kept), failure="cut_off")


def _right(change: Change, number: int, state: list[dict[str, Any]]) -> dict[str, Any]:
    line = next((one for one in state if one.get("attribute") == change.slot.attribute), None)
    if change.value is None:
        relation = "ended"
    elif line is None:
        relation = "new"
    else:
        relation = "same" if line["value"] == change.value else "changed"
    return {
        "item": number, "quote": change.source.text, "speaker": "user", "about": "thing",
        "assertion": "asserted", "durable": "durable", "type": "fact", "subject": SELF,
        "attribute": change.slot.attribute, "relation": relation,
        "state": None if line is None else line["n"], "value": change.value, "time_words": None,
        "valid_from": None, "valid_to": None, "due": None, "importance": 5, "confidence": 0.9,
    }  # fmt: skip
