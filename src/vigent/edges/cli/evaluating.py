"""The command that replays public data and asks every question: eval."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from vigent.edges.cli.command import Call, command, own_db
from vigent.edges.cli.output import progress_bar
from vigent.edges.cli.tables import card, rows
from vigent.errors import InvalidInput
from vigent.evaluation.asking import KINDS
from vigent.evaluation.gate import evaluate_gate
from vigent.evaluation.recall import RECALL_SETS, evaluate_recall
from vigent.evaluation.run import DATASETS, Progress, evaluate

__all__ = ["register"]

GATE = "gate"


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


def eval_data(
    call: Call,
    ctx: typer.Context,
    *,
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET", help=f"One of {', '.join((*DATASETS, *RECALL_SETS, GATE))}."
        ),
    ],
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A file or the folder of that set, any split.")
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
) -> None:
    """Replay public dialogue data as real writes, ask every question, count wrong answers.

    Of locomo and longmemeval: capture the conversations and search for every question. Of gate: put
    the candidates of a file through the gate, each line in a store of its own.

    Without --db the store is a temporary one. Expected values come from the files alone.
    """
    with progress_bar("reading") as (bar, task):

        def report(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        if dataset == GATE:
            if shuffle is not None or limit is not None or answers is not None:
                raise InvalidInput("dataset", "gate goes without --shuffle, --limit and --answers")
            _tell_gate(call, path, report)
            return
        if dataset in RECALL_SETS:
            if shuffle is not None:
                raise InvalidInput("shuffle", f"does not go with {dataset}")
            found = evaluate_recall(
                dataset, path, db=own_db(call, ctx), limit=limit, answers=answers,
                progress=report, tenant=call.tenant, store=call.store,
            )  # fmt: skip
            _tell_recall(call, found)
            return
        result = evaluate(
            dataset,
            path,
            db=own_db(call, ctx),
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
