"""Commands that find: search, and reindex, which builds what search looks in anew."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from vigent import Hit, SearchAnswer
from vigent.domain.query import NOTHING_THEN, IndexState
from vigent.edges.cli import options
from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.command import Call, command, no_answer
from vigent.edges.cli.inputs import given, json_object
from vigent.edges.cli.output import visible
from vigent.edges.cli.tables import counted, moment, piped_or_wide, rows, stacked
from vigent.govern.indexing import Reindexed

__all__ = ["register"]

_SHOWN = 240


Include = Annotated[
    str, typer.Option("--include", metavar="WHAT", help="current, history or episodes.")
]


def search(
    call: Call,
    *,
    query: Annotated[str, typer.Argument(metavar="QUESTION", help="What to find.")],
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="NAME", help="Of this type; repeatable.")
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="NAME", help="About this subject.")
    ] = None,
    attribute: Annotated[
        str | None, typer.Option("--attribute", metavar="NAME", help="Of this attribute.")
    ] = None,
    metadata: Annotated[
        str | None, typer.Option("--metadata", metavar="JSON", help="Conditions on metadata.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help="What was true then.")
    ] = None,
    known_at: Annotated[
        str | None, typer.Option("--known-at", metavar="TIME", help="What was believed then.")
    ] = None,
    after: Annotated[
        str | None, typer.Option("--after", metavar="TIME", help="Made or said from then on.")
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="TIME", help="Made or said before then.")
    ] = None,
    include: Include = "current",
    expand: Annotated[
        str, typer.Option("--expand", metavar="WHEN", help="auto, always or never.")
    ] = "auto",
    recipe: Annotated[
        str, typer.Option("--recipe", metavar="NAME", help="How hits are ranked.")
    ] = "relevance",
    timezone: options.Timezone = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="At most so many.")] = 10,
    budget: Annotated[
        int | None, typer.Option("--budget", metavar="TOKENS", help="At most so many tokens.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how it was understood, and the scores' parts.")
    ] = False,
) -> None:
    """Find what answers a question: exact state first, then by words and by meaning."""
    asked: dict[str, Any] = given(
        include=include, expand=expand, recipe=recipe, limit=limit, types=types, subject=subject,
        attribute=attribute, metadata=json_object("metadata", metadata), as_of=as_of,
        known_at=known_at, after=after, before=before, timezone=timezone, budget_tokens=budget,
    )  # fmt: skip
    with call.open() as memory:
        answer = memory.search(query, explain=explain, **asked)
    if not answer.hits:
        told = "\n".join(["Nothing here answers that.", *map(visible, _told(answer))])
        no_answer(call, answer.to_dict(), told)
    elif call.as_json:
        call.out.document(answer.to_dict())
    else:
        call.out.show(_table(call, answer))
        call.out.show(*(Text(visible(line), style="dim") for line in _told(answer)))


def _table(call: Call, answer: SearchAnswer) -> Table:
    wide = piped_or_wide(call.out.console)
    if wide:
        table = rows("score", "found", "since or said (UTC)", "id", whole=3)
    else:  # an id beside the words would leave no room for them
        table = rows("score", "found, since or said (UTC), id", apart=True)
    for hit in answer.hits:
        score = "state" if hit.exact else f"{hit.score:.2f}"
        found = visible(_shortened(hit.excerpt))
        if not hit.in_force:
            found = f"{found} (not in force)"
        if answer.explained and hit.parts:
            found = f"{found}\n{_parts(hit)}"
        if wide:
            table.add_row(score, found, moment(hit.at), hit.id)
        else:
            cited = Text(f"{moment(hit.at)}  {hit.id}", style="dim")
            table.add_row(score, stacked(found, cited))
    return table


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


def _parts(hit: Hit) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in hit.parts.items() if value)


def _told(answer: SearchAnswer) -> list[str]:
    """Give what the reader should know of how the answer came about, also where it is empty."""
    plan, index = answer.plan, answer.index
    told: list[str] = []
    if plan.time_words is not None:
        told.append(f"“{plan.time_words.words}” was taken as a time")
    if NOTHING_THEN in plan.notes and not answer.explained:
        told.append(NOTHING_THEN)
    if answer.explained:
        if plan.subjects:
            told.append(f"about {', '.join(plan.subjects)}")
        told += plan.notes
    if set(plan.arms) <= {"state"}:
        pass  # no vector was looked at, so none is missed
    elif index.model is None:
        told.append("by words alone: there is no embedder")
    elif index.problem is not None:
        told.append(f"no vectors: {index.problem}")
    elif index.pending:
        told.append(f"{index.pending} not embedded yet, found by words alone")
    if answer.dropped_by_budget:
        told.append(f"{answer.dropped_by_budget} left out: larger than the budget")
    return told


def reindex(
    call: Call,
    *,
    drop_other_models: Annotated[
        bool, typer.Option("--drop-other-models", help="Remove vectors that other models made.")
    ] = False,
) -> None:
    """Build the search index of the store anew, and its vectors.

    Ends with exit code 4 where not all have a vector; searches go by words for those meanwhile.
    """
    with call.open() as memory:
        done = memory.index.rebuild(drop_other_models=drop_other_models)
        state = memory.index.status()
    whole = not state.pending and state.problem is None
    if call.as_json:
        status = "complete" if whole else "incomplete"
        call.out.document({"status": status, **done._asdict(), "index": state.to_dict()})
    else:
        _show_reindexed(call, done, state)
    if not whole:
        raise typer.Exit(ExitCode.UNAVAILABLE)


def _show_reindexed(call: Call, done: Reindexed, state: IndexState) -> None:
    memories = counted(done.memories, "memory", "memories")
    episodes = counted(done.episodes, "episode", "episodes")
    call.out.show(Text(f"Indexed {memories} and {episodes}."))
    if state.model is not None:
        made = f"{state.embedded} of {state.passages} passages have a vector by {state.model}."
        call.out.show(Text(visible(made)))
    if state.problem is not None:
        call.out.show(Text(visible(f"No vectors are made: {state.problem}"), style="dim"))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    command(app, "search")(search)
    command(app, "reindex")(reindex)
