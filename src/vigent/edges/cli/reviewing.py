"""Commands for what waits for a decision, and for what was proposed: review list and others."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer
from rich.text import Text

from vigent.edges.cli import options
from vigent.edges.cli.command import Call, command, group
from vigent.edges.cli.inputs import given, json_object
from vigent.edges.cli.tables import moment, record_card, rows, shown_value, visible
from vigent.edges.cli.writing import show_result
from vigent.errors import VigentError

__all__ = ["register"]


def _row(item: Any) -> dict[str, Any]:
    return {
        "memory": item.memory.to_dict(),
        "reason": item.reason,
        "created_at": item.created_at.isoformat().replace("+00:00", "Z"),
    }


def list_pending(
    call: Call,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="CODE", help="Held for this reason.")
    ] = None,
) -> None:
    """List the candidates that wait for a decision; none is an answer too."""
    with call.open() as memory:
        found = memory.review.list(**given(reason=reason))
    if call.as_json:
        call.out.document([_row(item) for item in found])
    elif not found:
        call.out.show(Text("Nothing waits for review."))
    else:
        table = rows("candidate", "reason", "since (UTC), id", apart=True, whole=2)
        for item in found:
            record = item.memory
            about = " · ".join(filter(None, [record.subject, record.attribute]))
            said = Text(f"{visible(about)}\n", style="cyan")
            table.add_row(
                said.append(shown_value(record), style="bold"),
                visible(item.reason or ""),
                Text(f"{moment(item.created_at)}\n").append(record.memory_id, style="dim"),
            )
        call.out.show(table)


def list_candidates(
    call: Call,
    episode: Annotated[
        str | None, typer.Option("--episode", metavar="ID", help="Of this episode alone.")
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            "--outcome", metavar="OUTCOME", help="accepted, buffered, pending_review or rejected."
        ),
    ] = None,
) -> None:
    """List what models proposed of what was said, and what the gate made of it."""
    with call.open() as memory:
        found = memory.candidates.list(episode, outcome=outcome)
    if call.as_json:
        call.out.document([one.to_dict() for one in found])
    elif not found:
        call.out.show(Text("Nothing was proposed."))
    else:
        table = rows("candidate", "outcome, reasons", "episode", apart=True, whole=2)
        for one in found:
            told = one.delta
            about = " · ".join(str(told[n]) for n in ("subject", "attribute") if told.get(n))
            said = Text(f"{visible(about)}\n", style="cyan")
            shown = told.get("text") or told.get("value")
            table.add_row(
                said.append(visible("" if shown is None else str(shown)), style="bold"),
                Text(f"{one.outcome}\n").append(visible(", ".join(one.reasons)), style="dim"),
                visible(one.episode_id),
            )
        call.out.show(table)


def accept(
    call: Call,
    memory_id: options.MemoryId,
    trust: Annotated[
        str, typer.Option("--trust", metavar="LEVEL", help="The trust of who accepts it.")
    ] = "reviewer",
    edits: Annotated[
        str | None,
        typer.Option(
            "--edits", metavar="JSON", help="What is put right first, as an object: fields by name."
        ),
    ] = None,
) -> None:
    """Accept a candidate: it is stated now, with your trust."""
    right = json_object("edits", edits)
    with call.open() as memory:
        show_result(call, memory.review.accept(memory_id, trust=trust, edits=right))


def decide(
    call: Call,
    decision: Annotated[str, typer.Argument(metavar="accept|reject")],
    memory_ids: Annotated[list[str], typer.Argument(metavar="MEMORY_ID...")],
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")
    ] = None,
) -> None:
    """Accept or reject many candidates, each by itself; ends with 1 where one could not be."""
    with call.open() as memory:
        done = memory.review.decide(memory_ids, cast("Any", decision), reason=reason)
    failed = [one for one in done if isinstance(one, VigentError)]
    if call.as_json:
        call.out.document(
            [
                {"memory_id": id, **({"error": one.to_dict()} if isinstance(one, VigentError)
                 else one.to_dict())}
                for id, one in zip(memory_ids, done, strict=True)
            ]
        )  # fmt: skip
    else:
        for id, one in zip(memory_ids, done, strict=True):
            told = str(one) if isinstance(one, VigentError) else f"{decision}ed"
            call.out.show(Text(f"{id}  {visible(told)}"))
    if failed:
        raise typer.Exit(1)


def reject(
    call: Call,
    memory_id: options.MemoryId,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record.")
    ] = None,
) -> None:
    """Reject a candidate; it stays on record as rejected."""
    with call.open() as memory:
        record = memory.review.reject(memory_id, **given(reason=reason))
    if call.as_json:
        call.out.document(record.to_dict())
    else:
        call.out.show(record_card(record, headline="rejected"))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    review = group(app, "review", "Decide about candidates that wait for a person.")
    command(review, "list")(list_pending)
    command(review, "candidates")(list_candidates)
    command(review, "accept")(accept)
    command(review, "reject")(reject)
    command(review, "decide")(decide)
