"""One evaluation from file to figures."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from vigent import Memory
from vigent.errors import InvalidInput
from vigent.evaluation.asking import KINDS, Answer, Counts, Tally, answer_all, answer_refusal
from vigent.evaluation.gold import multiwoz, sgd, timeqa, woz
from vigent.evaluation.gold.dataset import Dialogue, GoldError, GoldSet
from vigent.evaluation.replay import ReplayClock, perform, schema_of

__all__ = ["DATASETS", "Progress", "evaluate", "read_gold"]

_CLIENTS: Final = 8
"""How many capture at once where a server waits for its disk at each commit, for all together."""
_SERVERS: Final = ("postgresql://", "postgres://")

Progress = Callable[[str, int, int], None]
"""Told the stage ("reading", "writing" or "asking"), how much of it is done, and its total."""

_READERS: Final[dict[str, Callable[[Path, int | None], GoldSet]]] = {
    "sgd": sgd.read,
    "multiwoz": multiwoz.read,
    "woz": woz.read,
    "timeqa": timeqa.read,
}

DATASETS: Final = tuple(_READERS)
"""The names of the sets that can be replayed."""


def evaluate(
    dataset: str,
    path: Path,
    *,
    db: str | None = None,
    shuffle: int | None = None,
    limit: int | None = None,
    answers: Path | None = None,
    progress: Progress | None = None,
    tenant: str = "default",
    store: str = "default",
) -> dict[str, Any]:
    """Replay a data set as real writes, ask every question, and count what is wrong.

    ``path`` is a file or folder of the set, ``db`` the store's file (None: a temporary one that
    is removed), ``shuffle`` the seed of a random order of writing, ``limit`` the number of
    dialogues. ``answers`` gets one JSON line a question. A second run on one ``db`` changes
    nothing there.

    Raises:
        InvalidInput: the set, the file, the limit or the store does not fit; names which.
    """
    report = progress or _silent
    gold = read_gold(dataset, path, limit, report)
    with contextlib.ExitStack() as stack:
        if db is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="vigent-eval-"))
            db = str(Path(folder) / "eval.db")
        lines = None if answers is None else stack.enter_context(_open_answers(answers))
        memory = stack.enter_context(
            Memory.open(
                db,
                tenant=tenant,
                store=store,
                schema=schema_of(gold.slots),
                clock=ReplayClock(gold.asked_at),
            )
        )
        clients = _CLIENTS if db.startswith(_SERVERS) else 1
        return _run(memory, gold, shuffle, lines, report, clients)


def read_gold(dataset: str, path: Path, limit: int | None, report: Progress) -> GoldSet:
    """Read a data set; raises InvalidInput naming the set, the path or the limit."""
    reader = _READERS.get(dataset)
    if reader is None:
        raise InvalidInput("dataset", f"must be one of {', '.join(DATASETS)}, not {dataset!r}")
    if limit is not None and limit < 1:
        raise InvalidInput("limit", "must be at least 1")
    report("reading", 0, 1)
    try:
        gold = reader(Path(path), limit)
    except (GoldError, OSError) as error:
        raise InvalidInput("path", str(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput("path", f"{path} is no {dataset} file as known: {error!r}") from error
    report("reading", 1, 1)
    return gold


def _open_answers(answers: Path) -> IO[str]:
    try:
        return answers.open("w", encoding="utf-8")
    except OSError as error:
        raise InvalidInput("answers", f"cannot be written: {error}") from error


def _run(
    memory: Memory,
    gold: GoldSet,
    shuffle: int | None,
    lines: IO[str] | None,
    report: Progress,
    clients: int,
) -> dict[str, Any]:
    written = _Stage(
        report, "writing", sum(len(d.changes) + len(d.refusals) for d in gold.dialogues)
    )
    replayed = perform(memory, gold, shuffle=shuffle, done=written.advance, clients=clients)
    asked = _Stage(report, "asking", sum(len(d.questions) for d in gold.dialogues))
    tallies = {kind: Tally() for kind in KINDS}
    counts = Counts()
    counts.announce(gold.dialogues)
    for dialogue, answer in _answers(memory, gold, replayed.refused, counts):
        tallies[answer.kind].add(right=answer.right)
        if lines is not None:
            lines.write(_line(gold.name, dialogue, answer))
        if answer.kind != "rejected":
            asked.advance(1)
    return {
        "dataset": gold.name,
        "dialogues": len(gold.dialogues),
        "facts": counts.facts,
        "confirmed": counts.confirmed,
        "superseded": counts.superseded,
        "retracted": counts.retracted,
        **{kind: tally.to_dict() for kind, tally in tallies.items()},
        "writes_per_s": round(replayed.writes_per_second, 1),
    }


def _answers(
    memory: Memory, gold: GoldSet, refused: list[Any], counts: Counts
) -> Iterator[tuple[Dialogue, Answer]]:
    for dialogue in gold.dialogues:
        for answer in answer_all(memory, dialogue, counts):
            yield dialogue, answer
    for dialogue, refusal, was_refused in refused:
        yield dialogue, answer_refusal(refusal, refused=was_refused)


def _line(name: str, dialogue: Dialogue, answer: Answer) -> str:
    line = {
        "dataset": name,
        "dialogue": dialogue.id,
        "turn": answer.turn,
        "service": answer.slot.service,
        "slot": answer.slot.name,
        "kind": answer.kind,
        "answer": answer.answer,
    }
    return json.dumps(line, ensure_ascii=False) + "\n"


class _Stage:
    """Progress of one stage, reported every thousandth part."""

    def __init__(self, report: Progress, name: str, total: int) -> None:
        self._report, self._name, self._total = report, name, total
        self._done = self._told = 0
        report(name, 0, total)

    def advance(self, by: int) -> None:
        self._done += by
        if self._done - self._told >= self._total / 1000 or self._done == self._total:
            self._told = self._done
            self._report(self._name, self._done, self._total)


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report to nobody."""
