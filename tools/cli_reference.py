"""Write docs/reference/cli.md from the help of the commands; ``--check`` only says if it is stale.

Everything comes from the declared options, so the page cannot promise what a command has not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from vigent.edges.cli.app import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "cli.md"

INTRODUCTION = """\
# Command line

<!-- Written by tools/cli_reference.py; `make docs` writes it anew. -->

`vigent COMMAND …` works on one store file. Bare `vigent` shows the help.

**Answers.** Tables for people, with times in UTC to the second. On a terminal they fit 80 columns;
when piped, each row is one line and nothing is wrapped. With `--json` each command prints one JSON
document on standard output, exact and in the field order of the Python API: `list`, `thread list`,
`thread items`, `block list` and `block history` one array, an element a line, every other command
one line (indented on a terminal).
`current` with an attribute prints the record, or an array of records when the attribute has several
values, with `as_of` and `known_at`, the instants it stands for. No answer is `null`, or `[]`.

**Errors** go to standard error as `error[code] field: message`, or with `--json` as one JSON object
with `code`, `category`, `field` and `message`. A pipe that is closed early ends a command quietly.
`import` tells each bad line on standard error as it meets it, and the first 100 once more in its
summary.

| exit code | meaning |
| --- | --- |
| 0 | done, or answered |
| 1 | no answer: nothing fits the question; an empty `review list` is an answer |
| 2 | bad input: the request cannot be served as it is |
| 3 | conflict: the state is not what the request expects |
| 4 | unavailable: busy, full, read-only; nothing written, try again; `reindex`: vectors missing |
| 5 | a fault of Vigent, or `check` found one in the store |

**Values** are text. Where `--schema` declares the attribute as an integer, a decimal or a boolean,
the text is read as that. `--value-json` gives a number, a boolean, a list or an object whatever is
declared. A word that begins with a minus sign stands after `--`.

**Schemas** are no part of the file: hand the same one over with each command, as `--schema FILE` or
once for the shell as `VIGENT_SCHEMA`.

**Bare dates** are whole days, in `--timezone` where the command takes one, else in UTC.

| where | what `2026-06-02` means |
| --- | --- |
| `--valid-from`, `--valid-to` | the start of that day |
| `--as-of`, `--known-at` | the end of that day |
| `--since`, `--until` of `diff` | the end of that day: what changed on it is before `--since` |

`vigent help COMMAND` is the same as `vigent COMMAND --help`.
"""


def page() -> str:
    """The whole page."""
    root: Any = typer.main.get_command(app)
    titles = [name for name, _ in _commands(root, "vigent")]
    contents = "\n".join(f"- [{name}](#{name.replace(' ', '-')})" for name in titles)
    shared = _shared_options(root)
    parts = [INTRODUCTION, "## Options of every command\n", _table(shared), contents + "\n"]
    parts += [_section(name, command, shared) for name, command in _commands(root, "vigent")]
    return "\n".join(parts)


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        here = f"{path} {name}"
        if hasattr(command, "commands"):
            yield from _commands(command, here)
        else:
            yield here, command


def _shared_options(root: Any) -> list[Any]:
    return [p for p in root.commands["write"].params if getattr(p, "rich_help_panel", None)]


def _section(name: str, command: Any, shared: list[Any]) -> str:
    known = {option.name for option in shared}
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    known.add("help")
    options = [p for p in command.params if p.param_type_name == "option" and p.name not in known]
    usage = " ".join([name, *(_usage_of(a) for a in arguments), "[OPTIONS]"])
    about = "\n".join(
        line.strip() for line in command.help.replace("\\[", "[").strip().splitlines()
    )
    parts = [f"## {name}\n", f"{about}\n", f"```\n{usage}\n```\n"]
    if arguments or options:
        parts.append(_table([*arguments, *options]))
    return "\n".join(parts)


def _usage_of(argument: Any) -> str:
    name = (argument.metavar or argument.name).upper()
    return name if argument.required else f"[{name}]"


def _table(parameters: list[Any]) -> str:
    rows = ["| option | meaning | default |", "| --- | --- | --- |"]
    rows += [f"| {_names(p)} | {_escaped(p.help or '')} | {_default(p)} |" for p in parameters]
    return "\n".join(rows) + "\n"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_usage_of(parameter)}`"
    metavar = "" if parameter.is_flag else f" {parameter.metavar or 'TEXT'}"
    return f"`{', '.join(parameter.opts)}{metavar}`"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    value = parameter.default
    shown = "" if value is None or value is False else f"`{value}`"
    variable = getattr(parameter, "envvar", None)
    return ", ".join(part for part in [f"`{variable}`" if variable else "", shown] if part)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the page, or say whether it is stale."""
    text = page()
    if "--check" in sys.argv[1:]:
        stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text
        if stale:
            print(f"{PAGE.name} is stale: run tools/cli_reference.py")
        return int(stale)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
