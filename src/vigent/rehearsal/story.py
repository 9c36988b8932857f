"""Runs a file of episodes the whole way, and holds each stage to what is expected of it."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, cast

from vigent.domain.reasoning.window import DEFAULT_TYPES, StateLine, Window, WindowItem
from vigent.domain.records import Record
from vigent.domain.time import named_zone, parse_instant, to_datetime
from vigent.errors import VigentError
from vigent.memory import Memory
from vigent.ports.models import LanguageModel
from vigent.proposals import MemoryDelta
from vigent.rehearsal.storyfile import Question, Said, Standing, Step, Story, Verdict, read_story
from vigent.rehearsal.windows import learn_window
from vigent.schema import load_schema
from vigent.settings import LanguageSettings
from vigent.testing import Answer, FakeClock, ModelServer
from vigent.wiring import open_models

__all__ = ["STAGES", "replay_file"]

STAGES: Final = ("extract", "gate", "reconcile", "retrieve", "scope", "answer")
"""The stages that a difference can be of, in their order."""
_TENANT: Final = "replay"
_THREAD: Final = "replay"
_CONTEXT: Final = 2


@dataclass(slots=True)
class _Report:
    """What was compared, and what was not as expected."""

    checked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STAGES, 0))
    wrong: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def compare(self, stage: str, where: str, what: str, expected: Any, got: Any) -> None:
        """Count one comparison, and note it where it does not come out."""
        self.checked[stage] += 1
        if expected != got:
            self.wrong.append(
                {"stage": stage, "at": where, "what": what, "expected": expected, "got": got}
            )


def replay_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Replay a file in a store of its own, and give by stage what was checked and what differs.

    The clock goes by the episodes: each step is recorded when its last one was said. Raises
    InvalidInput naming the field that is not as documented.
    """
    story = read_story(path)
    report = _Report()
    clock = FakeClock(story.steps[0].episodes[0].at)
    with (
        Memory.open(
            ":memory:", tenant=_TENANT, person=story.person, schema=story.schema_, clock=clock,
            embedder="none", settings=story.settings,
        ) as memory,
        ModelServer() as server,
        _model(server.url) as model,
    ):  # fmt: skip
        run = _Run(story, memory, clock, report, server, model)
        for number, step in enumerate(story.steps):
            run.step(number, step)
        for number, question in enumerate(story.questions):
            run.ask(f"questions.{number}", question)
    wrong = {stage: sum(one["stage"] == stage for one in report.wrong) for stage in STAGES}
    return {
        "about": story.about,
        "steps": len(story.steps),
        "questions": len(story.questions),
        "stages": {s: {"checked": report.checked[s], "wrong": wrong[s]} for s in STAGES},
        "wrong": report.wrong,
    }


@contextlib.contextmanager
def _model(url: str) -> Generator[LanguageModel]:
    models = open_models(LanguageSettings(base_url=url, model="scripted", attempts=1))
    with contextlib.closing(models):
        yield models.get("scripted")


