"""Public dialogues as extraction: captured, shown, answered over HTTP, judged and entered.

A scripted model answers the gold labels, of which a share goes wrong in twelve ways. The state
afterwards has to be that of the right ones, and of the wrong ones none may be in force. A right one
whose value does not stand in the words is held by the gate, as it must be; then the person confirms
it, as somebody would who looks through what waits, and it is counted.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vigent.domain.reasoning.window import StateLine, Window, WindowItem
from vigent.domain.schema import Schema
from vigent.errors import InvalidInput
from vigent.evaluation.gold.dataset import Change, GoldSet, Slot, Utterance, folded
from vigent.evaluation.replay import ReplayClock, schema_of
from vigent.evaluation.run import Progress, read_gold
from vigent.memory import Memory
from vigent.ports.models import LanguageModel
from vigent.rehearsal.corrupting import WAYS
from vigent.rehearsal.planning import Plan, Script, plans_of, spoil
from vigent.rehearsal.windows import Judged, Learned, learn_window
from vigent.schema import load_schema
from vigent.settings import LanguageSettings
from vigent.testing import ModelServer
from vigent.wiring import open_models

__all__ = ["EXTRACTABLE", "evaluate_extract"]

EXTRACTABLE: Final = ("sgd", "multiwoz")
"""The sets whose turns are there, so that they can be read as a conversation."""
_STRANGER: Final = "somebody-else"
_GATE: Final = {"gate": {"requests": "accept"}}
"""What is asked for counts as said: the sets are of tasks, and a task is its own subject."""
_SHOWN: Final = 100
"""So many wrong ones are listed."""

Stretches = list[tuple[str, dt.datetime, "dt.datetime | None"]]


@dataclass(slots=True)
class _Report:
    """What is counted on the way."""

    windows: int = 0
    calls: int = 0
    right: int = 0
    lost: int = 0
    confirmed: Counter[str] = field(default_factory=Counter[str])
    ways: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    in_force: Counter[str] = field(default_factory=Counter[str])
    wrong: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def evaluate_extract(
    dataset: str,
    path: Path,
    *,
    share: float = 0.2,
    seed: int = 1,
    limit: int | None = None,
    db: str | None = None,
    tenant: str = "default",
    store: str = "default",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Learn every dialogue of a set from the answers of a scripted model, and compare the state.

    ``share`` of the candidates go wrong, drawn with ``seed``. ``db`` must be a new file. Raises
    InvalidInput naming the set, the file, the share or the limit that does not fit.
    """
    if dataset not in EXTRACTABLE:
        raise InvalidInput("dataset", f"must be one of {', '.join(EXTRACTABLE)}, not {dataset!r}")
    if not 0 <= share <= 0.5:
        raise InvalidInput("corrupt", "must be a share from 0 to 0.5")
    tell = progress or _untold
    gold = read_gold(dataset, path, limit, tell)
    plans = plans_of(gold)
    spoil(plans, share, seed)
    schema = load_schema(schema_of(gold.slots))
    started = time.perf_counter()
    report = _Report()
    with _opened(gold, schema, db, tenant, store) as memory, _scripted(plans) as model:
        for done, plan in enumerate(plans, 1):
            _learn(memory, plan, model, schema, tenant, report)
            tell("learning", done, len(plans))
        checked = _check(memory, plans, report, tell)
    return _told(gold, plans, report, checked, time.perf_counter() - started)


def _untold(what: str, done: int, of: int) -> None:
    """Tell nobody how far it is."""


@contextlib.contextmanager
def _opened(
    gold: GoldSet, schema: Schema, db: str | None, tenant: str, store: str
) -> Generator[Memory]:
    with contextlib.ExitStack() as stack:
        if db is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="vigent-eval-"))
            db = str(Path(folder) / "extract.db")
        yield stack.enter_context(
            Memory.open(
                db, tenant=tenant, store=store, schema=schema, embedder="none", settings=_GATE,
                clock=ReplayClock(gold.asked_at),
            )
        )  # fmt: skip


@contextlib.contextmanager
def _scripted(plans: Iterable[Plan]) -> Generator[LanguageModel]:
    """Serve a model that answers as the plans say, and give the way to it over HTTP."""
    with ModelServer() as server:
        server.answer(Script(plans).answer)
        models = open_models(LanguageSettings(base_url=server.url, model="scripted"))
        with contextlib.closing(models):
            yield models.get("scripted")
            server.requests.clear()


# ------------------------------------------------------------------------- learning


def _person(subject: str) -> str:
    return f"customer {subject}"


def _learn(
    memory: Memory, plan: Plan, model: LanguageModel, schema: Schema, tenant: str, report: _Report
) -> None:
    """Capture the turns of a window, learn from it, and count what became of each candidate."""
    subject = plan.dialogue.subject
    person = _person(subject)
    items = [_item(memory, subject, one, evidence=False) for one in plan.context]
    items += [_item(memory, subject, one) for one in plan.turns]
    if plan.extra is not None:
        said = plan.extra
        episode = memory.capture(
            said.text, role=said.role, kind=said.kind, occurred_at=plan.turns[-1].at,
            thread=subject, person=_STRANGER if said.stranger else person,
        )  # fmt: skip
        items.append(WindowItem(episode_id=episode.id, role=said.role, text=said.text))
    standing = memory.list(subject=subject, person=person) if plan.context else ()
    window = Window(
        items=tuple(items), schema=schema, state=tuple(map(StateLine.of, standing)), subject=subject
    )
    learned = learn_window(memory, window, model, tenant=tenant, person=person)
    report.windows += 1
    report.calls += learned.calls
    report.lost += plan.lost
    _count(memory, plan, learned, report)


