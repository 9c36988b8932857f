"""Evaluation of recall: conversations captured turn by turn, every question searched for.

No model is called but the embedder. What is found is compared with the evidence that the file
names, turn by turn.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from vigent import Memory
from vigent.errors import InvalidInput
from vigent.evaluation.gold import locomo, longmemeval
from vigent.evaluation.gold.dataset import GoldError
from vigent.evaluation.gold.passages import Ask, Conversation, RecallSet

__all__ = ["DEPTHS", "RECALL_SETS", "evaluate_recall"]

DEPTHS: Final = (5, 10, 25, 50)
"""At how many hits recall is taken."""
_READERS: Final[dict[str, Callable[[Path, int | None], RecallSet]]] = {
    "locomo": locomo.read,
    "longmemeval": longmemeval.read,
}
RECALL_SETS: Final = tuple(_READERS)
"""The names of the sets that can be searched."""
_PATIENCE: Final = 3_600.0
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

Progress = Callable[[str, int, int], None]


class _AskingClock:
    """Tells the time at which a question is asked; capture takes place before all of them."""

    def __init__(self, at: dt.datetime) -> None:
        self.at = at

    def now(self) -> int:
        """Microseconds since 1970 in UTC."""
        return (self.at - _EPOCH) // dt.timedelta(microseconds=1)


@dataclass(slots=True)
class _Scores:
    """Shares of the evidence found at each depth, over the questions of one kind."""

    shares: dict[int, list[float]] = field(default_factory=lambda: {k: [] for k in DEPTHS})

    def add(self, ranked: Sequence[str], evidence: Sequence[str]) -> None:
        for depth in DEPTHS:
            top = set(ranked[:depth])
            self.shares[depth].append(sum(id in top for id in evidence) / len(evidence))

    def recall(self) -> dict[str, float]:
        return self._mean(lambda share: share)

    def any(self) -> dict[str, float]:
        return self._mean(lambda share: float(share > 0))

    def all(self) -> dict[str, float]:
        return self._mean(lambda share: float(share == 1))

    def _mean(self, of: Callable[[float], float]) -> dict[str, float]:
        return {
            str(depth): round(statistics.fmean(map(of, shares)), 4) if shares else 0.0
            for depth, shares in self.shares.items()
        }

    def to_dict(self) -> dict[str, Any]:
        found = {"recall": self.recall(), "any": self.any(), "all": self.all()}
        return {"questions": len(self.shares[DEPTHS[0]]), **found}


def evaluate_recall(
    dataset: str,
    path: Path,
    *,
    db: str | None = None,
    limit: int | None = None,
    answers: Path | None = None,
    progress: Progress | None = None,
    tenant: str = "default",
    store: str = "default",
    search: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Capture a set's conversations, each the scope of a person, and search for every question.

    ``limit`` is the number of conversations (of LongMemEval: of questions); ``answers`` gets one
    JSON line a question with the ids found, best first; ``search`` are further arguments of
    ``memory.search``. Turns without words are left out and named in ``blank_turns``. Raises
    InvalidInput where the set, the file or the limit does not fit.
    """
    report = progress or _silent
    gold = _read(dataset, path, limit)
    asked_at = max(ask.at for c in gold.conversations for ask in c.questions)
    clock = _AskingClock(max([asked_at, *(t.at for c in gold.conversations for t in c.turns)]))
    with contextlib.ExitStack() as stack:
        if db is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="vigent-eval-"))
            db = str(Path(folder) / "eval.db")
        lines = None if answers is None else stack.enter_context(_opened(answers))
        memory = stack.enter_context(Memory.open(db, tenant=tenant, store=store, clock=clock))
        began, blank = time.perf_counter(), list[str]()
        for done, conversation in enumerate(gold.conversations):
            report("capturing", done, len(gold.conversations))
            blank += _capture(memory, gold.name, conversation)
        memory.index.catch_up(_PATIENCE)
        index_seconds = time.perf_counter() - began
        found = _ask_all(memory, clock, gold, lines, report, dict(search or {}))
    return {**found, "index_s": round(index_seconds, 3), "blank_turns": blank}


def _read(dataset: str, path: Path, limit: int | None) -> RecallSet:
    if limit is not None and limit < 1:
        raise InvalidInput("limit", "must be at least 1")
    try:
        return _READERS[dataset](Path(path), limit)
    except (GoldError, OSError) as error:
        raise InvalidInput("path", str(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput("path", f"{path} is no {dataset} file as known: {error!r}") from error


def _opened(answers: Path) -> IO[str]:
    try:
        return answers.open("w", encoding="utf-8")
    except OSError as error:
        raise InvalidInput("answers", f"cannot be written: {error}") from error


def _capture(memory: Memory, name: str, conversation: Conversation) -> list[str]:
    """Keep each turn in the thread of its session; a second run adds nothing.

    Gives the turns without words, of which nothing can be kept.
    """
    person, blank = f"{name}-{conversation.id}", list[str]()
    for turn in conversation.turns:
        if not turn.text.strip():
            blank.append(f"{conversation.id} {turn.id}")
            continue
        memory.capture(
            turn.text, role=turn.role, speaker=turn.speaker, occurred_at=turn.at,
            thread=f"{person}-{turn.session}", external_id=f"{person}-{turn.id}", person=person,
            metadata={"turn": turn.id},
        )  # fmt: skip
    return blank


def _ask_all(
    memory: Memory,
    clock: _AskingClock,
    gold: RecallSet,
    lines: IO[str] | None,
    report: Progress,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    every, core, kinds = _Scores(), _Scores(), dict[str, _Scores]()
    took: list[float] = []
    total = sum(len(c.questions) for c in gold.conversations)
    for conversation in gold.conversations:
        for ask in conversation.questions:
            report("asking", len(took), total)
            clock.at = ask.at
            began = time.perf_counter()
            ranked = _ranked(memory, f"{gold.name}-{conversation.id}", ask, more)
            took.append(1_000 * (time.perf_counter() - began))
            counted = [every, kinds.setdefault(ask.category, _Scores())]
            for scores in (*counted, core) if ask.category in gold.core else counted:
                scores.add(ranked, ask.evidence)
            if lines is not None:
                lines.write(_line(gold.name, conversation, ask, ranked))
    found = {"dataset": gold.name, **every.to_dict()}
    if gold.core:
        found["core_categories"] = {"categories": sorted(gold.core), **core.to_dict()}
    return {
        **found,
        "by_category": {name: kinds[name].to_dict() for name in sorted(kinds)},
        "p50_ms": round(statistics.median(took), 3),
        "p95_ms": round(_percentile(took, 0.95), 3),
    }


def _ranked(memory: Memory, person: str, ask: Ask, more: Mapping[str, Any]) -> list[str]:
    """Give the turns found, best first. Asked to expand, nothing ranked is held back."""
    asked: dict[str, Any] = {"include": "episodes", "expand": "always", "limit": DEPTHS[-1], **more}
    answer = memory.search(ask.text, person=person, **asked)
    return [hit.episode.metadata["turn"] for hit in answer if hit.episode is not None]


def _line(name: str, conversation: Conversation, ask: Ask, ranked: Iterable[str]) -> str:
    line = {
        "dataset": name, "conversation": conversation.id, "question": ask.id,
        "category": ask.category, "evidence": list(ask.evidence), "ranked": list(ranked),
    }  # fmt: skip
    return json.dumps(line, ensure_ascii=False) + "\n"


def _percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report to nobody."""
