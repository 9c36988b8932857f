"""Runs functions of the tests in real processes of their own, on real files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]


class Child:
    """A process that runs one module's ``main`` with arguments and prints a JSON line each."""

    def __init__(self, module: str, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, str(ROOT), module, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> Any:
        assert self.process.stdout is not None
        text = self.process.stdout.readline()
        assert text.endswith("\n"), "the process ended without a word"
        return json.loads(text)

    def tell(self, text: str = "go") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def rest(self) -> Iterator[Any]:
        """Give what it says until it ends; a last line cut off by its death is left out."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            if text.endswith("\n"):
                yield json.loads(text)

    def wait(self) -> int:
        return self.process.wait(60)

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()

    def kill(self) -> None:
        """End it as a power cut would: with no chance to tidy up."""
        self.process.kill()
        self.process.wait(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()
        self.close()


# Bytes of a line written at once by print are not torn in a pipe; flush after each.
_START = """
import importlib, sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/src"]
importlib.import_module(sys.argv[2]).main(*sys.argv[3:])
"""


def say(value: object) -> None:
    """In a child: hand a value to the parent."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()