class _Run:
    """One replay under way."""

    def __init__(
        self, story: Story, memory: Memory, clock: FakeClock, report: _Report,
        server: ModelServer, model: LanguageModel,
    ) -> None:  # fmt: skip
        self._story, self._memory, self._clock, self._report = story, memory, clock, report
        self._server, self._model = server, model
        self._schema = load_schema(story.schema_)
        self._before: list[WindowItem] = []

    # --------------------------------------------------------------------------- a step

    def step(self, number: int, step: Step) -> None:
        """Capture the episodes of a step, learn from them, and compare."""
        where = f"steps.{number}"
        items = [self._captured(said) for said in step.episodes]
        if step.answer is not None:
            outcomes = self._asked(where, step, items)
        else:
            outcomes = [self._handed(one, items) for one in step.candidates or ()]
        self._before = [*self._before, *items][-_CONTEXT:]
        expect = step.expect
        if expect.gate is not None:
            self._verdicts(where, expect.gate, [(gate, reason) for gate, reason, _ in outcomes])
        if expect.reconcile is not None:
            done = [came for gate, _, came in outcomes if gate == "accepted"]
            self._report.compare("reconcile", where, "outcomes", list(expect.reconcile), done)
        for standing in expect.ledger:
            self._held(where, standing)

    def _captured(self, said: Said) -> WindowItem:
        self._clock.set(said.at)
        kind = said.kind or ("tool_result" if said.role == "tool" else "message")
        episode = self._memory.capture(
            said.text, role=said.role, kind=kind, occurred_at=said.at, speaker=said.speaker,
            thread=said.thread or _THREAD, person=said.person or self._story.person,
        )  # fmt: skip
        local = to_datetime(parse_instant(said.at, "at")).astimezone(
            named_zone(self._story.timezone)
        )
        return WindowItem(
            episode_id=episode.id, role=said.role, text=said.text, at=local.isoformat(),
            who=said.speaker,
        )  # fmt: skip

    def _asked(self, where: str, step: Step, items: list[WindowItem]) -> list[tuple[str, Any, Any]]:
        """Let the model answer about the step's window, as the file says."""
        said = step.answer
        failure = said.get("fail") if isinstance(said, dict) else None
        self._server.script.rules.clear()
        self._server.answer(
            Answer(failure=failure) if failure
            else Answer(text=said) if isinstance(said, str)
            else Answer(value=said)
        )  # fmt: skip
        context = [
            WindowItem(episode_id=i.episode_id, role=i.role, text=i.text, at=i.at, evidence=False)
            for i in self._before
        ]
        window = Window(
            items=(*context, *items), schema=self._schema,
            state=tuple(map(StateLine.of, self._memory.list())), subject=self._story.person,
            types=self._story.types or DEFAULT_TYPES,
        )  # fmt: skip
        learned = learn_window(
            self._memory, window, self._model, tenant=_TENANT, person=self._story.person,
            zone=self._story.timezone,
        )  # fmt: skip
        expect, compare = step.expect, self._report.compare
        if expect.extract is not None:
            compare("extract", where, "candidates", expect.extract, len(learned.judged))
        if expect.faults is not None:
            faults = [fault.code for fault in learned.faults]
            compare("extract", where, "faults", list(expect.faults), faults)
        if expect.problem is not None or learned.problem is not None:
            compare("extract", where, "problem", expect.problem, learned.problem)
        return [
            (one.outcome, next(iter(one.reasons), None), _came(one.candidate))
            for one in learned.judged
        ]

    def _handed(self, given: Mapping[str, Any], items: list[WindowItem]) -> tuple[str, Any, Any]:
        """Hand a candidate to the gate as it stands in the file."""
        fields = {name: _plain(value) for name, value in given.items() if name != "item"}
        place: int = given.get("item", 0)
        episode: str = items[place].episode_id
        try:
            delta = MemoryDelta.of(
                {
                    "tenant_id": _TENANT, "timezone": self._story.timezone, **fields,
                    "source_episode_id": episode,
                }
            )  # fmt: skip
            candidate = self._memory.candidates.learn(delta)
        except VigentError as error:
            return "rejected", error.code, None
        return candidate.outcome, candidate.reason, _came(candidate)

    def _verdicts(
        self, where: str, wanted: Sequence[Verdict], got: list[tuple[str, str | None]]
    ) -> None:
        """Compare verdicts; where no reason is asked for any will do, and it is still told."""
        asked = [(v.outcome, v.reason) for v in wanted]
        fits = len(asked) == len(got) and all(
            mine[0] == theirs[0] and mine[1] in (None, theirs[1])
            for mine, theirs in zip(asked, got, strict=True)
        )
        told = [{"outcome": outcome, "reason": reason} for outcome, reason in got]
        expected = [{"outcome": outcome, "reason": reason} for outcome, reason in asked]
        self._report.compare("gate", where, "verdicts", told if fits else expected, told)

    # ------------------------------------------------------------------------ the ledger

    def _held(self, where: str, standing: Standing) -> None:
        whose = standing.person or self._story.person
        what = f"{standing.subject}.{standing.attribute}"
        if standing.history is None:
            found = self._memory.current(standing.subject, standing.attribute, person=whose)
            self._report.compare(
                "reconcile", where, what, _wanted(standing.value), _values(found)
            )  # fmt: skip
            return
        rows = self._memory.history(standing.subject, standing.attribute, person=whose)
        believed = sorted((r for r in rows if r.recorded_to is None), key=lambda r: r.valid_from)
        expected: list[dict[str, Any]] = []
        got: list[dict[str, Any]] = []
        for place in range(max(len(standing.history), len(believed))):
            if place < len(standing.history):
                wanted = standing.history[place]
                expected.append(_stretch(wanted.value, wanted.start, wanted.end))
            if place < len(believed):
                row = believed[place]
                got.append(_stretch(row.to_dict()["value"], row.valid_from, row.valid_to))
        for mine, theirs in zip(expected, got, strict=False):
            if mine["start"] is None:
                theirs["start"] = None
        self._report.compare("reconcile", where, f"history of {what}", expected, got)

    def ask(self, where: str, question: Question) -> None:
        """Ask a question at the end, and compare."""
        whose = question.person or self._story.person
        stage = "scope" if whose != self._story.person else "answer"
        if question.search is not None:
            found = self._memory.search(
                question.search, as_of=question.as_of, known_at=question.known_at, person=whose
            )
            got = [_plain(r.text if r.text is not None else r.value) for r in found.records]
            stage = "retrieve" if stage == "answer" else stage
            wanted = _wanted(question.expect)
            listed: list[Any] = (
                cast("list[Any]", wanted)
                if isinstance(wanted, list)
                else []
                if wanted is None
                else [wanted]
            )
            self._report.compare(stage, where, question.search, listed, got[: max(1, len(listed))])
            return
        at = self._memory.current(
            question.subject or "", question.attribute, as_of=question.as_of,
            known_at=question.known_at, person=whose,
        )  # fmt: skip
        what = f"{question.subject}.{question.attribute}"
        self._report.compare(stage, where, what, _wanted(question.expect), _values(at))


def _came(candidate: Any) -> str | None:
    result = None if candidate is None else candidate.result
    return None if result is None else result.outcome


def _stretch(value: Any, start: Any, end: Any) -> dict[str, Any]:
    return {"value": _plain(value), "start": _moment(start), "end": _moment(end)}


def _moment(given: Any) -> str | None:
    if given is None:
        return None
    return to_datetime(parse_instant(given, "at")).isoformat().replace("+00:00", "Z")


def _values(found: Any) -> Any:
    if found is None:
        return None
    if isinstance(found, tuple):
        return sorted((_plain(one.value) for one in cast("tuple[Record, ...]", found)), key=str)
    return _plain(found.value)


def _wanted(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return sorted((_plain(one) for one in cast("list[Any]", value)), key=str)
    return _plain(value)


def _plain(value: Any) -> Any:
    """Give a value as a file and a store may be compared: days as text, numbers as numbers."""
    if isinstance(value, dt.date | dt.datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
