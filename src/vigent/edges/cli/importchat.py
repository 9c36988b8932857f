"""The command that takes in conversations from other places: import-chat."""

from __future__ import annotations

import hashlib
import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import IO, Annotated, Any, Final, cast

import typer
from rich.progress import Progress, TaskID
from rich.text import Text

from vigent import Memory, VigentError
from vigent.domain.strictjson import strict_json
from vigent.domain.text import MAX_EPISODE, clean_text
from vigent.domain.threads import ThreadItem
from vigent.edges.cli.boundary import ExitCode, describe, exit_code_of, report
from vigent.edges.cli.chats import Conversation, chatgpt, claude, format_of
from vigent.edges.cli.command import Call, command
from vigent.edges.cli.inputs import is_no_text, opened_file
from vigent.edges.cli.output import progress_bar
from vigent.edges.cli.tables import card, visible
from vigent.errors import InvalidInput, NotFound, ThreadExists
from vigent.parts import Threads

__all__ = ["ChatImport", "register"]

_FORMATS: Final = ("auto", "chatgpt", "claude", "jsonl")
_TAKEN: Final = (
    "What is taken: conversations.json of a ChatGPT or Claude export, or JSONL with one item a"
    " line; --format chatgpt, claude or jsonl names one"
)
_KEPT_ERRORS: Final = 100
_FIELDS: Final = frozenset(inspect.signature(Threads.append).parameters) - {"self"}


class ChatImport:
    """Takes conversations into threads: good items are stored, bad ones counted.

    Running it again over the same file changes nothing.
    """

    def __init__(
        self, memory: Memory, person: str | None, tell: Callable[[dict[str, Any]], None]
    ) -> None:
        self._memory = memory
        self._person = person
        self._tell = tell
        self._begun: dict[tuple[str | None, str], int] = {}
        self._made: list[tuple[str | None, str]] = []
        self._taken: Counter[tuple[str | None, str]] = Counter()
        self.empty = 0
        self.undated = 0
        self.failed = 0
        self.errors: list[dict[str, Any]] = []
        self.exit_code = ExitCode.OK

    def conversations(self, documents: Iterable[Any], read: Callable[[Any], Conversation]) -> None:
        """Take the conversations of an export."""
        for number, document in enumerate(documents, start=1):
            try:
                found = read(document)
            except VigentError as error:
                self._refuse({"conversation": number}, error)
                continue
            for turn in found.turns:
                where = {"conversation": number, "turn": turn.name}
                if turn.error is not None:
                    self._refuse(where, turn.error)
                elif not turn.content.strip():
                    self.empty += 1
                else:
                    self._guarded(
                        where, found.id, self._person, found.metadata, turn.content, turn.fields
                    )

    def lines(self, lines: Iterable[bytes]) -> None:
        """Take lines of JSON, an item each."""
        seen: Counter[bytes] = Counter()
        times: dict[tuple[str | None, str], Any] = {}
        for number, raw in enumerate(lines, start=1):
            text = (raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw).strip()
            if not text:
                continue
            try:
                fields = _item(text)
            except VigentError as error:
                self._refuse({"line": number}, error)
                continue
            person = fields.pop("person", self._person)
            if fields.get("external_id") is None:
                fields["external_id"] = _name(text, seen)
            thread, content = fields.pop("thread"), fields.pop("content")
            at = fields.pop("occurred_at", None)
            if at is None and isinstance(thread, str):
                at = times.get((person, thread))
            if at is not None:
                fields["occurred_at"] = at
            if self._guarded({"line": number}, thread, person, None, content, fields):
                times[person, thread] = at

    def _guarded(
        self,
        where: dict[str, Any],
        thread: Any,
        person: Any,
        metadata: dict[str, Any] | None,
        content: Any,
        fields: dict[str, Any],
    ) -> bool:
        """Take one item, or count it as bad; gives whether it was taken."""
        try:
            self._begin(thread, person, metadata)
            item = self._memory.threads.append(thread, content, person=person, **fields)
            _same(item, thread, content)
        except VigentError as error:
            self._refuse(where, error)
            return False
        self._taken[person, thread] += 1
        self.undated += "occurred_at" not in fields
        return True

    def _begin(self, thread: Any, person: Any, metadata: dict[str, Any] | None) -> None:
        """See to it that a thread is there, and note where it stood before."""
        if isinstance(thread, str) and (person, thread) in self._begun:
            return
        threads = self._memory.threads
        try:
            found = threads.get(thread, person=person)
        except NotFound:
            try:
                found = threads.create(person, id=thread, metadata=metadata)
                self._made.append((person, thread))
            except ThreadExists:  # somebody else was faster
                found = threads.get(thread, person=person)
        self._begun[person, thread] = found.last_position

    def _refuse(self, where: dict[str, Any], error: VigentError) -> None:
        """Count what is bad and go on; an error of the store's own ends the import."""
        if error.category not in {"caller", "conflict"}:
            raise error
        problem = {**where, **describe(error)}
        self._tell(problem)
        self.failed += 1
        self.exit_code = max(self.exit_code, exit_code_of(error))
        if len(self.errors) < _KEPT_ERRORS:
            self.errors.append(problem)

    def settle(self) -> int:
        """Take away threads that were made for nothing; gives how many items are new.

        Nothing comes into a new thread where its items were known already, and their thread was
        deleted or is past its time.
        """
        fresh = 0
        for (person, thread), before in self._begun.items():
            try:
                added = self._memory.threads.get(thread, person=person).last_position - before
            except NotFound:  # deleted meanwhile
                continue
            fresh += added
            if not added and (person, thread) in self._made:
                self._memory.threads.delete(thread, person=person)
        return fresh

    def summary(self, *, complete: bool, new: int, seconds: float) -> dict[str, Any]:
        """Give the counts as JSON-ready values."""
        return {
            "complete": complete,
            "threads": len(self._taken),
            "items": sum(self._taken.values()),
            "new": new,
            "empty": self.empty,
            "undated": self.undated,
            "failed": self.failed,
            "errors": self.errors,
            "seconds": round(seconds, 3),
        }


