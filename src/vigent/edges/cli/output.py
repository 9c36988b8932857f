"""What goes to standard output and standard error, and how it is made safe to look at."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import IO, Any, Final

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

__all__ = ["Output", "progress_bar", "visible"]

# No terminal has this many columns: what is not shown on one is never wrapped or cut.
_UNWRAPPED: Final = 100_000
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
# Joiners that scripts and emoji need: they are shown as they are.
_NEEDED: Final = frozenset("\u200c\u200d")


def visible(text: str) -> str:
    """Give text with control and invisible characters spelt out.

    Stored text is somebody's words: shown raw it could move the cursor, colour the screen or
    reorder what a person reads.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if character in _NEEDED or unicodedata.category(character) not in _HIDDEN
        else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


class _Console(Console):
    """A console that leaves it to the boundary what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _stream_console(stream: IO[str]) -> Console:
    on_terminal = stream.isatty()
    return _Console(
        file=stream,
        width=None if on_terminal else _UNWRAPPED,
        no_color=None if on_terminal else True,
        force_terminal=None if on_terminal else False,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


class Output:
    """Where a command puts its answer: rich tables for people, one JSON document for programs."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.console = _stream_console(sys.stdout)

    def show(self, *parts: RenderableType) -> None:
        """Print for a person; what is piped has no spaces at the ends of lines."""
        for part in parts:
            if self.console.is_terminal:
                self.console.print(part)
                continue
            with self.console.capture() as printed:
                self.console.print(part)
            lines = printed.get().split("\n")
            print("\n".join(line.rstrip(" ") for line in lines), end="", file=sys.stdout)

    def verbatim(self, text: Text) -> None:
        """Print text without wrapping its lines: what is copied from a terminal stays whole."""
        if self.console.is_terminal:
            self.console.print(text, soft_wrap=True)
        else:
            self.show(text)

    def document(self, value: Any) -> None:
        """Print one JSON document: on one line, or indented on a terminal."""
        print(self._encode(value), file=sys.stdout)

    def line(self, value: Any) -> None:
        """Print one JSON document on one line, also on a terminal."""
        print(self._encode(value, on_one_line=True), file=sys.stdout)

    def array(self, values: Iterable[Any]) -> int:
        """Print a JSON array element by element, a line each, and give their number."""
        count = 0
        for value in values:
            # The bracket waits for the first element: an error before it leaves no half document.
            print(",\n" if count else "[\n", self._encode(value), sep="", end="")
            count += 1
        print("\n]" if count else "[]")
        return count

    def _encode(self, value: Any, *, on_one_line: bool = False) -> str:
        utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        return json.dumps(
            value,
            ensure_ascii=not utf8,
            allow_nan=False,
            indent=2 if self.console.is_terminal and not on_one_line else None,
        )


@contextmanager
def progress_bar(
    what: str, *, total: int | None = None, unit: str = ""
) -> Generator[tuple[Progress, TaskID]]:
    """Show progress on standard error, on a terminal only; gives the bar and its task."""
    console = Console(file=sys.stderr)
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        yield bar, bar.add_task(what, total=total)
