"""The command that verifies a store: check."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.text import Text

from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.command import Call, command
from vigent.edges.cli.tables import visible

__all__ = ["register"]


def check(
    call: Call,
    repair: Annotated[
        bool, typer.Option("--repair", help="Rebuild what is derived, where it differs.")
    ] = False,
) -> None:
    """Verify that the stored rows agree with each other and the audit trail is whole.

    Ends with exit code 5 when they do not.
    """
    with call.open() as memory:
        report = memory.check(repair=repair)
    audit: Any = report.audit
    if call.as_json:
        call.out.document(
            {"ok": report.ok, "problems": list(report.problems), "audit": dict(audit)}
        )
    else:
        for problem in report.problems:
            call.out.show(Text(visible(problem), style="red"))
        verdict = "All is well" if report.ok else f"{len(report.problems)} problems"
        counts = ", ".join(f"{count} {name}" for name, count in audit.items())
        call.out.show(Text(f"{verdict}. Audit trail: {counts}."))
    if not report.ok:
        raise typer.Exit(ExitCode.BUG)


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    command(app, "check")(check)
