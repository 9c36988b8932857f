"""The command that replays: a file of episodes and expectations, or the episodes of a store."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.command import Call, command
from vigent.edges.cli.tables import card, rows, visible
from vigent.effective import effective_settings
from vigent.errors import InvalidInput
from vigent.rehearsal.again import replay_store
from vigent.rehearsal.story import replay_file
from vigent.wiring import open_models

__all__ = ["register"]


def replay(
    call: Call,
    *,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Episodes and expectations, as YAML.")
    ] = None,
    from_store: Annotated[
        str | None,
        typer.Option(
            "--from-store", metavar="DB", help="Rebuild the memory of this store instead."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Read the threads anew with this model."),
    ] = None,
    instructions: Annotated[
        str | None,
        typer.Option("--instructions", metavar="TEXT", help="What the model is asked besides."),
    ] = None,
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The branch it is rebuilt on.")
    ] = "replay",
    force: Annotated[
        bool, typer.Option("--force", help="Replace the branch if it is there.")
    ] = False,
) -> None:
    """Replay episodes, and hold each stage to what is expected: ends with 1 on a difference.

    A FILE goes through a store of its own: extract, gate, reconcile, retrieve, scope, answer. With
    --from-store the episodes of a store are learned anew on a branch of it, with another --schema,
    --model or --instructions, and what is then in force otherwise is shown; the store stays as it
    is. Without a model, what was nominated once goes through the gate again.
    """
    if (file is None) == (from_store is None):
        raise InvalidInput("file", "must be given, or else --from-store")
    if file is not None:
        if model is not None or instructions is not None:
            raise InvalidInput("file", "goes without --model and --instructions")
        _tell_file(call, replay_file(file))
        return
    with ExitStack() as stack:
        asked = None
        if model is not None or instructions is not None:
            models = open_models(effective_settings().settings.models)
            stack.callback(models.close)
            name = model or models.default
            if not name:
                raise InvalidInput("model", "must be named, here or as VIGENT_MODEL")
            asked = models.get(name)
        found = replay_store(
            call.at(from_store or ""), tenant=call.tenant, store=call.store, branch=branch,
            schema=call.schema, model=asked, instructions=instructions or "", replace=force,
        )  # fmt: skip
    _tell_store(call, found)


def _tell_file(call: Call, found: dict[str, Any]) -> None:
    if call.as_json:
        call.out.document(found)
    else:
        table = rows("stage", "checked", "wrong")
        for stage, got in found["stages"].items():
            style = "bold red" if got["wrong"] else "green"
            table.add_row(stage, str(got["checked"]), Text(str(got["wrong"]), style=style))
        parts: list[Any] = [table]
        if found["wrong"]:
            wrong = rows("stage", "at", "what", "expected", "got")
            for one in found["wrong"]:
                told = (one[of] for of in ("stage", "at", "what", "expected", "got"))
                wrong.add_row(*(visible(str(each)) for each in told))
            parts.append(wrong)
        call.out.show(*parts)
    if found["wrong"]:
        raise typer.Exit(ExitCode.NO_ANSWER)


def _tell_store(call: Call, found: dict[str, Any]) -> None:
    if call.as_json:
        call.out.document(found)
        return
    table = rows("", "person", "subject", "attribute", "in the store", "replayed")
    for one in found["differences"]:
        here, there = (
            "\n".join(visible(fact["value"]) for fact in one[side]) or "-"
            for side in ("here", "there")
        )
        about = (one["person"], one["subject"], one["attribute"] or one["type"])
        table.add_row(one["change"], *(visible(each or "") for each in about), here, there)
    counts = ", ".join(f"{count} {name}" for name, count in found["outcomes"].items())
    call.out.show(
        card(
            [
                ("branch", visible(found["branch"])), ("its store", visible(found["store"])),
                ("episodes", f"{found['episodes']:,}"), ("nominations", counts or "none"),
            ]
        ),
        table if found["differences"] else Text("The same is in force in both."),
    )  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    command(app, "replay")(replay)
