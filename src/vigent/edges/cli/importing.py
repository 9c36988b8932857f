"""The command that takes in a file of episodes and typed facts: import."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Annotated, Any, Final, cast

import typer
from rich.text import Text

from vigent import Memory, VigentError, WriteResult
from vigent.edges.cli.boundary import ExitCode, describe, exit_code_of, report
from vigent.edges.cli.command import Call, command
from vigent.edges.cli.inputs import is_no_text, opened_file
from vigent.edges.cli.jsonl import BadLine, EpisodeLine, Line, LineReader, WriteLine
from vigent.edges.cli.moving import given_tenant, moved_in
from vigent.edges.cli.output import progress_bar
from vigent.edges.cli.tables import card, rows, visible
from vigent.errors import InvalidInput
from vigent.moving import is_export

__all__ = ["Import", "register"]

_BATCH: Final = 500
# So many bad lines are told again in the summary; each is told on standard error.
_KEPT_ERRORS: Final = 100


class Import:
    """Takes lines into a memory in their order: good ones are stored, bad ones counted.

    Running it again over the same lines changes nothing.
    """

    def __init__(self, memory: Memory, tell: Callable[[dict[str, Any]], None]) -> None:
        self._memory = memory
        self._tell = tell
        self._refs: dict[str, str] = {}
        self._external: dict[tuple[str | None, str], str] = {}
        self._waiting: list[WriteLine] = []
        self.lines = 0
        self.episodes = 0
        self.outcomes: Counter[str] = Counter()
        self.failed = 0
        self.errors: list[dict[str, Any]] = []
        self.exit_code = ExitCode.OK

    def take(self, lines: Iterable[Line]) -> None:
        """Take all lines; raises when the store can no longer be written."""
        for line in lines:
            self.lines += 1
            match line:
                case EpisodeLine():
                    self._capture(line)
                case WriteLine():
                    self._queue(line)
                case BadLine(number, error):
                    self._refuse(number, error)
        self._flush()

    def _capture(self, line: EpisodeLine) -> None:
        try:
            episode = self._memory.capture(**line.fields)
        except VigentError as error:
            self._refuse(line.number, error)
            return
        self.episodes += 1
        if line.ref is not None:
            self._refs[line.ref] = episode.id
        if episode.external_id is not None:
            self._external[line.fields.get("person"), episode.external_id] = episode.id

    def _queue(self, line: WriteLine) -> None:
        name = line.source_episode
        if name is not None:
            found = self._refs.get(name) or self._external.get((line.item.get("person"), name))
            if found is None:
                message = f"no episode line above has the ref or external id {name!r}"
                self._refuse(line.number, InvalidInput("source_episode", message))
                return
            line.item["source_episode_id"] = found
        self._waiting.append(line)
        if len(self._waiting) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        batch, self._waiting = self._waiting, []
        if not batch:
            return
        results = self._memory.write_many([line.item for line in batch])
        for line, result in zip(batch, results, strict=True):
            if isinstance(result, WriteResult):
                self.outcomes[result.outcome] += 1
            else:
                self._refuse(line.number, result)

    def _refuse(self, number: int, error: VigentError) -> None:
        """Count a bad line and go on; an error that is not the line's own ends the import."""
        if error.category not in {"caller", "conflict"}:
            raise error
        problem = {"line": number, **describe(error)}
        self._tell(problem)
        self.failed += 1
        self.exit_code = max(self.exit_code, exit_code_of(error))
        if len(self.errors) < _KEPT_ERRORS:
            self.errors.append(problem)

    def summary(self, *, complete: bool, seconds: float) -> dict[str, Any]:
        """Give the counts as JSON-ready values."""
        written = sum(self.outcomes.values())
        return {
            "complete": complete,
            "lines": self.lines,
            "episodes": self.episodes,
            "writes": dict(sorted(self.outcomes.items())),
            "failed": self.failed,
            "errors": self.errors,
            "seconds": round(seconds, 3),
            "writes_per_s": round(written / seconds) if seconds > 0 else None,
        }


def _show(call: Call, name: str, summary: dict[str, Any]) -> None:
    table = rows("outcome", "writes")
    for outcome, count in summary["writes"].items():
        table.add_row(outcome, str(count))
    state = "imported" if summary["complete"] else "imported in part"
    call.out.show(
        card(
            [
                (state, Text(visible(name), style="bold")),
                ("lines", str(summary["lines"])),
                ("episodes", str(summary["episodes"])),
                ("failed", str(summary["failed"])),
                ("time", f"{summary['seconds']} s"),
            ]
        )
    )
    if summary["writes"]:
        call.out.show(table)
    if not summary["complete"]:
        call.out.show(Text("Run the same import again to go on: what is in stays as it is."))


def import_lines(
    call: Call,
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A JSONL file; - reads it.")],
) -> None:
    """Take in a file of episodes and typed facts, or what `vigent export` wrote.

    Of episodes and facts, one JSON object a line, bad lines are named and counted, good ones
    stored. An export comes in whole or not at all, as the tenant it was, or with --tenant as
    another. Run again, either changes nothing that is already in.
    """
    with opened_file(file) as (source, size):
        first = source.readline()
        if (other := is_no_text(first, "JSONL")) is not None:
            raise other
        lines = chain([first], source)
        if is_export(first):
            moved_in(call, file, given_tenant(call, ctx), lines)
        else:
            _import_facts(call, file, lines, size)


def _import_facts(call: Call, file: str, source: Iterable[bytes], size: int | None) -> None:

    def tell(problem: dict[str, Any]) -> None:
        report(problem, as_json=call.as_json)

    started = time.perf_counter()
    with (
        call.open(create=True) as memory,
        progress_bar("importing", total=size, unit="bytes") as (bar, task),
    ):
        run = Import(memory, tell)

        def lines() -> Iterator[bytes]:
            for line in source:
                bar.advance(task, len(line))
                yield line

        complete = False
        try:
            run.take(LineReader(call.store, call.person).read(lines()))
            complete = True
        finally:
            summary = run.summary(complete=complete, seconds=time.perf_counter() - started)
            bar.stop()
            if call.as_json:
                call.out.document({"file": file, **summary})
            else:
                _show(call, file, summary)
    if run.exit_code is not ExitCode.OK:
        raise typer.Exit(cast("int", run.exit_code))


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    command(app, "import")(import_lines)
