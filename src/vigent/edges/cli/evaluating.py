"""The command that replays public data and asks every question: eval."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.command import Call, command, own_db
from vigent.edges.cli.output import progress_bar
from vigent.edges.cli.tables import card, rows
from vigent.errors import InvalidInput
from vigent.evaluation.asking import KINDS
from vigent.evaluation.gate import evaluate_gate
from vigent.evaluation.recall import RECALL_SETS, evaluate_recall
from vigent.evaluation.run import DATASETS, Progress, evaluate
from vigent.rehearsal.extract import EXTRACTABLE, evaluate_extract

__all__ = ["register"]

GATE = "gate"
EXTRACT = "extract"
EVERY = (*DATASETS, *RECALL_SETS, GATE, EXTRACT)


def _show(call: Call, result: dict[str, Any]) -> None:
    counts = ("dialogues", "facts", "confirmed", "superseded", "retracted")
    table = rows("questions", "checked", "wrong")
    for kind in KINDS:
        tally = result[kind]
        wrong = Text(str(tally["wrong"]), style="bold red" if tally["wrong"] else "green")
        table.add_row(kind, f"{tally['checked']:,}", wrong)
    call.out.show(
        card(
            [
                ("data set", Text(result["dataset"], style="bold")),
                *((name, f"{result[name]:,}") for name in counts),
                ("writes/s", f"{result['writes_per_s']:,.0f}"),
            ]
        ),
        table,
    )


def _tell_recall(call: Call, result: dict[str, Any]) -> None:
    if call.as_json:
        call.out.line(result)
        return
    depths = list(result["recall"])
    table = rows("share of the evidence", *(f"@{depth}" for depth in depths), "questions")
    every = {"all": result, **result["by_category"]}
    for name, scores in every.items():
        shares = (f"{100 * scores['recall'][depth]:.1f}" for depth in depths)
        table.add_row(name, *shares, f"{scores['questions']:,}")
    call.out.show(
        card(
            [
                ("data set", Text(result["dataset"], style="bold")),
                ("a search", f"{result['p50_ms']:.1f} ms, 95 of 100 in {result['p95_ms']:.1f} ms"),
                ("indexed in", f"{result['index_s']:.1f} s"),
                ("blank turns", ", ".join(result["blank_turns"])),
            ]
        ),
        table,
    )


def _tell_gate(call: Call, path: Path, report: Progress) -> None:
    """Tell what each case came to, a line each, and at last how many were wrong."""
    line = call.out.line if call.as_json else None
    found = evaluate_gate(
        path, tenant=call.tenant, schema=call.schema, progress=report, line=line
    )  # fmt: skip
    classes = found.pop("classes")
    if call.as_json:
        call.out.line(found)
        return
    table = rows("class", "in force", "held", "refused")
    for name, counts in classes.items():
        table.add_row(name, *(str(counts.get(of, 0)) for of in ("in_force", "held", "refused")))
    wrong = rows("wrong", "expected", "got", "reason")
    for one in found["wrong"]:
        wrong.add_row(*(str(one[of]) for of in ("id", "expect", "got", "reason")))
    call.out.show(table, *([wrong] if found["wrong"] else []))


def _tell_extract(call: Call, found: dict[str, Any]) -> None:
    """Tell what became of the right and of the wrong; ends with 1 where anything is wrong."""
    if call.as_json:
        call.out.line(found)
    else:
        counts = ("dialogues", "windows", "candidates", "right", "corrupted", "slots_checked")
        table = rows("went wrong", "times", "in force", "reasons")
        for way, got in found["by_way"].items():
            reasons = ", ".join(f"{code} {count}" for code, count in got["reasons"].items())
            table.add_row(way, f"{got['n']:,}", str(got["in_force"]), reasons)
        wrong = rows("wrong", "dialogue", "slot", "reason")
        for one in found["wrong"]:
            told = (one.get(of) for of in ("wrong", "dialogue", "slot", "reason"))
            wrong.add_row(*(str(each or "") for each in told))
        call.out.show(
            card([("data set", found["dataset"]), *((n, f"{found[n]:,}") for n in counts)]),
            table, *([wrong] if found["wrong"] else []),
        )  # fmt: skip
    if found["wrong_count"]:
        raise typer.Exit(ExitCode.NO_ANSWER)


def _set_and_path(dataset: str, paths: list[Path]) -> tuple[str | None, Path]:
    """Give the set whose dialogues are extracted, for extract, and the path."""
    if dataset not in EVERY:
        raise InvalidInput("dataset", f"must be one of {', '.join(EVERY)}, not {dataset!r:.80}")
    if dataset == EXTRACT:
        if len(paths) != 2:
            raise InvalidInput("path", f"extract needs a set ({', '.join(EXTRACTABLE)}) and a path")
        return str(paths[0]), paths[1]
    if len(paths) != 1:
        raise InvalidInput("path", "must be one file or folder")
    return None, paths[0]


def eval_data(
    call: Call,
    ctx: typer.Context,
    *,
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET",
            help=f"One of {', '.join(EVERY)}.",
        ),
    ],
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="A file or the folder of that set, any split; for extract the set's name first.",
        ),
    ],
    shuffle: Annotated[
        int | None,
        typer.Option("--shuffle", metavar="SEED", help="Write in a random order with this seed."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="Only so many dialogues.")
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--answers", metavar="FILE", help="Write each answer as a JSON line."),
    ] = None,
    corrupt: Annotated[
        float | None,
        typer.Option("--corrupt", metavar="SHARE", help="Of extract: how many go wrong; 0.2."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Of extract: which go wrong; 1.")
    ] = None,
) -> None:
    """Replay public dialogue data as real writes, ask every question, count wrong answers.

    Of locomo and longmemeval: capture the conversations and search for every question. Of gate: put
    the candidates of a file through the gate, each line in a store of its own. Of extract: learn
    the dialogues of sgd or multiwoz from a scripted model, of whose answers some go wrong.

    Without --db the store is a temporary one. Expected values come from the files alone.
    """
    of_set, path = _set_and_path(dataset, paths)
    if of_set is None and (corrupt is not None or seed is not None):
        raise InvalidInput("dataset", f"--corrupt and --seed go with {EXTRACT}")
    asked = _Asked(dataset, of_set, path, shuffle, limit, answers, corrupt, seed)
    _run(call, own_db(call, ctx), asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be evaluated, as it was asked for."""

    dataset: str
    of_set: str | None
    path: Path
    shuffle: int | None
    limit: int | None
    answers: Path | None
    corrupt: float | None
    seed: int | None


