"""Runs the command line, in this process or as a real one, and gives what it answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from vigent.edges.cli.app import app

READ_AT = ("as_of", "known_at", "answered_at")
"""What of a record says when it was read: each read has its own."""


def unread(told: Any) -> Any:
    """Give what was told without the instants at which it was read."""
    if isinstance(told, dict):
        return {name: unread(part) for name, part in told.items() if name not in READ_AT}
    return [unread(part) for part in told] if isinstance(told, list) else told


ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output, read as a strict reader does."""
        return json.loads(self.out, parse_constant=refuse_constant)

    @property
    def error(self) -> Any:
        """The one JSON object on standard error."""
        return json.loads(self.err, parse_constant=refuse_constant)


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def run(*words: str, stdin: str | bytes = "") -> Ran:
    """Run a command in this process."""
    unset = {"VIGENT_DB": None, "VIGENT_SCHEMA": None}
    done = CliRunner(env=unset).invoke(app, list(words), input=stdin)
    return Ran(done.exit_code, done.stdout, done.stderr)


def spawn(*words: str, stdin: str = "", **environment: str) -> Ran:
    """Run a command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "vigent", *words],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=process_environment(**environment),
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def process_environment(**more: str) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("VIGENT_")}
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**inherited, "PYTHONPATH": path, "VIGENT_EMBEDDER": "none", **more}


@dataclass(frozen=True)
class Store:
    """A store file and the commands run on it."""

    path: Path

    def run(self, *words: str, stdin: str | bytes = "") -> Ran:
        return run(*words, "--db", str(self.path), stdin=stdin)

    def spawn(self, *words: str, stdin: str = "", **environment: str) -> Ran:
        return spawn(*words, "--db", str(self.path), stdin=stdin, **environment)

    def ask(self, *words: str, stdin: str | bytes = "") -> Any:
        """Run a command with ``--json`` that must succeed, and give its answer."""
        ran = self.run(*words, "--json", stdin=stdin)
        assert (ran.code, ran.err) == (0, ""), ran
        return ran.json

    def refused(self, *words: str, stdin: str | bytes = "") -> Any:
        """Run a command with ``--json`` that must be refused as bad input; gives the error."""
        ran = self.run(*words, "--json", stdin=stdin)
        assert (ran.code, ran.out) == (2, ""), ran
        return ran.error
