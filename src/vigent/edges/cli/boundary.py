"""How what went wrong is told: exit codes, and one line or JSON object on standard error."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import traceback
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

import typer

from vigent.edges.cli.output import visible
from vigent.errors import StoreNewer, StoreReadOnly, VigentError

__all__ = [
    "ExitCode",
    "describe",
    "discard_output",
    "exit_code_of",
    "fault",
    "misused",
    "never_fail_on_encoding",
    "report",
    "wants_json",
]

# What a problem may be numbered by, in a file of many parts.
_NUMBERED: Final = ("line", "conversation", "turn")
_MINUS: Final = re.compile(r"-[.\d]")
_ISSUES: Final = "please report it, with this line"


class ExitCode(IntEnum):
    """What the shell is told."""

    OK = 0
    NO_ANSWER = 1
    BAD_INPUT = 2
    CONFLICT = 3
    UNAVAILABLE = 4
    BUG = 5


# What waiting does not mend.
_LASTING: Final = (StoreReadOnly, StoreNewer)
_BY_CATEGORY: Final = {
    "caller": ExitCode.BAD_INPUT,
    "conflict": ExitCode.CONFLICT,
    "unavailable": ExitCode.UNAVAILABLE,
    "bug": ExitCode.BUG,
}


def exit_code_of(error: VigentError) -> ExitCode:
    """Give the exit code for an error, by its category."""
    return _BY_CATEGORY[error.category]


def report(problem: dict[str, Any], *, as_json: bool) -> None:
    """Write one problem to standard error: a line for people, or a JSON object."""
    if as_json:
        print(json.dumps(problem), file=sys.stderr)
        return
    message = str(problem["message"])
    field = problem.get("field")
    if field and not message.startswith(f"{field}:"):
        message = f"{field}: {message}"
    where = "".join(f"{u} {visible(str(problem[u]))}: " for u in _NUMBERED if u in problem)
    print(f"{where}error[{problem['code']}] {visible(message)}", file=sys.stderr)
    if problem.get("hint"):
        print(problem["hint"], file=sys.stderr)


def describe(error: VigentError) -> dict[str, Any]:
    """Give an error as the JSON object that ``--json`` prints."""
    problem: dict[str, Any] = dict(error.to_dict())
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        problem["retry_after"] = retry_after
        again = "" if isinstance(error, _LASTING) else f"; try again in {retry_after:g} s"
        problem["hint"] = f"Nothing was written{again}."
    return problem


def misused(error: typer.TyperException) -> dict[str, Any]:
    """Describe a wrong use of the command line itself (an unknown option, a missing argument)."""
    parameter = getattr(error, "param", None)
    problem: dict[str, Any] = {
        "code": "invalid_input",
        "category": "caller",
        "field": getattr(parameter, "name", None),
        "message": " ".join(error.format_message().split()),
    }
    context = getattr(error, "ctx", None)
    option = str(getattr(error, "option_name", ""))
    if context is not None and _MINUS.match(option):
        problem["hint"] = (
            "A value that begins with a minus sign stands after --, and options before it:"
            f" {context.command_path} … -- VALUE"
        )
    elif context is not None:
        problem["hint"] = f"Try '{context.command_path} --help'."
    return problem


def fault(error: Exception) -> dict[str, Any]:
    """Describe a fault of our own: what, and where, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return {
        "code": "internal",
        "category": "bug",
        "field": None,
        "message": f"a fault of Vigent itself ({type(error).__name__}{where}: {error}); {_ISSUES}",
    }


def wants_json(words: Sequence[str]) -> bool:
    """Say whether ``--json`` is among the options, also when they cannot be parsed."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def discard_output() -> None:
    """Send what is still buffered nowhere: its reader has gone."""
    with contextlib.suppress(OSError, io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def never_fail_on_encoding() -> None:
    """Spell out what a stream's encoding cannot hold, instead of failing half way."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