def _run(call: Call, db: str | None, asked: _Asked) -> None:
    """Evaluate what was asked for, and tell what came of it."""
    dataset, path = asked.dataset, asked.path
    shuffle, limit, answers = asked.shuffle, asked.limit, asked.answers
    with progress_bar("reading") as (bar, task):

        def report(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        if asked.of_set is not None:
            if shuffle is not None or answers is not None:
                raise InvalidInput("dataset", "extract goes without --shuffle and --answers")
            extracted = evaluate_extract(
                asked.of_set, path, share=0.2 if asked.corrupt is None else asked.corrupt,
                seed=1 if asked.seed is None else asked.seed, limit=limit, db=db,
                tenant=call.tenant, store=call.store, progress=report,
            )  # fmt: skip
            _tell_extract(call, extracted)
            return
        if dataset == GATE:
            if shuffle is not None or limit is not None or answers is not None:
                raise InvalidInput("dataset", "gate goes without --shuffle, --limit and --answers")
            _tell_gate(call, path, report)
            return
        if dataset in RECALL_SETS:
            if shuffle is not None:
                raise InvalidInput("shuffle", f"does not go with {dataset}")
            found = evaluate_recall(
                dataset, path, db=db, limit=limit, answers=answers,
                progress=report, tenant=call.tenant, store=call.store,
            )  # fmt: skip
            _tell_recall(call, found)
            return
        result = evaluate(
            dataset,
            path,
            db=db,
            shuffle=shuffle,
            limit=limit,
            answers=answers,
            progress=report,
            tenant=call.tenant,
            store=call.store,
        )
    if call.as_json:
        call.out.line(result)
    else:
        _show(call, result)


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    command(app, "eval")(eval_data)