def _same(item: ThreadItem, thread: str, content: str) -> None:
    """Raise InvalidInput where the id of an item is that of another, which was given back."""
    if item.content is None:  # deleted or past its time: what it said is not known any more
        return
    if item.thread != thread:
        raise InvalidInput("external_id", f"is that of an item of thread {item.thread}")
    if item.content != clean_text(content, "content", MAX_EPISODE)[0]:
        raise InvalidInput("external_id", "is that of an item with other words")


def _item(text: bytes) -> dict[str, Any]:
    try:
        found = strict_json(text)
    except ValueError as error:
        raise InvalidInput("line", f"not valid JSON: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInput("line", "must be a JSON object")
    fields = cast("dict[str, Any]", found)
    for name in fields:
        if name not in _FIELDS:
            raise InvalidInput(name, f"is no field of an item; known: {', '.join(sorted(_FIELDS))}")
    for name in ("thread", "content"):
        if name not in fields:
            raise InvalidInput(name, "is missing")
    if not isinstance(fields.get("person", ""), str | None):
        raise InvalidInput("person", "must be text, or null")
    return fields


def _name(text: bytes, seen: Counter[bytes]) -> str:
    """Give a line an id that the next run finds again; equal lines are still two."""
    digest = hashlib.sha256(text).digest()
    seen[digest] += 1
    return f"chat:{hashlib.sha256(digest + str(seen[digest]).encode()).hexdigest()[:40]}"


def _first(source: IO[bytes]) -> tuple[bytes, list[bytes]]:
    """Give the first character that says something, and the lines read to find it."""
    read: list[bytes] = []
    for line in source:
        read.append(line)
        said = line.removeprefix(b"\xef\xbb\xbf").strip()
        if said:
            return said[:1], read
    return b"", read


def _export(parts: Iterable[bytes]) -> list[Any]:
    try:
        document = strict_json(b"".join(parts))
    except ValueError as error:
        raise InvalidInput("file", f"not valid JSON: {error}. {_TAKEN}") from error
    if not isinstance(document, list):
        raise InvalidInput("file", f"must be a list of conversations. {_TAKEN}")
    return cast("list[Any]", document)


def _prepared(
    source: IO[bytes], form: str, bar: Progress, task: TaskID
) -> Callable[[ChatImport], None]:
    """Read what must be known of a file before anything is stored; gives what stores it."""
    first, read = _first(source)
    if (other := is_no_text(read[0] if read else b"", "chat export")) is not None:
        raise other
    lines = chain(read, source)
    if form == "jsonl" or (form == "auto" and first in {b"{", b""}):

        def counted() -> Iterator[bytes]:
            for line in lines:
                bar.advance(task, len(line))
                yield line

        return lambda run: run.lines(counted())
    document = _export(lines)
    named = format_of(document) if form == "auto" else form

    def told() -> Iterator[Any]:
        for one in document:
            yield one
            bar.advance(task)

    bar.update(task, total=len(document), completed=0)
    return lambda run: run.conversations(told(), chatgpt if named == "chatgpt" else claude)


def import_chat(
    call: Call,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="An export's conversations.json, or JSONL; -.")
    ],
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORMAT", help="auto, chatgpt, claude or jsonl."),
    ] = "auto",
) -> None:
    """Take conversations in as threads, with their own times.

    Exports of ChatGPT and Claude (conversations.json), or JSONL with one item a line. What
    is bad is named and counted, the rest stored. Run again, it changes nothing.
    """
    if form not in _FORMATS:
        raise InvalidInput("format", f"must be one of {', '.join(_FORMATS)}")

    def tell(problem: dict[str, Any]) -> None:
        report(problem, as_json=call.as_json)

    started = time.perf_counter()
    with (
        call.open(create=True) as memory,
        opened_file(file) as (source, size),
        progress_bar("importing", total=size) as (bar, task),
    ):
        run = ChatImport(memory, call.person, tell)
        store = _prepared(source, form, bar, task)
        complete, new = False, 0
        try:
            store(run)
            new, complete = run.settle(), True
        finally:
            seconds = time.perf_counter() - started
            summary = run.summary(complete=complete, new=new, seconds=seconds)
            bar.stop()
            if call.as_json:
                call.out.document({"file": file, **summary})
            else:
                _show(call, file, summary)
    if run.exit_code is not ExitCode.OK:
        raise typer.Exit(cast("int", run.exit_code))


def _show(call: Call, name: str, summary: dict[str, Any]) -> None:
    state = "imported" if summary["complete"] else "imported in part"
    counts = ("threads", "items", "new", "empty", "failed")
    call.out.show(
        card(
            [
                (state, Text(visible(name), style="bold")),
                *((count, str(summary[count])) for count in counts),
                ("time", f"{summary['seconds']} s"),
            ]
        )
    )
    if summary["undated"]:
        call.out.show(
            Text(f"Without a time: {summary['undated']}. They count as said when first imported.")
        )
    if not summary["complete"]:
        call.out.show(Text("Run the same import again to go on: what is in stays as it is."))


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    command(app, "import-chat")(import_chat)
