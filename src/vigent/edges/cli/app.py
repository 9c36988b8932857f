"""``vigent``: the whole command line, put together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from vigent.edges.cli import (
    agents,
    aliases,
    checking,
    contexts,
    demo,
    evaluating,
    forgetting,
    governing,
    importchat,
    importing,
    learning,
    modelscript,
    moving,
    persons,
    reading,
    replaying,
    reviewing,
    searching,
    serving,
    threads,
    writing,
)
from vigent.edges.cli.boundary import (
    ExitCode,
    describe,
    discard_output,
    exit_code_of,
    fault,
    misused,
    never_fail_on_encoding,
    report,
    wants_json,
)
from vigent.errors import VigentError

__all__ = ["CommandLine", "app", "main"]


class CommandLine(TyperGroup):
    """The commands, and the one place where an error becomes an exit code; never a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a reader that closed the pipe early ends it quietly."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
            raise typer.Exit(ExitCode.OK) from None

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line and exit with its code, or give the code back."""
        never_fail_on_encoding()
        words = list(sys.argv[1:] if args is None else args)
        if words[:1] == ["help"]:
            words = [*words[1:], "--help"]
        as_json = wants_json(words)
        try:
            answer = super().main(
                words,
                prog_name,
                complete_var,
                standalone_mode=False,
                windows_expand_args=windows_expand_args,
                **extra,
            )
            code = answer if isinstance(answer, int) else ExitCode.OK
        except VigentError as error:
            report(describe(error), as_json=as_json)
            code = exit_code_of(error)
        except typer.TyperException as error:
            report(misused(error), as_json=as_json)
            code = ExitCode.BAD_INPUT
        except Exception as error:  # noqa: BLE001  the boundary: see ARCHITECTURE.md
            report(fault(error), as_json=as_json)
            code = ExitCode.BUG
        if standalone_mode:
            sys.exit(code)
        return code


app = typer.Typer(
    name="vigent",
    cls=CommandLine,
    help="Typed memory on two time axes: what is in force, what was, and what we believed.",
    epilog=(
        "Exit codes: 0 done, 1 no answer, 2 bad input, 3 conflict, 4 unavailable, 5 our fault."
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    try:
        number = version("vigent")
    except PackageNotFoundError:
        number = "(not installed)"
    typer.echo(f"vigent {number}")
    raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Show the help when there is nothing else to do."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


for part in (
    writing, reading, searching, contexts, threads, forgetting, persons, aliases, reviewing,
    importing, importchat, moving, checking, governing, serving, demo, evaluating, agents,
    modelscript, replaying, learning,
):  # fmt: skip
    part.register(app)


def main() -> None:
    """Run the command line; the entry point of the ``vigent`` script."""
    app(prog_name="vigent")