def _item(memory: Memory, subject: str, said: Utterance, *, evidence: bool = True) -> WindowItem:
    """Give a turn as an item; one that was captured before is not captured again."""
    role = "user" if said.speaker == "user" else "assistant"
    episode = memory.capture(
        said.text, role=role, kind="message", occurred_at=said.at, thread=subject,
        external_id=f"{subject}:{said.turn}", person=_person(subject),
    )  # fmt: skip
    return WindowItem(
        episode_id=episode.id, role=role, text=said.text, at=said.at.isoformat(), evidence=evidence
    )


def _count(memory: Memory, plan: Plan, learned: Learned, report: _Report) -> None:
    """Hold what became of each place of an answer to what was to become of it."""
    faults = {fault.place: fault.code for fault in learned.faults}
    judged = iter(learned.judged)
    for place, given in enumerate(plan.given):
        one = None if place in faults else next(judged, None)
        accepted = one is not None and one.in_force
        codes = [faults[place]] if place in faults else list(one.reasons if one else ())
        code = codes[0] if codes else ("" if one else learned.problem or "")
        if given.way is None:
            report.right += 1
            if not accepted and _confirmed(memory, plan, one):
                report.confirmed[code] += 1
            elif not accepted:
                report.wrong.append(_wrong(plan, given.change, "not in force", code))
            continue
        report.ways.setdefault(given.way, Counter())[code or "none"] += 1
        report.in_force[given.way] += accepted
        if accepted or not code:
            report.wrong.append(_wrong(plan, given.change, f"{given.way} in force", code))


def _confirmed(memory: Memory, plan: Plan, one: Judged | None) -> bool:
    """Confirm a right one that waits, as the person; whether it waited, and now is in force."""
    if one is None or one.candidate is None or one.candidate.memory_id is None:
        return False
    if one.outcome != "pending_review" or "value_unsupported" not in one.reasons:
        return False
    review = memory.records.review(_person(plan.dialogue.subject))
    return review.accept(one.candidate.memory_id, "person").outcome not in {"rejected", "contested"}


def _wrong(plan: Plan, change: Change, what: str, reason: str) -> dict[str, Any]:
    return {
        "dialogue": plan.dialogue.id, "turn": change.source.turn, "slot": change.slot.attribute,
        "value": change.value, "wrong": what, "reason": reason or None,
    }  # fmt: skip


# ------------------------------------------------------------------------- comparing


def _check(memory: Memory, plans: list[Plan], report: _Report, tell: Progress) -> int:
    """Compare the history of every slot with what the right candidates alone would leave."""
    right: dict[str, dict[Slot, list[Change]]] = {}
    for plan in plans:
        slots = right.setdefault(plan.dialogue.subject, {})
        for change in plan.changes:
            slots.setdefault(change.slot, [])
        for given in plan.given:
            if given.way is None:
                slots[given.change.slot].append(given.change)
    checked = 0
    for done, (subject, slots) in enumerate(right.items(), 1):
        for slot, changes in slots.items():
            checked += 1
            expected = _expected(changes)
            got = _held(memory, subject, slot)
            if got != expected:
                report.wrong.append(
                    {
                        "dialogue": subject, "slot": slot.attribute, "wrong": "state",
                        "expected": _shown(expected), "got": _shown(got),
                    }
                )  # fmt: skip
        tell("checking", done, len(right))
    return checked


def _expected(changes: list[Change]) -> Stretches:
    """Give what stands when changes, in order of time, are all there is."""
    stretches: Stretches = []
    for change in sorted(changes, key=lambda c: (c.valid_from, c.value is not None)):
        last = stretches[-1] if stretches and stretches[-1][2] is None else None
        value = None if change.value is None else folded(change.value)
        if last is not None and last[0] == value:
            continue
        if last is not None:
            stretches[-1] = (last[0], last[1], change.valid_from)
        if value is not None:
            stretches.append((value, change.valid_from, None))
    return [one for one in stretches if one[1] != one[2]]


def _held(memory: Memory, subject: str, slot: Slot) -> Stretches:
    """Give what the store holds, one stretch a value and uninterrupted time."""
    rows = memory.history(subject, slot.attribute, person=_person(subject))
    found: Stretches = []
    for row in sorted((r for r in rows if r.recorded_to is None), key=lambda r: r.valid_from):
        value = folded(str(row.value))
        if found and found[-1][0] == value and found[-1][2] == row.valid_from:
            found[-1] = (value, found[-1][1], row.valid_to)
        else:
            found.append((value, row.valid_from, row.valid_to))
    return found


def _shown(stretches: Stretches) -> list[list[str | None]]:
    return [[v, a.isoformat(), None if b is None else b.isoformat()] for v, a, b in stretches]


def _told(
    gold: GoldSet, plans: list[Plan], report: _Report, checked: int, seconds: float
) -> dict[str, Any]:
    every = sum(len(plan.changes) for plan in plans)
    bad = sum(sum(codes.values()) for codes in report.ways.values())
    return {
        "dataset": gold.name,
        "dialogues": len(gold.dialogues),
        "windows": report.windows,
        "calls": report.calls,
        "candidates": every,
        "right": report.right,
        "confirmed_by_the_person": dict(report.confirmed.most_common()),
        "corrupted": bad,
        "lost_with_the_answer": report.lost,
        "slots_checked": checked,
        "by_way": {
            way: {
                "n": sum(report.ways[way].values()),
                "in_force": report.in_force[way],
                "reasons": dict(report.ways[way].most_common()),
            }
            for way in WAYS
            if way in report.ways
        },
        "wrong_count": len(report.wrong),
        "wrong": report.wrong[:_SHOWN],
        "seconds": round(seconds, 1),
    }
